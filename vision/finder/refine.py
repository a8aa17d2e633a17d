"""The corners of a found board to a fraction of a pixel, on the picture itself."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.saddles import Floats
from vision.finder.surface import Surface, fit_surface
from vision.finder.window import Window

_LARGEST_MOVE = 0.12
"""A corner that refinement moves further than this part of a square has slipped to something else."""
_LARGEST_RESIDUAL = 0.07
_WIDEST_SEARCH_PX = 12


def refined_grid(pixels: NDArray[np.uint8], window: Window, scale: float) -> tuple[Floats, float]:
    """All corners of squares in `pixels`, of a window found at `scale` times its size, and the lens's bend.

    The corners are (9, 9, 2) px [row, column]; the bend is that of Surface.
    """
    places = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1)
    rough = (window.surface.project(places) + 0.5) / scale - 0.5
    height, width = pixels.shape[:2]
    seen = window.seen > 0.9
    corners, where = rough[1:8, 1:8][seen], places[1:8, 1:8][seen]
    spacing = np.minimum(
        np.hypot(*(rough[1:8, 2:9] - rough[1:8, 0:7]).transpose(2, 0, 1)),
        np.hypot(*(rough[2:9, 1:8] - rough[0:7, 1:8]).transpose(2, 0, 1)),
    )[seen]
    step = spacing / 2
    reach = int(np.clip(0.16 * np.median(step), 2, _WIDEST_SEARCH_PX))
    inside = ((corners > reach + 3) & (corners < np.array([width, height]) - reach - 4)).all(axis=1)
    corners, where, step = corners[inside], where[inside], step[inside]
    if len(corners) < 12:
        return rough, window.surface.bend
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY))
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 20, 0.02)
    fine = cv2.cornerSubPix(grey, corners.astype(np.float32).reshape(-1, 1, 2), (reach, reach), (-1, -1), criteria)
    fine_points = np.asarray(fine, dtype=np.float64).reshape(-1, 2)
    kept = np.hypot(*(fine_points - corners).T) < _LARGEST_MOVE * step
    surface: Surface | None = None
    for _ in range(2):
        if kept.sum() < 12:
            return rough, window.surface.bend
        surface, _ = fit_surface(where[kept], fine_points[kept], (width, height))
        kept = kept & (np.hypot(*(surface.project(where) - fine_points).T) < _LARGEST_RESIDUAL * step)
    if surface is None:
        return rough, window.surface.bend
    return surface.project(places), surface.bend
