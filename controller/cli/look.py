"""`crownhead look`: reads photographs of boards of which nothing is known but the picture."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.overlay_file import write_overlay

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.calibration import Calibration
    from vision.finder import FoundBoard
    from vision.unprepared import BoardReading

_ENOUGH_PX = 1600
"""Pictures are read no smaller than this, on the longer side."""
_ENOUGH_SQUARE_PX = 64
"""A square this wide shows all that can be read."""
_NAMES = {
    "d": ("dark man", "dark men"),
    "D": ("dark king", "dark kings"),
    "l": ("light man", "light men"),
    "L": ("light king", "light kings"),
    "?": ("square in doubt", "squares in doubt"),
}


@dataclass(frozen=True, eq=False)
class _Looked:
    """What came of one picture: a board and what stands on it, or the sentence that says why not."""

    file: str
    seconds: float
    board: FoundBoard | None = None
    reading: BoardReading | None = None
    reason: str = ""


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "look",
        help="read photographs of boards",
        description="Find the board in each picture and say what stands on it, row by row from the top left as seen: "
        "d and l for dark and light men, D and L for kings, ? where the picture does not tell.",
        epilog="examples:\n  crownhead look photo.jpg --overlay seen/\n"
        "  crownhead look photo.jpg --corners 210,95 830,102 990,640 60,655",
    )
    parser.add_argument("images", nargs="+", type=Path, metavar="IMAGE", help="a picture of a board")
    parser.add_argument("--json", action="store_true", help="print one JSON object a picture")
    parser.add_argument(
        "--overlay", type=Path, metavar="DIR", help="write pictures of what was seen into this folder"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--calibration", type=Path, metavar="FILE", help="take the camera's pose and the discs' size from this file"
    )
    place.add_argument(
        "--corners",
        nargs=4,
        type=_corner,
        metavar="X,Y",
        help="the outer corners of the 8 by 8 squares in pixels: top left, top right, bottom right, bottom left",
    )
    parser.set_defaults(run=run)


def _corner(text: str) -> tuple[float, float]:
    """A corner given as x,y in pixels."""
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise argparse.ArgumentTypeError(f"a corner is two numbers x,y in pixels, such as 210,95, not {text!r}")
    return x, y


def run(arguments: argparse.Namespace) -> int:
    """Read each picture; return 0 if a board was found in all, else 1.

    Raises CalibrationError if the calibration cannot be used, ControllerError if overlays cannot be written.
    """
    from calibration.calibration import load_calibration

    calibration = None if arguments.calibration is None else load_calibration(arguments.calibration)
    failed = False
    for image, overlay in zip(arguments.images, _overlay_paths(arguments.overlay, arguments.images), strict=True):
        looked = _look(image, calibration, arguments.corners, overlay)
        failed = failed or looked.reading is None
        if looked.reason:
            print(f"crownhead: {looked.reason}", file=sys.stderr)
        if arguments.json:
            print(json.dumps(_as_json(looked)), flush=True)
        elif looked.reading is not None:
            print(_as_text(looked, looked.reading), flush=True)
    return 1 if failed else 0


def _look(
    image: Path, calibration: Calibration | None, corners: Sequence[tuple[float, float]] | None, overlay: Path | None
) -> _Looked:
    from controller.draughts.position import MOST_PIECES
    from vision.errors import NotAnImageError, VisionError
    from vision.finder import board_of_camera
    from vision.foreign_set import refuse_chess
    from vision.image_files import read_image
    from vision.unprepared import read_board

    start = time.perf_counter()
    try:
        if calibration is None:
            pixels, board, reduction = _board_in(image, corners)
            reading = read_board(pixels, board, most=MOST_PIECES)
            board = board.enlarged(reduction)
        else:
            pixels = read_image(image)
            board = board_of_camera(pixels, calibration.camera, calibration.square_mm)
            reading = read_board(pixels, board, calibration.disc, calibration.square_mm, MOST_PIECES)
        refuse_chess(reading.rows)
    except VisionError as error:
        # A file's errors name it.
        reason = str(error) if isinstance(error, NotAnImageError) else f"{image}: {error}"
        return _Looked(str(image), time.perf_counter() - start, reason=reason)
    seconds = time.perf_counter() - start
    if overlay is not None:
        _draw_overlay(overlay, reading)
    return _Looked(str(image), seconds, board, reading)


def _board_in(
    image: Path, corners: Sequence[tuple[float, float]] | None
) -> tuple[NDArray[np.uint8], FoundBoard, int]:
    """The picture, the board in it, and by how much it was reduced: a large one no more than its squares allow."""
    import numpy as np

    from vision.finder import board_from_corners, find_board
    from vision.image_files import read_image, read_reduced_image

    reduced = read_reduced_image(image, _ENOUGH_PX)
    if corners is None:
        board = find_board(reduced.pixels)
    else:
        board = board_from_corners(reduced.pixels, (np.array(corners) + 0.5) / reduced.reduction - 0.5)
    sides = np.hypot(*(board.corners - np.roll(board.corners, 1, axis=0)).T)
    if reduced.reduction == 1 or sides.max() >= 8 * _ENOUGH_SQUARE_PX:
        return reduced.pixels, board, reduced.reduction
    return read_image(image), board.enlarged(reduced.reduction), 1


def _overlay_paths(folder: Path | None, images: Sequence[Path]) -> list[Path | None]:
    """Where the picture of what was seen in each image goes: a name of its own, and never that of an image."""
    paths: list[Path | None] = []
    for image in images:
        number, path = 1, None if folder is None else folder / f"{image.stem}-seen.png"
        while folder is not None and path is not None and (path in paths or path in images):
            number += 1
            path = folder / f"{image.stem}-seen-{number}.png"
        paths.append(path)
    return paths


def _draw_overlay(path: Path, reading: BoardReading) -> None:
    from vision.seen_overlay import draw_seen

    write_overlay(path, draw_seen(reading.picture, reading.view, reading.reading))


def _as_json(looked: _Looked) -> dict[str, object]:
    found = looked.board is not None and looked.reading is not None
    line: dict[str, object] = {"file": looked.file, "found": found}
    if looked.board is not None and looked.reading is not None:
        line["corners"] = [[round(float(x), 2), round(float(y), 2)] for x, y in looked.board.corners]
        line["rows"] = looked.reading.rows
    line["seconds"] = round(looked.seconds, 3)
    if looked.reason:
        line["reason"] = looked.reason
    return line


def _as_text(looked: _Looked, reading: BoardReading) -> str:
    letters = "".join(reading.rows)
    counts = [
        f"{letters.count(letter)} {names[letters.count(letter) != 1]}"
        for letter, names in _NAMES.items()
        if letter in letters
    ]
    board = "\n".join("  " + " ".join(row) for row in reading.rows)
    return f"{looked.file}: {', '.join(counts) or 'an empty board'} ({looked.seconds:.1f} s)\n{board}"
