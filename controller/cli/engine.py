"""`crownhead engine`: the engine for other programs, by the Hub protocol."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import add_player_options, parameters_of

if TYPE_CHECKING:
    from controller.engine.hub.parameters import Parameters
    from controller.engine.interface import Engine
    from hardware.clock import Clock


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "engine",
        help="be an engine for other programs (Hub protocol)",
        description=(
            "Speak the Hub protocol, version 2, on standard input and output: positions and limits come in, moves go "
            "out. Ends with the line quit, or with the input. docs/engine.md describes the dialect."
        ),
        epilog=(
            "examples:\n"
            "  crownhead engine --level 5\n"
            'then type, say: hub, init, pos start moves="11-15 24-20", level move-time=1, go think'
        ),
    )
    add_player_options(parser)
    parser.add_argument("--no-tables", action="store_true", help="play without endgame tables")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Answer until the other program leaves. Raises SettingsError."""
    import os
    import sys

    from controller.cli.table_progress import have_tables
    from controller.engine.hub.input import DescriptorLines
    from controller.engine.hub.session import HubSession
    from hardware.clock import RealClock

    def make(parameters: Parameters, clock: Clock) -> Engine:
        if parameters.tables:
            have_tables(os.environ)
        return parameters.engine(clock)

    def write(line: str) -> None:
        print(line, flush=True)

    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # No stdin at all (`<&-`): nothing ever comes in.
        descriptor = os.open(os.devnull, os.O_RDONLY)
    clock = RealClock()
    parameters = parameters_of(arguments, tables=not arguments.no_tables)
    HubSession(DescriptorLines(descriptor), write, clock, make, parameters).run()
    return 0
