"""The camera's pose, and its focal length, from one view of the board."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.camera_model import CameraModel

NOMINAL_FOCAL = 0.85
"""Focal length as a part of the picture's longer side where the view does not tell: between phones and webcams."""
_FOCAL_SPREAD = 0.35
"""Standard deviation of the logarithm of cameras' focal lengths."""
_CORNER_DEVIATION = 0.004
"""Standard deviation of a board corner, as a part of the board's side in the picture."""
_FOCALS = np.geomspace(0.35, 4.0, 40)


def camera_from_corners(
    corners: ArrayLike, size: tuple[int, int], square_mm: float, known_focal: float | None = None
) -> CameraModel:
    """The camera that sees the outer corners of the 8 × 8 squares where they are.

    corners: (4, 2) px, top-left, top-right, bottom-right, bottom-left as seen. size: (width, height) px. The board
    frame's origin is the bottom-left corner, x runs to the bottom-right, y to the top-left one, z towards the camera.
    known_focal: focal length in px; without it, it is weighed from the perspective and from what is usual.
    """
    side = 8 * square_mm
    board = np.array([[0, side, 0], [side, side, 0], [side, 0, 0], [0, 0, 0]], dtype=np.float64)
    return _camera(board, np.asarray(corners, dtype=np.float64).reshape(4, 2), size, known_focal, 0.0)


def camera_from_grid(
    grid: ArrayLike, size: tuple[int, int], square_mm: float, bend: float = 0.0, known_focal: float | None = None
) -> CameraModel:
    """The same from all corners of squares: grid (9, 9, 2) px, [row, column] as seen.

    bend: the lens's curvature as vision.finder measures it (FoundBoard.bend).
    """
    columns, rows = np.meshgrid(np.arange(9), np.arange(9))
    board = np.stack([columns * square_mm, (8 - rows) * square_mm, np.zeros_like(rows)], axis=-1).reshape(-1, 3)
    pixels = np.asarray(grid, dtype=np.float64).reshape(-1, 2)
    return _camera(board.astype(np.float64), pixels, size, known_focal, bend)


def _camera(
    board: NDArray[np.float64],
    pixels: NDArray[np.float64],
    size: tuple[int, int],
    known_focal: float | None,
    bend: float,
) -> CameraModel:
    longer = max(size)
    if known_focal is not None:
        return _posed(board, pixels, size, known_focal, bend)[0]
    deviation = _CORNER_DEVIATION * float(np.sqrt(np.prod(np.ptp(pixels, axis=0))))
    best: tuple[float, CameraModel] | None = None
    for focal in _FOCALS:
        camera, mean_square = _posed(board, pixels, size, focal * longer, bend)
        # Each point counts as a part of the four corners' weight: their errors have common causes.
        cost = 4 * mean_square / deviation**2 + (np.log(focal / NOMINAL_FOCAL) / _FOCAL_SPREAD) ** 2
        if best is None or cost < best[0]:
            best = (float(cost), camera)
    assert best is not None
    return best[1]


def _posed(
    board: NDArray[np.float64], pixels: NDArray[np.float64], size: tuple[int, int], focal: float, bend: float
) -> tuple[CameraModel, float]:
    """The camera of this focal length (px), and the mean squared distance (px²) at which it misses the points."""
    width, height = size
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]], dtype=np.float64)
    # The finder's bend counts radii in half diagonals and undoes what k1 does.
    k1 = -bend * focal**2 / (np.hypot(width, height) / 2) ** 2
    distortion = np.array([k1, 0, 0, 0, 0], dtype=np.float64)
    best: tuple[float, CameraModel] | None = None
    # IPPE knows the two poses that a plane leaves possible, but fails straight from above, where the other does not.
    for method in (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_ITERATIVE):
        _, rotation_vector, translation = cv2.solvePnP(board, pixels, matrix, distortion, flags=method)
        rotation, _ = cv2.Rodrigues(rotation_vector)
        x, y, z = (float(value) for value in np.asarray(translation).reshape(3))
        camera = CameraModel(
            matrix=tuple(tuple(float(value) for value in row) for row in matrix),
            distortion=tuple(float(value) for value in distortion),
            rotation=tuple(tuple(float(value) for value in row) for row in np.asarray(rotation)),
            translation_mm=(x, y, z),
            size=size,
        )
        missed = float(((camera.project(board) - pixels) ** 2).sum(axis=1).mean())
        if not np.isfinite(missed) or camera.position_mm[2] <= 0:
            missed = np.inf
        if best is None or missed < best[0]:
            best = (missed, camera)
    assert best is not None
    return best[1], best[0]
