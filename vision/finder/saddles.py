"""Points where four squares of a checkerboard meet: bright, dark, bright, dark around the point."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.sampling import Image, sample

_RING_SAMPLES = 32
_STRONGEST = 2500
"""How many peaks of the response are looked at more closely."""
_KEPT = 600
_SMALLEST_SECTOR_RAD = float(np.radians(25))
_LARGEST_BEND_RAD = float(np.radians(30))
"""How far the two halves of a line through the point may be from straight."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Saddles:
    """N saddle points of an image, the strongest first.

    points: (N, 2) px. rising and falling: (N,) the angles (rad, in [0, π), from x towards y) of the two lines that
    cross at the point; turning from x towards y, the image becomes bright at the rising line and dark at the falling
    one. Neighbouring corners of a checkerboard have the two exchanged. strength: (N,) contrast.
    """

    points: Floats
    rising: Floats
    falling: Floats
    strength: Floats


def middle(values: Floats) -> Floats:
    """The (upper) median along the first axis; numpy's own loads masked arrays first, which takes a while."""
    return np.asarray(np.sort(values, axis=0)[len(values) // 2])


def find_saddles(image: Image, radius: float, frame: Floats | None = None) -> Saddles:
    """Saddle points of a single-channel image whose squares are at least four times `radius` (px) wide.

    frame: (4, 2) px; given, only what lies inside it is looked at.
    """
    smooth = np.asarray(cv2.GaussianBlur(image, (0, 0), radius / 3.0), dtype=np.float32)
    return _with_four_sectors(smooth, _peaks(smooth, radius, frame), radius)


def _peaks(smooth: Image, radius: float, frame: Floats | None) -> Floats:
    """(N, 2) px: the strongest local maxima of minus the Hessian's determinant, moved to where the gradient is 0."""
    xx = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 2, 0, ksize=3)) / 4
    yy = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 0, 2, ksize=3)) / 4
    xy = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 1, 1, ksize=3)) / 4
    response = xy * xy - xx * yy
    size = 2 * round(radius * 0.6) + 1
    highest = np.asarray(cv2.dilate(response, np.ones((size, size), np.uint8)))
    margin = int(np.ceil(radius)) + 1
    if min(smooth.shape) <= 2 * margin:
        return np.empty((0, 2))
    inner = np.zeros(response.shape, dtype=bool)
    inner[margin:-margin, margin:-margin] = True
    if frame is not None:
        within = np.zeros(response.shape, dtype=np.uint8)
        inner &= np.asarray(cv2.fillConvexPoly(within, np.rint(frame).astype(np.int32), 1), dtype=bool)
    rows, columns = np.nonzero((response >= highest) & (response > 0) & inner)
    order = np.argsort(-response[rows, columns], kind="stable")[:_STRONGEST]
    rows, columns = rows[order], columns[order]
    gradient_x = (smooth[rows, columns + 1] - smooth[rows, columns - 1]) / 2
    gradient_y = (smooth[rows + 1, columns] - smooth[rows - 1, columns]) / 2
    a, b, c = xx[rows, columns], xy[rows, columns], yy[rows, columns]
    determinant = a * c - b * b
    shift_x = (b * gradient_y - c * gradient_x) / determinant
    shift_y = (b * gradient_x - a * gradient_y) / determinant
    near = np.hypot(shift_x, shift_y) < 0.5 * radius
    points = np.column_stack([columns + shift_x, rows + shift_y]).astype(np.float64)
    return np.asarray(points[near], dtype=np.float64)


def _with_four_sectors(smooth: Image, points: Floats, radius: float) -> Saddles:
    """Keep the points around which a ring shows two bright and two dark arcs, opposite one another."""
    turn = np.arange(_RING_SAMPLES) * (2 * np.pi / _RING_SAMPLES)
    ring = sample(smooth, points[:, None, :] + radius * np.column_stack([np.cos(turn), np.sin(turn)]))
    middle = (ring.max(axis=1, keepdims=True) + ring.min(axis=1, keepdims=True)) / 2
    level = ring - middle
    following = np.roll(level, -1, axis=1)
    crossing = (level > 0) != (following > 0)
    kept = crossing.sum(axis=1) == 4
    points, level, following, crossing = points[kept], level[kept], following[kept], crossing[kept]
    if not len(points):
        return Saddles(points, np.empty(0), np.empty(0), np.empty(0))
    index = np.nonzero(crossing)[1].reshape(-1, 4)
    rows = np.arange(len(points))[:, None]
    before, after = level[rows, index], following[rows, index]
    angle = (index + before / (before - after)) * (2 * np.pi / _RING_SAMPLES)
    sector = np.diff(np.column_stack([angle, angle[:, :1] + 2 * np.pi]), axis=1)
    first, first_bend = _line(angle[:, 0], angle[:, 2])
    second, second_bend = _line(angle[:, 1], angle[:, 3])
    first_rises = after[:, 0] > 0
    # Contrast of the weaker pair of arcs, so that an edge beside a spot does not count as strong.
    arcs = np.sort(np.abs(_arc_extremes(level, index)), axis=1)
    strength = arcs[:, 0] + arcs[:, 1]
    good = (
        (sector.min(axis=1) > _SMALLEST_SECTOR_RAD)
        & (np.maximum(first_bend, second_bend) < _LARGEST_BEND_RAD)
        & (arcs[:, 0] > 0.3 * arcs[:, 3])
    )
    order = np.flatnonzero(good)
    order = order[np.argsort(-strength[order], kind="stable")][:_KEPT]
    return Saddles(
        points[order],
        np.where(first_rises, first, second)[order],
        np.where(first_rises, second, first)[order],
        strength[order].astype(np.float64),
    )


def _line(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The direction (rad in [0, π)) of a line whose two halves leave at these angles, and how much it bends (rad)."""
    back = other - np.pi
    bend = np.abs((one - back + np.pi) % (2 * np.pi) - np.pi)
    direction = np.arctan2(np.sin(one) + np.sin(back), np.cos(one) + np.cos(back)) % np.pi
    return np.asarray(direction), np.asarray(bend)


def _arc_extremes(level: Image, index: NDArray[np.int64]) -> Floats:
    """(N, 4): the largest deviation from the middle within each of the four arcs."""
    position = np.arange(level.shape[1])
    number = (position[None, :, None] > index[:, None, :]).sum(axis=2) % 4
    return np.stack([np.where(number == arc, np.abs(level), 0).max(axis=1) for arc in range(4)], axis=1)
