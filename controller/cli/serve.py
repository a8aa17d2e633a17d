"""`crownhead serve`: runs for months without a screen."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.cli.command_parser import CommandParser


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="wait for people and play with them, for months",
        description=(
            "Run as a service: wait until the board is set up and the first move made or the turn button pressed, "
            "play, set up the next game, and so on until stopped. A game that was broken off, by a power cut say, is "
            "gone on with. While it runs 'crownhead status' and 'crownhead new-game' talk to it. Pressing the turn "
            "button between games: once begins, twice changes colours, three times makes the next game harder, four "
            "times easier."
        ),
        epilog="example:\n  crownhead serve --table /tmp/table --state /tmp/state",
    )
    parser.add_argument(
        "--table", type=Path, metavar="DIR", help="serve the one that `crownhead table --dir DIR` runs"
    )
    parser.add_argument(
        "--state", type=Path, metavar="DIR", help="where journal, lock and socket are kept (else the usual folder)"
    )
    parser.set_defaults(run=run, usage=parser.format_usage())


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it, which is what it is for: 0 then."""
    import os

    from controller.ending_signals import EndedError
    from controller.service.running import ServiceOrder, log_line, serve

    if arguments.table is not None and arguments.config is not None:
        print(
            f"{arguments.usage}crownhead serve: error: --config and --table do not go together: that table brings "
            "its own settings",
            file=sys.stderr,
        )
        return 2
    try:
        serve(ServiceOrder(arguments.config, arguments.table, arguments.state), os.environ, log_line)
    except EndedError:
        log_line("I was told to end; a game that was under way is gone on with at the next start")
    return 0
