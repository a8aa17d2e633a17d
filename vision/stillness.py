"""Whether two pictures show the same still scene."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.silhouette import Mask

SCALE = 8
"""Pictures are compared this many times smaller, which takes most of the noise away."""
CHANGE = 7.0
NOISES = 9.0
"""Difference of grey (0–255), and in multiples of the noise's standard deviation, that means motion."""
FEWEST_PIXELS = 3
"""A disc that moves by a quarter of its width changes at least so many pixels of the small picture."""


def is_still(before: NDArray[np.uint8], after: NDArray[np.uint8], region: Mask | None = None) -> bool:
    """Whether nothing has moved between two pictures of one size; a change of exposure is no motion.

    Only `region` (height, width of the pictures) counts, if it is given.
    """
    first, second = _small(before), _small(after)
    if region is not None:
        height, width = first.shape
        inside = cv2.resize(region.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
        first, second = first[inside], second[inside]
    difference = second - first * np.float32(np.median(second) / max(float(np.median(first)), 1.0))
    distance = np.abs(difference - np.median(difference))
    noise = 1.4826 * float(np.median(distance))
    return int(np.count_nonzero(distance > max(CHANGE, NOISES * noise))) < FEWEST_PIXELS


def _small(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // SCALE, height // SCALE), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.float32)
