"""What Marlin says of itself: M503 (steps, speeds, accelerations), M211 (travel), M115 (what it was built with)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hardware.errors import FirmwareError
from hardware.motion import MachineLimits, MachinePoint, SettingNames

_NUMBER = r":?\s*(-?\d+(?:\.\d+)?)"
_XYZ = rf"X{_NUMBER}\s+Y{_NUMBER}\s+Z{_NUMBER}"
_SETTING = re.compile(rf"(?:echo:)?;?\s*(M92|M203|M201)\s+{_XYZ}.*")
_ACCELERATION = re.compile(rf"(?:echo:)?;?\s*M204\s+(?:[A-Z]{_NUMBER}\s*)*")
_TRAVEL_ACCELERATION = re.compile(rf"\bT{_NUMBER}")
_MIN = re.compile(rf"Min:\s*{_XYZ}")
_MAX = re.compile(rf"Max:\s*{_XYZ}")
_NAMES = SettingNames(
    travel=("X_MIN_POS to X_MAX_POS", "Y_MIN_POS to Y_MAX_POS", "Z_MIN_POS to Z_MAX_POS"),
    speed=("M203 X", "M203 Y", "M203 Z"),
    homing="G28",
    soft_limits="M211",
    keeps_motors_on="M84",
    steps=("M92 X", "M92 Y", "M92 Z"),
    direction="INVERT_X_DIR, INVERT_Y_DIR",
    homing_direction="X_HOME_DIR, Y_HOME_DIR",
)


@dataclass(frozen=True)
class MarlinSettings:
    """Lengths mm in Marlin's own coordinates, speeds mm/s, accelerations mm/s²."""

    steps_per_mm: MachinePoint
    """M92."""
    max_speed_mm_s: MachinePoint
    """M203."""
    acceleration_mm_s2: MachinePoint
    """M201, and no more than M204's for moves without extrusion (T), or for any (S)."""
    lowest_mm: MachinePoint
    """M211: the lower end of the travel."""
    highest_mm: MachinePoint
    """M211: its upper end."""
    emergency_parser: bool
    """Built with EMERGENCY_PARSER: M112 is heard at any time."""

    @property
    def travel_mm(self) -> MachinePoint:
        """How far each axis goes."""
        x, y, z = (high - low for low, high in zip(self.lowest_mm, self.highest_mm, strict=True))
        return x, y, z

    def limits(self) -> MachineLimits:
        """The same as every dialect says it."""
        return MachineLimits(
            travel_mm=self.travel_mm,
            max_speed_mm_s=self.max_speed_mm_s,
            acceleration_mm_s2=self.acceleration_mm_s2,
            steps_per_mm=self.steps_per_mm,
            can_home=True,
            soft_limits=True,
            keeps_motors_on=True,
            can_stop_homing=self.emergency_parser,
            names=_NAMES,
        )


def settings_from(m503: Iterable[str], m211: Iterable[str], emergency_parser: bool) -> MarlinSettings:
    """Make sense of the lines that came; FirmwareError if what we need is missing."""
    points: dict[str, MachinePoint] = {}
    most = float("inf")
    for line in m503:
        if match := _SETTING.fullmatch(line):
            points[match[1]] = (float(match[2]), float(match[3]), float(match[4]))
        elif _ACCELERATION.match(line) and (travel := _TRAVEL_ACCELERATION.search(line)):
            most = float(travel[1])
    for line in m211:
        for name, pattern in (("lowest", _MIN), ("highest", _MAX)):
            if match := pattern.search(line):
                points[name] = (float(match[1]), float(match[2]), float(match[3]))
    for name, what in (
        ("M92", "M503 must list the steps per mm (M92)"),
        ("M203", "M503 must list the speeds (M203)"),
        ("M201", "M503 must list the accelerations (M201)"),
        ("lowest", "M211 must tell the travel"),
        ("highest", "M211 must tell the travel"),
    ):
        if name not in points:
            raise FirmwareError(f"Marlin does not say all that is needed: {what}; build it without DISABLE_M503.")
    for name in ("M92", "M203", "M201"):
        if min(points[name]) <= 0:
            raise FirmwareError(f"Marlin's setting {name} cannot be right: every axis must be above zero.")
    x, y, z = (min(value, most) for value in points["M201"])
    settings = MarlinSettings(
        steps_per_mm=points["M92"],
        max_speed_mm_s=points["M203"],
        acceleration_mm_s2=(x, y, z),
        lowest_mm=points["lowest"],
        highest_mm=points["highest"],
        emergency_parser=emergency_parser,
    )
    if min(settings.travel_mm) <= 0:
        raise FirmwareError("Marlin's travel cannot be right (M211): its upper end must be above its lower end.")
    return settings
