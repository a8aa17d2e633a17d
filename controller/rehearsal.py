"""Rehearsing a game: the arm alone carries out its transfers, and each move's time is held against the best one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.draughts import Colour, Game, Position, notation
from controller.handling.arm import Arm
from controller.handling.kings import Kings
from controller.handling.layout import Layout, Stack, wanted_on
from controller.handling.order import Ways, in_best_order
from controller.handling.places import TRAY_SIDE, tray_place
from controller.handling.plan import (
    Centres,
    Gripper,
    NoSpareDiscError,
    Transfer,
    carried_out,
    free_tray_places,
    plan_transfers,
)
from controller.simulated_layout import SPARE_DISCS
from hardware.clock import Clock
from hardware.machine_speeds import MachineSpeeds
from hardware.motion import MachinePoint


@dataclass(frozen=True)
class RehearsedMove:
    """What carrying out one move took, and what it takes at best, both s.

    bound: the sum, over the same waypoints, of the time of each straight line from rest to rest by a trapezoid of
    speed within the axes' own limits, and of the gripper's times.
    """

    move: str
    transfers: int
    seconds: float
    bound: float

    @property
    def ratio(self) -> float:
        """How many times as long as at best it took."""
        return self.seconds / self.bound if self.bound else 1.0


@dataclass(frozen=True)
class Grips:
    """How long (s) the gripper needs to take hold and to let go."""

    grip_s: float
    release_s: float


@dataclass(frozen=True)
class DiscSet:
    """Who plays what with which discs, and where their places are (board mm)."""

    human: Colour
    gripper: Gripper
    kings: Kings
    centres: Centres


class _Bound:
    """Adds up the least time of all lines that the arm goes."""

    def __init__(self, speeds: MachineSpeeds) -> None:
        self._speeds = speeds
        self.seconds = 0.0

    def add(self, start: MachinePoint, target: MachinePoint) -> None:
        self.seconds += self._speeds.seconds(start, target)


def rehearse(game: Game, arm: Arm, clock: Clock, discs: DiscSet, grips: Grips) -> Iterator[RehearsedMove]:
    """Have a homed and parked arm carry out a game's moves, those of both sides, from park to park.

    No disc need be there: where they would lie is known. When no spare one would be left for a crown, a person is
    thought to have put one into the tray. Raises what the gantry raises.
    """
    layout = layout_of_position(game.start, discs)
    for position, move, before in zip(game.positions[1:], game.moves, game.positions, strict=False):
        layout, transfers = _planned(layout, position, arm, discs)
        bound = _Bound(arm.speeds)
        arm.on_line = bound.add
        began = clock.now()
        for transfer in transfers:
            after = carried_out(layout, transfer, discs.centres)
            arm.carry(layout, transfer.source, transfer.target, transfer.discs, after.stacks[transfer.target].centre)
            layout = after
        arm.park(layout)
        seconds = clock.now() - began
        least = bound.seconds + len(transfers) * (grips.grip_s + grips.release_s)
        yield RehearsedMove(notation(before, move), len(transfers), seconds, least)


def layout_of_position(position: Position, discs: DiscSet) -> Layout:
    """Where the discs of a position lie, with the spare ones in the tray."""
    stacks = {
        place: Stack(colour, count, discs.centres[place], discs.centres[place])
        for place, (colour, count) in wanted_on(position, discs.kings).items()
    }
    for first, colour in ((1, discs.human), (TRAY_SIDE + 1, discs.human.other)):
        for number in range(first, first + SPARE_DISCS):
            place = tray_place(number)
            stacks[place] = Stack(colour, 1, discs.centres[place], discs.centres[place])
    return Layout(stacks)


def _planned(layout: Layout, position: Position, arm: Arm, discs: DiscSet) -> tuple[Layout, tuple[Transfer, ...]]:
    ways = Ways(arm.waits_at, arm.waits_at, discs.centres, arm.speeds)
    while True:
        try:
            plan = plan_transfers(layout, position, discs.centres, discs.human, discs.gripper, discs.kings)
        except NoSpareDiscError as error:
            place = free_tray_places(layout, error.colour, discs.human, discs.centres)[0]
            layout = layout.put(place, error.colour, 1, discs.centres[place])
        else:
            return layout, in_best_order(plan, layout, discs.human, ways)
