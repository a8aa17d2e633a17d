"""Where discs lie exactly: their edges against what is behind them, found along lines across where they should be.

The far part of the uppermost face's rim and the near part of the foot's are what is seen of a disc's outline. Each
crossing line says how far the edge is off along its direction; the shift that explains these best is taken,
better edges counting more and stragglers less (iteratively reweighted least squares).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.view import Pixels, View

REACH_MM, STEP_MM = 2.4, 0.3
"""How far to both sides of where an edge should be it is looked for."""
_LINES = 15
"""Lines across each of the two arcs."""
_ARC = np.deg2rad(75)
"""Half of an arc; beyond, the sides of a stack and of what stands near are seen."""
_FAINT = 6.0
"""Change of brightness, grey levels over twice the step, below which there is no edge but noise."""
_BELIEVED = 0.5
"""An edge's distance, mm, beyond which it counts the less, the further away it is."""
_ROUNDS = 4
_STIFFNESS = 1.0
"""How many clear edges the place known before is worth."""
_MOST_MM = 2.0
"""Further than this no disc is shifted."""

Floats = NDArray[np.float64]
_OFFSETS = np.arange(-REACH_MM, REACH_MM + 1e-9, STEP_MM)
_TURNS = np.linspace(-_ARC, _ARC, _LINES)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Of K arcs: directions (K, L, 2) outwards, how far outwards edges were found (K, L) mm, and how clear (K, L)."""

    directions: Floats
    offsets: Floats
    weights: Floats


def placed_by_edges(
    pixels: Pixels, view: View, bases_mm: Floats, tops_mm: Floats, stacked: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """The centres (K, 2) of the lowest and of the topmost discs, board mm, from where they are about.

    stacked: (K,) whether there are two discs, which may lie off each other.
    """
    if not len(bases_mm):
        return bases_mm, tops_mm
    heights = np.where(stacked, 2.0, 1.0) * view.disc.height_mm
    away = bases_mm - view.foot_mm
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
    far = _edges(pixels, view, tops_mm, heights, away)
    near = _edges(pixels, view, bases_mm, np.zeros(len(bases_mm)), -away)
    both = _Edges(
        np.concatenate([far.directions, near.directions], axis=1),
        np.concatenate([far.offsets, near.offsets], axis=1),
        np.concatenate([far.weights, near.weights], axis=1),
    )
    single = ~stacked
    shifts, growths = _shifts(both, None)
    # Discs look a little larger or smaller than they are, all of them alike; of half a rim that can't be told.
    known = growths[single & (both.weights.sum(axis=1) > _LINES)]
    growth = float(np.median(known)) if len(known) else 0.0
    upper, _ = _shifts(far, growth)
    lower, _ = _shifts(near, growth)
    bases = bases_mm + np.where(single[:, None], shifts, lower)
    tops = tops_mm + np.where(single[:, None], shifts, upper)
    return bases, tops


def _edges(pixels: Pixels, view: View, centres: Floats, heights: Floats, facing: Floats) -> _Edges:
    """The edges of arcs that face (K, 2) of circles around centres (K, 2) at heights (K,)."""
    turned = np.arctan2(facing[:, 1], facing[:, 0])[:, None] + _TURNS[None, :]
    directions = np.stack([np.cos(turned), np.sin(turned)], axis=-1)
    radius = view.disc.diameter_mm / 2
    reach = radius + REACH_MM + STEP_MM
    corners = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    around = centres[:, None, :] + corners
    high = np.broadcast_to(heights[:, None, None], (len(centres), 4, 1))
    seen = view.camera.project(np.concatenate([around, high], axis=-1).reshape(-1, 3)).reshape(-1, 4, 2)
    steps = np.concatenate([[_OFFSETS[0] - STEP_MM], _OFFSETS, [_OFFSETS[-1] + STEP_MM]])
    points = directions[:, :, None, :] * (radius + steps)[None, None, :, None]
    shown = np.empty((len(centres), *points.shape[1:3], 2), np.float32)
    for number, (corner, place) in enumerate(zip(seen, points, strict=True)):
        matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), corner.astype(np.float32))
        shown[number] = cv2.perspectiveTransform(place.reshape(1, -1, 2).astype(np.float32), matrix).reshape(
            place.shape
        )
    columns, rows = shown[..., 0].reshape(len(centres), -1), shown[..., 1].reshape(len(centres), -1)
    sampled = cv2.remap(pixels, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profiles = sampled.reshape(*points.shape[:3], 3).astype(np.float64)
    change = np.linalg.norm(profiles[:, :, 2:] - profiles[:, :, :-2], axis=-1)
    strength = np.maximum(change - _FAINT, 0) ** 2
    total = strength.sum(axis=-1)
    offsets = (strength * _OFFSETS).sum(axis=-1) / np.maximum(total, 1e-9)
    clear = np.sqrt(strength.max(axis=-1)) / 30
    return _Edges(directions, offsets, np.minimum(clear, 1.0))


def _shifts(edges: _Edges, growth: float | None) -> tuple[Floats, Floats]:
    """(K, 2) by how much the circles are shifted, and (K,) how much their radii are larger, mm; or that is known."""
    count = len(edges.offsets)
    unknown = 3 if growth is None else 2
    given = np.concatenate([edges.directions, np.ones((*edges.offsets.shape, 1))], axis=-1)[..., :unknown]
    wanted = edges.offsets - (0.0 if growth is None else growth)
    found = np.zeros((count, unknown))
    held = _STIFFNESS * np.eye(unknown)
    for _ in range(_ROUNDS):
        missed = wanted - np.einsum("kli,ki->kl", given, found)
        weights = edges.weights / (1 + (missed / _BELIEVED) ** 2)
        weighted = given * weights[..., None]
        normal = np.einsum("kli,klj->kij", weighted, given) + held
        found = np.linalg.solve(normal, np.einsum("kli,kl->ki", weighted, wanted)[..., None])[..., 0]
    shifts = found[:, :2]
    length = np.linalg.norm(shifts, axis=1, keepdims=True)
    shifts = shifts * np.minimum(1.0, _MOST_MM / np.maximum(length, 1e-9))
    return shifts, found[:, 2] if growth is None else np.full(count, growth)
