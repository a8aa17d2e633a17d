"""`crownhead calibrate`: camera and arm, without a ruler."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.calibrating_progress import carrying_shown
from controller.cli.command_parser import CommandParser
from hardware.simulated.names import STYLES as STYLES_OF_TABLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibration.draft import Step
    from controller.calibrating.at_terminal import Corners, TerminalHelper, Verdict
    from controller.calibrating.plan import CalibrationOrder, Found
    from controller.settings import Settings

STEPS = ("connect", "camera", "board", "discs", "arm", "heights", "accuracy")
OTHERS = ("sheet", "status")
FAULTS = ("none", "mirror", "swap", "scale", "sheet", "two-discs", "slip", "hand", "lamp")
SIDES = ("top", "bottom", "left", "right")
PAPERS = ("a4", "letter")

DESCRIPTION = """\
Finds out where the camera is and how its lens draws, where the board is, how large the discs are, and how the arm
moves, and proves it: a disc is put on all 32 squares, and the camera sees how far off it lies. About eight minutes.
Each step shows what it has found and can be repeated alone:

  connect    controller board and camera answer
  camera     exposure, lens, and whether kings can be told by their height
  board      where the board lies, which way round, and where the trays are
  discs      their diameter and colours
  arm        the map between board and machine, and the backlash
  heights    the plane of the board, and the trays
  accuracy   the proof: the error on each square

  sheet      writes the pattern to print (PDF, at true size)
  status     says which steps are done, and which have to be done again
"""


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "calibrate",
        help="calibrate camera and arm, without a ruler",
        description=DESCRIPTION,
        epilog=(
            "examples:\n  crownhead calibrate sheet --output sheet.pdf\n  crownhead calibrate --square-mm 40\n"
            "  crownhead calibrate --simulate --seed 3 --yes --report report.json"
        ),
    )
    parser.add_argument("step", nargs="?", choices=(*STEPS, *OTHERS), metavar="STEP", help="only this step")
    parser.add_argument("--yes", action="store_true", help="accept what each step finds")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write what was found as JSON")
    parser.add_argument("--square-mm", type=_length, metavar="MM", help="the size of the board's squares")
    parser.add_argument(
        "--sheet", action=argparse.BooleanOptionalAction, default=None, help="whether the printed sheet is at hand"
    )
    parser.add_argument("--disc-mm", type=_length, default=30.0, metavar="MM", help="about how large discs are (30)")
    parser.add_argument(
        "--human-side", choices=SIDES, default="top", help="where in the picture the human sits (default: top)"
    )
    parser.add_argument(
        "--corners",
        type=_corner,
        nargs=4,
        metavar="X,Y",
        help="the board's corners in the picture, if it is not found",
    )
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="write a picture of each step into a folder")
    parser.add_argument("--output", type=Path, metavar="FILE", help="the calibration, or the sheet, goes there")
    parser.add_argument("--paper", choices=PAPERS, default="a4", help="the sheet's paper (default: a4)")
    simulated = parser.add_argument_group("the simulated table")
    simulated.add_argument(
        "--simulate", action="store_true", help="calibrate a simulated table whose truth is hidden"
    )
    simulated.add_argument("--seed", type=_seed, default=1, metavar="N", help="which table (default: 1)")
    simulated.add_argument("--fault", choices=FAULTS, default="none", help="what is wrong with it, or goes wrong")
    simulated.add_argument(
        "--style", choices=STYLES_OF_TABLES, default=STYLES_OF_TABLES[0], metavar="NAME", help="how it looks"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Do what is wanted."""
    if arguments.step == "sheet":
        return _write_sheet(arguments)
    if arguments.step == "status":
        return _status(arguments)
    return _simulated(arguments) if arguments.simulate else _real(arguments)


def _write_sheet(arguments: argparse.Namespace) -> int:
    from calibration.sheet import BAR_MM, sheet_pdf

    path = arguments.output or Path("crownhead-sheet.pdf")
    path.write_bytes(sheet_pdf(arguments.paper))
    print(f'wrote {path}: print it at 100 % ("actual size"); its bar is then {BAR_MM:.0f} mm long')
    return 0


def _status(arguments: argparse.Namespace) -> int:
    import os

    from calibration.draft import STEPS as ALL
    from calibration.draft import read_draft_file
    from controller.settings_file import load_settings

    path = arguments.output or load_settings(arguments.config, os.environ).files.calibration_path(os.environ)
    draft = read_draft_file(path)
    stale = draft.stale()
    print(f"{path}, by {draft.made_by}")
    for step in ALL:
        record = draft.record_of(step)
        if record is None:
            print(f"  {step.value:9} {'given' if not draft.milestones else 'to be done'}")
            continue
        again = f"  to be done again: {stale[step]}" if step in stale else ""
        print(f"  {step.value:9} {record.made_at[:19].replace('T', ' ')}{again}")
        for word in record.found:
            print(f"            {word}")
    return 0


