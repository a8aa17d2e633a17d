"""The homing cycle of the simulated Grbl: Z alone first, then X and Y together.

Each seeks its switch fast, pulls off, finds it again slowly, and pulls off. An axis stops dead when its switch
closes, so a search is an acceleration, a constant speed and a sudden end. Source: Grbl 1.1 `limits.c` as its
documentation describes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.planner import Point

_CYCLES = ((2,), (0, 1))
"""Grbl's default: Z first, so that nothing is struck on the way."""


@dataclass(frozen=True)
class _Search:
    """Axes that move at once, each from `start` to `end` (mm), and then a pause for the switches to settle."""

    start: Point
    end: Point
    speed: float
    acceleration: float
    pause_s: float

    def _seconds(self, distance: float) -> float:
        reach = self.speed * self.speed / (2 * self.acceleration)
        if distance <= reach:
            return math.sqrt(2 * distance / self.acceleration)
        return distance / self.speed + self.speed / (2 * self.acceleration)

    @property
    def duration_s(self) -> float:
        return max(self._seconds(abs(b - a)) for a, b in zip(self.start, self.end, strict=True)) + self.pause_s

    def at(self, seconds: float) -> Point:
        ramp = min(seconds, self.speed / self.acceleration)
        way = 0.5 * self.acceleration * ramp * ramp + self.speed * (seconds - ramp)
        x, y, z = (a + math.copysign(min(abs(b - a), way), b - a) for a, b in zip(self.start, self.end, strict=True))
        return x, y, z


class HomingCycle:
    """Where the machine really is while it homes. `frame_mm` is the true travel; a switch ends each axis."""

    def __init__(self, settings: FirmwareSettings, start: Point, frame_mm: Point, now: float) -> None:
        self.began = now
        pull_off = settings[27]
        reversed_axes = int(settings[23])
        away = [1.0 if reversed_axes >> axis & 1 else -1.0 for axis in range(3)]
        switch = [-frame_mm[axis] if away[axis] > 0 else 0.0 for axis in range(3)]
        self._searches: list[_Search] = []
        here = list(start)
        for axes in _CYCLES:
            seek = min([settings[25] / 60, *(settings.max_rate[axis] for axis in axes)])
            locate = min(settings[24] / 60, seek)
            acceleration = min(settings[120 + axis] for axis in axes)
            for speed, clear in ((seek, 0.0), (seek, pull_off), (locate, 0.0), (seek, pull_off)):
                there = list(here)
                for axis in axes:
                    there[axis] = switch[axis] + away[axis] * clear
                self._searches.append(
                    _Search(
                        (here[0], here[1], here[2]),
                        (there[0], there[1], there[2]),
                        speed,
                        acceleration,
                        settings[26] / 1000,
                    )
                )
                here = there
        travel = settings.axes(130)
        counted = [
            -travel[axis] + pull_off if away[axis] > 0 else -pull_off for axis in range(3)
        ]  # What Grbl writes into its counters afterwards, whatever the frame's true travel is.
        self.counted: Point = (counted[0], counted[1], counted[2])
        self.end_s = now + sum(search.duration_s for search in self._searches)

    def position(self, now: float) -> Point:
        """The machine's true place, mm."""
        left = now - self.began
        for search in self._searches:
            if left < search.duration_s:
                return search.at(left)
            left -= search.duration_s
        return self._searches[-1].end
