"""`crownhead demo`: a whole game by itself on the simulated table."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.command_parser import CommandParser
from controller.cli.imperfection_option import HELP, imperfection_text
from hardware.simulated.names import FAULT_LEVELS, IMPERFECTIONS, PHYSICS

SPEED = 6.0
"""How many times faster than the table's time the demo runs when a person watches."""


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "demo",
        help="watch a whole game on the simulated table",
        description=(
            "A simulated human (Black) plays the robot on the simulated table, from the first move to the last: "
            f"frames, verdicts, G-code and discs are those of a real game. Shown {SPEED:.0f} times as fast."
        ),
        epilog="example:\n  crownhead demo --seed 3 --fast --report report.json",
    )
    parser.add_argument("--seed", type=_seed, default=1, metavar="N", help="which game (default: 1)")
    parser.add_argument("--fast", action="store_true", help="as fast as the processor can")
    parser.add_argument("--headless", action="store_true", help="no live board: a line for each thing that happens")
    parser.add_argument("--physics", choices=PHYSICS, default=PHYSICS[0], help="how discs behave (default: simple)")
    parser.add_argument(
        "--imperfection", type=imperfection_text, default=IMPERFECTIONS[0], metavar="LEVEL", help=HELP
    )
    parser.add_argument(
        "--faults", choices=FAULT_LEVELS, default=FAULT_LEVELS[0], help="what goes wrong while they play"
    )
    parser.add_argument(
        "--kings",
        choices=("stacked", "turned"),
        help="how the discs show kings: with a second disc on top, or with the crown on their other face, which the "
        "human is asked to turn up (default: as [discs] in the settings has it)",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="begin with a table that nobody has calibrated, drawn from the seed, and calibrate it",
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the game's figures as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play the game; 0 only when it was finished and the discs lie as it says."""
    import os
    import tempfile
    from contextlib import nullcontext
    from functools import partial

    import msgspec
    from rich.console import Console

    from controller.cli.table_progress import have_tables
    from controller.demo.play import HUMAN, DemoOrder, play_demo
    from controller.draughts import Game
    from controller.errors import ControllerError
    from controller.handling.kings import Kings
    from controller.settings_file import load_settings
    from controller.terminal import LineTeller, LiveBoard
    from hardware.clock import PacedClock, VirtualClock
    from hardware.simulated.imperfection import imperfection_of

    if arguments.report is not None:  # What cannot be written is found out before the game.
        arguments.report.parent.mkdir(parents=True, exist_ok=True)
        with arguments.report.open("a"):
            pass
        arguments.report.unlink()
    # Words for people leave stdout free where a report is wanted.
    console = Console(stderr=arguments.report is not None, soft_wrap=True)
    live = console.is_terminal and not arguments.headless
    have_tables(os.environ)
    clock = VirtualClock() if arguments.fast or not live else PacedClock(SPEED)
    folder = Path(tempfile.mkdtemp(prefix=f"crownhead-demo-{arguments.seed}-"))
    game = Game()
    display = LiveBoard(console, game, HUMAN) if live else None
    teller = display or LineTeller(console)
    with display or nullcontext():
        order = DemoOrder(
            arguments.seed,
            arguments.physics,
            imperfection_of(arguments.imperfection, arguments.seed),
            arguments.faults,
            Kings(arguments.kings or load_settings(arguments.config, os.environ).discs.kings),
            calibrates=arguments.calibrate,
        )
        if order.calibrates and order.kings is not Kings.STACKED:
            raise ControllerError("a table that is calibrated first has stacked kings: leave --kings out")
        tell = partial(console.print, markup=False, highlight=False)
        report = play_demo(game, clock, folder, order, [teller.hear], tell)
    if arguments.report is not None:
        arguments.report.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    console.print(report.reason, markup=False)
    console.print(report.pdn, markup=False, highlight=False)
    console.print(f"The last frame, with what was seen: {report.picture}", markup=False, highlight=False)
    if not report.board_agrees:
        console.print("The discs on the table are NOT the game's final position.", markup=False)
    if not report.board_agrees or report.result == "*":
        return 1
    return 0


def _seed(text: str) -> int:
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if seed < 0:
        raise argparse.ArgumentTypeError(f"the seed must be a whole number from 0 on, not {text!r}")
    return seed
