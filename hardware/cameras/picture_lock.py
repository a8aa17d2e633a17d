"""Exposure, white balance and focus: found once by the camera, and kept from then on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from hardware.frame import Pixels

Kept: TypeAlias = Mapping[Any, Any]
"""A driver's controls and the values that they are kept at."""

TOO_DARK, TOO_BRIGHT = 14.0, 241.0
"""A picture whose median is beyond these shows no discs: the light is another than the one that was settled in."""
UNFIT_S = 10.0
"""How long it must be so; a lamp that is switched off and on again is no other light."""
SETTLE_AGAIN_S = 300.0
"""Where settling has not helped it is tried again after so long: at night a dark room stays dark."""
_STRIDE = 8


@dataclass
class PictureLock:
    """What a camera has settled in `settle_s`; kept here, it is the same again when the camera is opened anew.

    A camera that adjusts itself changes the whole picture when a hand or the arm comes into it.
    """

    settle_s: float = 2.0
    kept: Kept | None = None
    _unfit_since: float | None = field(default=None, init=False)
    _settled_at: float = field(default=-math.inf, init=False)

    def unfit(self, pixels: Pixels, time_s: float) -> bool:
        """Take account of a picture and its time (s): whether the camera should settle anew, in another light."""
        level = brightness(pixels)
        if TOO_DARK <= level <= TOO_BRIGHT:
            self._unfit_since, self._settled_at = None, -math.inf
            return False
        self._unfit_since = time_s if self._unfit_since is None else self._unfit_since
        due = time_s - self._unfit_since > UNFIT_S and time_s - self._settled_at > SETTLE_AGAIN_S
        if due:
            self._settled_at, self._unfit_since, self.kept = time_s, None, None
        return due


def brightness(pixels: Pixels) -> float:
    """The median of the green values, 0 to 255."""
    return float(np.median(pixels[::_STRIDE, ::_STRIDE, 1]))
