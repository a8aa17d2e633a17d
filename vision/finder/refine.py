"""The corners of a found board to a fraction of a pixel, on the picture itself."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.outline import Part, outline_edges
from vision.finder.saddles import Floats, middle
from vision.finder.surface import Surface, fit_surface

_LARGEST_MOVE = 0.12
"""A corner that refinement moves further than this part of a square has slipped to something else."""
_LARGEST_RESIDUAL = 0.07
_WIDEST_SEARCH_PX = 12
_NEAR, _FAR = 0.16, 0.3
"""How far around a corner (in squares) its edges are looked at."""
_FINE_ENOUGH_PX = 56
"""Squares this wide show their corners well enough: a larger picture costs time and adds nothing."""
_MARGIN = 0.4
_FEWEST = 12
PLACES = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1)
"""(9, 9, 2): the places (column, row) of the corners of squares."""


def refined_grid(
    pixels: NDArray[np.uint8], surface: Surface, seen: NDArray[np.bool_], far: bool = False
) -> tuple[Floats, float, int]:
    """All corners of squares in `pixels`, the lens's bend, and how many inner corners bore them out.

    surface: where the board is in `pixels`, places 0 to 8. seen: (7, 7), which inner corners are visible. far:
    whether the surface may be off by a fifth of a square. The corners are (9, 9, 2) px [row, column]; the bend is
    that of Surface.
    """
    rough = surface.project(PLACES)
    corner = (rough[1:8, 1:8], rough[1:8, 2:9], rough[1:8, 0:7], rough[2:9, 1:8], rough[0:7, 1:8])
    spacing = np.minimum(
        np.hypot(*(corner[1] - corner[2]).transpose(2, 0, 1)), np.hypot(*(corner[3] - corner[4]).transpose(2, 0, 1))
    )
    scale = min(1.0, _FINE_ENOUGH_PX / (float(spacing.min()) / 2))
    part = _part(pixels, rough, scale)
    corners = part.positions(rough[1:8, 1:8][seen])
    where, step = PLACES[1:8, 1:8][seen], spacing[seen] / 2 * scale
    part_searched, widest = (_FAR, 2 * _WIDEST_SEARCH_PX) if far else (_NEAR, _WIDEST_SEARCH_PX)
    reach = 0 if not len(step) else int(np.clip(part_searched * middle(step), 2, widest))
    inside = ((corners > reach + 3) & (corners < np.array(part.grey.shape[::-1]) - reach - 4)).all(axis=1)
    corners, where, step = corners[inside], where[inside], step[inside]
    if len(corners) < _FEWEST:
        return rough, surface.bend, 0
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 20, 0.02)
    fine = cv2.cornerSubPix(
        part.grey, corners.astype(np.float32).reshape(-1, 1, 2), (reach, reach), (-1, -1), criteria
    )
    fine = np.asarray(fine, dtype=np.float64).reshape(-1, 2)
    kept = np.hypot(*(fine - corners).T) < (_FAR if far else _LARGEST_MOVE) * step
    # Back to the whole picture, whose centre is the lens's.
    fine, step = part.points(fine), step / scale
    size = (pixels.shape[1], pixels.shape[0])
    fitted: Surface | None = None
    for _ in range(2):
        if kept.sum() < _FEWEST:
            return rough, surface.bend, 0
        try:
            fitted, _ = fit_surface(where[kept], fine[kept], size)
        except ValueError:
            return rough, surface.bend, 0
        kept = kept & (np.hypot(*(fitted.project(where) - fine).T) < _LARGEST_RESIDUAL * step)
    if fitted is None or kept.sum() < _FEWEST:
        return rough, surface.bend, 0
    if fitted.bend != 0:
        fitted = _with_outline(part, fitted, where[kept], fine[kept])
    return fitted.project(PLACES), fitted.bend, int(kept.sum())


def _part(pixels: NDArray[np.uint8], rough: Floats, scale: float) -> Part:
    """The board's part of the picture in grey."""
    margin = _MARGIN * float(np.ptp(rough, axis=(0, 1)).max()) / 8
    size = np.array(pixels.shape[1::-1])
    low = np.clip(np.floor(rough.min(axis=(0, 1)) - margin), 0, size - 1).astype(int)
    high = np.clip(np.ceil(rough.max(axis=(0, 1)) + margin) + 1, low + 1, size).astype(int)
    part = pixels[low[1] : high[1], low[0] : high[0]]
    if scale < 1:
        part = np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    grey = np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return Part(grey, low.astype(np.float64), scale)


def _with_outline(part: Part, bent: Surface, places: NDArray[np.int64], points: Floats) -> Surface:
    """A surface whose bend fits not only the inner corners but also where the outermost squares are seen to end.

    Beyond the inner corners a bend is extrapolated and tends to go too far; between it and none the outline decides.
    """
    try:
        straight, _ = fit_surface(places, points, bent.size, may_bend=False)
        edges = outline_edges(part, bent, straight)
        return bent if edges is None else fit_surface(places, points, bent.size, edges)[0]
    except ValueError:
        return bent
