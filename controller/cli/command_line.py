"""The command line of `crownhead`: its subcommands, and how errors become one sentence and an exit status."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import traceback
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from calibration.errors import CalibrationError
from controller.cli import (
    analyse,
    arm,
    bestmove,
    calibrate,
    check,
    config,
    demo,
    engine,
    games,
    look,
    match,
    new_game,
    perft,
    play,
    serve,
    status,
    table,
    tables,
    watch,
)
from controller.cli.command_parser import CommandParser, VersionAction
from controller.cli.main import NO_MEMORY
from controller.draughts.errors import DraughtsError
from controller.ending_signals import exit_status
from controller.errors import ControllerError
from controller.settings import state_directory
from controller.settings_file import load_settings
from hardware.errors import HardwareError, PortInUseError
from vision.errors import VisionError

DONE, COULD_NOT, WRONG_USAGE = 0, 1, 2
_NO_THREAD = "can't start new thread"
"""What Python says where the system has no memory, or no number, left for a thread."""

ERRORS_FOR_PEOPLE = (ControllerError, DraughtsError, CalibrationError, HardwareError, VisionError)

# A subcommand's module imports nothing heavy at its top: every start of the program reads them all. Each has
# `add_parser(subparsers)`, which sets `run`, a function from the arguments to an exit status.
SUBCOMMANDS = (
    demo,
    play,
    serve,
    status,
    new_game,
    games,
    table,
    look,
    watch,
    calibrate,
    check,
    arm,
    config,
    bestmove,
    analyse,
    match,
    engine,
    tables,
    perft,
)

EXAMPLES = """examples:
  crownhead demo                watch a whole game on the simulated table
  crownhead look board.jpg      read a photograph of a board
  crownhead watch frames/       follow a game in pictures
  crownhead config init         write a settings file to edit
  crownhead perft 6             check the rules against the published counts
"""


def main(argv: Sequence[str]) -> int:
    """Run one command (without the program's name) and return its exit status.

    No exception leaves: what is meant for people is printed to stderr as `crownhead: <sentence>`.
    """
    try:
        arguments = command_line().parse_args(argv)
    except SystemExit as leaving:  # argparse has printed the help, or what is wrong.
        return _flushed(leaving.code if isinstance(leaving.code, int) else WRONG_USAGE)
    debug = arguments.debug or os.environ.get("CROWNHEAD_DEBUG") == "1"
    # What the parts note on the way is for whoever looks for a fault; a user gets one sentence.
    logging.basicConfig(level=logging.DEBUG if debug else logging.CRITICAL, format="%(name)s: %(message)s")
    return _flushed(_guarded(arguments, debug))


def command_line() -> CommandParser:
    """The parser of the whole command line."""
    parser = CommandParser(
        prog="crownhead",
        description="Plays English draughts on a real wooden board, with a camera and a gantry.",
        epilog=EXAMPLES,
    )
    parser.set_defaults(config=None, debug=False, minds_settings=False)
    parser.add_argument("--version", action=VersionAction, help="print the version and leave")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for subcommand in SUBCOMMANDS:
        subcommand.add_parser(subparsers)
    return parser


def _guarded(arguments: Namespace, debug: bool) -> int:
    """Run the chosen subcommand; an exception becomes its sentence and exit status."""
    try:
        named = arguments.config is not None or os.environ.get("CROWNHEAD_CONFIG")
        if named and not arguments.minds_settings:  # What was named is to be right.
            load_settings(arguments.config, os.environ)
        status: int = arguments.run(arguments)
    except KeyboardInterrupt as interrupt:
        _say("stopped")
        return exit_status(interrupt)
    except BrokenPipeError:
        _discard_output()
        return COULD_NOT
    except PortInUseError as error:
        _say(_who_has_the_port(error, arguments, os.environ), debug)
        return COULD_NOT
    except ERRORS_FOR_PEOPLE as error:
        _say(str(error), debug)
        return COULD_NOT
    except OSError as error:
        _say(_system_sentence(error), debug)
        return COULD_NOT
    except MemoryError:
        _say(NO_MEMORY, debug)
        return COULD_NOT
    except Exception as error:
        if isinstance(error, RuntimeError) and str(error).startswith(_NO_THREAD):
            _say(NO_MEMORY, debug)
            return COULD_NOT
        where = _keep_traceback(error, os.environ)
        _say(
            f"this is a fault of the program, please report it with {where} ({type(error).__name__}: {error})", debug
        )
        return COULD_NOT
    return status


def _who_has_the_port(error: PortInUseError, arguments: Namespace, environment: Mapping[str, str]) -> str:
    """One sentence about who has the port; our own service is to be stopped by its own name."""
    from controller.service.client import in_use_by_service

    sentence = None
    with suppress(*ERRORS_FOR_PEOPLE):
        port = getattr(arguments, "port", None) or load_settings(arguments.config, environment).machine.port
        sentence = in_use_by_service(port, environment)
    return sentence or str(error)


def _flushed(status: int) -> int:
    """Write what is still buffered for stdout while a failure can be told; at exit Python would show a traceback."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard_output()
        if status == DONE and not isinstance(error, BrokenPipeError):
            _say(_system_sentence(error))
        return status or COULD_NOT
    return status


def _say(sentence: str, debug: bool = False) -> None:
    if debug:
        traceback.print_exc()
    print(f"crownhead: {sentence}", file=sys.stderr)


def _system_sentence(error: OSError) -> str:
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    return f"{error.filename}: {reason}" if error.filename else f"cannot go on: {reason}"


def _discard_output() -> None:
    """Send what is still buffered for a reader that has gone (`| head`) or a full disk nowhere."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _keep_traceback(error: Exception, environment: Mapping[str, str]) -> str:
    """Write the traceback to a file of its own, in the state directory or else the temporary one; say where."""
    text = "".join(traceback.format_exception(error))
    for folder in (state_directory(environment), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=folder, prefix="fault-", suffix=".txt", encoding="utf-8", errors="replace", delete=False
            ) as stream:
                stream.write(text)
        except OSError:
            continue
        return stream.name
    return "the output of --debug (there is no room for a file)"
