"""The board's texture: squares, frame, what is printed on them, and wear."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.emblem import crown
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.style import Colour, Print, Style, Surface
from hardware.simulated.drawing.surfaces import pattern
from hardware.simulated.drawing.view import Floats
from hardware.simulated.drawing.wood import smooth_noise
from hardware.simulated.geometry import TableGeometry

PX_PER_MM = 4
Rectangle = tuple[float, float, float, float]
"""Left, near, right and far edge, board mm."""
ROUNDING_MM = 2.5
"""Width of the frame's rounded outer edge."""
MATCHED = (Surface.WOOD, Surface.STONE)
"""What squares are cut of piece by piece, so that each has a shade and a grain of its own."""


@dataclass(frozen=True, eq=False)
class BoardTexture:
    """What the board is painted with, PX_PER_MM samples a mm from its near left corner; `rectangle` is its place."""

    rectangle: Rectangle
    texture: Floats
    """(rows, columns, 3) colours in even light."""

    def lit(self, illumination: Illumination) -> Floats:
        """The texture with its rounded outer edges lit."""
        lit = self.texture.copy()
        border = -self.rectangle[0]
        width = min(ROUNDING_MM, border / 2)
        strip = math.ceil(width * PX_PER_MM)
        if strip == 0:
            return lit
        x, y = grid(self.rectangle)
        middle = (self.rectangle[0] + self.rectangle[2]) / 2
        light_x, light_y, _ = illumination.direction
        inner = slice(strip, -strip)
        for rows, columns in (
            (slice(None), slice(strip)),
            (slice(None), slice(-strip, None)),
            (slice(strip), inner),
            (slice(-strip, None), inner),
        ):
            across, along = x[:, columns] - middle, y[rows] - middle
            facing = np.where(np.abs(across) > np.abs(along), np.sign(across) * light_x, np.sign(along) * light_y)
            to_edge = np.maximum(np.abs(across), np.abs(along)) - (self.rectangle[2] - middle)
            rounding = np.clip((to_edge + width) / width, 0, 1)
            part = lit[rows, columns]
            part *= (1 + (0.6 * illumination.directed) * facing * rounding)[..., None]
        return lit


def paint(colour: Colour, brightness: Floats) -> Floats:
    """(rows, columns, 3) a colour in varying brightness."""
    return brightness[..., None] * np.asarray(colour, dtype=np.float32)


