"""What is under the middle of the gripper: found by taking a disc farther and farther beside its middle.

A gripper takes a flat disc as long as its tip is within some distance of the disc's middle, on all sides alike.
Neither that distance nor the tip's true place is known; each try tells whether the one was within the other. All
places and distances that are possible are weighed by all tries (Bayes' rule on a grid), and the next try is made
where its outcome is least sure, on one side after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.values import PointXY

Floats = NDArray[np.float64]

STEPS = 32
"""Grid cells from the middle to as far as the tip may be off."""
FARTHEST, USUAL = 0.4, 0.15
"""How far off the tip may be, and usually is, in disc diameters."""
LEAST_HOLD, MOST_HOLD = 0.06, 0.55
"""Between which distances, in disc diameters, a disc ceases to be taken."""
HAZY_MM = 0.4
"""How exactly it is known where the tip was: its play, and what the camera misses."""
LAPSES = 0.02
"""How often a try tells the opposite of what it should."""
SIDES_DEG = (0.0, 180.0, 90.0, 270.0, 45.0, 225.0, 135.0, 315.0)
SAMPLES = 1500
SURE_MM = 0.2
"""The standard deviation, on each axis, at which the tip's place is known well enough."""
FEWEST, MOST = 16, 28


@dataclass(frozen=True)
class GripTry:
    """An attempt to take a disc: where the tip was believed to be from its middle (board mm), and the outcome."""

    offset: PointXY
    held: bool


@dataclass(frozen=True)
class GripMiddle:
    """How far the tip is from where it is believed (board mm), how sure that is (standard deviations), and how far
    from a disc's middle it still takes it."""

    off_mm: PointXY
    sure_mm: PointXY
    reach_mm: float

    @property
    def sure(self) -> bool:
        """Whether that is good enough."""
        return max(self.sure_mm) <= SURE_MM


class GripSearch:
    """Weighs what is possible after each try; `diameter_mm` is the disc's."""

    def __init__(self, diameter_mm: float, tries: Sequence[GripTry] = ()) -> None:
        self._diameter = diameter_mm
        far = FARTHEST * diameter_mm
        places = np.linspace(-far, far, 2 * STEPS + 1)
        holds = np.arange(LEAST_HOLD, MOST_HOLD, FARTHEST / STEPS) * diameter_mm
        self._x, self._y, self._hold = np.meshgrid(places, places, holds, indexing="ij")
        self._weights = -(self._x**2 + self._y**2) / (2 * (USUAL * diameter_mm) ** 2)
        self.tries: list[GripTry] = []
        for one in tries:
            self.learn(one)

    def learn(self, one: GripTry) -> None:
        """Take the outcome of a try into account."""
        self.tries.append(one)
        held = _held(self._x, self._y, self._hold, one.offset)
        self._weights += np.log(held if one.held else 1 - held)

    @property
    def done(self) -> bool:
        """Whether enough is known, or nothing more will be."""
        return len(self.tries) >= MOST or (len(self.tries) >= FEWEST and self.middle().sure)

    def middle(self) -> GripMiddle:
        """What is thought now."""
        parts = self._parts()
        off = [float((parts * axis).sum()) for axis in (self._x, self._y)]
        spread = [
            math.sqrt(float((parts * (axis - mean) ** 2).sum()))
            for axis, mean in zip((self._x, self._y), off, strict=True)
        ]
        return GripMiddle((off[0], off[1]), (spread[0], spread[1]), float((parts * self._hold).sum()))

    def next_offset(self) -> PointXY:
        """Where from the disc's middle the tip is to be believed next (board mm)."""
        parts = self._parts().ravel()
        chosen = np.random.default_rng(len(self.tries)).choice(parts.size, SAMPLES, p=parts)
        x, y, hold = (axis.ravel()[chosen] for axis in (self._x, self._y, self._hold))
        side = math.radians(SIDES_DEG[len(self.tries) % len(SIDES_DEG)])
        off = float(x.mean()), float(y.mean())
        best, doubt = (0.0, 0.0), math.inf
        for away in np.arange(0.0, MOST_HOLD, FARTHEST / STEPS) * self._diameter:
            offset = float(away * math.cos(side)) - off[0], float(away * math.sin(side)) - off[1]
            unsure = abs(float(_held(x, y, hold, offset).mean()) - 0.5)
            if unsure < doubt:
                best, doubt = offset, unsure
        return best

    def _parts(self) -> Floats:
        parts = np.exp(self._weights - self._weights.max())
        return np.asarray(parts / parts.sum())


def _held(x: Floats, y: Floats, hold: Floats, offset: PointXY) -> Floats:
    """How probable it is that the disc is taken when the tip is believed `offset` from its middle, and is (x, y) off.

    The logistic curve stands for the normal distribution's.
    """
    spare = (hold - np.hypot(x + offset[0], y + offset[1])) * (1.702 / HAZY_MM)
    return np.asarray(LAPSES / 2 + (1 - LAPSES) / (1 + np.exp(-np.clip(spare, -40, 40))))
