"""`crownhead watch`: follows a game in pictures, and says what happens on the board."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.overlay_file import write_overlay
from controller.errors import ControllerError

if TYPE_CHECKING:
    from calibration.calibration import Calibration
    from controller.draughts import Position
    from controller.picture_files import Shot
    from controller.verdict import Verdict
    from controller.watching import Watched, Watcher

MOST_AGREEING = 100


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "watch",
        help="follow a game in pictures",
        description="Follow the pictures of a game in order and say what happens: move, unfinished, illegal, "
        "unclear, hand, unchanged or moved_camera. The first picture has to show the position that --fen names, the "
        "start of a game unless said. A verdict is printed when it is another than the one before, a move always; "
        "after a move the position has changed, and what follows is judged from there.",
        epilog="examples:\n  crownhead watch frames/\n  crownhead watch game.mp4"
        "\n  crownhead watch --json --fen B:W18,24:B1,9 shot1.jpg shot2.jpg",
    )
    parser.add_argument(
        "pictures", nargs="+", metavar="FRAME", help="pictures in order, a folder of them, a video, or a camera"
    )
    parser.add_argument("--fen", metavar="FEN", help="what the first picture shows (otherwise: the start of a game)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a verdict")
    parser.add_argument(
        "--agree",
        type=_agreeing,
        metavar="N",
        help="believe what N pictures one after the other show (pictures in files: 1; videos and cameras: 2)",
    )
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="take the board's place and the discs' size from this file"
    )
    parser.add_argument(
        "--overlay", type=Path, metavar="DIR", help="write pictures of what was seen into this folder"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Watch to the end of the pictures; return 0, or 1 if one of them could not be read.

    Raises WrongStartError if the first does not show the position, VisionError if it shows no board, DraughtsError
    for a wrong FEN, CalibrationError, CameraError, ControllerError if pictures or overlays cannot be had.
    """
    from calibration.calibration import load_calibration
    from controller.draughts import Position, read_fen
    from controller.picture_files import SourceName, shots, source_of

    position = Position.start() if arguments.fen is None else read_fen(arguments.fen)
    calibration = None if arguments.calibration is None else load_calibration(arguments.calibration)
    believed_at_once = source_of(arguments.pictures) is SourceName.FILES
    agree = arguments.agree or (1 if believed_at_once else 2)
    watcher: Watcher | None = None
    printed: Verdict | None = None
    failed = False
    for shot in shots(arguments.pictures):
        if shot.pixels is None:
            if watcher is None:
                raise ControllerError(shot.trouble)
            print(f"crownhead: {shot.trouble}", file=sys.stderr)
            failed = True
            continue
        if watcher is None:
            watcher = _first_look(shot, position, agree, calibration)
            watched = watcher.first
        else:
            watched = watcher.watch(shot.pixels)
        printed = _say(shot.number, watched, printed, arguments.json)
        if arguments.overlay is not None:
            _draw_overlay(arguments.overlay / f"frame-{shot.number:05d}-seen.png", watched)
    return 1 if failed else 0


def _agreeing(text: str) -> int:
    """How many pictures have to agree, as an argument."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_AGREEING:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_AGREEING}")
    return int(text)


def _first_look(shot: Shot, position: Position, agree: int, calibration: Calibration | None) -> Watcher:
    from controller.watching import Watcher, WrongStartError
    from vision.errors import VisionError
    from vision.finder import board_of_camera

    assert shot.pixels is not None
    try:
        if calibration is None:
            return Watcher(shot.pixels, position, agree)
        board = board_of_camera(shot.pixels, calibration.camera, calibration.square_mm)
        return Watcher(shot.pixels, position, agree, board, calibration.disc, calibration.square_mm)
    except VisionError as error:
        raise type(error)(f"{shot.name}: {error}") from error
    except WrongStartError as error:
        raise WrongStartError(f"{shot.name}: {error}") from error


def _say(number: int, watched: Watched, printed: Verdict | None, as_json: bool) -> Verdict | None:
    """Print what is new; returns the verdict printed last."""
    from controller.draughts import write_fen
    from controller.verdict import VerdictKind

    for step in watched.steps:
        verdict, fen = step.verdict, write_fen(step.position)
        if verdict.kind is not VerdictKind.MOVE and printed is not None and verdict.agrees_with(printed):
            continue
        printed = verdict
        if as_json:
            print(json.dumps(_as_json(number, verdict, fen)), flush=True)
        else:
            print(_as_text(number, verdict, fen), flush=True)
    return printed


def _as_json(number: int, verdict: Verdict, fen: str) -> dict[str, object]:
    from controller.verdict import VerdictKind

    line: dict[str, object] = {"frame": number, "verdict": verdict.kind.value}
    if verdict.move is not None:
        line["move"] = str(verdict.move)
    line["fen"] = fen
    line["confidence"] = round(verdict.confidence, 4)
    if verdict.kind not in (VerdictKind.MOVE, VerdictKind.UNCHANGED, VerdictKind.HAND):
        line["reason"] = verdict.sentence
    if verdict.squares:
        line["squares"] = list(verdict.squares)
    return line


def _as_text(number: int, verdict: Verdict, fen: str) -> str:
    from controller.verdict import VerdictKind

    if verdict.kind is VerdictKind.MOVE:
        missing = ", the crown is still to come" if verdict.crown_missing else ""
        return f"{number}: move {verdict.move}{missing} ({fen})"
    return f"{number}: {verdict.kind.value.replace('_', ' ')}: {verdict.sentence}"


def _draw_overlay(path: Path, watched: Watched) -> None:
    from vision.seen_overlay import draw_seen

    numbers = [str(number) for number in range(1, len(watched.reading.contents) + 1)]
    write_overlay(path, draw_seen(watched.picture, watched.pose.view, watched.reading, numbers))
