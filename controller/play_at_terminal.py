"""A game at a terminal: on the real table, on a simulated one, or on one that runs as a program of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from controller.camera_window import CameraWindow, open_screen
from controller.draughts import Colour, Game
from controller.draw_offer import answer_draw_offer
from controller.errors import ControllerError
from controller.handling.kings import Kings
from controller.journal import Journal
from controller.playing import play_game
from controller.prompter import Prompter, Speaks
from controller.resuming import unfinished_game
from controller.seat.conversation import Conversation
from controller.seat.input_lines import input_lines
from controller.seat.seat import Seat
from controller.seat.simulated_play import lay_table
from controller.seat.typed_wishes import TypedWishes
from controller.session import Session
from controller.settings import Settings
from controller.settings_file import load_settings
from controller.table import Table, open_real_table
from controller.thinking import level_of, thinker
from controller.voice import find_voice
from controller.wishes import Wishes
from hardware.clock import ListenedClock, PacedClock
from hardware.errors import HardwareError, TableProgramError
from hardware.simulated.control_client import ControlClient
from hardware.simulated.faults import FaultSchedule
from hardware.simulated.program.folder import TableFolder
from hardware.simulated.requests import Control
from hardware.simulated.table import TableSetup
from vision.errors import VisionError

THINKING_S = 1.0
"""How long the robot takes to think at least: time inside the program does not pass while an engine is at work."""


@dataclass(frozen=True)
class PlayOrder:
    """Which game, on which table.

    opening: what is said of the moves that have been played already. seed: what the table's chance starts from, and
    engine_seed the engine's.

    inside: the table that is simulated inside this program, with faults of the level `faults`, at `speed` times real
    time. folder: the folder of one that runs as a program. With neither the table is real.
    """

    settings: Settings
    game: Game
    seed: int = 1
    engine_seed: int = 1
    opening: str = ""
    show_camera: bool = False
    inside: TableSetup | None = None
    faults: str = "none"
    speed: float = 1.0
    folder: Path | None = None
    resume: bool = False
    """Whether the newest game of the journal is gone on with, in place of `game`."""

    @property
    def human(self) -> Colour:
        """The colour that the human plays."""
        return Colour[self.settings.game.human.upper()]


def settings_of_folder(folder: Path) -> Settings:
    """The settings that the table in a folder has written. TableProgramError if no table runs there."""
    place = TableFolder(folder.absolute())
    if not (place.control.exists() and place.config.exists()):
        raise TableProgramError(f"no table runs in {folder}: start one with `crownhead table --dir {folder}`")
    return load_settings(place.config, {})


def play_at_terminal(order: PlayOrder, console: Console, environment: Mapping[str, str]) -> None:
    """Play one game and say what came of it.

    Raises KeyboardInterrupt when it was broken off, and the errors of a table that cannot go on.
    """
    show = open_screen(environment) if order.show_camera else None
    real = ListenedClock()
    clock = real if order.inside is None else PacedClock(order.speed, real)
    journal_path = order.settings.files.journal_path(environment)
    journal_path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        journal = opened.enter_context(Journal(journal_path, clock))
        order, resumed = _gone_on_with(order, journal) if order.resume else (order, None)
        settings, game, human = order.settings, order.game, order.human
        level = level_of(settings)
        if (outcome := game.outcome()) is not None:
            raise ControllerError(f"there is nothing left to play in this position: {outcome.sentence}")
        place = _open_place(order, clock, environment)
        opened.callback(place.close)
        table = place.table
        at_terminal = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
        lines = opened.enter_context(input_lines()) if place.control is not None or at_terminal else None
        wishes = Wishes(table.panel, clock)
        umpire = level.engine(real, order.engine_seed)
        talk = Conversation(console, nullcontext if lines is None else lines.aside, game, human)
        if order.opening:
            talk.tell(order.opening)
        voice = find_voice(environment) if order.inside is None else None
        if voice is not None:
            opened.callback(voice.close)
        prompter = Prompter(game, human, table.panel, voice, Speaks(settings.player.speaks))
        listeners = [talk.hear, prompter.hear]
        seat = None
        if lines is not None:
            real.attach(lambda _: lines.poll())
        if lines is not None and place.control is None:
            beside = TypedWishes(lines, wishes, talk.tell, lambda: game.position.turn is human)
            clock.attach(beside.advance_to)
        elif place.control is not None and lines is not None:
            talk.introduce(settings.game.level)
            if resumed is not None:
                talk.tell(f"Game {resumed} goes on after {game.plies} moves.")
            clock.attach(place.teller_of_faults(talk.tell))
            seat = Seat(
                place.control,
                table.calibration,
                human,
                game,
                lines,
                talk.tell,
                talk.show_board,
                settings.player.patience_s,
                lambda: answer_draw_offer(game, umpire),
                Kings(settings.discs.kings),
                wishes,
            )
            if resumed is None:  # What a game that was broken off has left on the table is the robot's to mend.
                seat.set_up(clock)
            clock.attach(seat.advance_to)
            listeners.append(seat.hear)
        ready = _Ready()
        if show is not None:
            ready.window = CameraWindow(table.camera, real, show)
            real.attach(ready.window.refresh)
        least_s = 0.0 if order.inside is None else THINKING_S
        think = thinker(level, clock, order.engine_seed, least_s, real, settings.engine.threads)
        try:
            played = play_game(
                table,
                settings,
                journal,
                game,
                think,
                listeners,
                order.seed,
                ready.hear,
                resumed,
                lambda game: answer_draw_offer(game, umpire),
                wishes,
            )
        except (KeyboardInterrupt, HardwareError, VisionError, ControllerError):
            _say_where_it_is_kept(talk, seat, ready, journal_path, open_still=True)
            raise
        talk.tell(played.pdn)
        _say_where_it_is_kept(talk, seat, ready, journal_path, open_still=played.outcome is None)


def _gone_on_with(order: PlayOrder, journal: Journal) -> tuple[PlayOrder, int]:
    """The order for the game that was broken off, with its number; JournalError if there is none."""
    game, record = unfinished_game(journal, order.game.rules)
    played = replace(order.settings.game, human=record.human, level=record.level)  # type: ignore[arg-type]
    return replace(order, game=game, settings=replace(order.settings, game=played)), record.id


@dataclass
class _Ready:
    """What is known once the game has begun."""

    number: int | None = None
    window: CameraWindow | None = None

    def hear(self, session: Session) -> None:
        """The game begins."""
        self.number = session.game_number
        if self.window is not None:
            self.window.eye = session.eye


@dataclass(frozen=True)
class _Place:
    """A table that is open, and what can be asked of it if it is a simulated one."""

    table: Table
    control: Control | None = None
    faults: FaultSchedule | None = None
    client: ControlClient | None = None

    def teller_of_faults(self, tell: Callable[[str], None]) -> Callable[[float], None]:
        """Attached to the clock, tells of what goes wrong by itself."""
        told = 0

        def advance_to(_: float) -> None:
            nonlocal told
            made = [] if self.faults is None else self.faults.made[told:]
            told += len(made)
            for fault in made:
                tell(f"({fault.what})")

        return advance_to

    def close(self) -> None:
        self.table.close()
        if self.client is not None:
            self.client.close()


def _open_place(order: PlayOrder, clock: ListenedClock | PacedClock, environment: Mapping[str, str]) -> _Place:
    if order.inside is not None and isinstance(clock, PacedClock):
        laid = lay_table(order.settings, clock, order.inside, order.game, order.faults)
        return _Place(laid.table, laid.control, laid.faults)
    client = None if order.folder is None else ControlClient(TableFolder(order.folder.absolute()).control)
    try:
        return _Place(open_real_table(order.settings, clock, environment), client, client=client)
    except BaseException:
        if client is not None:
            client.close()
        raise


def _say_where_it_is_kept(
    talk: Conversation, seat: Seat | None, ready: _Ready, journal_path: Path, open_still: bool
) -> None:
    """Say whether the discs are where the game has them, and where the game is to be found."""
    if ready.number is None:
        return
    with suppress(TableProgramError):  # Of a table that is gone nobody knows.
        if seat is not None and (wrong := seat.disagreements()):
            talk.tell(f"The discs do not lie as the game has them: {', '.join(wrong)}.")
        elif seat is not None:
            talk.tell("The discs lie as the game has them.")
    on = "; --resume goes on with it" if open_still else ""
    talk.tell(f"The game is kept in {journal_path}, number {ready.number}{on}.")
