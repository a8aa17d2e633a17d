"""The straight way of a move, to tell whether a machine is still on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.motion import MachinePoint

AT_TARGET_MM = 0.1
"""A machine that stands farther than this from its target was sent something else."""
OFF_WAY_MM = 2.0
"""A machine that moves farther than this beside its way was sent something else."""


@dataclass(frozen=True)
class Way:
    """From `start` to `target`, machine mm."""

    start: MachinePoint
    target: MachinePoint

    def beside_mm(self, point: MachinePoint) -> float:
        """How far `point` is from the nearest point of the way."""
        deltas = [b - a for a, b in zip(self.start, self.target, strict=True)]
        length2 = sum(delta * delta for delta in deltas)
        along = sum((p - a) * d for p, a, d in zip(point, self.start, deltas, strict=True))
        share = min(1.0, max(0.0, along / length2)) if length2 else 0.0
        return math.dist(point, [a + share * d for a, d in zip(self.start, deltas, strict=True)])
