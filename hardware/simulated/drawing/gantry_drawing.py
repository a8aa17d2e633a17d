"""The gantry: shaded metal boxes that follow the gripper's tip, and the suction cup."""

from __future__ import annotations

import math
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.cylinder import see_cylinder
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.style import Colour, Style
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import ArmPart
from hardware.simulated.scene import Point

CUP = ((0.0, 3.0, 1.0), (3.0, 6.0, 0.78), (6.0, 9.0, 0.95), (9.0, 12.0, 0.75), (12.0, 45.0, 0.55))
"""The cup's bellows and the tube above it: from height, to height (mm above the tip), part of the nozzle's radius."""
BELLOWS = 4
AMBIENT = 0.55
BEVEL_MM = 1.2
SCREWS = ((0.14, 0.16), (0.86, 0.16), (0.14, 0.84), (0.86, 0.84))
"""Places of a cover's screws as parts of its width and height."""
SCREW_MM = 2.2
CIRCLE = tuple((math.cos(turn * math.pi / 6), math.sin(turn * math.pi / 6)) for turn in range(12))
PIECE_MM = 120.0
"""Edges are drawn in pieces about this long, which the lens may bend against each other."""


class GantryPainter:
    """Draws the gantry: each part within its box, so that the boxes are its true outline."""

    def __init__(self, view: View, style: Style, illumination: Illumination, parts: tuple[ArmPart, ...]) -> None:
        self._view, self._style, self._parts = view, style, parts
        self._to_light = illumination.direction
        self._ambient, self._direct, self._gain = (
            AMBIENT * illumination.room,
            illumination.directed,
            illumination.gain,
        )

    def in_view(self, tip: Point) -> bool:
        """Whether any part shows in the picture."""
        parts = (_corners(*place_part(part, tip)) for part in self._parts)
        return any(not self._view.window_around(corners, margin_px=0).empty for corners in parts)

    def cast_shadows(self, shadows: SoftShadows, tip: Point) -> None:
        """Add the gantry's shadows."""
        for part in self._parts:
            shadows.add_hull(_corners(*place_part(part, tip)))

    def draw(self, canvas: Canvas, tip: Point) -> None:
        """Draw the parts, those nearer to the camera over the others."""
        for part in sorted(self._parts, key=lambda part: _nearness(part, tip)):
            lower, upper = place_part(part, tip)
            if part.name == "nozzle":
                self._draw_nozzle(canvas, lower, upper)
            elif part.name == "beam":
                self._draw_box(canvas, lower, upper, self._style.metal)
                self._draw_slots(canvas, lower, upper)
            else:
                colour = self._style.painted_metal if part.name == "carriage" else self._style.tool
                self._draw_box(canvas, lower, upper, colour)
                self._draw_cover(canvas, lower, upper)

    def _draw_nozzle(self, canvas: Canvas, lower: Point, upper: Point) -> None:
        x, y = (lower[0] + upper[0]) / 2, (lower[1] + upper[1]) / 2
        radius = min(upper[0] - lower[0], upper[1] - lower[1]) / 2
        height = (upper[2] - lower[2]) / CUP[-1][1]
        for index, (low, high, part) in enumerate(CUP):
            seen = see_cylinder(self._view, x, y, radius * part, lower[2] + low * height, lower[2] + high * height)
            if seen is None:
                continue
            base = self._style.rubber if index < BELLOWS else self._style.metal
            facing = (seen.wall_x * self._to_light[0] + seen.wall_y * self._to_light[1]) / (radius * part)
            facing = np.maximum(facing, 0)
            lit = self._ambient + (0.6 * self._direct) * facing + (0.35 * self._direct) * facing**6
            lit = lit * (1 - seen.top) + 0.9 * seen.top
            target = canvas.part(seen.window)
            colour = lit[..., None] * np.asarray(self._lit(base), dtype=np.float32)
            target += seen.body[..., None] * (colour - target)

    def _draw_box(self, canvas: Canvas, lower: Point, upper: Point, colour: Colour) -> None:
        """The box's faces, each with a rim that catches more light."""
        for axis in range(3):
            for side, sign in ((lower, -1.0), (upper, 1.0)):
                if sign * (self._view.position[axis] - side[axis]) <= 0:
                    continue
                lit = self._ambient + 0.62 * self._direct * max(0.0, sign * self._to_light[axis])
                self._paint(canvas, _face(lower, upper, axis, side[axis]), colour, 1.22 * lit)
                inner = [(a + BEVEL_MM, b - BEVEL_MM) for a, b in zip(lower, upper, strict=True)]
                low, high = zip(*inner, strict=True)
                self._paint(canvas, _face(low, high, axis, side[axis]), colour, lit)

    def _draw_slots(self, canvas: Canvas, lower: Point, upper: Point) -> None:
        """The dark slots along the faces of an extruded beam that the camera sees."""
        for axis, at in ((2, upper[2]), (1, upper[1])):
            across = 3 - axis
            low, high = list(lower), list(upper)
            for part, factor in ((0.13, 0.55), (0.06, 0.35)):
                low[across] = lower[across] + (0.5 - part) * (upper[across] - lower[across])
                high[across] = lower[across] + (0.5 + part) * (upper[across] - lower[across])
                face = _face((low[0], low[1], low[2]), (high[0], high[1], high[2]), axis, at)
                self._paint(canvas, face, self._style.metal, factor)

    def _draw_cover(self, canvas: Canvas, lower: Point, upper: Point) -> None:
        """Screws and a coloured band on the face towards the robot's side."""
        width, height, at = upper[0] - lower[0], upper[2] - lower[2], upper[1]
        low = (lower[0] + 0.02 * width, at, lower[2] + 0.46 * height)
        high = (upper[0] - 0.02 * width, at, lower[2] + 0.54 * height)
        self._paint(canvas, _face(low, high, 1, at), self._style.accent, 0.8)
        for across, up in SCREWS:
            x, z = lower[0] + across * width, lower[2] + up * height
            rim = [(x + SCREW_MM * a, at, z + SCREW_MM * b) for a, b in CIRCLE]
            self._paint(canvas, rim, self._style.metal, 0.8)

    def _paint(self, canvas: Canvas, outline: list[Point], colour: Colour, lit: float) -> None:
        """Fill a convex outline, a little brighter at its top."""
        window = self._view.window_around(outline)
        if window.empty:
            return
        mask: NDArray[np.uint8] = np.zeros((window.bottom - window.top, window.right - window.left), dtype=np.uint8)
        points = np.rint((self._view.project(outline) - (window.left, window.top)) * 16).astype(np.int32)
        cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 255, cv2.LINE_AA, 4)
        cover = mask.astype(np.float32) / np.float32(255)
        rows = np.linspace(1.07, 0.93, window.bottom - window.top, dtype=np.float32)[:, None]
        part = canvas.part(window)
        part *= cv2.merge([1 - cover] * 3)
        cover *= rows * np.float32(lit)
        part += cv2.merge([cover * np.float32(channel) for channel in self._lit(colour)])

    def _lit(self, colour: Colour) -> Colour:
        """A colour in the light's strength and tint."""
        blue, green, red = (channel * part for channel, part in zip(colour, self._gain, strict=True))
        return blue, green, red


def _nearness(part: ArmPart, tip: Point) -> tuple[float, float]:
    """The nozzle is behind all else; the other parts are told apart by how far they reach towards the camera."""
    _, upper = place_part(part, tip)
    return (-1.0, 0.0) if part.name == "nozzle" else (1000 + upper[1], upper[2])


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
        pieces = math.ceil(max(abs(c - a), abs(d - b)) / PIECE_MM)
        for piece in range(pieces):
            point = [at, at, at]
            point[one], point[other] = a + piece / pieces * (c - a), b + piece / pieces * (d - b)
            outline.append((point[0], point[1], point[2]))
    return outline
