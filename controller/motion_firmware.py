"""The motion firmware of the settings: which dialect, and which of its outputs works the gripper."""

from __future__ import annotations

from collections.abc import Callable

from controller.settings import Settings
from hardware.any_motion import AnyMotion
from hardware.clock import Clock
from hardware.dialect import Dialect
from hardware.errors import FirmwareError
from hardware.grbl.driver import GrblMotion
from hardware.grbl.gripper_output import GripperOutput
from hardware.marlin.driver import GRIPPER, MarlinMotion
from hardware.motion import Motion
from hardware.serial_port import BytePort


def make_motion(settings: Settings, clock: Clock, open_port: Callable[[], BytePort]) -> Motion:
    """The driver of the settings' firmware, not connected yet; "auto" finds out which it is when it connects."""
    output = settings.machine.gripper_output

    def grbl(opener: Callable[[], BytePort]) -> Motion:
        if output == "fan":
            raise FirmwareError('Grbl has no fan output: set machine.gripper_output to "coolant" or "spindle".')
        return GrblMotion(opener, clock, GripperOutput("coolant" if output == "pin" else output))

    def marlin(opener: Callable[[], BytePort]) -> Motion:
        return MarlinMotion(opener, clock, GRIPPER if output == "pin" else output)

    if settings.machine.firmware == "auto":
        return AnyMotion(open_port, clock, {Dialect.GRBL: grbl, Dialect.MARLIN: marlin})
    return grbl(open_port) if settings.machine.firmware == "grbl" else marlin(open_port)
