"""By how much a picture has shifted against an earlier one of the same table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

SCALE = 2
TILES = (6, 10)
"""Rows and columns of patches that are compared by themselves."""
LEAST_RESPONSE = 0.15
"""Phase correlation's peak below which a patch shows no texture, or something else than before."""


def camera_shift(pixels: NDArray[np.uint8], reference: NDArray[np.uint8]) -> tuple[float, float]:
    """The shift (dx, dy) in px of `pixels` against `reference`; (0, 0) if no patch of them can be compared.

    The median over many patches, so that discs, hands and an arm that have moved do not matter.
    """
    now, before = _edges(pixels), _edges(reference)
    rows, columns = TILES
    height, width = now.shape[0] // rows, now.shape[1] // columns
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    shifts = []
    for row in range(rows):
        for column in range(columns):
            patch = (slice(row * height, (row + 1) * height), slice(column * width, (column + 1) * width))
            shift, response = cv2.phaseCorrelate(before[patch].copy(), now[patch].copy(), window)
            if response > LEAST_RESPONSE:
                shifts.append(shift)
    if not shifts:
        return 0.0, 0.0
    dx, dy = np.median(np.array(shifts), axis=0) * SCALE
    return float(dx), float(dy)


def _edges(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The picture's gradient, which a change of light leaves nearly as it is."""
    height, width = pixels.shape[:2]
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (width // SCALE, height // SCALE), interpolation=cv2.INTER_AREA).astype(np.float32)
    smooth = cv2.GaussianBlur(small, (0, 0), 1.2)
    return np.asarray(cv2.magnitude(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)))
