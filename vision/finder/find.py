"""Where the board is in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.errors import BoardNotFoundError
from vision.finder.lattice import lattices
from vision.finder.refine import refined_grid
from vision.finder.saddles import Floats, find_saddles
from vision.finder.window import Window, best_window, logarithm
from vision.sampling import Image

_LONG_SIDE = 1280
_SMALLEST_SIDE = 64
_CERTAIN = 0.9
_RADIUS = 5.0
_FINE_RADIUS = 3.2


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board in a picture.

    corners: (4, 2) px, the outer corners of the 8 × 8 squares, top-left, top-right, bottom-right, bottom-left as seen
    in the picture. grid: (9, 9, 2) px, all corners of squares, [row, column] as seen, lens curvature included.
    dark_parity: (row + column) % 2 of the dark squares. score: 0 to 1, the part of the inner corners that was seen.
    bend: the lens's curvature (vision.finder.surface.Surface.bend).
    """

    corners: Floats
    grid: Floats
    dark_parity: int
    score: float
    bend: float


def find_board(pixels: NDArray[np.uint8]) -> FoundBoard:
    """Find the board of 8 × 8 squares in a BGR picture.

    Raises BoardNotFoundError when none, or none certainly, is visible.
    """
    height, width = pixels.shape[:2]
    if min(height, width) < _SMALLEST_SIDE:
        raise BoardNotFoundError(
            f"the picture is only {width} by {height} pixels, too small to see a board: use a larger one"
        )
    best: Window | None = None
    for picture, channel, radius, scale in _attempts(pixels):
        for window in _windows(picture, channel, radius):
            if window.believable and (best is None or window.score > best.score):
                best = window
                grid, bend = refined_grid(pixels, window, scale)
            if best is not None and best.score >= _CERTAIN:
                break
        if best is not None:
            break
    if best is None:
        raise BoardNotFoundError(
            "no board of 8 by 8 squares is visible: show the whole board, in focus and evenly lit, to the camera"
        )
    return _oriented(grid, 0 if best.dark_even else 1, best.score, bend)


def board_of_camera(pixels: NDArray[np.uint8], camera: CameraModel, square_mm: float) -> FoundBoard:
    """Where a calibrated camera sees the board, without looking for it; BGR picture.

    Raises BoardNotFoundError if the picture is not of the camera's size or does not show the board.
    """
    size = (pixels.shape[1], pixels.shape[0])
    if size != camera.size:
        raise BoardNotFoundError(
            f"the picture is {size[0]} by {size[1]} pixels and the calibrated camera's are {camera.size[0]} by "
            f"{camera.size[1]}: use one of its own pictures, or no calibration"
        )
    columns, rows = np.meshgrid(np.arange(9.0), np.arange(9.0))
    board = np.stack([columns * square_mm, (8 - rows) * square_mm, np.zeros_like(rows)], axis=-1)
    grid = camera.project(board.reshape(-1, 3)).reshape(9, 9, 2)
    if not ((grid >= 0) & (grid <= np.array(size) - 1)).all():
        raise BoardNotFoundError("the calibrated camera does not see the whole board: calibrate again")
    focal = float(np.mean([camera.matrix[0][0], camera.matrix[1][1]]))
    bend = -camera.distortion[0] * (np.hypot(*size) / 2) ** 2 / focal**2
    # The near-left corner of a draughts board is dark.
    return _oriented(grid, 1, 1.0, bend)


def _attempts(pixels: NDArray[np.uint8]) -> Iterator[tuple[Image, Image, float, float]]:
    """Colours and a single channel to look at, both logarithmic, the radius (px) to look with, and the scale."""
    scale = min(1.0, _LONG_SIDE / max(pixels.shape[:2]))
    full = _scaled(pixels, scale)
    colours = logarithm(full)
    grey = logarithm(np.asarray(cv2.cvtColor(full, cv2.COLOR_BGR2GRAY)))
    half = _scaled(full, 0.5)
    half_scale = scale * half.shape[1] / full.shape[1]
    half_colours = logarithm(half)
    # The half size first: it is quick, and hides the grain of wood.
    yield half_colours, logarithm(np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY))), _RADIUS, half_scale
    yield colours, grey, _RADIUS, scale
    # Squares of equal brightness differ in colour.
    for one, other in ((2, 1), (0, 1)):
        yield half_colours, _ratio(half_colours, one, other), _RADIUS, half_scale
    yield colours, grey, _FINE_RADIUS, scale
    for one, other in ((2, 1), (0, 1)):
        yield colours, _ratio(colours, one, other), _RADIUS, scale


def _scaled(pixels: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    if scale == 1:
        return pixels
    return np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _ratio(colours: Image, one: int, other: int) -> Image:
    return np.ascontiguousarray(colours[..., one] - colours[..., other])


def _windows(colours: Image, channel: Image, radius: float) -> Iterator[Window]:
    for lattice in lattices(find_saddles(channel, radius)):
        window = best_window(colours, lattice)
        if window is not None:
            yield window


def _oriented(grid: Floats, dark_parity: int, score: float, bend: float) -> FoundBoard:
    """The board whose first corner is the picture's top left and whose rows run as seen; grid (9, 9, 2) px."""
    ring = grid[[0, 0, 8, 8], [0, 8, 8, 0]]
    if _signed_area(ring) < 0:
        # A mirrored lattice: exchange rows and columns; parities stay.
        grid = grid.transpose(1, 0, 2)
        ring = ring[[0, 3, 2, 1]]
    first = int((ring.sum(axis=1)).argmin())
    grid = np.ascontiguousarray(np.rot90(grid, first))
    # A quarter turn of 8 rows exchanges the parities.
    if first % 2:
        dark_parity = 1 - dark_parity
    return FoundBoard(grid[[0, 0, 8, 8], [0, 8, 8, 0]], grid, dark_parity, score, bend)


def _signed_area(ring: Floats) -> float:
    """Positive when the points run clockwise as seen (y points down)."""
    following = np.roll(ring, -1, axis=0)
    return float((ring[:, 0] * following[:, 1] - following[:, 0] * ring[:, 1]).sum() / 2)
