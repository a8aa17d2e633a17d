"""Discs and a hand, and nothing else: what the errands of the hand come to."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position
from controller.seat.sight import Sight
from controller.simulated_layout import starting_stacks
from hardware.clock import VirtualClock
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Errand, Step
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hand import Hand
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.physics.simple_world import SimpleWorld

GEOMETRY = TableGeometry()
CALIBRATION = calibration_of(GEOMETRY, VirtualClock().date())
DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT


class Table:
    """Discs and a hand, and nothing else."""

    def __init__(self, stacks: list[StackOfDiscs], human: Colour = Colour.BLACK, seed: int = 1) -> None:
        self.human = human
        self.now = 0.0
        self.world = SimpleWorld(GEOMETRY, stacks, lambda: 0.0)
        self.hand = Hand(self.world, GEOMETRY, seed, lambda: None)

    @property
    def sight(self) -> Sight:
        return Sight(self.world.discs, CALIBRATION, self.human)

    def at(self, square: int) -> tuple[float, float]:
        return self.sight.square_centre(square)

    def do(self, steps: Sequence[Step]) -> None:
        self.hand.do(Errand(tuple(steps)))
        self.now += 1000.0
        self.hand.advance_to(self.now)
        assert not self.hand.busy


def laid(position: Position, human: Colour = Colour.BLACK, seed: int = 1) -> Table:
    return Table(starting_stacks(position, CALIBRATION, human), human, seed)
