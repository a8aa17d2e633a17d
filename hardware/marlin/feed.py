"""A move in short segments: so much is queued that the machine keeps its speed, and no more, so that it soon stops.

Marlin knows no feed hold that can be relied on, but it always plans to stand still at the end of what is queued: when
nothing more is sent, it brakes.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.motion import MachinePoint
from hardware.trapezoid import Trapezoid

SEGMENT_S = 0.05
"""How long a segment takes; with its answer a line takes some 20 ms at most."""
AHEAD_S = 0.15
"""How far ahead of the machine, beside its way to stop, segments are sent: our loop may be as late as that."""
LAG_S = 0.15
"""How much later than planned the machine may be: Marlin waits 0.1 s before the first of several segments."""


@dataclass(frozen=True)
class Segment:
    """Up to which point to move next (machine mm), and how far along the way that is (mm)."""

    target: MachinePoint
    way_mm: float


class Feed:
    """Cuts a straight move into segments and says when which of them is due. Times are the clock's, s."""

    def __init__(self, start: MachinePoint, target: MachinePoint, profile: Trapezoid, now: float) -> None:
        self.start, self.target, self.profile = start, target, profile
        self._began = now
        self._sent_mm = 0.0
        self._sent_s = 0.0

    @property
    def all_sent(self) -> bool:
        """Whether no segment is left."""
        return self._sent_mm >= self.profile.distance_mm

    @property
    def sent_to(self) -> MachinePoint:
        """The end of what has been sent."""
        return self._point(self._sent_mm)

    def due(self, now: float) -> Segment | None:
        """The next segment, if it is time to send it."""
        if self.all_sent:
            return None
        # Whoever polls has been late and the machine has stopped meanwhile: it is that much later from now on.
        self._began = max(self._began, now - self._sent_s)
        reached_s = now - self._began + AHEAD_S
        speed = self.profile.speed_at(reached_s)
        if self._sent_mm > self.profile.at(reached_s) + speed * speed / (2 * self.profile.acceleration):
            return None
        self._sent_s += SEGMENT_S
        self._sent_mm = self.profile.at(self._sent_s)
        return Segment(self._point(self._sent_mm), self._sent_mm)

    def surely_reached(self, now: float) -> MachinePoint:
        """The point that the machine has at least come to."""
        return self._point(min(self.profile.at(now - self._began - LAG_S), self._sent_mm))

    def _point(self, way_mm: float) -> MachinePoint:
        if way_mm >= self.profile.distance_mm:
            return self.target
        share = way_mm / self.profile.distance_mm
        x, y, z = (a + share * (b - a) for a, b in zip(self.start, self.target, strict=True))
        return x, y, z
