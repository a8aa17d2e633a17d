"""A frame that stands above the playing surface: its top, the walls that the camera sees, and its shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.cylinder import smooth_step
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.style import Colour
from hardware.simulated.drawing.view import Flags, Floats

GAP_MM = 2.0
"""Between the outermost squares and the frame's inner walls, so that these hide no square from a slanting camera."""
BEVEL_MM = 1.5
SHADOW_REACH = 3.0
"""How far from the frame its shadow is drawn, times its height."""
WALL = 0.55
"""How bright a wall in the room's light is, as a part of a level face."""


@dataclass(frozen=True)
class Rim:
    """The frame's outer edges (left, near, right, far), the playing area's size and the height above it, mm."""

    outer: tuple[float, float, float, float]
    playing_mm: float
    height_mm: float

    @property
    def inner(self) -> tuple[float, float, float, float]:
        """The edges of the frame's inner walls."""
        return -GAP_MM, -GAP_MM, self.playing_mm + GAP_MM, self.playing_mm + GAP_MM


def lay_raised_frame(
    picture: Floats,
    rim: Rim,
    texture: Floats,
    px_per_mm: float,
    colour: Colour,
    camera_mm: NDArray[np.float64],
    illumination: Illumination,
    ground: tuple[Floats, Floats],
    coarse_ground: tuple[Floats, Floats],
) -> None:
    """Draw the board with its raised frame, and the frame's shadow, into a picture.

    texture: the whole board's, `px_per_mm` samples a mm from its near left corner; colour: the walls'. ground: x and
    y (mm) of the playing surface at each sample of the picture, coarse_ground: the same for a smaller picture.
    """
    x, y = ground
    left, near = rim.outer[:2]
    part = float((camera_mm[2] - rim.height_mm) / camera_mm[2])
    top_x, top_y = (ground[axis] * part + float(camera_mm[axis]) * (1 - part) for axis in (0, 1))
    top_outer, top_inner = _outside(top_x, top_y, rim.outer), _outside(top_x, top_y, rim.inner)
    ground_outer, ground_inner = _outside(x, y, rim.outer), _outside(x, y, rim.inner)
    on_top = (top_outer < 0) & (top_inner >= 0)
    floor = (top_inner < 0) & (ground_inner < 0)
    table = (top_outer >= 0) & (ground_outer >= 0)
    seen_x, seen_y = np.where(floor, x, top_x), np.where(floor, y, top_y)
    columns, rows = (seen_x - left) * px_per_mm - 0.5, (seen_y - near) * px_per_mm - 0.5
    board = cv2.remap(texture, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    np.copyto(picture, np.asarray(board, dtype=np.float32), where=~table[..., None])
    walls = ~(table | floor | on_top)
    outer = top_outer[walls] >= 0
    wall_x, wall_y = np.where(outer, top_x[walls], x[walls]), np.where(outer, top_y[walls], y[walls])
    lit = _walls(rim, illumination, wall_x, wall_y, outer)
    picture[walls] = lit[:, None] * np.asarray(colour, dtype=np.float32)
    bevel = on_top & (top_inner < BEVEL_MM)
    picture[bevel] *= _bevel(rim, illumination, top_x[bevel], top_y[bevel], top_inner[bevel])[:, None]
    shade = cv2.resize(_shadow(rim, illumination, *coarse_ground), x.shape[::-1], interpolation=cv2.INTER_LINEAR)
    picture *= np.where(floor | table, np.asarray(shade, dtype=np.float32), np.float32(1))[..., None]


def _outside(x: Floats, y: Floats, edges: tuple[float, float, float, float]) -> Floats:
    """How far (mm) points lie outside a rectangle, negative inside."""
    left, near, right, far = edges
    outside = np.maximum(np.maximum(left - x, x - right), np.maximum(near - y, y - far))
    return np.asarray(outside, dtype=np.float32)


def _shadow(rim: Rim, illumination: Illumination, x: Floats, y: Floats) -> Floats:
    """How much light reaches playing surface and table beside the frame: what it leaves of lamp and room."""
    light_x, light_y, light_z = illumination.direction
    over_x, over_y = x + light_x / light_z * rim.height_mm, y + light_y / light_z * rim.height_mm
    soft = illumination.penumbra * rim.height_mm * 0.7 + 0.3
    inside = _outside(x, y, rim.inner)
    into = np.where(inside < 0, _outside(over_x, over_y, rim.inner), -_outside(over_x, over_y, rim.outer))
    blocked = smooth_step((into + soft) / (2 * soft))
    room = np.where(inside < 0, np.exp(np.minimum(inside, 0) / (0.8 * rim.height_mm)), 0)
    gap = np.clip(_outside(x, y, (0.0, 0.0, rim.playing_mm, rim.playing_mm)) + 0.5, 0, 1) * (inside < 0)
    lamp = 1 - illumination.shadow * 0.75 * blocked
    return np.asarray(lamp * (1 - 0.32 * room) * (1 - 0.6 * gap), dtype=np.float32)


def _bevel(rim: Rim, illumination: Illumination, x: Floats, y: Floats, inside: Floats) -> Floats:
    """The light on the frame's rounded inner edge."""
    middle = rim.playing_mm / 2
    facing_x, facing_y = _side(x - middle, y - middle)
    facing = -(facing_x * illumination.direction[0] + facing_y * illumination.direction[1])
    rounding = np.clip(1 - inside / BEVEL_MM, 0, 1)
    return np.asarray(1 + 0.6 * illumination.directed * facing * rounding, dtype=np.float32)


def _walls(rim: Rim, illumination: Illumination, x: Floats, y: Floats, outer: Flags) -> Floats:
    """The brightness of walls, which face outwards if they are outer ones, else inwards."""
    facing_x, facing_y = _side(x - rim.playing_mm / 2, y - rim.playing_mm / 2)
    facing = (facing_x * illumination.direction[0] + facing_y * illumination.direction[1]) * np.where(outer, 1, -1)
    return np.asarray(
        WALL * illumination.room + 0.6 * illumination.directed * np.maximum(facing, 0), dtype=np.float32
    )


def _side(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The direction outwards of the side of a square that a point, seen from its middle, lies on."""
    across = np.abs(x) > np.abs(y)
    return np.where(across, np.sign(x), 0), np.where(across, 0, np.sign(y))
