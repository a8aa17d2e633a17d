"""Calibrates many simulated tables with hidden truths: `python -m tests.calibration_campaign --seeds 50`.

For each seed a line: what it measured itself, the truth, and the time on the table's clock; with `--fault` whether
the fault was named. Exits with 1 if a bound is broken.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter

from controller.calibrating.mishaps import Mishap
from controller.calibrating.plan import CalibrationOrder
from controller.calibrating.run import CalibrationReport, calibrate_simulated
from hardware.clock import VirtualClock

RMS_MM, WORST_MM, LONGEST_S = 0.8, 1.5, 480.0
NAMED = {
    Mishap.MIRROR: ("axis is mirrored", "$3="),
    Mishap.SWAP: ("axes are swapped",),
    Mishap.SCALE: ("scale is off", "$10"),
    Mishap.SHEET: ("measure the bar",),
    Mishap.TWO_DISCS: ("another disc is on the board",),
    Mishap.LAMP: ("the light is not what it was",),
}


def calibrated(seed: int, mishap: Mishap) -> CalibrationReport:
    """The report of one seed."""
    order = CalibrationOrder(square_mm=40.0, sheet=True, seed=seed)
    return calibrate_simulated(VirtualClock(), seed, order, mishap).report


def broken(report: CalibrationReport, mishap: Mishap) -> str | None:
    """What is not as it should be; None if all is well."""
    if mishap in NAMED:
        if report.refused is None:
            return "not refused"
        return None if all(word in report.refused for word in NAMED[mishap]) else "not named"
    if report.refused is not None:
        return "refused"
    if report.true_rms_mm is None or report.true_worst_mm is None or report.simulated_s is None:
        return "no figures"
    good = report.true_rms_mm <= RMS_MM and report.true_worst_mm <= WORST_MM and report.simulated_s <= LONGEST_S
    return None if good else "out of bounds"


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=50, help="how many tables (default: 50)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--fault", choices=[one.value for one in Mishap], default="none")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the figures as JSON")
    arguments = parser.parse_args()
    mishap = Mishap(arguments.fault)
    rows, bad = [], 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        began = perf_counter()
        report = calibrated(seed, mishap)
        wrong = broken(report, mishap)
        bad += wrong is not None
        figures = (report.rms_mm, report.worst_mm, report.true_rms_mm, report.true_worst_mm, report.simulated_s)
        print(
            f"{seed:4}", *(f"{value:7.2f}" if value is not None else "      -" for value in figures),
            f"{perf_counter() - began:6.0f} s", wrong or "", report.refused or "", flush=True,
        )  # fmt: skip
        rows.append({"seed": seed, "wrong": wrong, **{k: v for k, v in vars(report).items() if k != "steps"}})
    print(f"{len(rows) - bad} of {len(rows)} as they should be")
    if arguments.report is not None:
        arguments.report.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
