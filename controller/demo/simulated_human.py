"""A simulated human: chooses moves like a weak and varied player and has the simulated hand carry them out."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import dist

from calibration.calibration import Calibration
from controller.draughts import Colour, Game, Move, Position
from controller.events import Event, EventKind
from controller.handling.layout import Centre
from controller.handling.places import TRAY_PLACES, TRAY_SIDE
from hardware.panel import Light
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Carry, Errand, PressButton
from hardware.simulated.table import SimulatedTable

DISC_COLOURS = {Colour.BLACK: DiscColour.DARK, Colour.WHITE: DiscColour.LIGHT}
FREE_MM = 36.0
"""A tray place looks free to the human when no disc lies nearer than this to its centre."""


class Doing(Enum):
    """What the human is doing."""

    WATCHING = "watching"
    THINKING = "thinking"
    MOVING = "moving"


@dataclass(frozen=True)
class Habits:
    """How likely the human is to crown its own men and to press the button, and how long it thinks (s)."""

    crowns: float = 0.6
    presses: float = 0.5
    thinks_s: tuple[float, float] = (1.0, 3.0)


class SimulatedHuman:
    """Sits at the simulated table; attach `advance_to` to its clock and let `hear` listen to the robot.

    It knows what the robot says it plays, and keeps its own account of the game: `made` are the moves that its hand
    was really told to make.
    """

    def __init__(
        self,
        table: SimulatedTable,
        calibration: Calibration,
        game: Game,
        colour: Colour,
        choose: Callable[[Game], Move],
        seed: int,
        habits: Habits,
    ) -> None:
        self._table = table
        self._calibration = calibration
        self._game = game
        self._colour = colour
        self._choose = choose
        self._random = random.Random(seed)
        self._habits = habits
        self._doing = Doing.WATCHING
        self._ready_at = 0.0
        self.made: list[Move] = []

    def hear(self, event: Event) -> None:
        """Listen to the robot's words; its moves are played in the human's own account of the game."""
        if event.kind is EventKind.MOVE and event.move is not None and event.colour is not self._colour:
            self._game.play(event.move)

    def advance_to(self, now: float) -> None:
        """Do what is due at `now` (s)."""
        if self._doing is Doing.MOVING and not self._table.hand.busy:
            self._doing = Doing.WATCHING
        if self._doing is Doing.WATCHING and self._is_my_turn():
            self._doing = Doing.THINKING
            self._ready_at = now + self._random.uniform(*self._habits.thinks_s)
        if self._doing is Doing.THINKING and now >= self._ready_at:
            self._doing = Doing.MOVING
            move = self._choose(self._game)
            self._table.hand.do(self._errand(move, self._game.position))
            self.made.append(move)
            self._game.play(move)

    def _is_my_turn(self) -> bool:
        return (
            self._table.panel.light is Light.YOUR_TURN
            and self._game.outcome() is None
            and self._game.position.turn is self._colour
        )

    def _errand(self, move: Move, position: Position) -> Errand:
        steps: list[Carry | PressButton] = []
        if move.start != move.end:
            steps.append(Carry(self._square(move.start), self._square(move.end), whole_stack=True))
        lying = [(stack.x, stack.y) for stack in self._table.world.stacks()]
        for square in move.captured:
            piece = position.piece_at(square)
            for _ in range(2 if piece is not None and piece.king else 1):
                place = self._place_for(lying)
                lying.append(place)
                steps.append(Carry(self._square(square), place, whole_stack=False))
        if move.crowns and self._random.random() < self._habits.crowns and (crown := self._crown_for(move.end)):
            steps.append(Carry(crown, self._square(move.end), whole_stack=False))
        if self._random.random() < self._habits.presses:
            steps.append(PressButton())
        return Errand(tuple(steps))

    def _square(self, square: int) -> Centre:
        return self._calibration.square_mm_centre(square, self._colour is Colour.WHITE)

    def _place_for(self, lying: Sequence[Centre]) -> Centre:
        """Any tray place on the right that looks free, for what the human captures; else the freest of all."""
        places = [self._calibration.tray_centre(number) for number in range(1, TRAY_PLACES + 1)]
        free = [place for place in places[TRAY_SIDE:] if _clearance(place, lying) >= FREE_MM]
        return self._random.choice(free) if free else max(places, key=lambda place: _clearance(place, lying))

    def _crown_for(self, square: int) -> Centre | None:
        """The nearest disc of the human's colour in the tray on its left."""
        left = max(self._calibration.tray_centre(number)[0] for number in range(1, TRAY_SIDE + 1)) + 20.0
        spare = [
            (stack.x, stack.y)
            for stack in self._table.world.stacks()
            if stack.x < left and stack.colours[-1] is DISC_COLOURS[self._colour]
        ]
        return min(spare, key=lambda centre: dist(centre, self._square(square)), default=None)


def _clearance(place: Centre, lying: Sequence[Centre]) -> float:
    """Distance (mm) from a place to the disc that lies nearest."""
    return min((dist(place, disc) for disc in lying), default=float("inf"))
