"""What never moves: table top, board and trays, under one light."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from hardware.simulated.drawing.board import (
    MATCHED,
    PX_PER_MM,
    BoardTexture,
    Rectangle,
    board_rectangle,
    board_texture,
    grid,
    paint,
)
from hardware.simulated.drawing.frame import SHADOW_REACH, Rim, lay_raised_frame
from hardware.simulated.drawing.glare import Glare, waves
from hardware.simulated.drawing.illumination import EVEN_SHADOW, Illumination
from hardware.simulated.drawing.style import Finish, Style, Surface
from hardware.simulated.drawing.surfaces import pattern
from hardware.simulated.drawing.view import Flags, Floats, View, Window
from hardware.simulated.drawing.wood import felt, seamless
from hardware.simulated.geometry import SimulatedCamera, TableGeometry

FINER = 2
"""Samples along each side of a pixel."""
TABLE_PX_PER_MM = 2.0
ANY_CAMERA = SimulatedCamera()
WAVES_PX_PER_MM = 2.0
COARSER = 8
"""Where the lamp is mirrored at all is looked for in a picture this many times smaller."""


@dataclass(frozen=True, eq=False)
class Textures:
    """What table top, trays and board are painted with."""

    table: Floats
    """(rows, columns) a tile of brightness."""
    trays: tuple[tuple[Rectangle, Floats], ...]
    board: BoardTexture


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Table top and trays in even light: as the camera sees them, and finer in a window around the board."""

    picture: Floats
    window: Window
    finer: Floats


def draw_scenery(
    view: View, light: Floats, geometry: TableGeometry, style: Style, illumination: Illumination, seed: int
) -> Floats:
    """The empty table (height, width, 3) as the camera sees it; `light` is its `light_map`."""
    around = _surroundings(view, geometry, style, seed)
    scenery, finer, window = around.picture.copy(), around.finer.copy(), around.window
    texture = _textures(geometry, style, seed).board.lit(illumination)
    board = board_rectangle(geometry, style)
    x, y = view.ground(FINER, window)
    if style.rim_mm > 0:
        rim = Rim(board, 8 * geometry.square_mm, style.rim_mm)
        floor = view.ground_x[window.slices], view.ground_y[window.slices]
        lay_raised_frame(finer, rim, texture, PX_PER_MM, style.frame, view.position, illumination, (x, y), floor)
    else:
        _lay(finer, board, texture, x, y)
    if not window.empty:
        scenery[window.slices] = _coarser(finer)
    scenery *= light
    glare = Glare(view.position, illumination)
    if glare.visible:
        _mirror_lamp(scenery, glare, view, geometry, style, seed)
    return scenery


