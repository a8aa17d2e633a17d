"""`crownhead match`: two engines play many games, and the difference in strength is estimated."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import add_limit_options, limits_of, seed, whole

if TYPE_CHECKING:
    from controller.engine.match import MatchOrder

GAMES = 100
MOST_GAMES = 1_000_000
MOST_CONCURRENCY = 256
ALL = "all"
WRONG_USAGE, INTERRUPTED = 2, 130


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "match",
        help="two engines play many games",
        description=(
            "Let A play B, and say how much stronger A is, in Elo points with the error of 95 %. A and B are each a "
            "level (1 to 10, or best), baseline (the plain Python engine of the first games; python is the same), or "
            "hub:COMMAND, an engine in another program that speaks the Hub protocol. Games begin with the three-move "
            "ballots, each played with both colours, and end by the rules. The settings' section [engine] does not "
            "count here: what A and B may do stands on the command line."
        ),
        epilog=(
            "examples:\n"
            "  crownhead match 5 4 --games 200\n"
            "  crownhead match best baseline --seconds 0.1 --concurrency 2 --pdn games.pdn\n"
            "  crownhead match best 'hub:/opt/old/bin/crownhead engine' --ballots all --nodes 20000 --json"
        ),
    )
    parser.add_argument("first", metavar="A", help="a level, baseline, python, or hub:COMMAND")
    parser.add_argument("second", metavar="B", help="who plays against A")
    parser.add_argument(
        "--games",
        type=whole("number of games", MOST_GAMES),
        metavar="N",
        help=f"how many (default: {GAMES}, or with --ballots two a ballot)",
    )
    parser.add_argument(
        "--ballots",
        type=_ballots,
        metavar="all|N,…",
        help="these ballots in order (default: all, in an order by lot)",
    )
    add_limit_options(
        parser,
        "a numbered level is besides limited by itself; default: 0.1 s for both, for two numbered levels nothing",
    )
    parser.add_argument(
        "--concurrency",
        type=whole("concurrency", MOST_CONCURRENCY),
        default=1,
        metavar="K",
        help="games played at once, each in a process of its own (default: 1)",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="what chance starts from (default: 0)")
    parser.add_argument("--no-tables", action="store_true", help="no endgame tables for players within this program")
    parser.add_argument(
        "--adjudicate", action="store_true", help="end a game where the endgame tables know how it will end"
    )
    for side in ("a", "b"):
        parser.add_argument(
            f"--param-{side}",
            type=_parameter,
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help=f"a parameter to set on {side.upper()}, a Hub engine; may be repeated",
        )
    parser.add_argument("--pdn", type=Path, metavar="FILE", help="write the games, as they end")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.set_defaults(run=run, usage=parser.format_usage())


def run(arguments: argparse.Namespace) -> int:
    """Play the match; Ctrl-C ends it with what there is, and so do the signals that ask a program to end.

    Raises ControllerError when it cannot go on, KeyboardInterrupt when there is nothing to tell.
    """
    import json
    import os
    from contextlib import ExitStack, closing

    from rich.console import Console

    from controller.cli.match_words import limits_words, match_display, report_of, words_of
    from controller.cli.replaced_file import replaced_file
    from controller.cli.table_progress import have_tables
    from controller.engine.match import MatchGame, MatchResult, match_games
    from controller.errors import ControllerError

    if arguments.adjudicate and arguments.no_tables:
        return _refused(arguments, "--adjudicate needs the tables that --no-tables does without")
    if arguments.pdn is not None and arguments.pdn == arguments.report:
        return _refused(arguments, "--pdn and --report must name two files")
    order = _order(arguments)
    if order.tables:
        have_tables(os.environ)
    # Words for people leave stdout free where figures are wanted.
    console = Console(stderr=arguments.json or arguments.report is not None, soft_wrap=True, highlight=False)
    games: list[MatchGame] = []
    stopped: BaseException | None = None
    sentences: set[str] = set()

    def told(sentence: str) -> None:
        if sentence not in sentences:  # One that several games wait for is told of once.
            sentences.add(sentence)
            print(f"crownhead: {sentence}", file=sys.stderr, flush=True)

    with ExitStack() as open_files:
        # What cannot be written is found out before the games.
        write_game, write_report = (
            None if path is None else open_files.enter_context(replaced_file(path))
            for path in (arguments.pdn, arguments.report)
        )
        interruptions = open_files.enter_context(_Interruptions())
        try:
            if words := limits_words(order):
                console.print(words)
            games_played = match_games(order, arguments.concurrency, told=told)
            with match_display(console, order) as show, closing(games_played) as played:
                for game in played:
                    with interruptions.held():
                        games.append(game)
                        if write_game is not None:
                            write_game(f"{game.pdn}\n")
                    show(games)
        except (KeyboardInterrupt, ControllerError, OSError) as reason:
            stopped = reason
            if not games:  # There is nothing to tell; the files stay as they were.
                raise
        result = MatchResult.of(order, games)
        text = json.dumps(report_of(result), indent=1, allow_nan=False)
        if write_report is not None:
            write_report(f"{text}\n")
    if arguments.json:
        print(text)
    for words in words_of(result):
        console.print(words, markup=False)
    if stopped is None or isinstance(stopped, KeyboardInterrupt):
        return 0 if stopped is None else INTERRUPTED
    raise stopped


class _Interruptions:
    """Within its block the signals that ask a program to end are like Ctrl-C, unless they are ignored (nohup)."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._is_held = False
        self._has_come = False

    def __enter__(self) -> _Interruptions:
        import signal

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._come)
        return self

    def __exit__(self, *details: object) -> None:
        import signal

        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within the block nothing is interrupted; what has come meanwhile counts after it."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._has_come:
            raise KeyboardInterrupt

    def _come(self, *_: object) -> None:
        if not self._is_held:
            raise KeyboardInterrupt
        self._has_come = True


def _order(arguments: argparse.Namespace) -> MatchOrder:
    """The match that is meant. Raises PlayerError and BallotError."""
    from controller.engine.match import MatchOrder, drawn_ballots, player_named
    from controller.engine.openings import ballot, ballots

    chosen: list[int] | str | None = arguments.ballots
    if chosen is None:
        openings, games = drawn_ballots(arguments.seed), GAMES
    else:
        openings = ballots() if isinstance(chosen, str) else tuple(map(ballot, chosen))
        games = 2 * len(openings)
    return MatchOrder(
        first=player_named(arguments.first, tuple(arguments.param_a)),
        second=player_named(arguments.second, tuple(arguments.param_b)),
        openings=openings,
        games=arguments.games or games,
        limits=limits_of(arguments),
        seed=arguments.seed,
        tables=not arguments.no_tables,
        adjudicate=arguments.adjudicate,
    )


def _refused(arguments: argparse.Namespace, sentence: str) -> int:
    print(f"{arguments.usage}crownhead match: error: {sentence}", file=sys.stderr)
    return WRONG_USAGE


def _ballots(text: str) -> list[int] | str:
    if text == ALL:
        return text
    numbers = text.split(",")
    if not all(number.strip().isascii() and number.strip().isdecimal() and len(number) < 5 for number in numbers):
        raise argparse.ArgumentTypeError(f"the ballots must be {ALL} or numbers as in 7,130, not {text!r}")
    return [int(number) for number in numbers]


def _parameter(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError(f"a parameter must be NAME=VALUE, not {text!r}")
    return name, value
