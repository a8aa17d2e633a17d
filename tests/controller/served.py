"""The service at a simulated table that outlives it, on virtual time, in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.known_geometry import calibration_of
from controller.demo.report import board_agrees
from controller.draughts import Colour, Game, Position
from controller.journal import Journal
from controller.resuming import unfinished_game
from controller.seat import errands
from controller.seat.sight import Sight
from controller.service.notify import Notifier
from controller.service.requests import Order
from controller.service.service import Service, Thinking
from controller.service.status import Record, ServiceState
from controller.service_settings import ServiceSettings
from controller.settings import GameSettings, GuardSettings, PlayerSettings, Settings, TableSettings
from controller.simulated_layout import starting_stacks
from controller.table import Table, open_calibrated_simulated_table
from hardware.clock import RealClock, VirtualClock
from hardware.simulated.errand import Errand
from hardware.simulated.table import SimulatedTable, TableSetup

SETTINGS = Settings(
    game=GameSettings(human="black", level=1),
    table=TableSettings(kind="simulated"),
    guard=GuardSettings(interval_s=0.8, settle_s=0.8),
    player=PlayerSettings(idle_frame_s=0.8, hand_frame_s=0.7, patience_s=3.0, fault_patience_s=20.0),
    service=ServiceSettings(next_game_s=1.0, absent_s=60.0, sets_up=False),
)
LONGEST_S = 900.0


class SceneEndedError(BaseException):
    """Ends the service as a signal would."""


class Served:
    """A table with the starting position, and a service that is run until something has come about."""

    def __init__(self, folder: Path, settings: Settings = SETTINGS, laid_for: Colour = Colour.BLACK) -> None:
        self.path, self.settings = folder / "journal.sqlite3", settings
        self.clock = VirtualClock()
        setup = TableSetup()
        self.calibration = calibration_of(setup.geometry, self.clock.date())
        stacks = starting_stacks(Position.start(), self.calibration, laid_for)
        self.simulated = SimulatedTable(self.clock, setup, stacks)
        self.human = laid_for
        self.lines: list[str] = []
        self.states: list[ServiceState] = []
        self.service: Service | None = None
        self.values: dict[str, Any] = {}
        """The status when the last run ended."""
        self.record = Record(self.clock, "simulated")
        self._until: Callable[[], bool] = lambda: True
        self._give_up = 0.0
        self.clock.attach(self._come_round)

    def run(self, until: Callable[[], bool], open_journal: Callable[[], Journal] | None = None) -> None:
        """Run a service until `until` holds; a test fails if it never does."""
        self._until, self._give_up = until, self.clock.now() + LONGEST_S
        self.record = Record(self.clock, "simulated")
        self.service = Service(
            self.settings,
            self.clock,
            self._open,
            open_journal or (lambda: Journal(self.path, self.clock)),
            self.record,
            Notifier({}, self.clock),
            self.lines.append,
            Thinking(RealClock(), 1.0, 1),
        )
        try:
            self.service.run()
        except SceneEndedError:
            self.service = None

    def order(self, order: Order) -> str:
        assert self.service is not None
        return self.service.give(order)

    def human_moves(self, text: int = 0) -> None:
        """The hand makes the legal move number `text` of the position in the journal."""
        game = self.game()
        sight = Sight(self.simulated.discs, self.calibration, self.human)
        move = game.position.legal_moves()[text]
        self.simulated.hand.do(Errand(tuple(errands.play(sight, move, lambda ways: ways[0]))))

    def game(self) -> Game:
        with Journal(self.path, self.clock) as journal:
            if journal.last_unfinished_game() is None:
                return Game()
            return unfinished_game(journal, Game().rules)[0]

    def games(self) -> list[tuple[str | None, str | None, int]]:
        """Result, reason and number of moves of each game in the journal."""
        with Journal(self.path, self.clock) as journal:
            return [(game.result, game.reason, len(journal.moves(game.id))) for game in journal.games()]

    def board_agrees(self, position: Position) -> bool:
        return board_agrees(self.simulated.world.stacks(), position, self.calibration, self.human)

    def once(self, when: Callable[[], bool], then: Callable[[], None]) -> None:
        """Do something the first time that `when` is true as time goes by."""
        waiting = [True]

        def look(_: float) -> None:
            if waiting and when():
                waiting.clear()
                then()

        self.clock.attach(look)

    def _open(self) -> Table:
        return open_calibrated_simulated_table(self.settings, self.clock, self.simulated, self.calibration)

    def _come_round(self, now: float) -> None:
        if self.service is None:
            return
        if not self.states or self.states[-1] is not self.record.state:
            self.states.append(self.record.state)
        if self._until():
            self.values = self.record.values()
            raise SceneEndedError
        assert now < self._give_up, "\n".join(self.lines[-20:])
        self.service.come_round(now)


def with_service(settings: Settings, **changes: object) -> Settings:
    return replace(settings, service=replace(settings.service, **changes))
