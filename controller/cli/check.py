"""`crownhead check`: the doctor."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser

if TYPE_CHECKING:
    from controller.check.finding import Finding


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "check",
        help="look at everything that playing needs",
        description=(
            "Look at everything that playing needs – the program, this computer, settings, serial port, motion "
            "firmware, pins, camera, calibration – and say what mends whatever is wrong. Nothing moves; opening the "
            "serial port restarts some controller boards, which then let go of what they hold. The exit status is 1 "
            "if anything fails."
        ),
        epilog="example:\n  crownhead check --json",
    )
    parser.add_argument("--port", help="the serial port (else the settings')")
    parser.add_argument("--json", action="store_true", help="print a JSON list of what, state, found and mend")
    parser.set_defaults(run=run, minds_settings=True)


def run(arguments: argparse.Namespace) -> int:
    """Print what is found; 1 if anything fails."""
    import json
    import os

    from controller.check.checkup import check_up
    from controller.check.finding import State
    from hardware.clock import RealClock

    findings = []
    for finding in check_up(arguments.config, os.environ, RealClock(), arguments.port):
        findings.append(finding)
        if not arguments.json:
            print(in_words(finding), flush=True)
    failed = sum(finding.state is State.FAIL for finding in findings)
    if arguments.json:
        print(json.dumps([as_values(finding) for finding in findings], indent=1, ensure_ascii=False))
    else:
        warned = sum(finding.state is State.WARN for finding in findings)
        print(f"{failed or 'nothing'} to mend before playing, {warned or 'nothing'} to think about")
    return 1 if failed else 0


def in_words(finding: Finding) -> str:
    """A line for what was found, and one for what mends it."""
    line = f"{finding.state.value:5} {finding.what}: {finding.found}"
    return f"{line}\n      → {finding.mend}" if finding.mend else line


def as_values(finding: Finding) -> dict[str, str]:
    """A finding as JSON has it."""
    return {
        "what": finding.what,
        "state": finding.state.value,
        "found": finding.found,
        "mend": finding.mend,
    }
