"""The rim of a disc's upper face, to a tenth of a millimetre: where along lines from its middle the face ends.

Rims are rounded, so that a lamp makes one side of them bright and the other dark. What an edge is held against is
therefore the face and the surface on both sides of it, right there, and not the colours of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.disc_size import DiscSize

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]

LINES = 72
STEP_MM, REACH_MM = 0.2, 3.0
INSIDE_MM, OUTSIDE_MM = (-2.6, -1.4), (1.2, 2.4)
"""Where, from the rim that is expected, face and surface are looked at."""
PART = 0.42
"""Where brightness is so far on its way from the surface's to the face's is the rim: rounded, less than half way."""
FACING_AWAY = -0.2
"""Lines count that lead away from the camera (cosine): on the other side the wall is seen below the rim."""
CLEAR, NEAR_MM = 40.0, 1.2
"""Grey levels (over all channels) that face and surface differ by at least, so near the rim."""
FEWEST = 12
BELIEVED_MM = 0.2
"""Edges farther than this from where the others say count less."""
ROUNDS, REWEIGHTINGS = 3, 6

_OFFSETS = np.arange(-REACH_MM, REACH_MM + STEP_MM / 2, STEP_MM)
_ANGLES = np.arange(LINES) * 2 * np.pi / LINES
_DIRECTIONS = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


@dataclass(frozen=True)
class Rim:
    """The centre of a disc's face (board mm), and how much larger its radius is than was thought (mm)."""

    centre: tuple[float, float]
    growth_mm: float


def rim_of(
    bare: Pixels, now: Pixels, camera: CameraModel, disc: DiscSize, near_mm: tuple[float, float], size_known: bool
) -> Rim | None:
    """The rim of the disc whose centre is within a millimetre of `near_mm`; None where too little of it stands out.

    `bare` shows the same table without it. size_known: whether the disc's diameter is to be relied on.
    """
    centre, growth = np.array(near_mm), 0.0
    for _ in range(ROUNDS):
        radius = disc.diameter_mm / 2 + growth
        away = np.asarray(camera.position_mm[:2]) - centre
        counts = _DIRECTIONS @ away < FACING_AWAY * float(np.linalg.norm(away))
        edges = _edges(bare, now, camera, _points(centre, radius, disc.height_mm))
        counts &= np.isfinite(edges)
        if counts.sum() < FEWEST:
            return None
        shift, grown = _circle(_DIRECTIONS[counts], edges[counts], size_known)
        centre, growth = centre + shift, growth + grown
    return Rim((float(centre[0]), float(centre[1])), growth)


def _points(centre: Floats, radius: float, height_mm: float) -> Floats:
    """(LINES, offsets, 3) points on lines across the rim, board mm."""
    flat = centre + _DIRECTIONS[:, None, :] * (radius + _OFFSETS)[None, :, None]
    return np.concatenate([flat, np.full((*flat.shape[:2], 1), height_mm)], axis=-1)


def _edges(bare: Pixels, now: Pixels, camera: CameraModel, points: Floats) -> Floats:
    """(LINES,) how far outside the expected rim it is, mm; not a number where it does not stand out."""
    seen = camera.project(points.reshape(-1, 3)).astype(np.float32).reshape(*points.shape[:2], 2)
    columns, rows = np.ascontiguousarray(seen[..., 0]), np.ascontiguousarray(seen[..., 1])
    without, shown = (
        cv2.remap(pixels, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
        for pixels in (bare, now)
    )
    inside, outside = ((low <= _OFFSETS) & (high >= _OFFSETS) for low, high in (INSIDE_MM, OUTSIDE_MM))
    # In the disc's shadow the surface, with whatever is painted on it, is darker.
    shade = (shown[:, outside].mean(axis=1) + 2.0) / (without[:, outside].mean(axis=1) + 2.0)
    surface = without * shade[:, None]
    apart = shown[:, inside].mean(axis=1)[:, None] - surface
    strength = (apart**2).sum(axis=2)
    face = ((shown - surface) * apart).sum(axis=2) / (strength + 1.0)
    clear = (strength[:, np.abs(_OFFSETS) < NEAR_MM] > CLEAR**2).all(axis=1)
    falls = (face[:, :-1] >= PART) & (face[:, 1:] < PART)
    # Of several falls the one nearest to the expected rim counts.
    nearest = np.where(falls, np.abs(_OFFSETS[:-1]), np.inf).argmin(axis=1)
    line = np.arange(LINES)
    before, after = face[line, nearest], face[line, nearest + 1]
    edge = _OFFSETS[nearest] + STEP_MM * (before - PART) / np.maximum(before - after, 1e-6)
    return np.where(falls.any(axis=1) & clear, edge, np.nan)


def _circle(directions: Floats, edges: Floats, size_known: bool) -> tuple[Floats, float]:
    """By how much the circle is shifted, and how much larger it is, by least squares that stragglers don't spoil."""
    causes = directions if size_known else np.column_stack([directions, np.ones(len(directions))])
    weights = np.ones(len(edges))
    for _ in range(REWEIGHTINGS):
        found, *_ = np.linalg.lstsq(causes * weights[:, None], edges * weights, rcond=None)
        weights = 1 / np.sqrt(1 + ((edges - causes @ found) / BELIEVED_MM) ** 2)
    return np.asarray(found[:2], dtype=np.float64), 0.0 if size_known else float(found[2])
