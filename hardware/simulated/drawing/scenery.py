"""What never moves: table top, board and trays."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from hardware.simulated.drawing.style import Colour, Style
from hardware.simulated.drawing.view import Floats, View
from hardware.simulated.drawing.wood import felt, grain, seamless, smooth_noise
from hardware.simulated.geometry import TableGeometry

PX_PER_MM = 4
Rectangle = tuple[float, float, float, float]
"""Left, near, right and far edge, board mm."""

FINER = 2
"""Samples along each side of a pixel."""


def light_map(view: View, style: Style, board_mm: float) -> Floats:
    """(height, width) how brightly each pixel's surroundings are lit: 1 at the board's middle."""
    width, height = view.camera.size
    across = style.gradient[0] * (view.ground_x / board_mm - 0.5)
    along = style.gradient[1] * (view.ground_y / board_mm - 0.5)
    column = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
    row = (np.arange(height, dtype=np.float32) - height / 2) / (height / 2)
    corner = (column[None, :] ** 2 + row[:, None] ** 2) / 2
    return np.asarray((1 + across + along) * (1 - style.vignetting * corner), dtype=np.float32)


def draw_scenery(view: View, geometry: TableGeometry, style: Style, seed: int) -> Floats:
    """The empty table (height, width, 3) as the camera sees it evenly lit: without `light_map`."""
    random = np.random.default_rng(seed)
    x, y = view.ground(FINER)
    picture = _table(random, style, x, y)
    size = 8 * geometry.square_mm
    trays = _tray_rectangles(geometry)
    board = (-geometry.border_mm, -geometry.border_mm, size + geometry.border_mm, size + geometry.border_mm)
    shade = _contact_shadows((*trays, board), style, view.ground_x, view.ground_y)
    picture *= cv2.resize(shade, picture.shape[1::-1], interpolation=cv2.INTER_LINEAR)[..., None]
    for rectangle in trays:
        _lay(picture, rectangle, _tray(random, rectangle, geometry, style), x, y)
    _lay(picture, board, _board(random, geometry, style), x, y)
    return np.asarray(cv2.resize(picture, view.camera.size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def _paint(colour: Colour, pattern: Floats) -> Floats:
    return pattern[..., None] * np.asarray(colour, dtype=np.float32)


def _table(random: np.random.Generator, style: Style, x: Floats, y: Floats) -> Floats:
    scale = 2.0
    pattern = seamless(grain(random, (1100, 2100), scale, 0.16), 100)
    wood = cv2.remap(pattern, x * scale + 4000, y * scale + 4000, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return _paint(style.table, np.asarray(wood, dtype=np.float32))


def _contact_shadows(rectangles: Iterable[Rectangle], style: Style, x: Floats, y: Floats) -> Floats:
    """How much of the room's light reaches the table around things that lie on it."""
    lit = np.ones_like(x)
    for left, near, right, far in rectangles:
        across, along = np.maximum(left - x, x - right), np.maximum(near - y, y - far)
        outside = np.hypot(np.maximum(across, 0), np.maximum(along, 0))
        lit *= 1 - style.shadow * 0.8 * np.exp(-outside / 4.5)
    return lit


