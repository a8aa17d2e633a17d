"""Values of an image between its pixels."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

_WIDTH = 4096
"""cv2.remap takes maps of at most 32767 rows or columns."""


def sample(image: Image, points: Floats) -> Image:
    """Values of a float32 image at `points` (..., 2) px, bilinear; outside the image those of its border."""
    flat = points.reshape(-1, 2).astype(np.float32)
    if not len(flat):
        return np.zeros((*points.shape[:-1], *image.shape[2:]), np.float32)
    padded = np.zeros((-(-len(flat) // _WIDTH) * _WIDTH, 2), np.float32)
    padded[: len(flat)] = flat
    grid = padded.reshape(-1, _WIDTH, 2)
    values = cv2.remap(image, grid[..., 0], grid[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    values = np.asarray(values, dtype=np.float32).reshape(len(padded), -1)[: len(flat)]
    return values.reshape(*points.shape[:-1], *image.shape[2:])
