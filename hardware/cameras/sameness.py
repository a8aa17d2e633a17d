"""Telling a camera that is frozen from a scene in which nothing moves."""

from __future__ import annotations

import numpy as np

from hardware.frame import Pixels

REPEATS = 3
FROZEN_AFTER_S = 1.0
_STRIDE = 16


class Sameness:
    """Notices pictures that are byte for byte the same: a sensor's noise never lets two be so.

    A picture of one single value is no evidence, however often it comes: in the dark the noise is cut off at black.
    """

    def __init__(self) -> None:
        self._last: Pixels | None = None
        self._since = 0.0
        self._repeats = 0

    def frozen(self, pixels: Pixels, time_s: float) -> bool:
        """Take account of a picture and its time (s): whether it has come often enough and for long enough."""
        if self._last is None or not _same(pixels, self._last):
            self._last, self._since, self._repeats = pixels, time_s, 0
            return False
        self._repeats += 1
        enough = self._repeats >= REPEATS and time_s - self._since > FROZEN_AFTER_S
        return enough and pixels.min() != pixels.max()


def _same(a: Pixels, b: Pixels) -> bool:
    """Nearly always a look at a few hundred pixels tells that they differ."""
    return np.array_equal(a[::_STRIDE, ::_STRIDE], b[::_STRIDE, ::_STRIDE]) and np.array_equal(a, b)
