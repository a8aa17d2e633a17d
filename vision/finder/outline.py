"""Where the squares of a board end on its four sides, seen in the picture rather than extrapolated from inside."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.saddles import Floats, middle
from vision.finder.surface import Edges, Surface
from vision.finder.window import logarithm
from vision.sampling import Image, sample

_ALONG = np.array([0.1, 0.15, 0.2, 0.8, 0.85, 0.9])
"""Where the outline is crossed, in squares from each corner: discs seldom reach there."""
_REACH = 0.22
"""How far (in squares) from the expected outline its edge is looked for."""
_SAMPLES = 45
_WEAKEST = 0.25
"""The least change of an edge, as a part of the contrast between squares."""
_SPREAD = 0.035
_AGREEING = 0.35
"""The part of a side's crossings that must agree."""
_FARTHEST = 0.15


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a picture, single-channel, at a scale; offset: (2,) px, where its first pixel lies in the picture."""

    grey: NDArray[np.uint8]
    offset: Floats
    scale: float

    def positions(self, points: Floats) -> Floats:
        """Where points (..., 2) px of the picture lie in the part."""
        return np.asarray((points - self.offset + 0.5) * self.scale - 0.5)

    def points(self, positions: Floats) -> Floats:
        """The points (..., 2) px of the picture at positions in the part."""
        return np.asarray((positions + 0.5) / self.scale - 0.5 + self.offset)


def outline_edges(part: Part, surface: Surface, other: Surface) -> Edges | None:
    """Points on the outline of the board whose corners lie at places 0 to 8; None where no side shows one.

    The outline is looked for at and between the places where the two surfaces expect it. On each side those of the
    innermost edges are taken that agree on a straight line: a square is even up to where it ends, and a frame's lines
    lie farther out.
    """
    across = np.linspace(-_REACH, _REACH, _SAMPLES)
    step = part.scale * float(np.hypot(*(surface.project(np.array([4.5, 4])) - surface.project(np.array([3.5, 4])))))
    smooth = np.asarray(cv2.GaussianBlur(logarithm(part.grey), (0, 0), max(0.02 * step, 0.6)), dtype=np.float32)
    contrast = _contrast(smooth, part, surface)
    along = (np.arange(8)[:, None] + _ALONG).reshape(-1)
    places, points, normals = [], [], []
    for side in range(4):
        pixels = surface.project(_places(side, along[:, None], across))
        if not np.isfinite(pixels).all():
            continue
        positions = part.positions(pixels)
        inside = ((positions >= 0) & (positions <= np.array(smooth.shape[::-1]) - 1)).all(axis=(1, 2))
        found = _first_edges(sample(smooth, positions).astype(np.float64), _WEAKEST * contrast)
        offset = np.where(inside, across[0] + found * (across[1] - across[0]), np.nan)
        expected = _places(side, along, np.zeros(len(along)))
        outward = pixels[:, -1] - pixels[:, 0]
        between = ((other.project(expected) - surface.project(expected)) * outward).sum(axis=1)
        between *= 2 * _REACH / (outward**2).sum(axis=1)
        likely = (offset > np.minimum(between, 0) - _SPREAD) & (offset < np.maximum(between, 0) + _SPREAD)
        agreed = _agreed(along, np.where(likely, offset, np.nan))
        if agreed is None:
            continue
        places.append(expected[agreed])
        points.append(surface.project(_places(side, along[agreed], offset[agreed])))
        # Across the outline as seen: at right angles to the line itself.
        line = surface.project(expected[agreed] + _places(side, 0.1, 0) - _places(side, 0, 0))
        line -= surface.project(expected[agreed])
        normals.append(np.column_stack([-line[:, 1], line[:, 0]]) / np.hypot(*line.T)[:, None])
    if not places:
        return None
    return Edges(np.concatenate(places), np.concatenate(points), np.concatenate(normals))


def _places(side: int, along: Floats | float, outward: Floats | float) -> Floats:
    """Places `along` a side and `outward` (squares) from it: top, right, bottom, left for 0 to 3."""
    along, outward = np.broadcast_arrays(along, outward)
    if side == 0:
        return np.stack([along, -outward], axis=-1)
    if side == 1:
        return np.stack([8 + outward, along], axis=-1)
    if side == 2:
        return np.stack([along, 8 + outward], axis=-1)
    return np.stack([-outward, along], axis=-1)


def _contrast(smooth: Image, part: Part, surface: Surface) -> float:
    """By how much (logarithm) dark and light squares differ, near the inner corners."""
    columns, rows = np.meshgrid(np.arange(1, 8), np.arange(1, 8))
    corner = np.stack([columns, rows], axis=-1).reshape(-1, 1, 2)
    quadrants = surface.project(corner + 0.15 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]))
    values = sample(smooth, part.positions(quadrants)).astype(np.float64)
    return float(middle(np.abs(values[:, 0] + values[:, 2] - values[:, 1] - values[:, 3]) / 2))


def _first_edges(profiles: Floats, weakest: float) -> Floats:
    """(N,): where along each profile (N, samples) the first edge is, in samples; NaN where there is none."""
    slope = np.abs(np.gradient(profiles, axis=1))
    change = np.abs(profiles[:, 4:] - profiles[:, :-4])
    peak = np.zeros(slope.shape, dtype=bool)
    peak[:, 2:-2] = (change >= weakest) & (slope[:, 2:-2] >= slope[:, 1:-3]) & (slope[:, 2:-2] > slope[:, 3:-1])
    first = peak.argmax(axis=1)
    rows = np.arange(len(profiles))
    before, at, after = slope[rows, first - 1], slope[rows, first], slope[rows, (first + 1) % slope.shape[1]]
    curve = before - 2 * at + after
    shift = np.where(curve < 0, 0.5 * (before - after) / np.where(curve < 0, curve, -1), 0)
    return np.where(peak[rows, first], first + np.clip(shift, -1, 1), np.nan)


def _agreed(along: Floats, offset: Floats) -> NDArray[np.bool_] | None:
    """Which crossings lie on the one straight line that most of them share; None when too few do."""
    known = np.flatnonzero(np.isfinite(offset))
    if len(known) < _AGREEING * len(along):
        return None
    best: NDArray[np.bool_] | None = None
    for left in known[:: max(1, len(known) // 16)]:
        for right in known[:: max(1, len(known) // 16)]:
            if along[right] - along[left] < 3:
                continue
            slope = (offset[right] - offset[left]) / (along[right] - along[left])
            fit = np.abs(offset - offset[left] - slope * (along - along[left])) < _SPREAD
            if abs(slope) * 8 < _FARTHEST and (best is None or fit.sum() > best.sum()):
                best = fit
    if best is None or best.sum() < _AGREEING * len(along) or abs(float(offset[best].mean())) > _FARTHEST:
        return None
    return best
