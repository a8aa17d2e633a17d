"""The camera's sensor: fresh noise and a little flicker on every frame."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels

FINE = 16
"""Pictures are kept in sixteenths of a grey level."""
MARGIN = 256
"""How many pixels the field of noise is larger than the picture."""


class Sensor:
    """Turns pictures in sixteenths of a grey level (int16) into noisy 8-bit ones.

    Each frame looks at another part of one large field of noise, with either sign: drawing new noise for every frame
    would cost more than everything else together.
    """

    def __init__(self, size: tuple[int, int], noise: float, flicker: float, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._flicker = flicker
        width, height = size
        shape = (height + MARGIN, width + MARGIN)
        grey = self._random.standard_normal((*shape, 1), dtype=np.float32)
        colour = self._random.standard_normal((*shape, 3), dtype=np.float32)
        field = grey * np.sqrt(0.6) + cv2.GaussianBlur(colour, (3, 3), 0.55)
        self._field = np.asarray(np.rint(field / field.std() * (noise * FINE)), dtype=np.int16)

    def expose(self, picture: NDArray[np.int16]) -> Pixels:
        """A new 8-bit frame of the picture."""
        height, width = picture.shape[:2]
        row, column = (int(value) for value in self._random.integers(0, MARGIN, 2))
        noise = self._field[row : row + height, column : column + width]
        noisy = cv2.add(picture, noise) if self._random.random() < 0.5 else cv2.subtract(picture, noise)
        gain = 1 + self._flicker * float(np.clip(self._random.standard_normal(), -3, 3))
        return np.asarray(cv2.convertScaleAbs(noisy, alpha=gain / FINE), dtype=np.uint8)
