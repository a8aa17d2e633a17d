"""The board's plane in the image: a homography seen through a lens that bends straight lines a little."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.lattice import in_front, project
from vision.finder.saddles import Floats

_MOST_BENT = 0.3
_ENOUGH_POINTS = 25
_WORTH_BENDING = 0.8
"""A bend is believed only when it leaves less than this part of the straight fit's residual."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Lattice places to px: the homography (3 × 3), then a radial bend about the image's centre.

    A point p of the image lies, seen through a perfect lens, at c + (p - c)(1 + bend · |p - c|² / r²), where c is the
    image's centre and r half its diagonal: the division model's first-order form (Fitzgibbon, CVPR 2001).
    """

    homography: Floats
    bend: float
    size: tuple[int, int]

    def project(self, places: NDArray[np.generic]) -> Floats:
        """Pixels (..., 2) of places (..., 2); NaN where a place lies behind the horizon."""
        straight = project(self.homography, places)
        straight = np.where(in_front(self.homography, places)[..., None], straight, np.nan)
        if self.bend == 0:
            return straight
        centre, radius = _centre_and_radius(self.size)
        offset = straight - centre
        bent = offset
        for _ in range(5):
            squared = (bent**2).sum(axis=-1, keepdims=True) / radius**2
            bent = offset / np.maximum(1 + self.bend * np.minimum(squared, 4), 0.2)
        return np.asarray(centre + bent, dtype=np.float64)

    def moved(self, origin: tuple[int, int]) -> Surface:
        """The same plane with its places counted from `origin` (column, row)."""
        shift = np.array([[1.0, 0, origin[0]], [0, 1, origin[1]], [0, 0, 1]])
        return Surface(self.homography @ shift, self.bend, self.size)


def fit_surface(places: NDArray[np.generic], points: Floats, size: tuple[int, int]) -> tuple[Surface, Floats]:
    """The surface through `points` (N, 2) px at `places` (N, 2), and the residuals (N,) in px."""
    homography, residuals = _fit_straight(places, points)
    straight = Surface(homography, 0.0, size)
    if len(points) < _ENOUGH_POINTS:
        return straight, residuals

    def cost(bend: float) -> float:
        return float((_fit_straight(places, _unbent(points, bend, size))[1] ** 2).mean())

    low, high = -_MOST_BENT, _MOST_BENT
    ratio = (5**0.5 - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    cost_left, cost_right = cost(left), cost(right)
    for _ in range(12):
        if cost_left < cost_right:
            high, right, cost_right = right, left, cost_left
            left = high - ratio * (high - low)
            cost_left = cost(left)
        else:
            low, left, cost_left = left, right, cost_right
            right = low + ratio * (high - low)
            cost_right = cost(right)
    bend = (low + high) / 2
    homography, bent_residuals = _fit_straight(places, _unbent(points, bend, size))
    if (bent_residuals**2).mean() < _WORTH_BENDING**2 * (residuals**2).mean():
        return Surface(homography, bend, size), bent_residuals
    return straight, residuals


def _fit_straight(places: NDArray[np.generic], points: Floats) -> tuple[Floats, Floats]:
    homography, _ = cv2.findHomography(places.astype(np.float64), points, 0)
    if homography is None:
        raise ValueError("the points do not span a plane")
    matrix = np.asarray(homography, dtype=np.float64)
    if np.median(places.astype(np.float64) @ matrix[2, :2] + matrix[2, 2]) < 0:
        matrix = -matrix
    return matrix, np.asarray(np.hypot(*(project(matrix, places) - points).T))


def _unbent(points: Floats, bend: float, size: tuple[int, int]) -> Floats:
    centre, radius = _centre_and_radius(size)
    offset = points - centre
    return np.asarray(centre + offset * (1 + bend * (offset**2).sum(axis=-1, keepdims=True) / radius**2))


def _centre_and_radius(size: tuple[int, int]) -> tuple[Floats, float]:
    return (np.array(size, dtype=np.float64) - 1) / 2, float(np.hypot(*size) / 2)
