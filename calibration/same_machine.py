"""Whether a calibration was made with the machine that is there now."""

from __future__ import annotations

from calibration.errors import CalibrationError
from calibration.values import Calibration, HardwareRecord
from hardware.motion import MachineLimits

SAME_STEPS = 1e-3
"""Steps per mm may differ by this part: firmwares print them rounded."""


def check_same_machine(calibration: Calibration, machine: MachineLimits) -> None:
    """Raise CalibrationError if the machine is not set as it was when it was calibrated.

    A calibration that does not say what it was made with is taken for this machine's.
    """
    changes = machine_changes(calibration.hardware, machine)
    if changes:
        raise CalibrationError(
            "the calibration was made with another machine, or its settings have been changed: "
            f"{', '.join(changes)}; set that back, or calibrate the arm again"
        )


def machine_changes(then: HardwareRecord, machine: MachineLimits) -> list[str]:
    """In which settings that matter the machine differs from the one that was calibrated, each in words."""
    names = machine.names
    changes = [
        f"{axis} had {before:g} steps per mm and has {now:g} now ({name})"
        for axis, before, now, name in zip("xyz", then.steps_per_mm, machine.steps_per_mm, names.steps, strict=True)
        if before and now and abs(now / before - 1) > SAME_STEPS
    ]
    masks = (
        (names.direction, then.direction_mask, machine.direction_mask),
        (names.homing_direction, then.homing_mask, machine.homing_direction_mask),
    )
    changes += [
        f"{name} was {before} and is {now} now"
        for name, before, now in masks
        if before is not None and now is not None and before != now
    ]
    return changes
