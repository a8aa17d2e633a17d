"""The console script `crownhead`.

It imports next to nothing until it is ready for Ctrl-C, which may come while the rest is being read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

COULD_NOT, INTERRUPTED = 1, 130
"""Exit statuses; 130 is the shell's own for a command that Ctrl-C ended."""

NO_MEMORY = "there is not enough memory: end other programs, or allow this one more (ulimit)"


def run() -> None:
    """Run the command line and leave with its exit status."""
    try:
        from controller.ending_signals import raise_at_ending_signals

        raise_at_ending_signals()
        _prepare_streams()
        status = main(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        from controller.ending_signals import exit_status

        print("crownhead: stopped", file=sys.stderr)
        status = exit_status(interrupt)
    except MemoryError:
        print(f"crownhead: {NO_MEMORY}", file=sys.stderr)
        status = COULD_NOT
    sys.exit(status)


def main(argv: Sequence[str]) -> int:
    """Run one command (without the program's name) and return its exit status; see `command_line.main`."""
    from controller.cli.command_line import main as run_command

    return run_command(argv)


def _prepare_streams() -> None:
    """Make sure that stdout and stderr can take whatever is printed."""
    from controller.warning_sentences import say_warnings_as

    # Started with one of them closed (`>&-`): what is printed there goes nowhere.
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # A character that the terminal's encoding lacks is no fault.
            stream.reconfigure(errors="replace")
    say_warnings_as("crownhead")


def _nowhere() -> TextIOWrapper:
    return TextIOWrapper(os.fdopen(os.open(os.devnull, os.O_WRONLY), "wb"), encoding="utf-8")


if __name__ == "__main__":
    run()
