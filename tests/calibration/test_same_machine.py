"""A calibration from another machine is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from calibration.same_machine import check_same_machine
from calibration.values import HardwareRecord
from hardware.clock import VirtualClock
from hardware.grbl.settings import settings_from
from hardware.simulated.firmware_settings import DEFAULTS
from hardware.simulated.geometry import TableGeometry

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
MACHINE = settings_from(DEFAULTS).limits()


def test_the_same_machine_is_the_same() -> None:
    check_same_machine(replace(CALIBRATION, hardware=HardwareRecord(steps_per_mm=(75.0, 75.0, 250.0))), MACHINE)


def test_a_calibration_that_does_not_say_is_believed() -> None:
    check_same_machine(CALIBRATION, MACHINE)


def test_other_steps_are_another_machine() -> None:
    made = replace(CALIBRATION, hardware=HardwareRecord(steps_per_mm=(75.0, 80.0, 250.0)))
    with pytest.raises(CalibrationError, match=r"y had 80 steps per mm and has 75 now \(\$101\)"):
        check_same_machine(made, MACHINE)


def test_a_motor_that_was_turned_round_is_another_machine() -> None:
    made = replace(CALIBRATION, hardware=HardwareRecord(direction_mask=1, homing_mask=MACHINE.homing_direction_mask))
    with pytest.raises(CalibrationError, match=r"\$3 was 1 and is 0 now"):
        check_same_machine(made, MACHINE)
