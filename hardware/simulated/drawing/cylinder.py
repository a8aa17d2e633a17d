"""Cylinders as the camera sees them, with edges exact to a small part of a pixel.

A pixel's ray is compared with the cylinder itself: at height z it passes the plane z at a point that the view
knows, so the cylinder covers the pixel where the piece of the ray between underside and top comes within its radius
of the axis. Coverage of edge pixels is the signed distance to the edge in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.view import Floats, Reals, View, Window
from hardware.simulated.scene import Point

FAR_MM = 1e3
LEVEL = 1e-4
"""Rays that rise or fall less than this against a leaning cylinder's faces are taken to run along them."""


@dataclass(frozen=True, eq=False)
class Cylinder:
    """A cylinder as the camera sees it: how much of each pixel of `window` it and the face towards it cover.

    `x`, `y`: where each ray meets that face's plane, and `wall_x`, `wall_y`: where it first meets the wall, mm from
    the axis; `depth`: how far down the wall that is, 0 at the top and 1 at the bottom. All in the cylinder's own
    frame, whose z is its axis; it is the board's for an upright one.
    """

    window: Window
    body: Floats
    top: Floats
    x: Reals
    y: Reals
    wall_x: Reals
    wall_y: Reals
    depth: Reals


@dataclass(frozen=True)
class Attitude:
    """How a leaning disc lies: its underside's middle (board mm) and x and y of its axis's unit vector."""

    foot: Point
    lean: tuple[float, float]

    @cached_property
    def turn(self) -> NDArray[np.float64]:
        """The 3 × 3 rotation from the board's frame to the disc's, about the level line across which it leans."""
        x, y = self.lean
        sine = min(math.hypot(x, y), 1.0)
        cosine = math.sqrt(1 - sine * sine)
        along = np.array([x, y]) / sine
        part = (1 - cosine) * np.outer(along, along)
        return np.array(
            [
                [1 - part[0, 0], -part[0, 1], -x],
                [-part[1, 0], 1 - part[1, 1], -y],
                [x, y, cosine],
            ]
        )

    def on_board(self, x: float, y: float, z: float) -> Point:
        """The board point (mm) of a point in the disc's frame."""
        turned = self.turn.T @ (x, y, z) + self.foot
        return float(turned[0]), float(turned[1]), float(turned[2])

    def rim(self, radius: float, height: float, points: int = 48) -> list[Point]:
        """Board points (mm) on the circle of that radius and height."""
        turns = (2 * math.pi * index / points for index in range(points))
        return [self.on_board(radius * math.cos(turn), radius * math.sin(turn), height) for turn in turns]


def see_cylinder(view: View, x: float, y: float, radius: float, low: float, high: float) -> Cylinder | None:
    """The cylinder with its axis at (x, y) between the heights `low` and `high` (mm); None if out of the picture."""
    x, y, low, high = float(x), float(y), float(low), float(high)
    ends = [(x + a, y + b, z) for z in (low, high) for a in (-radius, radius) for b in (-radius, radius)]
    window = view.window_around(ends)
    if window.right - window.left < 2 or window.bottom - window.top < 2:
        return None
    top_x, top_y = view.at_height(window, high)
    low_x, low_y = view.at_height(window, low)
    top_x, top_y = top_x - x, top_y - y
    step_x, step_y = low_x - x - top_x, low_y - y - top_y
    return _seen(window, radius, top_x, top_y, step_x, step_y)


