"""A whole run of calibrating: the steps that are wanted, accepted or done again, saved, and reported."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.calibration import save_draft
from calibration.draft import STEPS, Draft, Step
from calibration.errors import CalibrationError
from controller.calibrating.at_terminal import Corners, Verdict
from controller.calibrating.calibrator import Calibrator
from controller.calibrating.mishaps import Mishap, let_happen
from controller.calibrating.plan import CalibrationOrder, Found, Pixels
from controller.calibrating.simulated import SimulatedBench
from controller.errors import ControllerError
from hardware.clock import VirtualClock
from hardware.errors import HardwareError
from hardware.simulated.table import TableSetup
from vision.errors import VisionError

REFUSALS = (CalibrationError, ControllerError, HardwareError, VisionError)
Judge = Callable[[Step, Found], Verdict | Corners]
Tell = Callable[[str], None]
Progress = Callable[[Step, int, int], None]


@dataclass(frozen=True)
class CalibrationReport:
    """What a run has come to. rms_mm and worst_mm: as it measured itself; true_…: from the simulated table's truth.

    true_map_…: how far the tip itself goes wrong, chance apart. refused: why there is no calibration; None if there
    is one. Lengths mm, times s; None where there is nothing to say.
    """

    rms_mm: float | None
    worst_mm: float | None
    true_rms_mm: float | None
    true_worst_mm: float | None
    true_map_rms_mm: float | None
    true_map_worst_mm: float | None
    simulated_s: float | None
    refused: str | None
    steps: dict[str, dict[str, object]]


def steps_for(wanted: Step | None, simulated: bool) -> tuple[Step, ...]:
    """The steps to do: all, or the one that is wanted (a simulated table is new each time and needs those before)."""
    if wanted is None:
        return STEPS
    if simulated:
        return STEPS[: STEPS.index(wanted) + 1]
    return (wanted,) if wanted is Step.CONNECT else (Step.CONNECT, wanted)


def do_steps(
    calibrator: Calibrator,
    steps: tuple[Step, ...],
    judge: Judge,
    tell: Tell,
    save_to: Path | None = None,
    pictures: Path | None = None,
) -> bool:
    """Do these steps; each is saved once it is accepted. Returns whether all were.

    Raises what `Calibrator.run` raises.
    """
    first = True
    for step in steps:
        tell(f"[{step.value}]")
        while True:
            before = calibrator.draft
            try:
                found = calibrator.run(step)
            except REFUSALS:
                if pictures is not None and (seen := calibrator.picture_now()) is not None:
                    _keep(seen, pictures / f"{STEPS.index(step) + 1}-{step.value}-refused.png", tell)
                raise
            finally:
                if save_to is not None and calibrator.draft is not before:  # What does not hold any more.
                    save_draft(calibrator.draft, save_to, keep_previous=first)
                    first = False
            if found.picture is not None and pictures is not None:
                _keep(found.picture, pictures / f"{STEPS.index(step) + 1}-{step.value}.png", tell)
            verdict = judge(step, found)
            if isinstance(verdict, Corners):
                calibrator.point_out(verdict.px)
                verdict = Verdict.AGAIN
            if verdict is not Verdict.AGAIN:
                break
        if verdict is Verdict.LEAVE:
            return False
        calibrator.accept(step, found)
        if save_to is not None:
            save_draft(calibrator.draft, save_to, keep_previous=first)
            first = False
    return True


def _keep(picture: Pixels, path: Path, tell: Tell) -> None:
    """Write a picture for people beside the terminal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(path), picture):
        raise ControllerError(f"cannot write the picture {path}: is the disk full, or the folder not yours?")
    tell(f"  picture: {path}")


@dataclass(frozen=True, eq=False)
class SimulatedRun:
    """A simulated table that was calibrated, and the report."""

    simulated: SimulatedBench
    draft: Draft
    report: CalibrationReport


def calibrate_simulated(
    clock: VirtualClock,
    seed: int,
    order: CalibrationOrder,
    mishap: Mishap = Mishap.NONE,
    steps: tuple[Step, ...] = STEPS,
    judge: Judge = lambda step, found: Verdict.ACCEPT,
    tell: Tell = lambda line: None,
    setup: TableSetup | None = None,
    save_to: Path | None = None,
    pictures: Path | None = None,
    progress: Progress = lambda step, done, of: None,
) -> SimulatedRun:
    """Calibrate the simulated table of a seed, whose truth is hidden; what refuses ends in the report."""
    simulated = SimulatedBench(clock, seed, mishap.faults, setup)
    calibrator = Calibrator(simulated.bench, order, simulated.helper, simulated.toucher)

    def progressed(step: Step, done: int, of: int) -> None:
        let_happen(mishap, simulated, step, done)
        progress(step, done, of)

    calibrator.on_progress = progressed
    calibrator.on_landed = lambda square, attempt: simulated.note_landed(
        calibrator.draft.provisional(), square, attempt
    )
    simulated.helper.on_said = tell
    refused = None
    try:
        if not do_steps(calibrator, steps, judge, tell, save_to, pictures):
            refused = "it was left before all steps were accepted"
    except REFUSALS as error:
        refused = str(error)
    finally:
        simulated.done()
    return SimulatedRun(simulated, calibrator.draft, report_of(calibrator, refused, simulated, clock.now()))


def report_of(
    calibrator: Calibrator, refused: str | None, simulated: SimulatedBench | None = None, seconds: float | None = None
) -> CalibrationReport:
    """What a run has come to."""
    accuracy, draft = calibrator.accuracy, calibrator.draft
    true = true_map = None
    if simulated is not None:
        true = simulated.true_errors
        true_map = simulated.true_map_errors(draft.provisional()) if draft.arm is not None else None
    steps: dict[str, dict[str, object]] = {
        record.step: {"made_at": record.made_at, "found": list(record.found), **_rounded(record.figures)}
        for record in draft.milestones
    }
    return CalibrationReport(
        rms_mm=_round(accuracy.rms_mm if accuracy else None),
        worst_mm=_round(accuracy.worst.length_mm if accuracy else None),
        true_rms_mm=_round(true.rms_mm if true else None),
        true_worst_mm=_round(true.worst_mm if true else None),
        true_map_rms_mm=_round(true_map.rms_mm if true_map else None),
        true_map_worst_mm=_round(true_map.worst_mm if true_map else None),
        simulated_s=None if seconds is None else round(seconds, 1),
        refused=refused,
        steps=steps,
    )


def _round(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 3)


def _rounded(figures: dict[str, float]) -> dict[str, object]:
    return {name: round(value, 4) for name, value in figures.items()}
