"""Plays on the simulated table as an unruly human would: random moves, blunders and faults of every kind.

    python -m tests.random_play --minutes 10 --seed 1 --report report.json

Everything is typed, and goes the way of what a person types at `crownhead play --simulate`; what breaks is mended as
a person would mend it. Minutes are the table's: on virtual time they pass as fast as the processor allows, with
`--table` (a table that runs as a program) in real time at its greatest speed. At the end of each game everything is
mended and the board put back; it then has to agree with the game.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from controller.draughts import SQUARES, Colour, Game
from controller.draw_offer import DrawAnswer
from controller.errors import ControllerError
from controller.events import Event, EventKind, TurnState
from controller.journal import Journal
from controller.play_at_terminal import settings_of_folder
from controller.playing import play_game
from controller.seat.seat import Seat
from controller.seat.simulated_play import lay_table
from controller.settings import GameSettings, GuardSettings, Settings
from controller.table import Table, open_real_table
from controller.thinking import level_of, thinker
from hardware.clock import ListenedClock, VirtualClock
from hardware.errors import HardwareError
from hardware.simulated.control_client import ControlClient
from hardware.simulated.names import LIGHTS
from hardware.simulated.requests import Control
from hardware.simulated.table import TableSetup
from vision.errors import VisionError

PROGRAM_SPEED = 4.0
STUCK_S = 900.0
"""After so long without a move the game counts as stuck."""
REMEMBERED = 40
"""Words and typed lines that a failure is reported with."""
CALM_S = 240.0
"""How long before the end nothing more is made to go wrong, or the last third of a short time."""
AGAIN_S = 60.0
"""When the robot still asks after so long, everything is mended that can be."""

TROUBLE: dict[str, tuple[str, float]] = {
    "bump": ("", 2.0),
    "nudge camera": ("straighten camera", 1.0),
    "light": ("", 2.0),
    "camera off": ("camera on", 1.0),
    "camera freezes": ("camera on", 1.0),
    "unplug": ("plug in", 1.0),
    "reset": ("", 1.0),
    "alarm": ("", 1.0),
    "grip fails": ("", 2.0),
    "drop": ("", 2.0),
    "power off": ("power on", 0.7),
    "stop": ("", 1.0),
    "hand in": ("hand out", 2.5),
}
"""What is typed to make trouble: what mends it again, and how often it comes."""
CHEATS = ("push", "take", "put", "crown", "now")
MENDED = ("hand out", "power on", "plug in", "camera on", "straighten camera", f"light {LIGHTS[0]}")
PUT_RIGHT = ("put back", "press")


@dataclass
class Report:
    """What came of it. failures: each with its sentence and what was said and typed before."""

    minutes: float
    seed: int
    wall_s: float = 0.0
    games: int = 0
    finished: int = 0
    moves: int = 0
    typed: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    agreed: bool = True
    failures: list[dict[str, object]] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)

    def fail(self, sentence: str, typer: RandomTyper) -> None:
        """Note what must not happen."""
        self.agreed = False
        self.failures.append({"game": self.games, "what": sentence, "before": list(typer.log)})


@dataclass(frozen=True)
class End:
    """When (clock's s) trouble ends, when the human begins to leave, and how fast the table lives by that clock."""

    calm_s: float
    time_s: float
    speed: float


class StuckError(ControllerError):
    """Nothing has been played for long."""


class RandomTyper:
    """Types what an unruly human would; attach `advance_to` to the clock before the seat that takes its lines."""

    live = True
    ended = False

    def __init__(
        self, game: Game, human: Colour, chance: random.Random, end: End, say: Callable[[str], None]
    ) -> None:
        """`say` is told all that happens."""
        self.typed: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.log: deque[str] = deque(maxlen=REMEMBERED)
        self._game, self._human, self._chance, self._end = game, human, chance, end
        self._say = say
        self._now = 0.0
        self._state = TurnState.STARTING
        self._moves_at, self._trouble_at = 0.0, 0.0
        self._mend: tuple[float, str] | None = None
        self._answer: tuple[float, tuple[str, ...]] | None = None
        self._quiet_since = 0.0
        self._good_bye: deque[tuple[float, str]] | None = None

    def hear(self, event: Event) -> None:
        self._state = event.state
        if event.kind is EventKind.STATE:
            if event.state is TurnState.WAITING:
                self._moves_at = event.time_s + self._chance.uniform(1.0, 4.0)
            return
        if event.kind is not EventKind.TRANSFER:
            self._note(f"{event.kind.value}: {event.text}")
        if event.kind is EventKind.MOVE:
            self._quiet_since, self._answer = event.time_s, None
        elif event.kind is EventKind.ASKED or "please" in event.text:
            self.asked[event.text] += 1
            self._answer = (event.time_s + self._chance.uniform(2.0, 6.0), _answer_to(event.text))

    def tell(self, text: str) -> None:
        self._note(f"  {text}")

    def _note(self, text: str) -> None:
        line = f"{self._now:8.1f} {text}"
        self.log.append(line)
        self._say(line)

    def advance_to(self, now: float) -> None:
        if not self._now:
            self._trouble_at, self._quiet_since = now + 20.0, now
        self._now = now
        if now - self._quiet_since > STUCK_S:
            raise StuckError(f"no move for {STUCK_S:.0f} s, the last state is: {self._state.value}")

    def take(self) -> list[str]:
        lines = self._due(self._now)
        for line in lines:
            self._note(f"> {line}")
            self.typed[_kind_of(line)] += 1
        return lines

    def _due(self, now: float) -> list[str]:
        """What is typed now."""
        if now >= self._end.time_s:
            return self._leave(now)
        if self._mend is not None and now >= self._mend[0]:
            (_, line), self._mend = self._mend, None
            return [line]
        if self._answer is not None and now >= self._answer[0]:
            (_, lines), self._answer = self._answer, (now + AGAIN_S, (*MENDED, *PUT_RIGHT))
            return list(lines) if self._state is not TurnState.MOVING else []
        if self._mend is not None or (self._answer is not None and self._state is TurnState.ASKING):
            return []
        if now >= self._trouble_at and now < self._end.calm_s:
            self._trouble_at = now + 3.0 + self._chance.expovariate(1 / 25.0)
            return [self._trouble(now)]
        if self._state is TurnState.WAITING and self._is_my_turn and now >= self._moves_at:
            self._moves_at = now + self._chance.uniform(25.0, 40.0)
            return self._move()
        return []

    @property
    def _is_my_turn(self) -> bool:
        return self._game.outcome() is None and self._game.position.turn is self._human

    def _trouble(self, now: float) -> str:
        chance = self._chance
        word = chance.choices(list(TROUBLE), [weight for _, weight in TROUBLE.values()])[0]
        if mend := TROUBLE[word][0]:
            self._mend = (now + chance.uniform(1.0, 12.0), mend)
        if word == "light":
            return f"light {chance.choice(LIGHTS)}"
        return f"hand in {chance.choice(SQUARES)}" if word == "hand in" else word

    def _move(self) -> list[str]:
        self._answer = None
        chance = self._chance
        move = chance.choice(self._game.position.legal_moves())
        deed = chance.random()
        lines = [str(move)]
        if move.is_capture and deed < 0.2:
            lines = [f"forget {move}"]
        elif deed < 0.06:
            lines = ["-".join(map(str, chance.sample(SQUARES, 2)))]
        elif deed < 0.12:
            lines = [*lines, self._cheat()]
        elif deed < 0.16:
            lines = [self._cheat()]
        return [*lines, "press"] if chance.random() < 0.3 else lines

    def _cheat(self) -> str:
        chance = self._chance
        word = chance.choice(CHEATS)
        own, any_square = chance.choice(self._game.position.squares_of(self._human)), chance.choice(SQUARES)
        match word:
            case "push":
                return f"push {own} {chance.uniform(-15, 15):.0f} {chance.uniform(-15, 15):.0f}"
            case "put":
                return f"put {any_square} {chance.choice(('dark', 'light'))}"
            case "now":
                return f"now {own}-{any_square}"
        return f"{word} {chance.choice((own, any_square))}"

    def _leave(self, now: float) -> list[str]:
        """Mend everything, put the board back, see whether the robot agrees, put back once more, and leave."""
        if self._good_bye is None:
            times = ((0.0, line) for line in MENDED)
            rounds = ((delay, line) for delay in (20.0, 90.0) for line in PUT_RIGHT)
            plan = (*times, *rounds, (150.0, "quit"))
            self._good_bye = deque((now + delay / self._end.speed, line) for delay, line in plan)
        lines = []
        while self._good_bye and now >= self._good_bye[0][0]:
            lines.append(self._good_bye.popleft()[1])
        return lines


def _answer_to(asked: str) -> tuple[str, ...]:
    """What a human does who has been asked for something."""
    if "press the turn button to let me go on" in asked:
        return ("press",)
    if "camera" in asked and "moved" in asked:
        return ("straighten camera", "press")
    if "hold still" in asked:
        return ("hand out", "press") if "please" in asked else ()
    if any(word in asked for word in ("controller board", "Grbl", "serial", "camera")):
        return ()  # What was done to the machine is undone anyway.
    light = (f"light {LIGHTS[0]}",) if "see clearly" in asked else ()
    return ("hand out", *light, *PUT_RIGHT)


def _kind_of(line: str) -> str:
    """What a line counts as: its words without squares and numbers."""
    words = [word for word in line.split() if not word[0].isdigit() and word[0] != "-" and word not in LIGHTS]
    return " ".join(words) or "move"


@dataclass(frozen=True)
class Seating:
    """A table on which a game lies, and the clock that it lives by."""

    clock: VirtualClock | ListenedClock
    settings: Settings
    table: Table
    control: Control
    speed: float = 1.0


@contextmanager
def inside(game: Game, settings: Settings, seed: int) -> Iterator[Seating]:
    """A table inside this program, on virtual time."""
    clock = VirtualClock()
    place = lay_table(settings, clock, TableSetup(seed=seed), game, "none")
    try:
        yield Seating(clock, settings, place.table, place.control)
    finally:
        place.table.close()


@contextmanager
def in_folder(folder: Path, settings: Settings) -> Iterator[Seating]:
    """The table that runs as a program in a folder, in real time."""
    clock = ListenedClock()
    settings = replace(settings_of_folder(folder), game=settings.game)
    with ExitStack() as opened:
        client = ControlClient(folder / "control")
        opened.callback(client.close)
        table = open_real_table(settings, clock, {})
        opened.callback(table.close)
        yield Seating(clock, settings, table, client, PROGRAM_SPEED)


def play_one(
    seating: Seating,
    game: Game,
    chance: random.Random,
    journal: Path,
    lasts_s: float,
    report: Report,
    say: Callable[[str], None],
) -> None:
    """Play one game to its end, or for `lasts_s` and until all is mended, and add what came of it to the report."""
    clock, settings = seating.clock, seating.settings
    human = Colour[settings.game.human.upper()]
    ends_s = clock.now() + lasts_s / seating.speed
    end = End(ends_s - min(CALM_S, lasts_s / 3) / seating.speed, ends_s, seating.speed)
    typer = RandomTyper(game, human, chance, end, say)
    control, patience_s = seating.control, settings.player.patience_s
    calibration, no_draw = seating.table.calibration, DrawAnswer(False, "I play on.")
    seat = Seat(control, calibration, human, game, typer, typer.tell, lambda: None, patience_s, lambda: no_draw)
    try:
        seat.set_up(clock)
        clock.attach(typer.advance_to)
        clock.attach(seat.advance_to)
        think = thinker(level_of(settings), clock, report.games, 0.5)
        with Journal(journal, clock) as kept:
            played = play_game(seating.table, settings, kept, game, think, [typer.hear, seat.hear], report.seed)
        report.finished += played.outcome is not None
        if wrong := seat.disagreements():
            report.fail(f"discs and game disagree: {', '.join(wrong)}", typer)
    except (HardwareError, VisionError, ControllerError) as error:
        report.fail(f"{type(error).__name__}: {error}", typer)
    except Exception as error:
        report.tracebacks.append(traceback.format_exc())
        report.fail(f"a traceback: {type(error).__name__}", typer)
    report.moves += len(game.moves)
    report.typed += typer.typed
    report.asked += typer.asked


@contextmanager
def table_program(folder: Path, seed: int) -> Iterator[None]:
    """`crownhead table` in a folder, until the end."""
    command = [sys.executable, "-m", "controller.cli.main", "table", "--dir", str(folder), "--seed", str(seed)]
    running = subprocess.Popen([*command, "--speed", str(PROGRAM_SPEED)], stdout=subprocess.DEVNULL)
    try:
        while not (folder / "control").exists():
            if running.poll() is not None:
                raise SystemExit("the table did not start")
            time.sleep(0.1)
        yield
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(timeout=20)


def run(minutes: float, seed: int, as_program: bool, say: Callable[[str], None]) -> Report:
    """The campaign."""
    report = Report(minutes, seed)
    chance = random.Random(seed)
    began, played_s = time.monotonic(), 0.0
    with ExitStack() as opened:
        scratch = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="crownhead-random-")))
        folder = scratch / "table"
        if as_program:
            opened.enter_context(table_program(folder, seed))
        while played_s < minutes * 60:
            colour: Literal["black", "white"] = chance.choice(("black", "white"))
            settings = Settings(
                game=GameSettings(human=colour, level=chance.randint(1, 3)), guard=GuardSettings(interval_s=0.3)
            )
            game = Game()
            report.games += 1
            journal = scratch / f"{report.games}.sqlite3"
            table_seed = chance.randrange(2**31)
            place = in_folder(folder, settings) if as_program else inside(game, settings, table_seed)
            with place as seating:
                start_s = seating.clock.now()
                play_one(seating, game, chance, journal, minutes * 60 - played_s, report, say)
                played_s += (seating.clock.now() - start_s) * seating.speed
    report.wall_s = round(time.monotonic() - began, 1)
    return report


def main() -> int:
    """The command line; 0 if every game ended agreeing."""
    parser = argparse.ArgumentParser(prog="python -m tests.random_play", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="on a table that runs as a program")
    parser.add_argument("--verbose", action="store_true", help="show all that is typed and said on stderr")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    say = partial(print, file=sys.stderr) if arguments.verbose else lambda line: None
    report = run(arguments.minutes, arguments.seed, arguments.table, say)
    text = json.dumps(report.__dict__, indent=1)
    if arguments.report is not None:
        arguments.report.write_text(text + "\n")
    print(text)
    return 0 if report.agreed and not report.tracebacks else 1


if __name__ == "__main__":
    raise SystemExit(main())
