"""The gantry: shaded metal boxes that follow the gripper's tip, and the suction cup."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.disc_drawing import see_cylinder
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.style import Colour, Style
from hardware.simulated.drawing.view import Floats, View, Window
from hardware.simulated.geometry import ArmPart
from hardware.simulated.scene import Point

CUP = ((0.0, 3.0, 1.0), (3.0, 6.0, 0.78), (6.0, 9.0, 0.95), (9.0, 12.0, 0.75), (12.0, 45.0, 0.55))
"""The cup's bellows and the tube above it: from height, to height (mm above the tip), part of the nozzle's radius."""
BELLOWS = 4
AMBIENT = 0.55


class GantryPainter:
    """Draws the gantry into pictures (height, width, 3) of float32."""

    def __init__(self, view: View, style: Style, parts: tuple[ArmPart, ...]) -> None:
        self._view, self._style, self._parts = view, style, parts
        direction = np.asarray(style.light) / np.linalg.norm(style.light)
        self._to_light = (float(direction[0]), float(direction[1]), float(direction[2]))

    def cast_shadows(self, shadows: SoftShadows, tip: Point) -> None:
        """Add the gantry's shadows."""
        for part in self._parts:
            shadows.add_hull(_corners(*place_part(part, tip)))

    def draw(self, picture: Floats, tip: Point) -> None:
        """Draw the parts, those nearer to the camera over the others."""
        for part in sorted(self._parts, key=lambda part: self._nearness(part, tip)):
            lower, upper = place_part(part, tip)
            if part.name == "nozzle":
                self._draw_nozzle(picture, lower, upper)
            else:
                colour = self._style.metal if part.name == "beam" else self._style.painted_metal
                self._draw_box(picture, lower, upper, colour, grooves=part.name == "beam")

    def _nearness(self, part: ArmPart, tip: Point) -> tuple[float, float]:
        """Parts are told apart by how far they reach towards the camera, then by what sticks out above."""
        lower, upper = place_part(part, tip)
        return (upper[2], upper[1]) if part.name == "nozzle" else (1000 + upper[1], upper[2])

    def _draw_nozzle(self, picture: Floats, lower: Point, upper: Point) -> None:
        x, y = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
        radius = min(upper[0] - lower[0], upper[1] - lower[1]) / 2
        height = (upper[2] - lower[2]) / CUP[-1][1]
        for index, (low, high, part) in enumerate(CUP):
            seen = see_cylinder(self._view, x, y, radius * part, lower[2] + low * height, lower[2] + high * height)
            if seen is None:
                continue
            base = self._style.rubber if index < BELLOWS else self._style.metal
            facing = (seen.wall_x * self._to_light[0] + seen.wall_y * self._to_light[1]) / (radius * part)
            lit = AMBIENT + 0.6 * np.maximum(facing, 0) + 0.35 * np.maximum(facing, 0) ** 6
            lit = lit * (1 - seen.top) + 0.9 * seen.top
            target = picture[seen.window.slices]
            colour = lit[..., None] * np.asarray(base, dtype=np.float32)
            target += seen.body[..., None] * (colour - target)

    def _draw_box(self, picture: Floats, lower: Point, upper: Point, colour: Colour, grooves: bool) -> None:
        camera = self._view.position
        for axis in range(3):
            for side, sign in ((lower, -1.0), (upper, 1.0)):
                if sign * (camera[axis] - side[axis]) <= 0:
                    continue
                face = _face(lower, upper, axis, side[axis])
                facing = max(0.0, sign * self._to_light[axis])
                self._fill(picture, face, colour, AMBIENT + 0.62 * facing)
                if grooves and axis != 0:
                    self._draw_grooves(picture, lower, upper, axis, side[axis])

    def _fill(self, picture: Floats, outline: list[Point], colour: Colour, lit: float) -> None:
        window = self._view.window_around(outline)
        if window.empty:
            return
        mask = _polygon(self._view.project(outline), window)
        rows = np.linspace(1.07, 0.93, window.bottom - window.top, dtype=np.float32)[:, None, None]
        part = picture[window.slices]
        part += mask * (np.asarray(colour, dtype=np.float32) * (lit * rows) - part)

    def _draw_grooves(self, picture: Floats, lower: Point, upper: Point, axis: int, at: float) -> None:
        """The dark slot along an extruded beam's face and the bright edges beside it."""
        across = 3 - axis
        width = upper[across] - lower[across]
        for place, half, factor in ((0.5, 0.13, 0.45), (0.36, 0.012, 1.12), (0.64, 0.012, 1.12)):
            low, high = list(lower), list(upper)
            low[across] = lower[across] + (place - half) * width
            high[across] = lower[across] + (place + half) * width
            outline = _face((low[0], low[1], low[2]), (high[0], high[1], high[2]), axis, at)
            window = self._view.window_around(outline)
            if not window.empty:
                part = picture[window.slices]
                part *= 1 + _polygon(self._view.project(outline), window) * (factor - 1)


def place_part(part: ArmPart, tip: Point) -> tuple[Point, Point]:
    """Lower and upper corner (board mm) of a part when the gripper's tip is at `tip`."""
    shift = [value if follows else 0.0 for value, follows in zip(tip, part.follows, strict=True)]
    low = [value + by for value, by in zip(part.lower, shift, strict=True)]
    high = [value + by for value, by in zip(part.upper, shift, strict=True)]
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def _corners(lower: Point, upper: Point) -> list[Point]:
    return [(x, y, z) for x, y, z in product(*zip(lower, upper, strict=True))]


def _face(lower: Point, upper: Point, axis: int, at: float) -> list[Point]:
    """The outline of the box's face at `at` on `axis`, with points along its edges for the lens to bend."""
    one, other = (index for index in range(3) if index != axis)
    corners = [
        (lower[one], lower[other]),
        (upper[one], lower[other]),
        (upper[one], upper[other]),
        (lower[one], upper[other]),
    ]
    outline = []
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True):
        for part in np.linspace(0, 1, 6, endpoint=False):
            point = [at, at, at]
            point[one], point[other] = a + float(part) * (c - a), b + float(part) * (d - b)
            outline.append((point[0], point[1], point[2]))
    return outline


def _polygon(pixels: NDArray[np.float64], window: Window) -> Floats:
    """Coverage (rows, columns, 1) of the window's pixels by a convex polygon."""
    mask: NDArray[np.uint8] = np.zeros((window.bottom - window.top, window.right - window.left), dtype=np.uint8)
    points = np.rint((pixels - (window.left, window.top)) * 16).astype(np.int32)
    cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 255, cv2.LINE_AA, 4)
    return (mask.astype(np.float32) / np.float32(255))[..., None]
