"""Discs: top face, side wall and shadow, with edges exact to a small part of a pixel.

A pixel's ray is compared with the cylinder itself: at height z it passes the plane z at a point that the view
knows, so the disc covers the pixel where the piece of the ray between underside and top comes within the radius of
the axis. Coverage of edge pixels is the signed distance to the edge in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import Floats, View, Window
from hardware.simulated.drawing.wood import grain, seamless

SHEET_PX_PER_MM = 2.0
GROOVE = 0.68
"""Radius of the groove in the top face as a part of the disc's."""
AMBIENT = 0.62
CACHED = 128


@dataclass(frozen=True, eq=False)
class Cylinder:
    """An upright cylinder as the camera sees it: how much of each pixel of `window` it and its top face cover.

    `x`, `y`: where each ray meets the top's plane, and `wall_x`, `wall_y`: where it first meets the wall, mm from
    the axis; `depth`: how far down the wall that is, 0 at the top and 1 at the bottom.
    """

    window: Window
    body: Floats
    top: Floats
    x: Floats
    y: Floats
    wall_x: Floats
    wall_y: Floats
    depth: Floats


def see_cylinder(view: View, x: float, y: float, radius: float, low: float, high: float) -> Cylinder | None:
    """The cylinder with its axis at (x, y) between the heights `low` and `high` (mm); None if out of the picture."""
    ends = [(x + a, y + b, z) for z in (low, high) for a in (-radius, radius) for b in (-radius, radius)]
    window = view.window_around(ends)
    if window.right - window.left < 2 or window.bottom - window.top < 2:
        return None
    top_x, top_y = view.at_height(window, high)
    low_x, low_y = view.at_height(window, low)
    top_x, top_y = top_x - x, top_y - y
    step_x, step_y = low_x - x - top_x, low_y - y - top_y
    a = np.maximum(step_x**2 + step_y**2, 1e-6)
    b = top_x * step_x + top_y * step_y
    nearest = np.clip(-b / a, 0, 1)
    body = _coverage(_inside(top_x + nearest * step_x, top_y + nearest * step_y, radius))
    top = np.minimum(_coverage(_inside(top_x, top_y, radius)), body)
    c = top_x**2 + top_y**2 - radius**2
    depth = np.clip((-b - np.sqrt(np.maximum(b**2 - a * c, 0))) / a, 0, 1)
    return Cylinder(window, body, top, top_x, top_y, top_x + depth * step_x, top_y + depth * step_y, depth)


