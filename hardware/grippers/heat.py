"""How long an electromagnet may stay on without getting too hot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.clock import Clock


@dataclass(frozen=True)
class HeatLimit:
    """What a coil can stand.

    longest_on_s: how long it may be on at a stretch when it is cold. duty: the share of the time (0 to 1) that it may
    be on in the long run, the duty cycle of its data sheet (100 % is 1.0: then nothing limits it).
    """

    longest_on_s: float = 60.0
    duty: float = 0.25


class HeatBudget:
    """Keeps account of a coil's heat as a leaky bucket: on, it fills at 1 - duty, off, it empties at duty.

    So a cold coil may be on for `longest_on_s`, and in the long run it is on for no more than its duty.
    """

    def __init__(self, limit: HeatLimit, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._level = 0.0
        self._on = False
        self._since = clock.now()

    def note(self, on: bool) -> None:
        """The coil is on, or off, from now on."""
        self._level = self._level_now()
        self._since = self._clock.now()
        self._on = on

    def left_s(self) -> float:
        """How long (s) the coil may be on from now."""
        filling = 1.0 - self._limit.duty
        return math.inf if filling <= 0 else (self._capacity - self._level_now()) / filling

    def ready_in_s(self, needed_s: float) -> float:
        """How long (s) the coil must be off before it may be on for `needed_s`, or for as long as it ever may."""
        needed = min(needed_s, self._limit.longest_on_s) * (1.0 - self._limit.duty)
        return max(0.0, self._level_now() + needed - self._capacity) / self._limit.duty

    @property
    def _capacity(self) -> float:
        return self._limit.longest_on_s * (1.0 - self._limit.duty)

    def _level_now(self) -> float:
        gone = self._clock.now() - self._since
        rate = 1.0 - self._limit.duty if self._on else -self._limit.duty
        return max(0.0, self._level + rate * gone)