def _lay(picture: Floats, rectangle: Rectangle, texture: Floats, x: Floats, y: Floats) -> None:
    """Put a texture that fills the rectangle into the picture."""
    left, near, right, far = rectangle
    inside = (x >= left) & (x < right) & (y >= near) & (y < far)
    rows, columns = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    across, along = (x[part] - left) * PX_PER_MM - 0.5, (y[part] - near) * PX_PER_MM - 0.5
    laid = cv2.remap(texture, across, along, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    np.copyto(picture[part], np.asarray(laid, dtype=np.float32), where=inside[part][..., None])


def _tray_rectangles(geometry: TableGeometry) -> list[Rectangle]:
    middle = 4 * geometry.square_mm
    margin = 0.55 * geometry.square_mm
    rectangles = []
    for places in ([p for p in geometry.tray_mm if p[0] < middle], [p for p in geometry.tray_mm if p[0] >= middle]):
        if places:
            columns, rows = zip(*places, strict=True)
            rectangles.append((min(columns) - margin, min(rows) - margin, max(columns) + margin, max(rows) + margin))
    return rectangles


def _grid(rectangle: Rectangle) -> tuple[Floats, Floats]:
    """Board coordinates (columns x, rows y) of the samples of a texture for the rectangle."""
    left, near, right, far = rectangle
    columns = left + (np.arange(round((right - left) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    rows = near + (np.arange(round((far - near) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    return columns[None, :].astype(np.float32), rows[:, None].astype(np.float32)


def _tray(random: np.random.Generator, rectangle: Rectangle, geometry: TableGeometry, style: Style) -> Floats:
    x, y = _grid(rectangle)
    left, near, right, far = rectangle
    shape = (y.shape[0], x.shape[1])
    cloth = felt(random, shape, PX_PER_MM)
    radius = geometry.disc_diameter_mm / 2 + 1.5
    for place_x, place_y in geometry.tray_mm:
        if left < place_x < right and near < place_y < far:
            away = np.abs(np.hypot(x - place_x, y - place_y) - radius)
            cloth *= 1 + style.tray_marks * np.clip(1.2 - away, 0, 1)
    edge = np.minimum(np.minimum(x - left, right - x), np.minimum(y - near, far - y))
    lip = np.clip(3.0 - edge, 0, 1)[..., None]
    wood = _paint(style.frame, grain(random, shape, PX_PER_MM, 0.2))
    inner_shadow = 1 - 0.35 * np.exp(-np.maximum(edge - 3, 0) / 2.5)
    return np.asarray(_paint(style.tray, cloth * inner_shadow) * (1 - lip) + wood * lip, dtype=np.float32)


def _board(random: np.random.Generator, geometry: TableGeometry, style: Style) -> Floats:
    side = geometry.square_mm
    size, border = 8 * side, geometry.border_mm
    rectangle = (-border, -border, size + border, size + border)
    x, y = _grid(rectangle)
    texture = _frame(random, style, x, y, size)
    width = round(side * PX_PER_MM)
    sheets = {
        dark: grain(random, (2 * width, 6 * width), PX_PER_MM, 0.20 if dark else 0.13) for dark in (True, False)
    }
    for row in range(8):
        for column in range(8):
            dark = (row + column) % 2 == 0
            sheet = sheets[dark]
            top, left = (int(random.integers(0, extent - width)) for extent in sheet.shape)
            piece = sheet[top : top + width, left : left + width] * (1 + 0.035 * random.standard_normal())
            colour = np.asarray(style.dark_squares if dark else style.light_squares)
            colour = colour * (1 + 0.006 * random.standard_normal(3))
            first_row, first_column = (round((border + index * side) * PX_PER_MM) for index in (row, column))
            square = np.s_[first_row : first_row + width, first_column : first_column + width]
            texture[square] = _paint((colour[0], colour[1], colour[2]), piece * _joint(width))
    wear = smooth_noise(random, (texture.shape[0], texture.shape[1]), (60 * PX_PER_MM, 60 * PX_PER_MM))
    return np.asarray(texture * (1 + 0.012 * wear[..., None]), dtype=np.float32)


def _joint(width: int) -> Floats:
    """The fine dark line where a square's veneer meets its neighbours."""
    place = (np.arange(width, dtype=np.float32) + 0.5) / PX_PER_MM
    edge = np.minimum(place, place[::-1])
    line = 1 - 0.28 * np.exp(-((edge / 0.35) ** 2))
    return np.asarray(line[:, None] * line[None, :], dtype=np.float32)


def _frame(random: np.random.Generator, style: Style, x: Floats, y: Floats, size: float) -> Floats:
    """The frame's four mitred planks with an inlaid line round the playing area and a rounded outer edge."""
    shape = (y.shape[0], x.shape[1])
    outside_x = np.maximum(-x, x - size)
    outside_y = np.maximum(-y, y - size)
    along_x = grain(random, shape, PX_PER_MM, 0.2)
    along_y = np.ascontiguousarray(grain(random, (shape[1], shape[0]), PX_PER_MM, 0.2).T)
    wood = _paint(style.frame, np.where(outside_x > outside_y, along_y, along_x))
    wood *= (1 - 0.3 * np.exp(-((np.abs(outside_x - outside_y) / 0.4) ** 2)))[..., None]
    depth = np.maximum(outside_x, outside_y)
    inlay = np.clip(1.0 - np.abs(depth - 4.0), 0, 1)[..., None]
    wood = wood * (1 - inlay) + np.asarray(style.frame_line, dtype=np.float32) * inlay
    border = float(-x[0, 0] + 0.5 / PX_PER_MM)
    light_x, light_y = np.asarray(style.light[:2]) / np.linalg.norm(style.light)
    facing = np.where(outside_x > outside_y, np.sign(x - size / 2) * light_x, np.sign(y - size / 2) * light_y)
    rounding = np.clip((depth - (border - 2.5)) / 2.5, 0, 1)
    return np.asarray(wood * (1 + 0.6 * facing * rounding)[..., None], dtype=np.float32)