class DiscPainter:
    """Draws discs of one size.

    What one disc looks like where it lies is kept: most discs lie still from picture to picture.
    """

    def __init__(self, view: View, style: Style, light: Floats, diameter_mm: float, height_mm: float) -> None:
        self._view, self._style, self._light = view, style, light
        self._radius, self._height = diameter_mm / 2, height_mm
        direction = np.asarray(style.light) / np.linalg.norm(style.light)
        self._to_light = (float(direction[0]), float(direction[1]), float(direction[2]))
        self._bodies = lru_cache(maxsize=CACHED)(self._body)
        self._shadows = lru_cache(maxsize=CACHED)(self._shadow)

    def draw(self, canvas: Canvas, discs: Sequence[Disc]) -> None:
        """Draw the discs and their shadows, all shadows first, then the bodies from far to near."""
        for disc in discs:
            self.draw_shadow(canvas, disc)
        for disc in self._far_to_near(discs):
            self.draw_body(canvas, disc)

    def draw_shadow(self, canvas: Canvas, disc: Disc) -> None:
        """Darken the surface where the disc takes the lamp's light, and, close to it, the room's."""
        window, shade = self._shadows(disc)
        if not window.empty:
            part = canvas.part(window)
            part *= shade

    def draw_body(self, canvas: Canvas, disc: Disc) -> None:
        """Draw the disc itself, over whatever is there."""
        seen = self._bodies(disc)
        if seen is not None:
            window, colour, uncovered = seen
            part = canvas.part(window)
            part *= uncovered
            part += colour

    def _shadow(self, disc: Disc) -> tuple[Window, Floats]:
        low, high = disc.z, disc.z + self._height
        soft = self._style.penumbra * high + 0.6
        reach = self._radius + soft + 6
        slope_x, slope_y = (-part / self._to_light[2] for part in self._to_light[:2])
        start, end = ((disc.x + slope_x * z, disc.y + slope_y * z) for z in (low, high))
        middles = (start, end, (disc.x, disc.y))
        corners = [(x + a, y + b, 0.0) for x, y in middles for a in (-reach, reach) for b in (-reach, reach)]
        window = self._view.window_around(corners)
        x, y = self._view.at_height(window, 0.0)
        inside = self._radius - _distance_to_segment(x, y, start, end)
        lamp = _smooth_step((inside + soft) / (2 * soft))
        room = np.exp(-np.maximum(np.hypot(x - disc.x, y - disc.y) - self._radius, 0) / 3.0) * math.exp(-low / 8)
        shade = (1 - self._style.shadow * 0.75 * lamp) * (1 - 0.34 * room)
        return window, np.ascontiguousarray(np.repeat(shade[..., None], 3, axis=2), dtype=np.float32)

    def _body(self, disc: Disc) -> tuple[Window, Floats, Floats] | None:
        """The window, the colour times coverage, and the part left uncovered."""
        seen = see_cylinder(self._view, disc.x, disc.y, self._radius, disc.z, disc.z + self._height)
        if seen is None:
            return None
        top = seen.top[..., None]
        colour = self._wall(seen, disc) * (seen.body[..., None] - top) + self._face(seen, disc) * top
        colour = colour * self._light[seen.window.slices][..., None]
        uncovered = np.repeat(1 - seen.body[..., None], 3, axis=2)
        return seen.window, np.asarray(colour, dtype=np.float32), np.asarray(uncovered, dtype=np.float32)

    def _colour(self, disc: Disc) -> Floats:
        base = self._style.dark_discs if disc.colour is DiscColour.DARK else self._style.light_discs
        tint = np.random.default_rng((disc.id, 5)).normal(1, 0.03)
        return np.asarray(base, dtype=np.float32) * np.float32(tint)

    def _face(self, seen: Cylinder, disc: Disc) -> Floats:
        """The top face's colour, lit."""
        x, y, out = seen.x, seen.y, np.hypot(seen.x, seen.y)
        random = np.random.default_rng((disc.id, 7))
        angle, shift_x, shift_y = (float(value) for value in random.uniform(0, (2 * math.pi, 400, 400)))
        cosine, sine = math.cos(angle), math.sin(angle)
        columns = (x * cosine + y * sine + shift_x + 100) * SHEET_PX_PER_MM
        rows = (y * cosine - x * sine + shift_y + 100) * SHEET_PX_PER_MM
        wood = cv2.remap(_sheet(), columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
        sideways = x * self._to_light[0] + y * self._to_light[1]
        towards = sideways / np.maximum(out, 1e-3)
        groove = (out - GROOVE * self._radius) / 0.55
        rim = np.clip((out - self._radius + 1.3) / 1.3, 0, 1)
        slope = rim - 1.5 * groove * np.exp(-(groove**2))
        dark = disc.colour is DiscColour.DARK
        pattern = 1 + (np.asarray(wood) - 1) * (1.3 if dark else 1.0)
        lit = pattern * (1 + (0.55 if dark else 0.34) * slope * towards - 0.10 * np.exp(-(groove**2)) - 0.05 * rim)
        gloss = 7.0 * np.clip(1 + sideways / self._radius, 0, 2) * (1 + 0.8 * slope * towards)
        return np.asarray(lit[..., None] * self._colour(disc) + gloss[..., None], dtype=np.float32)

    def _wall(self, seen: Cylinder, disc: Disc) -> Floats:
        """The side wall's colour, lit, darker towards whatever it stands on."""
        facing = (seen.wall_x * self._to_light[0] + seen.wall_y * self._to_light[1]) / self._radius
        lit = (AMBIENT + 0.75 * np.maximum(facing, 0)) * (1 - 0.38 * seen.depth**3)
        lit = lit * (1 - 0.25 * np.exp(-seen.depth * (self._height / 0.7)))
        return np.asarray(lit[..., None] * self._colour(disc), dtype=np.float32)

    def _far_to_near(self, discs: Sequence[Disc]) -> list[Disc]:
        """Sorted so that what hides another comes after it: stacks from far to near, each from below."""
        x, y = (float(value) for value in self._view.position[:2])

        def order(disc: Disc) -> tuple[float, float]:
            base = disc
            while below := [d for d in discs if d.z < base.z - 0.1 and self._overlap(d, base)]:
                base = max(below, key=lambda d: d.z)
            return -math.hypot(base.x - x, base.y - y), disc.z

        return sorted(discs, key=order)

    def _overlap(self, one: Disc, other: Disc) -> bool:
        return math.hypot(one.x - other.x, one.y - other.y) < 1.8 * self._radius


def _smooth_step(t: Floats) -> Floats:
    t = np.clip(t, 0, 1)
    return np.asarray(t * t * (3 - 2 * t), dtype=np.float32)


def _inside(x: Floats, y: Floats, radius: float) -> Floats:
    return np.asarray(radius - np.hypot(x, y), dtype=np.float32)


def _coverage(inside_mm: Floats) -> Floats:
    """How much of each pixel is covered, from the signed distance (mm) of its centre to the edge."""
    rows, columns = np.gradient(inside_mm)
    slope = np.sqrt(rows**2 + columns**2)
    return np.asarray(np.clip(inside_mm / np.maximum(slope, 0.05) + 0.5, 0, 1), dtype=np.float32)


def _distance_to_segment(x: Floats, y: Floats, start: tuple[float, float], end: tuple[float, float]) -> Floats:
    step_x, step_y = end[0] - start[0], end[1] - start[1]
    along = ((x - start[0]) * step_x + (y - start[1]) * step_y) / max(step_x**2 + step_y**2, 1e-9)
    along = np.clip(along, 0, 1)
    return np.asarray(np.hypot(x - start[0] - along * step_x, y - start[1] - along * step_y), dtype=np.float32)


@lru_cache(maxsize=1)
def _sheet() -> Floats:
    """A tile of wood that disc faces are cut from."""
    pattern = grain(np.random.default_rng(11), (900, 900), SHEET_PX_PER_MM, 0.13)
    return np.ascontiguousarray(seamless(pattern, 100))