def _order(arguments: argparse.Namespace, settings: Settings, sheet: bool) -> CalibrationOrder:
    from calibration.camera_pose import HumanSide
    from controller.calibrating.plan import CalibrationOrder
    from vision.disc_size import DiscSize

    return CalibrationOrder(
        square_mm=arguments.square_mm,
        human=HumanSide[arguments.human_side.upper()],
        corners=None if arguments.corners is None else tuple(arguments.corners),
        sheet=sheet if arguments.sheet is None else arguments.sheet,
        disc=DiscSize(arguments.disc_mm, 8.0),
        lifts_stack=settings.handling.lifts_stack,
        seed=arguments.seed,
    )


def _judge(person: TerminalHelper, accepts_all: bool) -> Callable[[Step, Found], Verdict | Corners]:
    """Who says whether a step is accepted: the person, or nobody."""
    from calibration.draft import Step
    from controller.calibrating.at_terminal import Verdict

    def judge(step: Step, found: Found) -> Verdict | Corners:
        if not accepts_all:
            return person.judge(found.words, takes_corners=step in (Step.CAMERA, Step.BOARD))
        for word in found.words:
            person.say(word)
        return Verdict.ACCEPT

    return judge


def _simulated(arguments: argparse.Namespace) -> int:
    import sys

    from calibration.draft import Step
    from controller.calibrating.at_terminal import TerminalHelper
    from controller.calibrating.mishaps import Mishap
    from controller.calibrating.run import calibrate_simulated, steps_for
    from controller.settings import Settings
    from hardware.clock import VirtualClock
    from hardware.simulated.table import TableSetup

    words = sys.stdout if arguments.report is None else sys.stderr
    person = TerminalHelper(words)
    wanted = None if arguments.step is None else Step(arguments.step)
    with carrying_shown() as progress:
        done = calibrate_simulated(
            VirtualClock(),
            arguments.seed,
            _order(arguments, Settings(), sheet=True),
            Mishap(arguments.fault),
            steps_for(wanted, simulated=True),
            _judge(person, arguments.yes),
            lambda line: print(line, file=words, flush=True),
            TableSetup(seed=arguments.seed, style=arguments.style),
            arguments.output,
            arguments.pictures or _beside(arguments.output or arguments.report),
            progress,
        )
    report = done.report
    _write_report(arguments.report, report)
    if report.refused is not None:
        print(f"crownhead: {report.refused}", file=sys.stderr)
        return 1
    if report.true_rms_mm is not None:
        print(f"in truth RMS {report.true_rms_mm:.2f} mm, worst {report.true_worst_mm:.2f} mm", file=words)
    print(f"{report.simulated_s or 0:.0f} s on the table's clock", file=words)
    return 0


def _real(arguments: argparse.Namespace) -> int:
    import os
    import sys
    from dataclasses import replace
    from functools import partial

    from calibration.draft import Draft, Step, read_draft_file
    from controller.calibrating.at_terminal import TerminalHelper
    from controller.calibrating.calibrator import Calibrator
    from controller.calibrating.run import REFUSALS, do_steps, report_of, steps_for
    from controller.calibrating.touching import GuidedToucher
    from controller.settings_file import load_settings
    from controller.table import open_workbench
    from hardware.clock import RealClock

    settings = load_settings(arguments.config, os.environ)
    path = arguments.output or settings.files.calibration_path(os.environ)
    wanted = None if arguments.step is None else Step(arguments.step)
    words = sys.stdout if arguments.report is None else sys.stderr
    person = TerminalHelper(words)
    before = read_draft_file(path) if wanted is not None and path.exists() else None
    order = _order(arguments, settings, sheet=False)
    known = before is not None and before.square_mm is not None
    if order.square_mm is None and not order.sheet and (wanted in (None, Step.CAMERA) or not known):
        order = replace(order, square_mm=person.square_mm())
    pictures = arguments.pictures or _beside(path)
    judge = _judge(person, arguments.yes)
    bench = open_workbench(settings, RealClock())
    try:
        draft: Draft | None = before
        calibrator = Calibrator(bench, order, person, GuidedToucher(bench.gantry, person, bench.watch.rested), draft)
        refused: str | None = None
        try:
            steps = steps_for(wanted, simulated=False)
            with carrying_shown() as calibrator.on_progress:
                tell = partial(print, file=words, flush=True)
                if not do_steps(calibrator, steps, judge, tell, path, pictures):
                    refused = "it was left before all steps were accepted"
        except REFUSALS as error:
            refused = str(error)
        _write_report(arguments.report, report_of(calibrator, refused))
        if refused is not None:
            print(f"crownhead: {refused}", file=sys.stderr)
            return 1
        print(f"wrote {path}", file=words)
    finally:
        bench.close()
    return 0


def _beside(path: Path | None) -> Path | None:
    """Where the pictures go that belong to a file."""
    return None if path is None else path.parent / "calibration-pictures"


def _write_report(path: Path | None, report: object) -> None:
    import msgspec

    from controller.cli.replaced_file import replaced_file

    if path is not None:
        with replaced_file(path) as write:
            write(msgspec.json.format(msgspec.json.encode(report), indent=1).decode() + "\n")


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) >= 2**31:
        raise argparse.ArgumentTypeError(f"the seed must be a whole number from 0 to {2**31 - 1}, not {text!r}")
    return int(text)


def _length(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 5 <= value <= 150:
        raise argparse.ArgumentTypeError(f"give mm from 5 to 150, not {text!r}")
    return value


def _corner(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a corner is x,y in pixels, not {text!r}") from None
    return x, y
