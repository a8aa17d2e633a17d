"""What the square network looks at: the board laid flat, 32 px a square, with how far tall things lean in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SQUARE_PX = 32
MARGIN_SQUARES = 1
GROUND_SQUARES = 8 + 2 * MARGIN_SQUARES
SIDE_PX = GROUND_SQUARES * SQUARE_PX
CHANNELS = 7
LEAN_HEIGHT = 0.2
"""The height, in squares, whose displacement the network is told."""
_LEAN_SCALE = 4.0
_DARKEST = 4.0

Floats = NDArray[np.float32]


def network_input(
    ground: NDArray[np.uint8], camera: ArrayLike, diameter: float | None = None, height: float | None = None
) -> Floats:
    """(1, 7, 320, 320): the picture evened out, the lean in x and y, and the discs' size where it is known.

    ground: (320, 320, 3) BGR, the 8 × 8 squares with one square of their surroundings, 32 px a square. camera: (3,)
    where the camera is, in squares: x and y along the columns and rows of `ground` from the board's corner at its
    top left, z above the playing surface. diameter, height: of a disc, in squares.
    """
    block = np.empty((1, CHANNELS, SIDE_PX, SIDE_PX), np.float32)
    board = ground[SQUARE_PX : SIDE_PX - SQUARE_PX : 2, SQUARE_PX : SIDE_PX - SQUARE_PX : 2].reshape(-1, 3)
    middle = board.mean(axis=0, dtype=np.float64)
    spread = max(float(board.std(axis=0, dtype=np.float64).mean()), _DARKEST)
    for channel in range(3):
        block[0, channel] = (ground[:, :, channel] - np.float32(middle[channel])) / np.float32(spread)
    x, y, z = np.asarray(camera, dtype=np.float64)
    points = (np.arange(SIDE_PX) + 0.5) / SQUARE_PX - MARGIN_SQUARES
    lean = LEAN_HEIGHT / (z - LEAN_HEIGHT) * _LEAN_SCALE
    block[0, 3] = ((points - x) * lean)[None, :]
    block[0, 4] = ((points - y) * lean)[:, None]
    block[0, 5] = 0.0 if diameter is None else diameter
    block[0, 6] = 0.0 if height is None else height / LEAN_HEIGHT
    return block
