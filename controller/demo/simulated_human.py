"""A simulated human: chooses moves like a weak and varied player and has the simulated hand carry them out."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from calibration.calibration import Calibration
from controller.draughts import Colour, Game, Move, Position
from controller.events import Event, EventKind
from controller.handling.kings import Kings
from controller.handling.plan import TrayFullError
from controller.seat import errands
from controller.seat.put_back import put_back
from controller.seat.sight import Sight
from hardware.panel import Light
from hardware.simulated.errand import Errand, PressButton, Step
from hardware.simulated.table import SimulatedTable

STRAIGHT_MM = 6.5
"""Whoever is asked for help straightens every disc that is farther than this from the middle of its square."""
ROOM_FOR = 3
"""How many discs it takes out of a tray that is full."""
TRAY_IS_FULL = str(TrayFullError())


class Doing(Enum):
    """What the human is doing."""

    WATCHING = "watching"
    THINKING = "thinking"
    MOVING = "moving"
    GOING_TO_HELP = "going to help"


@dataclass(frozen=True)
class Habits:
    """How likely the human is to crown its own men and to press the button, and how long it thinks (s).

    helps_after_s: how long it thinks when the robot has asked for something.
    """

    crowns: float = 0.6
    presses: float = 0.5
    thinks_s: tuple[float, float] = (1.0, 3.0)
    helps_after_s: tuple[float, float] = (2.0, 5.0)


class SimulatedHuman:
    """Sits at the simulated table; attach `advance_to` to its clock and let `hear` listen to the robot.

    It knows what the robot says it plays, and keeps its own account of the game: `made` are the moves that its hand
    was really told to make. Each time the robot asks for something it helps, once: it makes the board as it should be
    and presses the button.
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
        kings: Kings = Kings.STACKED,
    ) -> None:
        self._table = table
        self._calibration = calibration
        self._game = game
        self._colour = colour
        self._choose = choose
        self._random = random.Random(seed)
        self._habits = habits
        self._kings = kings
        self._doing = Doing.WATCHING
        self._ready_at = 0.0
        self._asked: str | None = None
        self.made: list[Move] = []

    def hear(self, event: Event) -> None:
        """Listen to the robot: its moves are played in the human's own account of the game.

        Where the robot has taken the human's own move for another one, the human gives in.
        """
        if event.kind is EventKind.ASKED:
            self._asked = event.text
        if event.kind is not EventKind.MOVE or event.move is None:
            return
        if event.colour is not self._colour:
            self._game.play(event.move)
        elif self._game.moves[-1:] != (event.move,):
            if self._game.position.turn is not self._colour:
                self._game.undo()
            self._game.play(event.move)

    def advance_to(self, now: float) -> None:
        """Do what is due at `now` (s)."""
        light = self._table.panel.light
        if self._doing is Doing.MOVING and not self._table.hand.busy:
            self._doing = Doing.WATCHING
        if self._doing in (Doing.WATCHING, Doing.THINKING) and self._asked and light is Light.ATTENTION:
            self._begin(Doing.GOING_TO_HELP, now, self._habits.helps_after_s)
        if self._doing is Doing.WATCHING and self._is_my_turn():
            self._begin(Doing.THINKING, now, self._habits.thinks_s)
        if now < self._ready_at:
            return
        if self._doing is Doing.GOING_TO_HELP:
            asked, self._asked = self._asked, None
            self._doing = Doing.WATCHING
            if light is Light.ATTENTION and asked is not None:
                self._do((*self._help(asked), PressButton()))
        elif self._doing is Doing.THINKING:
            self._move()

    def _begin(self, doing: Doing, now: float, takes_s: tuple[float, float]) -> None:
        self._doing = doing
        self._ready_at = now + self._random.uniform(*takes_s)

    def _do(self, steps: tuple[Step, ...]) -> None:
        self._doing = Doing.MOVING
        self._table.hand.do(Errand(steps))

    def _is_my_turn(self) -> bool:
        return (
            self._table.panel.light is Light.YOUR_TURN
            and self._game.outcome() is None
            and self._game.position.turn is self._colour
        )

    @property
    def _sight(self) -> Sight:
        return Sight(self._table.discs, self._calibration, self._colour, self._kings)

    def _help(self, asked: str) -> tuple[Step, ...]:
        if asked == TRAY_IS_FULL:
            return errands.make_room(self._sight, ROOM_FOR)
        return put_back(self._sight, self._game.position, STRAIGHT_MM)

    def _move(self) -> None:
        """Choose a move and make it; a board on which that is not possible is put right first."""
        move = self._choose(self._game)
        try:
            steps = self._steps(move, self._game.position)
        except errands.NothingToTakeError:
            self._do(put_back(self._sight, self._game.position))
            return
        self._do(steps)
        self.made.append(move)
        self._game.play(move)

    def _steps(self, move: Move, position: Position) -> tuple[Step, ...]:
        sight = self._sight
        steps = errands.play(sight, move, self._random.choice)
        if move.crowns and self._random.random() < self._habits.crowns:
            with suppress(errands.NothingToTakeError):  # Without a spare disc the robot has to see to it.
                steps += errands.crown_moved(sight, move.end, position.turn)
        if self._random.random() < self._habits.presses:
            steps += (PressButton(),)
        return steps
