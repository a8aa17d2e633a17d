"""Where the arm waits: near its work, and where it hides nothing from the camera."""

from __future__ import annotations

import numpy as np

from calibration.calibration import SQUARES, Calibration
from vision.silhouette import Box, Mask, silhouette

MARGIN_MM = 75.0
"""How far around the playing area and the tray a hand is looked for: the parked arm is best not even there."""
RIM_MM = 22.0
"""How far around them the picture has to be free at least, for the board to be found in it."""
STEP_MM = 10.0
"""How far apart the points are that are tried."""
REACH_MARGIN_MM = 3.0
"""How far from the ends of its travel the machine stands: homing leaves it a little off its switches."""
_SCALE = 0.25
"""Outlines are compared in a smaller picture."""

PASSING_DISCS, PASSING_MM = 3, 6.0
"""From a height at which a disc is carried over a king, with so much to spare, no way has to begin with rising."""

Point = tuple[float, float, float]


def parking_height(calibration: Calibration) -> float:
    """How high (mm) the tip waits: no higher than it passes over whatever stands on the board."""
    return max(calibration.tray_height_mm, 0.0) + PASSING_DISCS * calibration.disc.height_mm + PASSING_MM


def parking_place(calibration: Calibration, travel_mm: Point) -> Point:
    """The point (board mm, `parking_height` high) on the robot's side from which the arm has the shortest ways to the
    squares, among those that hide least: the whole arm outside the picture; else outside all where a hand is looked
    for; else off the board and the tray. Where the machine reaches none of these, the calibration's own place.

    `travel_mm` is the machine's, which runs from minus this to 0.
    """
    kept_clear = (None, _ground(calibration, MARGIN_MM), _ground(calibration, RIM_MM))
    second_best: dict[int, Point] = {}
    for place in _places_within_reach(calibration, travel_mm, parking_height(calibration)):
        arm = silhouette(calibration.camera, calibration.arm_boxes(place), scale=_SCALE)
        for rank, ground in enumerate(kept_clear):
            if rank not in second_best and not (arm if ground is None else arm & ground).any():
                second_best[rank] = place
                break
        if 0 in second_best:
            break
    return second_best[min(second_best)] if second_best else calibration.park_mm


def _places_within_reach(calibration: Calibration, travel_mm: Point, height_mm: float) -> list[Point]:
    """Points that the machine reaches on the robot's side, off playing area and tray, shortest ways first.

    A way is as long as the longer of its two axes, for both move at once.
    """
    (x0, _), (x1, y1) = _work_area(calibration)
    squares = calibration.places_mm(human_is_white=True)[:SQUARES]
    corners = [calibration.to_board(-x, -y, 0.0)[:2] for x in (0.0, travel_mm[0]) for y in (0.0, travel_mm[1])]
    (low_x, _), (high_x, high_y) = np.min(corners, axis=0), np.max(corners, axis=0)
    found = []
    for x in np.arange(np.ceil(low_x / STEP_MM) * STEP_MM, high_x, STEP_MM):
        for y in np.arange(4 * calibration.square_mm, high_y, STEP_MM):
            machine = calibration.to_machine(float(x), float(y), height_mm)
            spare = min(min(-value, t + value) for value, t in zip(machine, travel_mm, strict=True))
            if spare >= REACH_MARGIN_MM and not (x0 <= x <= x1 and y <= y1):
                way = float(np.abs(squares - (x, y)).max(axis=1).mean())
                found.append((way, (float(x), float(y), height_mm)))
    return [place for _, place in sorted(found)]


def _work_area(calibration: Calibration) -> tuple[tuple[float, float], tuple[float, float]]:
    """Two corners of the rectangle that holds the playing area and the tray, board mm."""
    side = 8 * calibration.square_mm
    points = np.array([(0.0, 0.0), (side, side), *calibration.tray_mm])
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return (float(x0), float(y0)), (float(x1), float(y1))


def _ground(calibration: Calibration, margin_mm: float) -> Mask:
    (x0, y0), (x1, y1) = _work_area(calibration)
    box = Box((x0 - margin_mm, y0 - margin_mm, 0.0), (x1 + margin_mm, y1 + margin_mm, 0.0))
    return silhouette(calibration.camera, [box], scale=_SCALE)
