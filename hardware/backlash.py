"""Backlash taken up: what a motor has to be told for its axis, which follows with some play, to stand somewhere.

When a motor turns back its axis begins to follow only after the backlash. While it pulls, the axis stands half of
that behind the middle of the play, on the side that it comes from.
"""

from __future__ import annotations

import math

from hardware.motion import MachinePoint

STILL_MM = 0.02
"""Less than this is no motion: a machine stands half a step from where it was told to."""
PULLED_OFF = (-1, -1)
"""The directions (x, y) in which the motors turn last when the machine homes to the upper ends of its travel."""


class Backlash:
    """Keeps in mind in which direction each motor has turned last.

    backlash_mm: of x and y. Points are machine mm; those of axes count from the middle of their play.
    """

    def __init__(self, backlash_mm: tuple[float, float]) -> None:
        self._halves = (backlash_mm[0] / 2, backlash_mm[1] / 2)
        self._sides = PULLED_OFF

    def homed(self) -> None:
        """The machine has homed."""
        self._sides = PULLED_OFF

    def axes(self, motors: MachinePoint) -> MachinePoint:
        """Where the axes stand when the motors stand there."""
        x, y = (motor - side * half for motor, side, half in zip(motors[:2], self._sides, self._halves, strict=True))
        return x, y, motors[2]

    def motors(self, here: MachinePoint, axes: MachinePoint) -> MachinePoint:
        """What the motors, which stand at `here`, have to be told for the axes to go to `axes`."""
        before = self.axes(here)
        turns = [to - at for at, to in zip(before[:2], axes[:2], strict=True)]
        sides = [
            side if abs(turn) < STILL_MM else int(math.copysign(1, turn))
            for turn, side in zip(turns, self._sides, strict=True)
        ]
        self._sides = (sides[0], sides[1])
        x, y = (to + side * half for to, side, half in zip(axes[:2], sides, self._halves, strict=True))
        # At the very end of the travel there is no room for it.
        return min(x, max(axes[0], 0.0)), min(y, max(axes[1], 0.0)), axes[2]
