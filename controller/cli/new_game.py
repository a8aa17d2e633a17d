"""`crownhead new-game`: has the running service begin a game."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import level_name


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "new-game",
        help="have the running service begin a new game",
        description=(
            "Have the running service give up the present game, if there is one, set up the board if need be, and "
            "begin a new one. What is not said stays as it is."
        ),
        epilog="example:\n  crownhead new-game --level 3 --human white",
    )
    parser.add_argument("--level", type=level_name, metavar="N", help="1 to 10, or best")
    parser.add_argument("--human", choices=("black", "white"), help="the colour you play")
    parser.add_argument("--end", action="store_true", help="only give up the present game")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--state", type=Path, metavar="DIR", help="the state folder of the service that is meant")
    parser.set_defaults(run=run, usage=parser.format_usage())


def run(arguments: argparse.Namespace) -> int:
    """Hand the order over."""
    import json
    import os

    from msgspec import convert

    from controller.service.client import ask
    from controller.service.requests import EndGame, NewGame

    if arguments.end and (arguments.level or arguments.human):
        print(f"{arguments.usage}crownhead new-game: error: --end goes alone", file=sys.stderr)
        return 2
    level = arguments.level if arguments.level in (None, "best") else int(arguments.level)
    order = (
        EndGame() if arguments.end else convert({"do": "new-game", "level": level, "human": arguments.human}, NewGame)
    )
    reply = ask(order, os.environ, arguments.state)
    print(json.dumps(reply, ensure_ascii=False) if arguments.json else reply["sentence"])
    return 0
