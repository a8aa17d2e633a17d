"""What can be made to go wrong while the simulated table is calibrated."""

from __future__ import annotations

from enum import Enum

from calibration.draft import Step
from calibration.grip_middle import MOST
from controller.calibrating.simulated import SimulatedBench, SimulatedFaults
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Errand, Hover
from hardware.simulated.hidden_truth import MachineFault

HAPPENS_AT = MOST + 4
"""When so many discs have been carried."""
SLIPS_MM = 7.0
HAND_S = 6.0
PRINTED_TOO_SMALL = 0.94


class Mishap(Enum):
    """The values of `--fault`."""

    NONE = "none"
    MIRROR = "mirror"
    SWAP = "swap"
    SCALE = "scale"
    SHEET = "sheet"
    """The sheet was printed fitted to the page."""
    TWO_DISCS = "two-discs"
    """A second disc was left on the board."""
    SLIP = "slip"
    """Somebody's sleeve moves the disc that lies on the board."""
    HAND = "hand"
    """A hand comes over the board while the arm works."""
    LAMP = "lamp"
    """Somebody switches the lamp off."""

    @property
    def faults(self) -> SimulatedFaults:
        """What is wrong from the start."""
        machine = {one.value: one for one in MachineFault}.get(self.value, MachineFault.NONE)
        return SimulatedFaults(
            machine, PRINTED_TOO_SMALL if self is Mishap.SHEET else 1.0, leaves_a_disc=self is Mishap.TWO_DISCS
        )


def let_happen(mishap: Mishap, simulated: SimulatedBench, step: Step, done: int) -> None:
    """To be called after each disc that was put down: lets what is to go wrong go wrong when its time has come."""
    if step is not Step.ARM or done != HAPPENS_AT:
        return
    table = simulated.table
    if mishap is Mishap.LAMP:
        table.set_light("lamp-off")
    elif mishap is Mishap.HAND:
        middle = 4 * table.geometry.square_mm
        table.hand.do(Errand((Hover((middle, middle), HAND_S),)))
    elif mishap is Mishap.SLIP:
        side = 8 * table.geometry.square_mm
        for disc in table.discs:
            if disc.colour is DiscColour.LIGHT and 0 < disc.x < side:
                table.world.shove(disc.id, disc.x + SLIPS_MM, disc.y)
