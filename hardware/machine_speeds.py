"""How fast a machine moves along straight lines from rest to rest, by each axis's own limits."""

from __future__ import annotations

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
