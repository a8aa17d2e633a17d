"""A game at the simulated table for tests: a scripted human, a robot with given replies, and all that is heard."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from calibration.calibration import Calibration
from calibration.known_geometry import calibration_of
from controller.demo.report import board_agrees
from controller.draughts import Colour, Game, Move, Position, parse_move
from controller.draw_offer import DrawAnswer, no_draw
from controller.events import Event, EventKind, TurnState
from controller.handling.kings import Kings
from controller.journal import Journal
from controller.session import Session, prepare_session
from controller.settings import GuardSettings, PlayerSettings, Settings, TableSettings
from controller.simulated_layout import starting_crowns, starting_stacks
from controller.table import Table, open_simulated_table
from hardware.clock import VirtualClock
from hardware.panel import Light
from hardware.simulated.errand import Carry, Errand, PressButton, Step
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import SimulatedTable, TableSetup

SETTINGS = Settings(
    table=TableSettings(kind="simulated", seed=3),
    guard=GuardSettings(interval_s=0.4, settle_s=0.6),
    player=PlayerSettings(idle_frame_s=0.6, hand_frame_s=0.5, patience_s=2.0),
)
HUMAN = Colour.BLACK
PAUSE_S = 4.0
"""How long the human takes to begin: long enough for the robot to have said what it has to say."""


class ScriptEndedError(Exception):
    """The robot has no more replies, or the human has nothing more to do: the scene is over."""


@dataclass
class Scene:
    """A session on virtual time, with all it said; `act` plays until the replies run out or the game ends."""

    clock: VirtualClock
    simulated: SimulatedTable
    table: Table
    calibration: Calibration
    journal: Journal
    session: Session
    events: list[Event]
    errands: list[Errand] = field(default_factory=list)
    waits_s: float = 3 * PAUSE_S
    """How long the robot may ask for something that the script has no answer to."""
    kings: Kings = Kings.STACKED

    def act(self) -> None:
        try:
            self.session.loop.run()
        except ScriptEndedError:
            return

    @property
    def game(self) -> Game:
        return self.session.loop.game

    def heard(self, kind: EventKind) -> list[str]:
        return [event.text for event in self.events if event.kind is kind]

    def states(self) -> list[TurnState]:
        return [event.state for event in self.events if event.kind is EventKind.STATE]

    def board_agrees(self) -> bool:
        faces = self.simulated.faces if self.kings is Kings.TURNED else None
        return board_agrees(self.simulated.world.stacks(), self.game.position, self.calibration, HUMAN, faces)

    def at(self, square: int) -> tuple[float, float]:
        return self.calibration.square_mm_centre(square, human_is_white=False)

    def carry(self, start: int, end: int, whole: bool = True) -> Carry:
        return Carry(self.at(start), self.at(end), whole_stack=whole)

    def to_tray(self, square: int, place: int = 24) -> Carry:
        return Carry(self.at(square), self.calibration.tray_centre(place), whole_stack=False)

    def human_does(self, *steps: Step, press: bool = False) -> None:
        """Queue an errand for the next time that the light asks for the human."""
        self.errands.append(Errand((*steps, PressButton()) if press else steps))


def set_scene(
    folder: Path,
    start: Position,
    replies: Sequence[str] = (),
    tray: Sequence[StackOfDiscs] | None = None,
    settings: Settings = SETTINGS,
    crowns_up: Iterable[int] | None = None,
    answer_draw: Callable[[Game], DrawAnswer] = no_draw,
) -> Scene:
    """A session whose robot gives `replies` and then ends the scene.

    `tray` are the discs beside the board; two of each colour on its side of the tray if it is not given.
    `crowns_up` are the discs that lie crown up, where kings are turned; those of the kings if it is not given.
    """
    clock = VirtualClock()
    geometry = TableGeometry()
    game = Game(start)
    events: list[Event] = []
    waiting = list(replies)

    def think(game: Game) -> Move:
        if not waiting:
            raise ScriptEndedError
        return parse_move(game.position, waiting.pop(0))

    calibration = calibration_of(geometry, clock.date())
    kings = Kings(settings.discs.kings)
    stacks = starting_stacks(start, calibration, kings=kings)
    if tray is not None:
        stacks = [*(stack for stack in stacks if 0 < stack[1] < 320), *tray]
    crown_up = starting_crowns(start, kings) if crowns_up is None else crowns_up
    simulated, table = open_simulated_table(
        settings, clock, TableSetup(geometry, settings.table.seed), stacks, crown_up
    )
    journal = Journal(folder / "journal.sqlite3", clock)
    session = prepare_session(table, settings, journal, game, think, [events.append], answer_draw=answer_draw)
    scene = Scene(clock, simulated, table, calibration, journal, session, events, kings=kings)
    asked_since: list[float] = []

    def human(now: float) -> None:
        asked = simulated.panel.light in (Light.YOUR_TURN, Light.ATTENTION) and not simulated.hand.busy
        if not asked:
            asked_since.clear()
        elif not asked_since:
            asked_since.append(now)
        elif scene.errands and now >= asked_since[0] + PAUSE_S:
            asked_since.clear()
            simulated.hand.do(scene.errands.pop(0))
        elif now >= asked_since[0] + scene.waits_s:
            raise ScriptEndedError

    clock.attach(human)
    return scene
