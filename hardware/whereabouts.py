"""Where the gantry's tip was at some time, as far as the machine's reports tell."""

from __future__ import annotations

import math
from collections import deque

from hardware.motion import MachinePoint

TRAIL = 32
"""Reports of the position that are kept in mind: a few seconds' worth."""


class Whereabouts:
    """Keeps the reports of the position, and what is known of it when the machine has lost it.

    fastest_mm_s: faster than any motion along a straight line. latency_s: how long a report may have been under way.
    camera_lag_s: how much older than its time a frame may be.
    """

    def __init__(self, fastest_mm_s: float, latency_s: float, camera_lag_s: float) -> None:
        self._fastest_mm_s = fastest_mm_s
        self._latency_s = latency_s
        self._camera_lag_s = camera_lag_s
        self._reports: deque[tuple[float, MachinePoint]] = deque(maxlen=TRAIL)
        self.lost_at: tuple[MachinePoint, ...] = ()
        """The corners of the way on which a machine that has lost its position must be; empty if it has none yet."""

    def note(self, time_s: float, point: MachinePoint) -> None:
        """The machine said at `time_s` that it is at `point`."""
        if not self._reports or self._reports[-1] != (time_s, point):
            self._reports.append((time_s, point))

    def found(self) -> None:
        """The position is known, and what was reported before counts no more."""
        self._reports.clear()

    def expect(self, fastest_mm_s: float) -> None:
        """No motion is faster than this."""
        self._fastest_mm_s = fastest_mm_s

    def lost(self, here: MachinePoint, target: MachinePoint | None, home: MachinePoint) -> None:
        """The position is lost at `here` or on the way to `target`, and homing goes on from there: up, and `home`."""
        self._reports.clear()
        x, y, _ = start = target or here
        way = (here, start, (x, y, 0.0), home)
        self.lost_at = tuple(point for i, point in enumerate(way) if i == 0 or point != way[i - 1])

    def at(self, at_s: float, target: MachinePoint | None) -> tuple[MachinePoint, ...]:
        """The corners of the way on which the tip was at `at_s`, while the machine knows and goes to `target` (None:
        stands)."""
        trail = self._since(at_s - self._camera_lag_s)
        reported_s, here = self._reports[-1]
        if target is None:
            return trail
        way = math.dist(here, target)
        farthest = (at_s - reported_s + self._latency_s) * self._fastest_mm_s
        share = min(1.0, max(0.0, farthest) / way) if way else 0.0
        x, y, z = (a + share * (b - a) for a, b in zip(here, target, strict=True))
        return *trail, (x, y, z)

    def _since(self, since_s: float) -> tuple[MachinePoint, ...]:
        """The reported positions from the last one before `since_s` on, at least the newest."""
        reports = list(self._reports)
        first = max((i for i, (time_s, _) in enumerate(reports) if time_s <= since_s), default=0)
        points = [point for _, point in reports[first:]]
        return tuple(point for i, point in enumerate(points) if i == 0 or point != points[i - 1])
