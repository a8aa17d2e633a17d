"""`crownhead arm`: the arm by hand."""

from __future__ import annotations

import argparse

from controller.cli.command_parser import CommandParser


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "arm",
        help="the arm by hand",
        description="Talk to the arm's motion firmware. Nothing moves.",
        epilog="example:\n  crownhead arm status --port /dev/ttyUSB0",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    status = actions.add_parser(
        "status",
        help="say what the motion firmware is and what it does",
        description="Connect to the motion firmware and print its version, state and position. Nothing moves.",
        epilog="example:\n  crownhead arm status --port /dev/ttyUSB0",
    )
    status.add_argument("--port", help="the serial port (else the settings')")
    status.set_defaults(run=run_status)


def run_status(arguments: argparse.Namespace) -> int:
    """Print what the firmware says of itself."""
    import os
    from dataclasses import replace

    from controller.settings_file import load_settings
    from controller.table import open_motion
    from hardware.clock import RealClock

    settings = load_settings(arguments.config, os.environ)
    if arguments.port is not None:
        settings = replace(settings, machine=replace(settings.machine, port=arguments.port))
    motion = open_motion(settings, RealClock())
    try:
        version = motion.connect()
        state = motion.poll()
        x, y, z = motion.position()
        print(f"{version} on {settings.machine.port}")
        print(f"state     {state.value}")
        print(f"position  X{x:.3f} Y{y:.3f} Z{z:.3f} mm" + ("" if motion.position_known else " (not homed)"))
    finally:
        motion.close()
    return 0
