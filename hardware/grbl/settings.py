"""Grbl's `$` settings as values of the machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hardware.errors import FirmwareError
from hardware.motion import MachineLimits, MachinePoint, SettingNames

_NEEDED = (110, 111, 112, 120, 121, 122, 130, 131, 132)
_NAMES = SettingNames(
    travel=("$130", "$131", "$132"),
    speed=("$110", "$111", "$112"),
    homing="$22",
    soft_limits="$20",
    keeps_motors_on="$1",
    steps=("$100", "$101", "$102"),
    direction="$3",
    homing_direction="$23",
)


@dataclass(frozen=True)
class GrblSettings:
    """What `$$` says about the machine. Lengths mm, rates mm/min, accelerations mm/s²."""

    steps_per_mm: MachinePoint
    """$100–$102; 0 where the firmware does not tell."""
    travel_mm: MachinePoint
    """$130–$132: machine coordinates run from -travel to 0."""
    max_rate_mm_min: MachinePoint
    """$110–$112."""
    acceleration_mm_s2: MachinePoint
    """$120–$122."""
    homing: bool
    """$22: homing is possible, and needed after a restart."""
    soft_limits: bool
    """$20: the firmware refuses to leave its travel."""
    hard_limits: bool
    """$21: the limit switches stop the machine."""
    pull_off_mm: float
    """$27."""
    keeps_motors_on: bool
    """$1 is 255: the motors hold between moves, and Z does not sag."""
    reports_machine_position: bool
    """$10, bit 0: status reports carry MPos, else WPos."""
    reports_inches: bool
    """$13."""
    homing_direction: int
    """$23: a bit for each axis that homes towards its lower end."""
    values: Mapping[int, float]
    """All of them by number."""

    def limits(self) -> MachineLimits:
        """The same as every dialect says it."""
        x, y, z = (rate / 60 for rate in self.max_rate_mm_min)
        return MachineLimits(
            travel_mm=self.travel_mm,
            max_speed_mm_s=(x, y, z),
            acceleration_mm_s2=self.acceleration_mm_s2,
            steps_per_mm=self.steps_per_mm,
            can_home=self.homing,
            soft_limits=self.soft_limits,
            keeps_motors_on=self.keeps_motors_on,
            can_stop_homing=True,
            names=_NAMES,
            direction_mask=int(self.values.get(3, 0)),
            homing_direction_mask=self.homing_direction,
        )


def settings_from(values: Mapping[int, float]) -> GrblSettings:
    """Make sense of what `$$` listed; FirmwareError if what we need is missing."""
    missing = [number for number in _NEEDED if number not in values]
    if missing:
        raise FirmwareError(
            f"Grbl's settings lack ${missing[0]}: use a firmware that lists travel and speeds as Grbl 1.1 does."
        )
    bad = [number for number in _NEEDED if not (math.isfinite(values[number]) and values[number] > 0)]
    if bad:
        raise FirmwareError(
            f"Grbl's setting ${bad[0]}={values[bad[0]]:g} cannot be right: it must be above zero; set it, then "
            "connect again."
        )
    return GrblSettings(
        steps_per_mm=(values.get(100, 0.0), values.get(101, 0.0), values.get(102, 0.0)),
        travel_mm=(values[130], values[131], values[132]),
        max_rate_mm_min=(values[110], values[111], values[112]),
        acceleration_mm_s2=(values[120], values[121], values[122]),
        homing=bool(int(values.get(22, 0)) & 1),
        soft_limits=bool(values.get(20, 0)),
        hard_limits=bool(values.get(21, 0)),
        pull_off_mm=values.get(27, 0.0),
        # Grbl: 255 keeps them on; grblHAL has $37, a mask of axes that stay on.
        # FluidNC does not tell.
        keeps_motors_on=values.get(1, 255) == 255 or int(values.get(37, 0)) & 7 == 7,
        reports_machine_position=bool(int(values.get(10, 1)) & 1),
        reports_inches=bool(values.get(13, 0)),
        homing_direction=int(values.get(23, 0)),
        values=dict(values),
    )
