"""Somebody who sits at the table while its service is killed again and again: plays, and helps if asked."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

from calibration.calibration import Calibration
from controller.demo.report import board_agrees
from controller.draughts import Colour, DrawRules, Game
from controller.errors import JournalError
from controller.journal import Journal
from controller.resuming import unfinished_game
from controller.seat import errands
from controller.seat.put_back import put_back
from controller.seat.sight import Sight
from hardware.clock import VirtualClock
from hardware.panel import Light
from hardware.simulated.errand import Errand, PressButton
from hardware.simulated.table import SimulatedTable

BEGINS_AFTER_S, HELPS_AFTER_S, AGAIN_AFTER_S = 1.5, 3.0, 25.0
SETS_UP_AFTER_S = 90.0
STRAIGHT_MM = 6.5


class Guest:
    """To be attached to the table's clock; knows of the game what the journal says."""

    def __init__(
        self, table: SimulatedTable, clock: VirtualClock, calibration: Calibration, path: Path, seed: int
    ) -> None:
        self._table, self._clock, self._calibration, self._path = table, clock, calibration, path
        self._chance = random.Random(f"guest {seed}")
        self._since: tuple[Light, float] = (Light.OFF, 0.0)
        self._moved: tuple[int, int] | None = None
        """Game and ply of the move made last."""
        self.asked: list[str] = []
        self._to_help = False
        self.colour = Colour.BLACK

    def hear(self, kind: str, text: str) -> None:
        if kind == "asked":
            self.asked.append(text)
            self._to_help = True

    def game(self) -> tuple[Game, int] | None:
        """The game as it stands in the journal, and its number."""
        with suppress(JournalError), Journal(self._path, self._clock, read_only=True) as journal:
            game, record = unfinished_game(journal, DrawRules())
            return game, record.id
        return None

    def advance_to(self, now: float) -> None:
        light = self._table.panel.light
        if light is not self._since[0] or self._table.hand.busy:
            self._since = light, now
            return
        waited = now - self._since[1]
        if light is Light.ATTENTION and self._to_help and waited >= HELPS_AFTER_S:
            self._to_help = False
            self.help()
        elif light is Light.OFF and waited >= SETS_UP_AFTER_S and self.game() is None:
            self.asked.append("please set up the discs")  # The status says so; here it counts as having been asked.
            self._do(put_back(self._sight, Game().position, STRAIGHT_MM))
            self._since = light, now
        elif light is Light.YOUR_TURN and waited >= AGAIN_AFTER_S:
            self._moved = None  # If the move has been undone, another is made; what is wrong is put right.
            found = self.game()
            if found is not None and not self.agrees(found[0]):
                self.help()
            self._since = light, now
        elif light is Light.YOUR_TURN and waited >= BEGINS_AFTER_S:
            self.move()

    def help(self) -> None:
        found = self.game()
        position = (Game() if found is None else found[0]).position
        self._do((*put_back(self._sight, position, STRAIGHT_MM), PressButton()))

    def move(self) -> bool:
        """Make a move if it is the guest's turn; whether it did."""
        game, number = self.game() or (Game(), 0)
        if game.position.turn is not self.colour or game.outcome() is not None:
            return False
        if self._moved == (number, game.plies) or not self.agrees(game):
            return False
        move = self._chance.choice(game.position.legal_moves())
        try:
            steps = errands.play(self._sight, move, self._chance.choice)
            if move.crowns:
                with suppress(errands.NothingToTakeError):
                    steps += errands.crown_moved(self._sight, move.end, self.colour)
        except errands.NothingToTakeError:
            steps = put_back(self._sight, game.position)
        else:
            self._moved = number, game.plies
        self._do(steps)
        return True

    def agrees(self, game: Game) -> bool:
        """Whether the discs lie as the game has them."""
        return board_agrees(self._table.world.stacks(), game.position, self._calibration, self.colour)

    def _do(self, steps: tuple) -> None:
        if steps:
            self._table.hand.do(Errand(tuple(steps)))

    @property
    def _sight(self) -> Sight:
        return Sight(self._table.discs, self._calibration, self.colour)
