"""The arm points at squares: it goes over each, touching nothing, and waits there for a moment."""

from __future__ import annotations

from collections.abc import Sequence

from controller.announcer import Announcer
from controller.events import TurnState
from controller.handling.arm import Arm
from controller.handling.places import square
from controller.handling.plan import Centres
from controller.recovery import Recovery
from hardware.clock import Clock
from hardware.errors import HardwareError

STAYS_S = 1.2
"""How long the arm stays over a square, for people to see which it is."""


class Pointer:
    """Points with the arm, under the permit as in every motion, higher than anything that may stand on the table."""

    def __init__(self, arm: Arm, centres: Centres, announcer: Announcer, clock: Clock, recovery: Recovery) -> None:
        self._arm = arm
        self._centres = centres
        self._announcer = announcer
        self._clock = clock
        self._recovery = recovery

    def point_at(self, squares: Sequence[int]) -> None:
        """Go over these squares, one after the other, and park. Raises the fault of a machine that stays away."""
        self._announcer.enter(TurnState.MOVING)
        try:
            for number in squares:
                self._arm.go_clear(self._centres[square(number)])
                self._clock.sleep(STAYS_S)
            self._arm.park()
        except HardwareError as fault:
            self._recovery.after(fault, "nothing", self._arm.park)