@lru_cache(maxsize=1)
def _surroundings(view: View, geometry: TableGeometry, style: Style, seed: int) -> Surroundings:
    """They are the same in every light, and take long to draw."""
    textures = _textures(geometry, style, seed)
    x, y = view.ground(FINER)
    board = board_rectangle(geometry, style)
    shade = _contact_shadows((*_tray_rectangles(geometry), board), view.ground_x, view.ground_y)
    shade = np.asarray(cv2.resize(shade, x.shape[::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32)
    picture = _table(style, textures.table, x, y, shade)
    for rectangle, texture in textures.trays:
        _lay(picture, rectangle, texture, x, y)
    reach = SHADOW_REACH * style.rim_mm
    left, near, right, far = board
    corners = [(x, y, 0.0) for x in (left - reach, right + reach) for y in (near - reach, far + reach)]
    window = view.window_around(corners, margin_px=4)
    finer = picture[FINER * window.top : FINER * window.bottom, FINER * window.left : FINER * window.right]
    return Surroundings(_coarser(picture), window, finer.copy())


def _coarser(picture: Floats) -> Floats:
    size = picture.shape[1] // FINER, picture.shape[0] // FINER
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def _textures(geometry: TableGeometry, style: Style, seed: int) -> Textures:
    """They are the same wherever the camera is, and take long to paint."""
    return _painted(replace(geometry, camera=ANY_CAMERA), style, seed)


@lru_cache(maxsize=1)
def _painted(geometry: TableGeometry, style: Style, seed: int) -> Textures:
    random = np.random.default_rng(seed)
    table = seamless(pattern(random, style.table_surface, (1100, 2100), TABLE_PX_PER_MM, style.table_grain), 100)
    trays = [(rectangle, _tray(random, rectangle, geometry, style)) for rectangle in _tray_rectangles(geometry)]
    return Textures(table, tuple(trays), board_texture(random, geometry, style))


def _table(style: Style, tile: Floats, x: Floats, y: Floats, shade: Floats) -> Floats:
    across, along = x * TABLE_PX_PER_MM + 4000, y * TABLE_PX_PER_MM + 4000
    brightness = np.asarray(cv2.remap(tile, across, along, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP))
    return np.asarray(cv2.merge([brightness * np.float32(channel) * shade for channel in style.table]))


def _contact_shadows(rectangles: Iterable[Rectangle], x: Floats, y: Floats) -> Floats:
    """How much of the room's light reaches the table around things that lie on it."""
    lit = np.ones_like(x)
    for left, near, right, far in rectangles:
        across, along = np.maximum(left - x, x - right), np.maximum(near - y, y - far)
        outside = np.hypot(np.maximum(across, 0), np.maximum(along, 0))
        lit *= 1 - EVEN_SHADOW * 0.8 * np.exp(-outside / 4.5)
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


def _mirror_lamp(
    scenery: Floats,
    glare: Glare,
    view: View,
    geometry: TableGeometry,
    style: Style,
    seed: int,
) -> None:
    """Add the lamp's mirror image on board and table; the trays' felt has none."""
    random = np.random.default_rng((seed, 41))
    on_board = _inside(view, board_rectangle(geometry, style))
    on_table = ~on_board
    for rectangle in _tray_rectangles(geometry):
        on_table &= ~_inside(view, rectangle)
    tilts = None
    if style.squares in MATCHED:
        tilts = random.normal(0, style.board_finish.waviness, (2, 8, 8)).astype(np.float32)
    for where, finish, surface, lie in (
        (on_table, style.table_finish, style.table_surface, None),
        (on_board, style.board_finish, style.squares, tilts),
    ):
        window = _glare_window(glare, view, where, finish)
        if window.empty:
            continue
        x, y = view.ground_x[window.slices], view.ground_y[window.slices]
        field = waves(random, (760, 760), WAVES_PX_PER_MM, finish, surface is Surface.WOOD)
        tilt_x, tilt_y = _tilt(field, x, y, lie, geometry.square_mm)
        levels = glare.mirrored(x, y, 0.0, tilt_x, tilt_y, finish) * where[window.slices]
        part = scenery[window.slices]
        part += glare.veil(part, levels)


def _inside(view: View, rectangle: Rectangle) -> Flags:
    left, near, right, far = rectangle
    x, y = view.ground_x, view.ground_y
    return (x >= left) & (x < right) & (y >= near) & (y < far)


def _glare_window(glare: Glare, view: View, where: Flags, finish: Finish) -> Window:
    """Around the pixels of `where` in which an even surface, or one a little uneven, mirrors anything to speak of."""
    few = np.s_[::COARSER, ::COARSER]
    uneven = replace(finish, roughness=finish.roughness + 5 * finish.waviness)
    levels = glare.mirrored(view.ground_x[few], view.ground_y[few], 0.0, 0.0, 0.0, uneven)
    bright = (levels > 0.3) & (cv2.dilate(where[few].astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)
    rows, columns = (np.flatnonzero(bright.any(axis=axis)) * COARSER for axis in (1, 0))
    if not len(rows):
        return Window(0, 0, 0, 0)
    width, height = view.camera.size
    left, top = max(int(columns[0]) - COARSER, 0), max(int(rows[0]) - COARSER, 0)
    return Window(left, top, min(int(columns[-1]) + 2 * COARSER, width), min(int(rows[-1]) + 2 * COARSER, height))


def _tilt(field: Floats, x: Floats, y: Floats, tilts: Floats | None, square_mm: float) -> tuple[Floats, Floats]:
    """x and y of the surface's normal at board points; tilts: (2, 8, 8) how each square of the board lies."""
    across, along = x * WAVES_PX_PER_MM + 4000, y * WAVES_PX_PER_MM + 4000
    tilt_x, tilt_y = (
        np.asarray(
            cv2.remap(seamless(part, 60), across, along, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32
        )
        for part in field
    )
    if tilts is not None:
        column, row = (np.floor(part / square_mm).astype(int) for part in (x, y))
        on_squares = (column >= 0) & (column < 8) & (row >= 0) & (row < 8)
        square = np.clip(row, 0, 7), np.clip(column, 0, 7)
        tilt_x = tilt_x + np.where(on_squares, tilts[0][square], np.float32(0))
        tilt_y = tilt_y + np.where(on_squares, tilts[1][square], np.float32(0))
    return tilt_x, tilt_y


def _tray_rectangles(geometry: TableGeometry) -> list[Rectangle]:
    middle = 4 * geometry.square_mm
    margin = 0.55 * geometry.square_mm
    rectangles = []
    for places in ([p for p in geometry.tray_mm if p[0] < middle], [p for p in geometry.tray_mm if p[0] >= middle]):
        if places:
            columns, rows = zip(*places, strict=True)
            rectangles.append((min(columns) - margin, min(rows) - margin, max(columns) + margin, max(rows) + margin))
    return rectangles


def _tray(random: np.random.Generator, rectangle: Rectangle, geometry: TableGeometry, style: Style) -> Floats:
    x, y = grid(rectangle)
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
    wood = paint(style.frame, pattern(random, Surface.WOOD, shape, PX_PER_MM, 0.2))
    inner_shadow = 1 - 0.35 * np.exp(-np.maximum(edge - 3, 0) / 2.5)
    return np.asarray(paint(style.tray, cloth * inner_shadow) * (1 - lip) + wood * lip, dtype=np.float32)
