"""How fast a machine moves along straight lines from rest to rest, by each axis's own limits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.motion import MachinePoint
from hardware.trapezoid import straight


@dataclass(frozen=True)
class MachineSpeeds:
    """What each axis can do: top speeds (mm/s) and accelerations (mm/s²), all above zero; by default as the reference
    build's."""

    max_speed_mm_s: MachinePoint = (400.0, 400.0, 100.0)
    acceleration_mm_s2: MachinePoint = (2000.0, 2000.0, 2000.0)

    def seconds(self, start: MachinePoint, target: MachinePoint) -> float:
        """The shortest time (s) for the straight line between two points (mm), from rest to rest."""
        deltas = [b - a for a, b in zip(start, target, strict=True)]
        return straight(deltas, self.max_speed_mm_s, self.acceleration_mm_s2).duration_s


REFERENCE_SPEEDS = MachineSpeeds()
"""Those of the reference build."""


def paced(
    speed_mm_s: float | None, share: float, start: MachinePoint, end: MachinePoint, most_mm_s: MachinePoint
) -> float | None:
    """The speed (mm/s) of a straight line that is to be gone at a share of its speed, 0–1; None: as fast as it goes.

    `speed_mm_s` is what it was to be without that, `most_mm_s` what each axis can do.
    """
    length = math.dist(start, end)
    if share >= 1 or length == 0:
        return speed_mm_s
    fastest = min(
        most * length / abs(b - a) for most, a, b in zip(most_mm_s, start, end, strict=True) if abs(b - a) > 0
    )
    return share * (fastest if speed_mm_s is None else min(speed_mm_s, fastest))
