"""`crownhead analyse`: goes through games and says what was given away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import add_limit_options, limits_of, threads, whole
from controller.cli.replaced_file import replaced_file
from controller.errors import ControllerError

if TYPE_CHECKING:
    from controller.draughts import PdnGame
    from controller.engine.analysis import GameAnalysis, MoveAnalysis, SideSummary

SECONDS = 0.5
"""Time for a position, when nothing else is said."""

MOST_GAMES = 10**9
LINE_EVERY_PERCENT = 10


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "analyse",
        help="find the blunders of a game",
        description=(
            "Go through the games of a PDN file with the engine, and say of each inaccuracy, mistake and blunder "
            "what it gave away, what follows, and what was better; then how accurately each side played. Scores are "
            "in hundredths of a man, as the side that moves sees them."
        ),
        epilog=(
            "examples:\n"
            "  crownhead analyse game.pdn\n"
            "  crownhead analyse games.pdn --game 3 --seconds 2 --pdn annotated.pdn"
        ),
    )
    parser.add_argument("file", metavar="GAME.pdn", help="the file of games; - reads them from the standard input")
    add_limit_options(parser, f"without any, {SECONDS} s; of each search, one or two a move")
    parser.add_argument(
        "--game",
        type=whole("number of the game", MOST_GAMES),
        metavar="K",
        help="only the file's Kth game (default: all)",
    )
    parser.add_argument("--threads", type=threads, default=1, metavar="N", help="processors to think on (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON, a line a game")
    parser.add_argument(
        "--pdn",
        type=Path,
        metavar="OUT",
        help=(
            "write the games with the faults marked and explained, and those that are not analysed as they are; it "
            "may be GAME.pdn itself"
        ),
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Analyse the games; those that cannot be followed are named on stderr, and make the status 1.

    Raises ControllerError when there is nothing to analyse, or a file cannot be read or written.
    """
    import json
    import os

    from controller.cli.table_progress import have_tables
    from controller.draughts import write_record
    from controller.engine import Limits, make_engine
    from controller.engine.analysis import analyse_game, annotated
    from hardware.clock import RealClock

    parts, failed = _parts(arguments.file, arguments.game, whole_file=arguments.pdn is not None)
    games = [part.record for part in parts if part.record is not None]
    if games:
        have_tables(os.environ)
    engine = make_engine(RealClock(), threads=arguments.threads)
    limits = limits_of(arguments) or Limits(seconds=SECONDS)
    analysed, stopped = 0, None
    with _output(arguments.pdn) as write, _shown(sum(record.game.plies for record in games)) as advance:
        for part in parts:
            if part.record is None or stopped is not None:
                write(part.text)
                continue
            for doubt in part.record.doubts:
                print(f"crownhead: {doubt}", file=sys.stderr)
            try:
                analysis = analyse_game(part.record.game, engine, limits, advance)
            except KeyboardInterrupt as interrupt:
                if not analysed:
                    raise
                stopped = interrupt  # What has been found is kept, with the other games as they were.
                write(part.text)
                continue
            analysed += 1
            write(write_record(annotated(part.record, analysis)) + "\n")
            if arguments.json:
                print(json.dumps(_as_json(part.number, part.record, analysis), ensure_ascii=False), flush=True)
            else:
                print(_as_text(part.number, part.record, analysis), flush=True)
    if stopped is not None:
        if arguments.pdn is not None:
            print(
                f"{arguments.pdn} has {analysed} game{'s' * (analysed != 1)} marked, the others are as they were",
                file=sys.stderr,
            )
        raise stopped
    return 1 if failed else 0


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the file: its text, and the game in it with its number in the file if that is to be analysed."""

    number: int
    text: str
    record: PdnGame | None


def _parts(file: str, wanted: int | None, *, whole_file: bool) -> tuple[list[_Part], bool]:
    """The parts of the file, and whether a wanted game cannot be followed; `whole_file`: also those behind it."""
    from controller.draughts import PdnError, iterate_pdn_parts

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise ControllerError(f"cannot read {file}: {error.strerror}") from error
    parts: list[_Part] = []
    games, failed = 0, False
    for number, part in enumerate(iterate_pdn_parts(data), start=1):
        record = part.record
        games += record is not None
        asked = wanted in (None, number)
        if asked and isinstance(record, PdnError):
            print(f"crownhead: {record}", file=sys.stderr)
            failed = True
        chosen = record if asked and not isinstance(record, PdnError) else None
        parts.append(_Part(number, part.text if record is None else _apart(part.text), chosen))
        if wanted == number and not whole_file:
            break
    if games == 0:
        raise ControllerError(f"{_name(file)} holds no game in PDN")
    if wanted is not None and wanted > games:
        raise ControllerError(f"{_name(file)} holds {games} game{'s' * (games != 1)}, so there is no game {wanted}")
    return parts, failed


def _apart(text: str) -> str:
    """A game's text with an empty line behind, so that whatever follows is apart from it."""
    return text.rstrip() + "\n\n"


