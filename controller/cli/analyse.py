"""`crownhead analyse`: goes through games and says what was given away."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import add_limit_options, limits_of, threads, whole
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
        "--pdn", type=Path, metavar="OUT", help="write the games with the faults marked and explained"
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

    games, failed = _games(arguments.file, arguments.game)
    if games:
        have_tables(os.environ)
    engine = make_engine(RealClock(), threads=arguments.threads)
    limits = limits_of(arguments) or Limits(seconds=SECONDS)
    with _output(arguments.pdn) as write, _shown(sum(record.game.plies for _, record in games)) as advance:
        for number, record in games:
            for doubt in record.doubts:
                print(f"crownhead: {doubt}", file=sys.stderr)
            analysis = analyse_game(record.game, engine, limits, advance)
            write(write_record(annotated(record, analysis)) + "\n")
            if arguments.json:
                print(json.dumps(_as_json(number, record, analysis), ensure_ascii=False), flush=True)
            else:
                print(_as_text(number, record, analysis), flush=True)
    return 1 if failed else 0


def _games(file: str, wanted: int | None) -> tuple[list[tuple[int, PdnGame]], bool]:
    """The games to analyse, with their numbers in the file, and whether there is one that cannot be followed."""
    from controller.draughts import PdnError, iterate_pdn_records

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise ControllerError(f"cannot read {file}: {error.strerror}") from error
    games: list[tuple[int, PdnGame]] = []
    number, failed = 0, False
    for number, record in enumerate(iterate_pdn_records(data), start=1):
        if wanted not in (None, number):
            continue
        if isinstance(record, PdnError):
            print(f"crownhead: {record}", file=sys.stderr)
            failed = True
        else:
            games.append((number, record))
        if wanted is not None:
            return games, failed
    if number == 0:
        raise ControllerError(f"{_name(file)} holds no game in PDN")
    if wanted is not None:
        raise ControllerError(f"{_name(file)} holds {number} game{'s' * (number != 1)}, so there is no game {wanted}")
    return games, failed


def _name(file: str) -> str:
    return "the standard input" if file == "-" else file


@contextmanager
def _output(path: Path | None) -> Iterator[Callable[[str], object]]:
    """What writes the annotated games; ControllerError when the file cannot be written."""
    if path is None:
        yield lambda _: None
        return
    try:
        stream = path.open("w", encoding="utf-8")
    except OSError as error:
        raise ControllerError(f"cannot write {path}: {error.strerror}") from error
    with stream:

        def write(text: str) -> None:
            stream.write(text)
            stream.flush()

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
