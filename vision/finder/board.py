"""A board in a picture: what finding it, a calibrated camera or a person's corners give."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.errors import BoardNotFoundError
from vision.finder.saddles import Floats


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

    def enlarged(self, times: int) -> FoundBoard:
        """The same board in a picture of which each pixel of this one covers `times` by `times`."""
        grid = (self.grid + 0.5) * times - 0.5
        return replace(self, corners=grid[[0, 0, 8, 8], [0, 8, 8, 0]], grid=grid)


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
    return oriented_board(grid, 1, 1.0, bend)


def oriented_board(grid: Floats, dark_parity: int, score: float, bend: float) -> FoundBoard:
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
