"""A board whose corners a person has pointed out."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.errors import BoardNotFoundError
from vision.finder.board import FoundBoard, oriented_board
from vision.finder.refine import PLACES, refined_grid
from vision.finder.refusal import refuse_tiny
from vision.finder.saddles import Floats
from vision.finder.surface import fit_surface
from vision.finder.window import inner_corners, logarithm
from vision.sampling import sample

_FEWEST_CORNERS = 25
"""Of the 49 inner corners: with fewer that bear the corners out, they are taken literally."""
_FARTHEST = 0.35
"""How far (in squares) what was refined may lie from what was given."""
_SMALLEST_SIDE_PX = 32
_LONG_SIDE = 1280


def board_from_corners(pixels: NDArray[np.uint8], corners: ArrayLike) -> FoundBoard:
    """The board in a BGR picture whose outer corners (4, 2) px are given.

    They are moved to the true lattice if they clearly lie near it, and taken literally otherwise. Given clockwise,
    the first one stays the board's first, its top left; in another order they are sorted, and the one nearest to the
    picture's top left is the first. Raises BoardNotFoundError if they cannot be a board's.
    """
    refuse_tiny(pixels)
    ring = _ring(np.asarray(corners, dtype=np.float64), (pixels.shape[1], pixels.shape[0]))
    surface, _ = fit_surface(np.array([[0, 0], [8, 0], [8, 8], [0, 8]]), ring, (pixels.shape[1], pixels.shape[0]))
    given = surface.project(PLACES)
    side = float(np.hypot(*(ring - np.roll(ring, 1, axis=0)).T).mean()) / 8
    scale = min(1.0, _LONG_SIDE / max(surface.size))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else pixels
    colours = logarithm(np.asarray(small, dtype=np.uint8))
    grid, bend, supported = given, 0.0, 0
    # From corners a little off, the inner ones are found better the second time.
    for far in (True, False):
        grid, bend, supported = refined_grid(pixels, surface, np.ones((7, 7), dtype=np.bool_), far)
        if supported < _FEWEST_CORNERS:
            break
        surface, _ = fit_surface(PLACES.reshape(-1, 2), grid.reshape(-1, 2), surface.size)
    moved = np.hypot(*(grid - given)[[0, 0, 8, 8], [0, 8, 8, 0]].T).max()
    if supported >= _FEWEST_CORNERS and moved <= _FARTHEST * side:
        supported = int(inner_corners(colours, surface.scaled(scale, (small.shape[1], small.shape[0]))).sum())
    if supported < _FEWEST_CORNERS or moved > _FARTHEST * side:
        grid, bend, supported = given, 0.0, 0
    parity = _dark_parity(pixels, grid)
    if np.array_equal(ring, np.asarray(corners, dtype=np.float64)):
        return FoundBoard(grid[[0, 0, 8, 8], [0, 8, 8, 0]], grid, parity, supported / 49, bend)
    return oriented_board(grid, parity, supported / 49, bend)


def _ring(corners: Floats, size: tuple[int, int]) -> Floats:
    """The corners in order, clockwise as seen."""
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise BoardNotFoundError("four corners are needed, each as x,y in pixels: give all four")
    if (corners < -0.5).any() or (corners > np.array(size) - 0.5).any():
        x, y = next(corner for corner in corners if (corner < -0.5).any() or (corner > np.array(size) - 0.5).any())
        raise BoardNotFoundError(
            f"the corner {x:.0f},{y:.0f} lies outside the picture of {size[0]} by {size[1]} pixels: "
            "give corners inside it"
        )
    offset = corners - corners.mean(axis=0)
    around = np.argsort(np.arctan2(offset[:, 1], offset[:, 0]), kind="stable")
    # Clockwise from the one that was given first.
    ring = corners[np.roll(around, -int(np.flatnonzero(around == 0)[0]))]
    sides = np.roll(ring, -1, axis=0) - ring
    following = np.roll(sides, -1, axis=0)
    turn = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    lengths = np.hypot(*sides.T)
    if lengths.min() < _SMALLEST_SIDE_PX or (turn < 0.05 * lengths * np.roll(lengths, -1)).any():
        raise BoardNotFoundError(
            "the four corners do not enclose a board: give the outer corners of its 8 by 8 squares, all different"
        )
    return ring


def _dark_parity(pixels: NDArray[np.uint8], grid: Floats) -> int:
    """(row + column) % 2 of the squares that are darker, judged near their corners, where discs seldom reach."""
    centres = (grid[:-1, :-1] + grid[1:, :-1] + grid[:-1, 1:] + grid[1:, 1:]) / 4
    corners = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]], axis=2)
    points = corners + 0.3 * (centres[:, :, None] - corners)
    low = np.clip(np.floor(points.min(axis=(0, 1, 2))) - 2, 0, None).astype(int)
    high = np.ceil(points.max(axis=(0, 1, 2))).astype(int) + 3
    part = pixels[low[1] : high[1], low[0] : high[0]]
    levels = logarithm(np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), dtype=np.uint8))
    brightness = np.sort(sample(levels, points - low), axis=2)[:, :, 1:3].mean(axis=2)
    even = np.add.outer(np.arange(8), np.arange(8)) % 2 == 0
    return 0 if brightness[even].mean() < brightness[~even].mean() else 1
