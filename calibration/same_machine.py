"""Whether a calibration was made with the machine that is there now."""

from __future__ import annotations

from calibration.errors import CalibrationError
from calibration.values import Calibration
from hardware.motion import MachineLimits

SAME_STEPS = 1e-3
"""Steps per mm may differ by this part: firmwares print them rounded."""


def check_same_machine(calibration: Calibration, machine: MachineLimits) -> None:
    """Raise CalibrationError if the machine's steps per mm are not those that it had when it was calibrated.

    A calibration that does not say what it was made with is taken for this machine's.
    """
    for axis, then, now, name in zip(
        "xyz", calibration.hardware.steps_per_mm, machine.steps_per_mm, machine.names.steps, strict=True
    ):
        if then and now and abs(now / then - 1) > SAME_STEPS:
            raise CalibrationError(
                f"the calibration was made with another machine, or its settings have been changed: {axis} had "
                f"{then:g} steps per mm and has {now:g} now ({name}); set that back, or calibrate the arm again"
            )