def grid(rectangle: Rectangle) -> tuple[Floats, Floats]:
    """Board coordinates (x as a row, y as a column) of the samples of a texture for the rectangle."""
    left, near, right, far = rectangle
    columns = left + (np.arange(round((right - left) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    rows = near + (np.arange(round((far - near) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    return columns[None, :].astype(np.float32), rows[:, None].astype(np.float32)


def board_rectangle(geometry: TableGeometry, style: Style) -> Rectangle:
    """The board with its frame."""
    border = geometry.border_mm if style.frame_mm is None else style.frame_mm
    size = 8 * geometry.square_mm
    return -border, -border, size + border, size + border


def board_texture(random: np.random.Generator, geometry: TableGeometry, style: Style) -> BoardTexture:
    """Paint the board."""
    side = geometry.square_mm
    size = 8 * side
    rectangle = board_rectangle(geometry, style)
    border = -rectangle[0]
    x, y = grid(rectangle)
    texture = _frame(random, style, x, y, size)
    width = round(side * PX_PER_MM)
    sheets = {
        dark: pattern(random, style.squares, (2 * width, 6 * width), PX_PER_MM, style.square_grain[dark])
        for dark in (True, False)
    }
    matched = style.squares in MATCHED
    shades, tints = (0.035, 0.006) if matched else (0.004, 0.0)
    joint = _joint(width, style.joint)
    for row in range(8):
        for column in range(8):
            dark = (row + column) % 2 == 0
            sheet = sheets[dark]
            top, left = (int(random.integers(0, extent - width)) for extent in sheet.shape)
            piece = sheet[top : top + width, left : left + width] * (1 + shades * random.standard_normal())
            colour = np.asarray(style.dark_squares if dark else style.light_squares)
            colour = colour * (1 + tints * random.standard_normal(3))
            first_row, first_column = (round((border + index * side) * PX_PER_MM) for index in (row, column))
            square = np.s_[first_row : first_row + width, first_column : first_column + width]
            texture[square] = paint((colour[0], colour[1], colour[2]), piece * joint)
    tone = smooth_noise(random, (texture.shape[0], texture.shape[1]), (60 * PX_PER_MM, 60 * PX_PER_MM))
    if style.printing is Print.NUMBERS:
        _number_squares(texture, border, side, style)
    if style.printing is Print.COORDINATES:
        _letter_frame(texture, border, side, style)
    if style.logo:
        _stamp_logos(texture, border, size, style)
    if style.wear > 0:
        _scuff(random, texture, style, x, y, side)
    if style.squares is Surface.CARDBOARD:
        _fold(random, texture, y - size / 2)
    texture *= 1 + 0.012 * tone[..., None]
    return BoardTexture(rectangle, texture)


def _joint(width: int, dark: float) -> Floats:
    """The fine dark line where a square meets its neighbours."""
    place = (np.arange(width, dtype=np.float32) + 0.5) / PX_PER_MM
    edge = np.minimum(place, place[::-1])
    line = 1 - dark * np.exp(-((edge / 0.35) ** 2))
    return np.asarray(line[:, None] * line[None, :], dtype=np.float32)


def _frame(random: np.random.Generator, style: Style, x: Floats, y: Floats, size: float) -> Floats:
    """The frame, of four mitred planks if it is wood, with an inlaid line round the playing area."""
    shape = (y.shape[0], x.shape[1])
    outside_x = np.maximum(-x, x - size)
    outside_y = np.maximum(-y, y - size)
    if style.frame_surface is Surface.WOOD:
        along_x = pattern(random, Surface.WOOD, shape, PX_PER_MM, 0.2)
        along_y = np.ascontiguousarray(pattern(random, Surface.WOOD, (shape[1], shape[0]), PX_PER_MM, 0.2).T)
        frame = paint(style.frame, np.where(outside_x > outside_y, along_y, along_x))
        frame *= (1 - 0.3 * np.exp(-((np.abs(outside_x - outside_y) / 0.4) ** 2)))[..., None]
    else:
        contrast = 0.25 if style.frame_surface is Surface.STONE else 0.025
        frame = paint(style.frame, pattern(random, style.frame_surface, shape, PX_PER_MM, contrast))
    if style.frame_line == style.frame:
        return frame
    depth = np.maximum(outside_x, outside_y)
    inlay = np.clip(1.0 - np.abs(depth - 4.0), 0, 1)[..., None]
    return np.asarray(frame * (1 - inlay) + np.asarray(style.frame_line, dtype=np.float32) * inlay)


def _ink(ground: Colour, other: Colour) -> Colour:
    """A colour that can be read on `ground`: half way to `other`."""
    blue, green, red = (0.35 * a + 0.65 * b for a, b in zip(ground, other, strict=True))
    return blue, green, red


def _stamp(texture: Floats, mask: Floats, middle: tuple[float, float], colour: Colour, strength: float = 1.0) -> None:
    """Print a mask (0–1, as a human at the near edge sees it) with its middle at texture (column, row)."""
    rows, columns = mask.shape
    left, top = round(middle[0] - columns / 2), round(middle[1] - rows / 2)
    if left < 0 or top < 0 or left + columns > texture.shape[1] or top + rows > texture.shape[0]:
        return
    part = texture[top : top + rows, left : left + columns]
    cover = (strength * mask[::-1])[..., None]
    part += cover * (np.asarray(colour, dtype=np.float32) - part)


def _text(text: str, height_mm: float) -> Floats:
    """A text as a mask (0–1) about as high as said."""
    finer = 3
    scale = height_mm * PX_PER_MM * finer / 22.0
    thickness = max(1, round(2.4 * scale))
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
    mask: NDArray[np.uint8] = np.zeros((height + below + 2 * thickness, width + 2 * thickness), dtype=np.uint8)
    place = (thickness, height + thickness)
    cv2.putText(mask, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thickness, cv2.LINE_AA)
    small = cv2.resize(mask, None, fx=1 / finer, fy=1 / finer, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32) / np.float32(255)


def _number_squares(texture: Floats, border: float, side: float, style: Style) -> None:
    """1 to 32 in the far left corners of the squares that are played on, from the far left of the board."""
    ink = _ink(style.dark_squares, style.light_squares)
    number = 0
    for row in range(7, -1, -1):
        for column in range(8):
            if (row + column) % 2 == 0:
                number += 1
                x, y = column * side + 0.14 * side, row * side + 0.88 * side
                place = ((border + x) * PX_PER_MM, (border + y) * PX_PER_MM)
                _stamp(texture, _text(str(number), 0.105 * side), place, ink, 0.9)


def _letter_frame(texture: Floats, border: float, side: float, style: Style) -> None:
    """Letters along the near and far edges, numbers along the left and right ones."""
    height = min(0.45 * border, 5.0)
    for index in range(8):
        middle = border + (index + 0.5) * side
        for edge in (0.5 * border, 1.5 * border + 8 * side):
            _stamp(
                texture, _text("ABCDEFGH"[index], height), (middle * PX_PER_MM, edge * PX_PER_MM), style.frame_line
            )
            _stamp(texture, _text(str(index + 1), height), (edge * PX_PER_MM, middle * PX_PER_MM), style.frame_line)


def _stamp_logos(texture: Floats, border: float, size: float, style: Style) -> None:
    """A crown in a ring in the middles of the near and the far edge."""
    mask = crown(round(0.8 * border * PX_PER_MM), ring=0.9)
    for edge in (0.5 * border, 1.5 * border + size):
        _stamp(texture, mask, ((border + size / 2) * PX_PER_MM, edge * PX_PER_MM), style.frame_line, 0.9)


def _scuff(random: np.random.Generator, texture: Floats, style: Style, x: Floats, y: Floats, side: float) -> None:
    """Rub the colour off where discs slide and along the edges, and scratch it."""
    shape = (texture.shape[0], texture.shape[1])
    size = 8 * side
    from_middle = np.maximum(np.abs(x % side - side / 2), np.abs(y % side - side / 2)) / (side / 2)
    patches = smooth_noise(random, shape, (11 * PX_PER_MM, 11 * PX_PER_MM))
    streaks = smooth_noise(random, shape, (0.8 * PX_PER_MM, 6 * PX_PER_MM))
    streaks += smooth_noise(random, shape, (5 * PX_PER_MM, 0.8 * PX_PER_MM))
    playing = (x > 0) & (x < size) & (y > 0) & (y < size)
    rubbed = np.clip(0.5 + 0.22 * patches - 0.55 * from_middle, 0, 1) * np.clip(0.45 + 0.4 * streaks, 0, 1) * playing
    border = -float(x[0, 0])
    to_edge = np.minimum(np.minimum(x + border, size + border - x), np.minimum(y + border, size + border - y))
    rubbed = np.maximum(rubbed, np.clip(1.0 + 0.3 * streaks - to_edge / 1.6, 0, 1))
    scratches: NDArray[np.uint8] = np.zeros(shape, dtype=np.uint8)
    for _ in range(round(150 * style.wear)):
        start = random.uniform(0, shape[0], 2)
        angle, length = random.uniform(0, 2 * np.pi), PX_PER_MM * random.exponential(12)
        end = start + length * np.array([np.cos(angle), np.sin(angle)])
        ends = [(int(a), int(b)) for a, b in (start * 16, end * 16)]
        cv2.line(scratches, ends[0], ends[1], int(random.integers(40, 170)), 1, cv2.LINE_AA, 4)
    cover = style.wear * (0.38 * rubbed + 0.4 * np.asarray(scratches, dtype=np.float32) / 255)
    bare = np.asarray((128, 148, 160), dtype=np.float32)
    texture += cover[..., None] * (bare - texture)


def _fold(random: np.random.Generator, texture: Floats, from_fold: Floats) -> None:
    """The fold across a cardboard board's middle: a groove with fibres of paper along its edges."""
    shape = (texture.shape[0], texture.shape[1])
    frayed = smooth_noise(random, shape, (0.8 * PX_PER_MM, 4 * PX_PER_MM))
    away = np.abs(from_fold) - 0.5
    white = np.clip(0.75 - np.abs(away) / 0.5 + 0.3 * frayed, 0, 1)[..., None] * 0.55
    texture += white * (np.asarray((178, 190, 196), dtype=np.float32) - texture)
    texture *= (1 - 0.7 * np.exp(-((from_fold / 0.35) ** 2)))[..., None]
    texture *= np.where(from_fold > 0, 1.0, 0.965)[..., None]
