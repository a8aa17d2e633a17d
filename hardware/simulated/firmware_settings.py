"""The `$` settings of the simulated Grbl: numbers, defaults of the reference build, and what may be written to them.

Source: Grbl 1.1 documentation, "Grbl Settings" and the error codes of "Interface".
"""

from __future__ import annotations

import math

from hardware.simulated.gcode import GcodeError
from hardware.simulated.planner import Point

DEFAULTS: dict[int, float] = {
    0: 10, 1: 255, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0,
    10: 1, 11: 0.010, 12: 0.002, 13: 0,
    20: 1, 21: 0, 22: 1, 23: 0, 24: 300.0, 25: 6000.0, 26: 25, 27: 2.0,
    30: 1000.0, 31: 0.0, 32: 0,
    100: 75.0, 101: 75.0, 102: 250.0,
    110: 24000.0, 111: 24000.0, 112: 6000.0,
    120: 2000.0, 121: 2000.0, 122: 2000.0,
    130: 620.0, 131: 490.0, 132: 95.0,
}  # fmt: skip
"""Rates in mm/min, accelerations in mm/s², travels and pull-off in mm; 400 mm/s is all that 30 kHz allow."""

_WHOLE = frozenset({0, 1, 2, 3, 4, 5, 6, 10, 13, 20, 21, 22, 23, 26, 32})
_SWITCHES = frozenset({4, 5, 6, 13, 20, 21, 22, 32})
_MUST_BE_POSITIVE = frozenset({24, 25, 100, 101, 102, 110, 111, 112, 120, 121, 122})
MAX_STEP_RATE_HZ = 30_000.0


class FirmwareSettings:
    """Grbl's EEPROM: it outlives resets and power cuts."""

    def __init__(self, changes: dict[int, float] | None = None) -> None:
        unknown = set(changes or ()) - set(DEFAULTS)
        if unknown:
            raise ValueError(f"Grbl has no setting ${min(unknown)}")
        self._values = DEFAULTS | (changes or {})

    def __getitem__(self, number: int) -> float:
        return self._values[number]

    def axes(self, first: int) -> Point:
        """The values of X, Y and Z of a group that begins at `first` (100, 110, 120 or 130)."""
        return self._values[first], self._values[first + 1], self._values[first + 2]

    @property
    def max_rate(self) -> Point:
        """Each axis's top speed, mm/s."""
        x, y, z = self.axes(110)
        return x / 60, y / 60, z / 60

    def lines(self) -> list[str]:
        """What `$$` answers, without the `ok`."""
        return [
            f"${number}={int(value)}" if number in _WHOLE else f"${number}={value:.3f}"
            for number, value in self._values.items()
        ]

    def restore(self) -> None:
        """Back to the defaults (`$RST=$`)."""
        self._values = dict(DEFAULTS)

    def write(self, number: int, value: float) -> None:
        """Store a value; GcodeError with Grbl's error code if it may not be stored."""
        if number not in self._values:
            raise GcodeError(3)
        if not math.isfinite(value):
            raise GcodeError(2)
        if value < 0:
            raise GcodeError(4)
        if number == 0 and value < 3:
            raise GcodeError(6)
        if number == 20 and value and not self._values[22]:
            raise GcodeError(10)
        axis = number % 10
        if number in (100, 101, 102) and value * self._values[110 + axis] / 60 > MAX_STEP_RATE_HZ:
            raise GcodeError(12)
        if number in (110, 111, 112) and value * self._values[100 + axis] / 60 > MAX_STEP_RATE_HZ:
            raise GcodeError(12)
        if number in _MUST_BE_POSITIVE and value == 0:
            # Grbl itself would accept this and then divide by it.
            raise GcodeError(4)
        if number in _WHOLE:
            value = float(int(value) & 0xFF)
        if number in _SWITCHES:
            value = float(bool(value))
        self._values[number] = value
        if number == 22 and not value:
            self._values[20] = 0.0
