"""Grbl's own coordinates → machine coordinates from -travel to 0, wherever the firmware counts from.

Grbl counts from -travel to 0 already. FluidNC (`mpos_mm`) and Grbl built with HOMING_FORCE_SET_ORIGIN may count from
0 to travel; where the machine stands after homing tells which. Source: Grbl 1.1 and FluidNC documentation on homing.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.grbl.settings import GrblSettings
from hardware.motion import MachinePoint

_TOLERANCE_MM = 0.5


@dataclass(frozen=True)
class FirmwareFrame:
    """`top` is what the firmware calls the upper end of each axis, mm."""

    top: MachinePoint = (0.0, 0.0, 0.0)

    def to_machine(self, firmware: MachinePoint) -> MachinePoint:
        """Machine coordinates of the firmware's."""
        x, y, z = (value - top for value, top in zip(firmware, self.top, strict=True))
        return x, y, z

    def to_firmware(self, axis: int, machine: float) -> float:
        """The firmware's coordinate of a machine coordinate on one axis (0 to 2)."""
        return machine + self.top[axis]


def frame_after_homing(at: MachinePoint, settings: GrblSettings) -> FirmwareFrame:
    """The frame in which a machine that has just homed stands at `at` (the firmware's coordinates)."""
    tops = []
    for axis, (value, travel) in enumerate(zip(at, settings.travel_mm, strict=True)):
        towards_lower_end = bool(settings.homing_direction >> axis & 1)
        positive = value >= -_TOLERANCE_MM if towards_lower_end else value > _TOLERANCE_MM
        tops.append(travel if positive else 0.0)
    return FirmwareFrame((tops[0], tops[1], tops[2]))


def home_corner(settings: GrblSettings) -> MachinePoint:
    """The corner of the travel where the switches are, by `$23`, machine mm."""
    x, y, z = (
        -travel if settings.homing_direction >> axis & 1 else 0.0 for axis, travel in enumerate(settings.travel_mm)
    )
    return x, y, z
