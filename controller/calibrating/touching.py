"""Finding the height of what is under the tip: with the firmware's probe, or with a person who watches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from controller.calibrating.helper import Helper
from controller.errors import ControllerError
from hardware.gantry import Gantry

DOWN_MM_S = 20.0


class Toucher(Protocol):
    """Lowers the tip until it touches."""

    def touch(self, x: float, y: float) -> float:
        """Machine z (mm) at which the tip, which is over (x, y) machine mm, touches what is under it."""
        ...


class GuidedToucher:
    """A person says by how much the tip shall go down, until it touches."""

    def __init__(self, gantry: Gantry, helper: Helper, rested: Callable[[], None] = lambda: None) -> None:
        """`rested` is told each time the tip has come to rest."""
        self._gantry, self._helper, self._rested = gantry, helper, rested

    def touch(self, x: float, y: float) -> float:
        """As `Toucher`; ControllerError at the end of the travel."""
        lowest = 0.5 - self._gantry.limits.travel_mm[2]
        while (by := self._helper.lower_by()) is not None:
            z = self._gantry.position[2]
            if z - by < lowest:
                raise ControllerError(
                    "the arm cannot go lower: put something under the board, or mount the arm lower"
                )
            self._gantry.move_to(z=min(z - by, -1.0), speed_mm_s=DOWN_MM_S)
            self._rested()
        return self._gantry.position[2]
