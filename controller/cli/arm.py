"""`crownhead arm`: the arm by hand."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser

if TYPE_CHECKING:
    from controller.settings_file import LoadedSettings

JOG_MM_S, FASTEST_JOG_MM_S = 50.0, 1000.0
LONGEST_S = 86_400.0
_POINT = (
    "a square (14) or tray place (T3) to go above; or where to go in mm, as X-120 Y-80 Z-20 (axes that are left out "
    "keep their place) or as two or three numbers"
)
_HELD, _LYING = "how many discs are held (default: 1)", "how many discs lie there (default: %(default)s)"


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "arm",
        help="the arm by hand",
        description=(
            "Work the arm by hand, inside its soft limits. It moves only while the camera sees that nothing is in "
            "its way; --attended is for a table without a camera, or one not calibrated yet: you stand beside it "
            "and answer for it. Whatever moves homes the machine first if it does not know where it is."
        ),
        epilog=(
            "examples:\n"
            "  crownhead arm status --port /dev/ttyUSB0\n"
            "  crownhead arm goto 14 --attended\n"
            "  crownhead arm rehearse game.pdn --attended"
        ),
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_status(actions)
    _add_motion(actions)
    _add_monitor(actions)
    _add_rehearse(actions)


def _action(
    actions: argparse._SubParsersAction[CommandParser], name: str, does: str, description: str, example: str
) -> CommandParser:
    parser = actions.add_parser(
        name, help=does, description=description, epilog=f"example:\n  crownhead arm {example}"
    )
    parser.add_argument("--port", help="the serial port (else the settings')")
    return parser


def _add_status(actions: argparse._SubParsersAction[CommandParser]) -> None:
    status = _action(
        actions,
        "status",
        "say what the motion firmware is and what it does",
        "Connect to the motion firmware and print its version, state and position. Nothing moves.",
        "status --port /dev/ttyUSB0",
    )
    status.add_argument("--json", action="store_true", help="print JSON")
    status.set_defaults(run=_run_status)


def _add_motion(actions: argparse._SubParsersAction[CommandParser]) -> None:
    """The actions that move something."""

    def add(name: str, does: str, description: str, example: str) -> CommandParser:
        parser = _action(actions, name, does, description, example)
        parser.add_argument("--attended", action="store_true", help="no camera watches: you do")
        parser.add_argument("--json", action="store_true", help="print JSON: where the arm is then")
        parser.set_defaults(run=_run_motion, action=name)
        return parser

    add("home", "find the home switches", "Find the home switches, Z first, and stay there.", "home --attended")
    jog = add(
        "jog",
        "move a little",
        "Move straight, by so many mm along the machine's own axes.",
        "jog X10 Y-2.5 --attended",
    )
    jog.add_argument("by", nargs="+", metavar="AXIS", help="how far, as X10, Y-2.5 or Z+1 (mm)")
    jog.add_argument(
        "--speed",
        type=_between("speed", 0.1, FASTEST_JOG_MM_S),
        default=JOG_MM_S,
        metavar="MM/S",
        help="how fast (default: %(default)g)",
    )
    goto = add(
        "goto",
        "go above a square, or to a point",
        "Go to a point: up, across over everything, and down to its Z if that is given. Above a square or a tray "
        "place the arm stays at the height at which it clears everything.",
        "goto 14 --attended",
    )
    goto.add_argument("point", nargs="+", metavar="POINT", help=_POINT)
    goto.add_argument("--board", action="store_true", help="the mm are the board's, not the machine's")
    add("grip", "switch the gripper on", "Switch the gripper on where the arm stands.", "grip --attended")
    add("release", "switch the gripper off", "Let go of what is held where the arm stands.", "release --attended")
    pick = add(
        "pick",
        "take the top disc of a place",
        "Go to a square or a tray place, take the top disc there, and rise with it.",
        "pick 14 --attended",
    )
    pick.add_argument("place", metavar="PLACE", help="a square (14) or tray place (T3)")
    pick.add_argument("--lying", type=_discs(1), default=1, metavar="N", help=_LYING)
    place = add(
        "place",
        "put what is held down on a place",
        "Carry what is held to a square or a tray place, put it down there, and rise.",
        "place 18 --attended",
    )
    place.add_argument("place", metavar="PLACE", help="a square (18) or tray place (T3)")
    place.add_argument("--lying", type=_discs(0), default=0, metavar="N", help=_LYING)
    place.add_argument("--held", type=_discs(1), default=1, metavar="N", help=_HELD)
    add("park", "go where the arm waits", "Go, over everything, to where the arm waits.", "park --attended")


def _add_monitor(actions: argparse._SubParsersAction[CommandParser]) -> None:
    monitor = _action(
        actions,
        "monitor",
        "show what the machine does",
        "Show state and position of the machine whenever they change, until Ctrl-C. With --attended the actions of "
        "this command may be typed, a line each, so that it has to be homed only once; else nothing is moved.",
        "monitor --attended",
    )
    monitor.add_argument(
        "--attended", action="store_true", help="take actions that are typed; no camera watches: you do"
    )
    monitor.add_argument("--json", action="store_true", help="print a JSON object for each change")
    monitor.add_argument(
        "--seconds", type=_between("time", 0.0, LONGEST_S), metavar="S", help="end after that time (default: never)"
    )
    monitor.set_defaults(run=_run_monitor)


def _add_rehearse(actions: argparse._SubParsersAction[CommandParser]) -> None:
    rehearse = _action(
        actions,
        "rehearse",
        "carry out a game's transfers without discs",
        "The arm alone carries out all the transfers of a game, those of both sides, and the time of each move is "
        "held against the best one possible: the trapezoidal bound of the same waypoints. No discs are needed. "
        "Without a settings file the geometry is the reference build's.",
        "rehearse game.pdn --attended --report times.json",
    )
    rehearse.add_argument("game", metavar="GAME.pdn", help="the file; of several games the first (- for stdin)")
    rehearse.add_argument("--attended", action="store_true", help="no camera watches: you do")
    rehearse.add_argument("--report", metavar="FILE", help="write the figures as JSON (- for stdout)")
    rehearse.set_defaults(run=_run_rehearse)


def load_with_port(arguments: argparse.Namespace) -> LoadedSettings:
    """The settings in force with the port of the command line."""
    import os
    from dataclasses import replace

    from controller.settings_file import load_with_source

    loaded = load_with_source(arguments.config, os.environ)
    if arguments.port is None:
        return loaded
    machine = replace(loaded.settings.machine, port=arguments.port)
    return replace(loaded, settings=replace(loaded.settings, machine=machine))


def _run_status(arguments: argparse.Namespace) -> int:
    from controller.cli.arm_watching import show_status

    return show_status(load_with_port(arguments).settings, arguments.json)


def _run_monitor(arguments: argparse.Namespace) -> int:
    from controller.cli.arm_watching import monitor

    return monitor(arguments, load_with_port(arguments), _add_motion)


def _run_motion(arguments: argparse.Namespace) -> int:
    from controller.cli.arm_moving import move_by_hand

    return move_by_hand(arguments, load_with_port(arguments))


def _run_rehearse(arguments: argparse.Namespace) -> int:
    from controller.cli.arm_rehearsing import rehearse_file

    return rehearse_file(arguments, load_with_port(arguments))


def _between(name: str, least: float, most: float) -> Callable[[str], float]:
    """A reader of numbers, for `type=`."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(f"the {name} must be from {least:g} to {most:g}, not {text!r}")
        return number

    return read


def _discs(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 3 else -1
        if not least <= number <= 2:
            raise argparse.ArgumentTypeError(f"the number of discs must be {least} to 2, not {text!r}")
        return number

    return read
