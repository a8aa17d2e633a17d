"""The machine's own settings held against ours: where the two contradict each other, and what to do."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass

from hardware.errors import FirmwareError
from hardware.motion import MachineLimits, MachinePoint

_TOLERANCE_MM = 0.05
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Contradiction:
    """`sentence` says what does not fit and what to do; with a `fatal` one the machine should not be played on."""

    what: str
    sentence: str
    fatal: bool


def contradictions(machine: MachineLimits, travel_mm: MachinePoint, fastest_mm_s: float) -> list[Contradiction]:
    """All that does not fit: `travel_mm` and `fastest_mm_s` are what our settings say."""
    found = [*_travel(machine, travel_mm)]
    names = machine.names
    if not machine.can_home:
        found.append(
            Contradiction(
                "homing",
                f"Homing is switched off in the firmware ({names.homing}), so the machine never knows where it is: "
                "fit home switches and switch it on.",
                fatal=True,
            )
        )
    if not machine.soft_limits:
        found.append(
            Contradiction(
                "soft limits",
                f"The firmware does not guard its own travel ({names.soft_limits}): switch its soft limits on.",
                fatal=False,
            )
        )
    if not machine.keeps_motors_on:
        found.append(
            Contradiction(
                "motors",
                f"The firmware switches the motors off between moves ({names.keeps_motors_on}), so that the gripper "
                "sinks: let it keep them on.",
                fatal=False,
            )
        )
    if not machine.can_stop_homing:
        found.append(
            Contradiction(
                "stopping",
                "The firmware cannot be stopped while it homes: build it with EMERGENCY_PARSER, and until then keep "
                "a hand on the button that cuts the motors' power.",
                fatal=False,
            )
        )
    fastest = math.hypot(*machine.max_speed_mm_s)
    if fastest > fastest_mm_s:
        found.append(
            Contradiction(
                "speed",
                f"The machine may move at {fastest:.0f} mm/s ({', '.join(names.speed)}) and the settings say "
                f"{fastest_mm_s:.0f}: set machine.fastest_mm_s = {math.ceil(fastest)}, so that the guard knows.",
                fatal=False,
            )
        )
    return found


def refuse_contradictions(found: list[Contradiction]) -> None:
    """Raise FirmwareError with the first fatal one; write the others into the log."""
    for contradiction in found:
        if contradiction.fatal:
            raise FirmwareError(contradiction.sentence)
        _log.warning("%s", contradiction.sentence)


def _travel(machine: MachineLimits, travel_mm: MachinePoint) -> list[Contradiction]:
    """An axis that goes less far than ours is sent."""
    found = []
    for axis, name, theirs, ours in zip("xyz", machine.names.travel, machine.travel_mm, travel_mm, strict=True):
        if theirs < ours - _TOLERANCE_MM:
            found.append(
                Contradiction(
                    f"travel {axis}",
                    f"The machine travels {theirs:g} mm in {axis} ({name}) and the settings say {ours:g}: set "
                    f"machine.travel_{axis}_mm = {theirs:g}, or {name} if the machine does travel farther.",
                    fatal=True,
                )
            )
    return found
