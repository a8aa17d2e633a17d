"""The camera's sensor: fresh noise and a little flicker on every frame, and its exposure."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels
from hardware.simulated.drawing.exposure import ExposureControl
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.view import Floats

FINE = 16
"""Pictures are kept in sixteenths of a grey level."""
MARGIN = 256
"""How many pixels the field of noise is larger than the picture."""
BLOTCH_PX = 2.2
SAMPLED = 16
"""One pixel in so many, each way, decides on the exposure."""


class Sensor:
    """Turns pictures in sixteenths of a grey level (int16) into noisy 8-bit ones.

    Each frame looks at another part of one large field of noise, with either sign: drawing new noise for every frame
    would cost more than everything else together. `take`: sensors of one seed with other numbers draw other noise.
    """

    def __init__(self, size: tuple[int, int], illumination: Illumination, seed: int, take: int = 0) -> None:
        self._flicker = illumination.flicker
        automatic = illumination.exposure
        self._exposure = ExposureControl(automatic, seed) if automatic is not None else None
        field, random = _noise(size, seed)
        # Light changes often, and a field of noise takes long to make: another take looks at it in another order.
        self._random = deepcopy(random) if take == 0 else np.random.default_rng((seed, take))
        if illumination.blotches > 0:
            patches, part = _patches(size, seed), illumination.blotches
            field = (1 - part) * field + part * patches
            field = field / field.std()
        self._field = np.asarray(np.rint(field * np.float32(illumination.noise * FINE)), dtype=np.int16)

    def expose(self, picture: NDArray[np.int16], time_s: float = 0.0) -> Pixels:
        """A new 8-bit frame of the picture, taken at `time_s`."""
        height, width = picture.shape[:2]
        row, column = (int(value) for value in self._random.integers(0, MARGIN, 2))
        noise = self._field[row : row + height, column : column + width]
        noisy = cv2.add(picture, noise) if self._random.random() < 0.5 else cv2.subtract(picture, noise)
        gain = 1 + self._flicker * float(np.clip(self._random.standard_normal(), -3, 3))
        if self._exposure is not None:
            level = float(np.clip(picture[::SAMPLED, ::SAMPLED], 0, 255 * FINE).mean()) / FINE
            gain *= self._exposure.factor(time_s, level)
        return np.asarray(cv2.convertScaleAbs(noisy, alpha=gain / FINE), dtype=np.uint8)


@lru_cache(maxsize=1)
def _noise(size: tuple[int, int], seed: int) -> tuple[Floats, np.random.Generator]:
    """A field of noise of standard deviation 1, partly grey, partly coloured, and the generator as it is after it."""
    random = np.random.default_rng(seed)
    width, height = size
    shape = (height + MARGIN, width + MARGIN)
    grey = random.standard_normal((*shape, 1), dtype=np.float32)
    colour = random.standard_normal((*shape, 3), dtype=np.float32)
    field = grey * np.float32(np.sqrt(0.6)) + cv2.GaussianBlur(colour, (3, 3), 0.55)
    return np.asarray(field / field.std(), dtype=np.float32), random


@lru_cache(maxsize=1)
def _patches(size: tuple[int, int], seed: int) -> Floats:
    """The same in patches a few pixels wide that differ in colour more than in brightness."""
    width, height = size
    shape = (height + MARGIN, width + MARGIN, 3)
    colour = np.random.default_rng((seed, 47)).standard_normal(shape, dtype=np.float32)
    soft = np.asarray(cv2.GaussianBlur(colour, (0, 0), BLOTCH_PX), dtype=np.float32)
    soft -= np.float32(0.7) * soft.mean(axis=2, keepdims=True)
    return np.asarray(soft / soft.std(), dtype=np.float32)
