"""A straight move at best: speeding up, cruising, braking (a trapezoid of speed over time).

t(d) = d/v + v/a where the way is long enough to reach the top speed (d ≥ v²/a), else 2·√(d/a).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Trapezoid:
    """From rest to rest over `distance_mm`, no faster than `speed` (mm/s), with `acceleration` (mm/s²)."""

    distance_mm: float
    speed: float
    acceleration: float

    @property
    def peak(self) -> float:
        """The highest speed that is reached, mm/s."""
        return min(self.speed, math.sqrt(self.distance_mm * self.acceleration))

    @property
    def duration_s(self) -> float:
        """How long it takes, s."""
        if self.distance_mm <= 0:
            return 0.0
        return self.distance_mm / self.peak + self.peak / self.acceleration

    def at(self, seconds: float) -> float:
        """The way (mm) covered after `seconds`."""
        if seconds <= 0 or self.distance_mm <= 0:
            return 0.0
        duration = self.duration_s
        if seconds >= duration:
            return self.distance_mm
        ramp = self.peak / self.acceleration
        if seconds < ramp:
            return 0.5 * self.acceleration * seconds * seconds
        left = duration - seconds
        if left < ramp:
            return self.distance_mm - 0.5 * self.acceleration * left * left
        return 0.5 * self.peak * ramp + self.peak * (seconds - ramp)

    def speed_at(self, seconds: float) -> float:
        """The speed (mm/s) after `seconds`."""
        return max(0.0, min(self.peak, seconds * self.acceleration, (self.duration_s - seconds) * self.acceleration))


def straight(
    deltas_mm: Sequence[float],
    max_speed_mm_s: Sequence[float],
    acceleration_mm_s2: Sequence[float],
    speed_mm_s: float | None = None,
) -> Trapezoid:
    """The straight move by `deltas_mm` on axes with these limits, each axis within its own.

    `speed_mm_s` is the most along the line; None leaves that to the axes.
    """
    way = math.hypot(*deltas_mm)
    if not way:
        return Trapezoid(0.0, 1.0, 1.0)
    shares = [abs(delta) / way for delta in deltas_mm]
    speed = min(limit / share for limit, share in zip(max_speed_mm_s, shares, strict=True) if share > 1e-9)
    acceleration = min(limit / share for limit, share in zip(acceleration_mm_s2, shares, strict=True) if share > 1e-9)
    return Trapezoid(way, speed if speed_mm_s is None else min(speed, speed_mm_s), acceleration)
