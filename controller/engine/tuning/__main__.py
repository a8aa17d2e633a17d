"""`python -m controller.engine.tuning`: play games to learn from, and fit the evaluation to them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from controller.engine.choosing import is_compiled
from controller.engine.endgame import tables_ready
from controller.engine.tuning.fitting import Fitting, Progress, fit
from controller.engine.tuning.records import (
    RECORD,
    Records,
    RecordsError,
    append_records,
    fit_to_learn,
    read_records,
)
from controller.errors import ControllerError
from controller.warning_sentences import say_warnings_as

EXAMPLES = """examples:
  python -m controller.engine.tuning play first.dat --games 20000 --by-hand
  python -m controller.engine.tuning fit first.dat --out first.bin
  python -m controller.engine.tuning play second.dat --games 20000 --weights first.bin --seed 2
  python -m controller.engine.tuning fit first.dat second.dat --out controller/engine/network.bin
"""
DONE, COULD_NOT, INTERRUPTED = 0, 1, 130
_GAMES_AT_ONCE = 50
_FEWEST_RECORDS = 1000
_MOST_GAMES = 1_000_000
_LAST_SERIES = 4000
"""A game's number is its number within a series, and a million for each series; it has 32 bits."""


def main(argv: Sequence[str]) -> int:
    """Run one of the commands; the exit status."""
    arguments = _command_line().parse_args(argv)
    say_warnings_as("tuning")
    try:
        arguments.run(arguments)
    except ControllerError as error:
        print(f"tuning: {error}", file=sys.stderr)
        return COULD_NOT
    except OSError as error:
        name = f"{error.filename}: " if error.filename else "cannot go on: "
        print(f"tuning: {name}{error.strerror or error}", file=sys.stderr)
        return COULD_NOT
    except KeyboardInterrupt:
        print(f"tuning: stopped: {arguments.kept(arguments)}", file=sys.stderr)
        return INTERRUPTED
    return DONE


def _command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m controller.engine.tuning",
        description="Learn the engine's evaluation from its own games.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    play = commands.add_parser("play", help="play games and add their positions to a file")
    play.add_argument("records", type=Path, help="file of positions; a series broken off is carried on")
    play.add_argument("--games", type=_positive, required=True, help="games that the whole series shall have")
    play.add_argument("--nodes", type=_positive, default=4000, help="positions each search looks at (%(default)s)")
    play.add_argument("--seed", type=_series, default=1, help="number of the series, another for other games, 0-4000")
    evaluation = play.add_mutually_exclusive_group()
    evaluation.add_argument("--weights", type=Path, help="weights to play with (default: the engine's own)")
    evaluation.add_argument("--by-hand", action="store_true", help="play with the hand-made evaluation")
    play.set_defaults(run=_play, kept=_kept_games)

    usual = Fitting()
    learn = commands.add_parser("fit", help="fit the network to files of positions")
    learn.add_argument("records", type=Path, nargs="+", help="files written by `play`")
    learn.add_argument("--out", type=Path, required=True, help="file to write the weights to")
    learn.add_argument("--epochs", type=_positive, default=usual.epochs, help="rounds over all (%(default)s)")
    learn.add_argument(
        "--result-share",
        type=_share,
        default=usual.result_share,
        help="how much of the target the game's result makes, the search's score being the rest (%(default)s)",
    )
    learn.add_argument("--fewest-pieces", type=_positive, default=5, help="leave out smaller endings (%(default)s)")
    learn.add_argument("--seed", type=int, default=usual.seed, help="of the first weights (%(default)s)")
    learn.set_defaults(run=_fit, kept=_kept_weights)
    return parser


def _play(arguments: argparse.Namespace) -> None:
    if not is_compiled():
        raise RecordsError(
            "games to learn from need the compiled engine: install Crownhead where there is a C compiler"
        )
    path: Path = arguments.records
    _check_can_be_written(path)
    begun = _begun_series(path, arguments.seed)
    from controller.engine import _core  # noqa: PLC0415
    from controller.engine.network import load_network  # noqa: PLC0415
    from controller.engine.tuning.self_play import SelfPlay, play_games  # noqa: PLC0415

    if arguments.by_hand:
        _core.network_unload()
    elif arguments.weights:
        load_network(arguments.weights)
    else:
        load_network()
    for note in tables_ready(os.environ).notes:
        print(f"tuning: {note}", file=sys.stderr)
    first = arguments.seed * _MOST_GAMES
    last = first + arguments.games
    unwritten: list[Records] = []
    positions = len(begun)
    try:
        for number, records in play_games(
            SelfPlay(arguments.nodes, seed=arguments.seed), int(begun["game"].max()) + 1 if len(begun) else first
        ):
            if number >= last:
                break
            unwritten.append(records)
            if len(unwritten) == _GAMES_AT_ONCE or number == last - 1:
                positions += sum(map(len, unwritten))
                whole, unwritten = unwritten, []  # Before: what Ctrl-C comes amidst is not to be written twice.
                append_records(path, np.concatenate(whole))
                print(f"{number - first + 1} of {arguments.games} games, {positions} positions", flush=True)
    except KeyboardInterrupt:
        if unwritten:
            append_records(path, np.concatenate(unwritten))
        raise


def _begun_series(path: Path, series: int) -> Records:
    """What a file has of a series. Raises RecordsError when it has something else."""
    begun = read_records(path) if path.exists() else np.empty(0, RECORD)
    others = sorted({int(number) for number in begun["game"] // _MOST_GAMES} - {series})
    if others:
        raise RecordsError(
            f"{path} holds games of series {others[0]}: keep those of series {series} in a file of their own, or go"
            f" on with --seed {others[0]}"
        )
    return begun


def _kept_games(arguments: argparse.Namespace) -> str:
    if not arguments.records.exists():
        return "no game is done yet"
    return f"the games that are done are in {arguments.records}, and the same command goes on with the next"


def _kept_weights(arguments: argparse.Namespace) -> str:
    return f"there are no weights yet, and {arguments.out} is as it was"


def _check_can_be_written(path: Path) -> None:
    """Raises RecordsError for a file that cannot be written, before any work is done for it."""
    folder = path.parent
    if path.is_dir():
        raise RecordsError(f"cannot write {path}: it is a folder, name a file in it")
    if not folder.is_dir():
        raise RecordsError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise RecordsError(f"cannot write {path}: it may not be written here")


def _fit(arguments: argparse.Namespace) -> None:
    _check_can_be_written(arguments.out)
    records = np.concatenate([read_records(path) for path in arguments.records])
    records = fit_to_learn(records, arguments.fewest_pieces)
    if len(records) < _FEWEST_RECORDS:
        raise RecordsError(f"{len(records)} different positions are too few to learn from: play more games")
    print(f"{len(records)} different positions of {len(np.unique(records['game']))} games", flush=True)
    settings = Fitting(epochs=arguments.epochs, result_share=arguments.result_share, seed=arguments.seed)
    network = fit(records, settings, _tell)
    try:
        arguments.out.write_bytes(network.quantised().to_bytes())
    except OSError as error:
        raise RecordsError(f"cannot write {arguments.out}: {error.strerror}") from error


def _tell(progress: Progress) -> None:
    print(
        f"epoch {progress.epoch}: loss {progress.loss:.5f}, on games kept out {progress.validation_loss:.5f}",
        flush=True,
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def _series(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _LAST_SERIES:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to {_LAST_SERIES}")
    return number


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 1")
    return share


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