def see_leaning_cylinder(
    view: View, attitude: Attitude, radius: float, height: float
) -> tuple[Cylinder, bool] | None:
    """A leaning cylinder, and whether the camera sees its top face or its underside; None if out of the picture."""
    around = [*attitude.rim(radius * 1.1, 0.0), *attitude.rim(radius * 1.1, height)]
    window = view.window_around(around)
    if window.right - window.left < 2 or window.bottom - window.top < 2:
        return None
    turn = attitude.turn
    camera = turn @ (view.position - attitude.foot)
    ground_x, ground_y = (part[window.slices] for part in (view.ground_x, view.ground_y))
    steps = [
        row[0] * (ground_x - view.position[0]) + row[1] * (ground_y - view.position[1]) - row[2] * view.position[2]
        for row in turn
    ]
    falling = np.where(np.abs(steps[2]) < LEVEL, LEVEL, steps[2])
    from_above = bool(camera[2] > height / 2)
    first, last = (height, 0.0) if from_above else (0.0, height)
    near, far = (first - camera[2]) / falling, (last - camera[2]) / falling
    # A camera level with the disc is between its faces' planes: its rays start there.
    between = 0 < camera[2] < height
    start = np.zeros_like(near) if between else near
    end = np.maximum(near, far) if between else far
    start_x, start_y = camera[0] + start * steps[0], camera[1] + start * steps[1]
    end_x, end_y = camera[0] + end * steps[0], camera[1] + end * steps[1]
    seen = _seen(window, radius, start_x, start_y, end_x - start_x, end_y - start_y)
    height_of_hit = camera[2] + (start + seen.depth * (end - start)) * steps[2]
    plain = replace(
        seen,
        # Rays along the face meet its plane far away, or nowhere.
        x=np.clip(seen.x, -FAR_MM, FAR_MM).astype(np.float32),
        y=np.clip(seen.y, -FAR_MM, FAR_MM).astype(np.float32),
        wall_x=seen.wall_x.astype(np.float32),
        wall_y=seen.wall_y.astype(np.float32),
        depth=np.clip(1 - height_of_hit / height, 0, 1).astype(np.float32),
    )
    return plain, from_above


def _seen(window: Window, radius: float, top_x: Reals, top_y: Reals, step_x: Reals, step_y: Reals) -> Cylinder:
    """From where the rays enter between the faces' planes, and how far they go there."""
    a = np.maximum(step_x**2 + step_y**2, 1e-6)
    b = top_x * step_x + top_y * step_y
    nearest = np.clip(-b / a, 0, 1)
    body = coverage(_inside(top_x + nearest * step_x, top_y + nearest * step_y, radius))
    top = np.minimum(coverage(_inside(top_x, top_y, radius)), body)
    c = top_x**2 + top_y**2 - radius**2
    depth = np.clip((-b - np.sqrt(np.maximum(b**2 - a * c, 0))) / a, 0, 1)
    return Cylinder(window, body, top, top_x, top_y, top_x + depth * step_x, top_y + depth * step_y, depth)


def coverage(inside_mm: Reals) -> Floats:
    """How much of each pixel is covered, from the signed distance (mm) of its centre to the edge."""
    rows, columns = np.gradient(inside_mm)
    slope = np.sqrt(rows**2 + columns**2)
    return np.asarray(np.clip(inside_mm / np.maximum(slope, 0.05) + 0.5, 0, 1), dtype=np.float32)


def smooth_step(value: Reals) -> Reals:
    """From 0 to 1 without a kink."""
    part = np.clip(value, 0, 1)
    return part * part * (3 - 2 * part)


def distance_to_segment(x: Floats, y: Floats, start: tuple[float, float], end: tuple[float, float]) -> Floats:
    """How far points are from the straight piece between two points."""
    step_x, step_y = end[0] - start[0], end[1] - start[1]
    along = ((x - start[0]) * step_x + (y - start[1]) * step_y) / max(step_x**2 + step_y**2, 1e-9)
    along = np.clip(along, 0, 1)
    return np.asarray(np.hypot(x - start[0] - along * step_x, y - start[1] - along * step_y), dtype=np.float32)


def inside_hull(x: Floats, y: Floats, points: Sequence[tuple[float, float]]) -> Floats:
    """How far inside the convex hull of some points others lie; negative outside, there nearly the distance."""
    hull = cv2.convexHull(np.asarray(points, dtype=np.float32).reshape(-1, 1, 2)).reshape(-1, 2).astype(np.float64)
    following = np.roll(hull, -1, axis=0)
    middle = hull.mean(axis=0)
    inside = np.full_like(x, np.inf)
    for (from_x, from_y), (to_x, to_y) in zip(hull, following, strict=True):
        length = math.hypot(to_x - from_x, to_y - from_y)
        if length < 1e-6:
            continue
        across, along = (from_y - to_y) / length, (to_x - from_x) / length
        side = 1.0 if (middle[0] - from_x) * across + (middle[1] - from_y) * along >= 0 else -1.0
        np.minimum(inside, side * ((x - from_x) * across + (y - from_y) * along), out=inside)
    return inside


def _inside(x: Reals, y: Reals, radius: float) -> Floats:
    return np.asarray(radius - np.hypot(x, y), dtype=np.float32)