def _name(file: str) -> str:
    return "the standard input" if file == "-" else file


@contextmanager
def _output(path: Path | None) -> Iterator[Callable[[str], object]]:
    """What writes the annotated games, if they are to be written at all."""
    if path is None:
        yield lambda _: None
        return
    with replaced_file(path) as write:
        yield write


@contextmanager
def _shown(moves: int) -> Iterator[Callable[[], None]]:
    """What is called after each move, to show how far it has come: a bar on a terminal, elsewhere lines on stderr."""
    if not sys.stderr.isatty():
        done, next_percent = 0, LINE_EVERY_PERCENT

        def count() -> None:
            nonlocal done, next_percent
            done += 1
            if 100 * done // moves >= next_percent:
                next_percent = 100 * done // moves // LINE_EVERY_PERCENT * LINE_EVERY_PERCENT + LINE_EVERY_PERCENT
                print(f"analysing: {100 * done // moves} % ({done} of {moves} moves)", file=sys.stderr, flush=True)

        yield count
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("analysing"), BarColumn(), MofNCompleteColumn(), TextColumn("moves"), TimeRemainingColumn())
    # Results on the same terminal go past the bar; in a file they are none of its business.
    console, shared = Console(stderr=True), sys.stdout.isatty()
    with Progress(*columns, console=console, transient=True, redirect_stdout=shared) as bar:
        task = bar.add_task("", total=moves)
        yield lambda: bar.advance(task)


def _as_text(number: int, record: PdnGame, analysis: GameAnalysis) -> str:
    from controller.draughts import Colour
    from controller.engine.analysis import move_label, score_change

    black, white = (record.tags.get(name, "?") for name in ("Black", "White"))
    lines = [f"Game {number}: {black} (Black) – {white} (White), {record.result}, {_moves(record.game.plies)}"]
    lines += [
        f"  {move_label(move, record.game.start)} {move.words} ({score_change(move)}, {move.grade.value})."
        for move in analysis.faults
    ]
    if not analysis.faults:
        lines.append("  Nobody gave anything away that matters.")
    lines += [f"  {colour.title}: {_sums(analysis.summary(colour))}." for colour in Colour]
    return "\n".join([*lines, ""])


def _sums(side: SideSummary) -> str:
    if side.accuracy is None or side.mean_loss is None:
        return "no choices"
    faults = (
        ("blunder", "blunders", side.blunders),
        ("mistake", "mistakes", side.mistakes),
        ("inaccuracy", "inaccuracies", side.inaccuracies),
    )
    counts = ", ".join(f"{count} {one if count == 1 else many}" for one, many, count in faults)
    return f"accuracy {side.accuracy:.0f} %, {counts}; {side.mean_loss:.0f} hundredths of a man given away a move"


def _moves(plies: int) -> str:
    moves = (plies + 1) // 2
    return f"{moves} move{'' if moves == 1 else 's'}"


def _as_json(number: int, record: PdnGame, analysis: GameAnalysis) -> dict[str, object]:
    from dataclasses import asdict

    from controller.draughts import Colour, write_fen

    sides = {colour.title.lower(): asdict(analysis.summary(colour)) for colour in Colour}
    return {
        "game": number,
        "tags": dict(record.tags),
        "start": write_fen(record.game.start),
        "result": record.result,
        "moves": [_move_as_json(move) for move in analysis.moves],
        **sides,
    }


def _move_as_json(move: MoveAnalysis) -> dict[str, object]:
    from controller.draughts import notations

    position = move.position
    return {
        "ply": move.ply,
        "colour": move.colour.title.lower(),
        "move": move.notation,
        "before": move.before,
        "after": move.after,
        "loss": move.loss,
        "grade": move.grade.value,
        "words": move.words,
        "best": notations(position, move.best),
        "reply": notations(position.after(move.move), move.reply),
    }
