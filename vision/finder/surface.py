"""The board's plane in the image: a homography seen through a lens that bends straight lines a little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.finder.lattice import in_front, project
from vision.finder.saddles import Floats

_MOST_BENT = 0.3
_ENOUGH_POINTS = 25
_STEPS = 5
_EDGE_WEIGHT = 0.5
"""Of a point on an edge, against a corner's: bevels, worn paint and shadows move edges, and all of a side alike."""
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

    def scaled(self, scale: float, size: tuple[int, int]) -> Surface:
        """The same plane in the picture of another size, `scale` times as large."""
        shift = np.array([[scale, 0, (scale - 1) / 2], [0, scale, (scale - 1) / 2], [0, 0, 1.0]])
        return Surface(shift @ self.homography, self.bend, size)


@dataclass(frozen=True, eq=False)
class Edges:
    """Points seen somewhere on straight edges of the plane: of each only its distance from the edge is known.

    places: (M, 2). points: (M, 2) px. normals: (M, 2) unit vectors across the edges in the image.
    """

    places: Floats
    points: Floats
    normals: Floats


def fit_surface(
    places: NDArray[np.generic],
    points: Floats,
    size: tuple[int, int],
    edges: Edges | None = None,
    may_bend: bool = True,
) -> tuple[Surface, Floats]:
    """The surface through `points` (N, 2) px at `places` (N, 2), and the residuals (N,) in px.

    edges: further points to fit. may_bend: whether the lens's curvature is looked for where there are enough points.
    Raises ValueError if the points do not span a plane.
    """
    fit = _Fit(np.asarray(places, dtype=np.float64), points, size, edges)
    straight, straight_cost = fit.solved(bending=False)
    if not may_bend or len(points) < _ENOUGH_POINTS:
        return straight, _residuals(straight, places, points)
    bent, bent_cost = fit.solved(bending=True)
    if abs(bent.bend) <= _MOST_BENT and bent_cost < _WORTH_BENDING**2 * straight_cost:
        return bent, _residuals(bent, places, points)
    return straight, _residuals(straight, places, points)


class _Fit:
    """Least squares by Gauss and Newton's method, counted in half diagonals about the image's centre."""

    def __init__(self, places: Floats, points: Floats, size: tuple[int, int], edges: Edges | None) -> None:
        self.size = size
        self.centre, self.radius = _centre_and_radius(size)
        self.origin = places.mean(axis=0)
        self.corners = len(places)
        self.normals = None if edges is None else edges.normals
        if edges is not None:
            places, points = np.concatenate([places, edges.places]), np.concatenate([points, edges.points])
        self.places = np.column_stack([places - self.origin, np.ones(len(places))])
        self.seen = (points - self.centre) / self.radius
        self.curved = self.seen * (self.seen**2).sum(axis=1, keepdims=True)
        self.start = self._direct()

    def _direct(self) -> Floats:
        """(9,): the homography, its last element 1, that minimises an algebraic error; and no bend."""
        number = self.corners
        place, seen = self.places[:number], self.seen[:number]
        zero = np.zeros_like(place)
        rows = np.concatenate(
            [
                np.hstack([place, zero, -seen[:, :1] * place[:, :2]]),
                np.hstack([zero, place, -seen[:, 1:] * place[:, :2]]),
            ]
        )
        solution, _, rank, _ = np.linalg.lstsq(rows, np.concatenate([seen[:, 0], seen[:, 1]]), rcond=1e-9)
        if rank < 8:
            raise ValueError("the points do not span a plane")
        return np.append(solution, 0.0)

    def solved(self, bending: bool) -> tuple[Surface, float]:
        """The best surface, straight or with a bend, and its mean squared error (in half diagonals squared)."""
        values = self.start.copy()
        number = 9 if bending else 8
        for _ in range(_STEPS):
            residuals, slopes = self._linear(values)
            change, *_ = np.linalg.lstsq(slopes[:, :number], -residuals, rcond=1e-9)
            values[:number] += change
        residuals, _ = self._linear(values)
        if not np.isfinite(residuals).all():
            raise ValueError("the points do not span a plane")
        homography = np.append(values[:8], 1.0).reshape(3, 3)
        shift = np.array([[1, 0, -self.origin[0]], [0, 1, -self.origin[1]], [0, 0, 1.0]])
        scale = np.array([[self.radius, 0, self.centre[0]], [0, self.radius, self.centre[1]], [0, 0, 1]])
        return Surface(scale @ homography @ shift, float(values[8]), self.size), float((residuals**2).mean())

    def _linear(self, values: Floats) -> tuple[Floats, Floats]:
        """Residuals (R,) at these values, and their slopes (R, 9)."""
        homogeneous = self.places @ np.append(values[:8], 1.0).reshape(3, 3).T
        weight = homogeneous[:, 2:]
        with np.errstate(divide="ignore", invalid="ignore"):
            fitted = homogeneous[:, :2] / weight
            unit = self.places / weight
        residuals = fitted - self.seen - values[8] * self.curved
        slopes = np.zeros((len(unit), 2, 9))
        slopes[:, 0, :3] = slopes[:, 1, 3:6] = unit
        slopes[:, :, 6:8] = -fitted[:, :, None] * unit[:, None, :2]
        slopes[:, :, 8] = -self.curved
        if self.normals is None:
            return residuals.reshape(-1), slopes.reshape(-1, 9)
        number = self.corners
        normals = _EDGE_WEIGHT * self.normals
        across = (residuals[number:] * normals).sum(axis=1)
        across_slopes = (slopes[number:] * normals[:, :, None]).sum(axis=1)
        return (
            np.concatenate([residuals[:number].reshape(-1), across]),
            np.concatenate([slopes[:number].reshape(-1, 9), across_slopes]),
        )


def _residuals(surface: Surface, places: NDArray[np.generic], points: Floats) -> Floats:
    """(N,) px between the points and the places, both as a perfect lens would show them."""
    straight = project(surface.homography, places)
    return np.asarray(np.hypot(*(straight - _unbent(points, surface.bend, surface.size)).T))


def _unbent(points: Floats, bend: float, size: tuple[int, int]) -> Floats:
    centre, radius = _centre_and_radius(size)
    offset = points - centre
    return np.asarray(centre + offset * (1 + bend * (offset**2).sum(axis=-1, keepdims=True) / radius**2))


def _centre_and_radius(size: tuple[int, int]) -> tuple[Floats, float]:
    return (np.array(size, dtype=np.float64) - 1) / 2, float(np.hypot(*size) / 2)
