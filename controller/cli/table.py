"""`crownhead table`: the simulated table as a program of its own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.imperfection_option import HELP, imperfection_text
from hardware.simulated.names import CAMERAS, FAULT_LEVELS, FIRMWARES, IMPERFECTIONS, LIGHTS, PHYSICS, STYLES

if TYPE_CHECKING:
    from controller.draughts import Position

GRIPPERS = ("suction", "magnet", "jaws")
FASTEST = 4.0


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "table",
        help="run the simulated table as a program of its own",
        description=(
            "Runs the simulated table in real time until Ctrl-C. In DIR are then a serial port, the address of a "
            "network camera, a control socket, and the settings and calibration with which the other commands use "
            "them; it stays when they end or die."
        ),
        epilog="example:\n  crownhead table --dir /tmp/table --speed 2 --faults light",
    )
    parser.add_argument(
        "--dir", type=_folder, required=True, metavar="DIR", help="the table's folder; made if missing"
    )
    _add_choice(parser, "--style", STYLES, "how board and discs look")
    _add_choice(parser, "--light", LIGHTS, "the light at the beginning")
    _add_choice(parser, "--camera", CAMERAS, "where the camera stands")
    parser.add_argument("--seed", type=_seed, default=1, metavar="N", help="what chance starts from (default: 1)")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, metavar="X", help=f"times real time, at most {FASTEST:g} (default: 1)"
    )
    _add_choice(parser, "--physics", PHYSICS, "how discs behave; mujoco needs the extra 'sim'")
    parser.add_argument(
        "--imperfection", type=imperfection_text, default=IMPERFECTIONS[0], metavar="LEVEL", help=HELP
    )
    _add_choice(parser, "--faults", FAULT_LEVELS, "faults that come by themselves")
    _add_choice(parser, "--firmware", FIRMWARES, "the motion firmware behind the serial port")
    _add_choice(parser, "--gripper", GRIPPERS, "how the gripper holds discs")
    parser.add_argument(
        "--gripper-on-pin", action="store_true", help="the gripper is on a Raspberry Pi's pin, not on the firmware's"
    )
    parser.add_argument(
        "--dtr-resets",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="opening the serial port restarts the controller board (default: it does not)",
    )
    _add_choice(parser, "--kings", ("stacked", "turned"), "a second disc on top, or the crown on the other face")
    parser.add_argument(
        "--human", choices=("black", "white"), default="black", help="whose side the table is laid for"
    )
    parser.add_argument(
        "--fen", metavar="FEN", help="the position that stands on it (default: the starting position)"
    )
    parser.add_argument(
        "--uncalibrated",
        action="store_true",
        help="give no calibration: it is to be found; without --fen all discs lie in the trays",
    )
    parser.add_argument("--for", type=_seconds, dest="seconds", metavar="S", help="end after S seconds by itself")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the table to its end."""
    import contextlib
    from dataclasses import replace

    from controller.draughts import Colour
    from controller.handling.kings import Kings
    from controller.table_program import TableOrder, run_table
    from hardware.clock import RealClock
    from hardware.simulated.geometry import CAMERAS as PLACEMENTS
    from hardware.simulated.geometry import TableGeometry
    from hardware.simulated.imperfection import imperfection_of
    from hardware.simulated.physics.interface import GripperKind
    from hardware.simulated.program.running_table import RunningSetup
    from hardware.simulated.table import TableSetup

    def say(line: str) -> None:
        with contextlib.suppress(OSError):  # The table goes on though nobody reads what it says.
            print(line, flush=True)

    table = TableSetup(
        geometry=replace(TableGeometry(), camera=PLACEMENTS[arguments.camera]),
        seed=arguments.seed,
        style=arguments.style,
        light=arguments.light,
        physics=arguments.physics,
        firmware=arguments.firmware,
        gripper=GripperKind[arguments.gripper.upper()],
        imperfection=imperfection_of(arguments.imperfection, arguments.seed),
    )
    order = TableOrder(
        folder=arguments.dir,
        running=RunningSetup(
            table, arguments.speed, arguments.dtr_resets, arguments.gripper_on_pin, arguments.faults
        ),
        position=_position(arguments),
        human=Colour[arguments.human.upper()],
        calibrated=not arguments.uncalibrated,
        kings=Kings(arguments.kings),
    )
    run_table(order, RealClock(), say, arguments.seconds)
    return 0


def _position(arguments: argparse.Namespace) -> Position | None:
    """What stands on the board; nothing if it is to be calibrated first and nothing else was wished."""
    from controller.draughts import Position, read_fen

    if arguments.fen is not None:
        return read_fen(arguments.fen)
    return None if arguments.uncalibrated else Position.start()


def _add_choice(parser: CommandParser, option: str, names: tuple[str, ...], meaning: str) -> None:
    """An option with one of the names, the first by default."""
    parser.add_argument(
        option, choices=names, default=names[0], help=f"{meaning}: {', '.join(names)} (default: {names[0]})",
        metavar="NAME",
    )  # fmt: skip


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) >= 2**31:
        raise argparse.ArgumentTypeError(f"the seed must be a whole number from 0 to {2**31 - 1}, not {text!r}")
    return int(text)


def _speed(text: str) -> float:
    speed = _number(text)
    if speed is None or not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"the speed must be more than 0 and at most {FASTEST:g}, not {text!r}")
    return speed


def _seconds(text: str) -> float:
    seconds = _number(text)
    if seconds is None or not 0 < seconds <= 1e7:
        raise argparse.ArgumentTypeError(f"give a number of seconds, not {text!r}")
    return seconds


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("it is empty: name a folder")
    return Path(text)
