"""The three axes that a simulated firmware drives: what it has counted, and where they really are.

The two differ after a restart (the count is zero), after homing was broken off, and after an axis has struck the
frame and lost steps; only homing makes them agree.
"""

from __future__ import annotations

import math

from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.homing import HomingCycle
from hardware.simulated.planner import Cycle, Planner, Point

OVERTRAVEL_MM = 3.0
"""How far beyond its travel an axis goes before it strikes the frame and loses steps."""


class MachineAxes:
    """Planner, homing and the frame. `frame_mm` is the true travel: positions run from -frame to 0."""

    def __init__(
        self, settings: FirmwareSettings, start_mm: Point, frame_mm: Point, planner: Planner | None = None
    ) -> None:
        self.planner = planner or Planner()
        self.homing: HomingCycle | None = None
        self.limit_at_s = math.inf
        """When a switch will stop the motion that is under way (hard limits)."""
        self._settings = settings
        self._frame = frame_mm
        self._shift = start_mm

    @property
    def moving(self) -> bool:
        """Whether motors are turning."""
        return self.homing is not None or self.planner.cycle is not Cycle.RESTING

    @property
    def at_rest(self) -> bool:
        """Whether nothing moves and nothing is queued or waits for a resume."""
        return self.planner.cycle is Cycle.RESTING and not self.planner.waiting

    @property
    def next_event_s(self) -> float:
        """When motion next changes by itself."""
        homing_end = self.homing.end_s if self.homing is not None else math.inf
        return min(self.planner.end_s, self.limit_at_s, homing_end)

    def counted(self, now: float) -> Point:
        """Where the firmware believes that the machine is, mm."""
        return self.planner.position(now)

    def really(self, now: float) -> Point:
        """Where the machine is, mm in homed machine coordinates."""
        if self.homing is not None:
            return self.homing.position(now)
        return self._within_frame(self.planner.position(now))

    def hold(self, now: float) -> None:
        """Brake to rest."""
        self.planner.hold(now)
        self.watch_limits()

    def run(self, now: float) -> None:
        """Start or go on with the queue."""
        self.planner.run(now)
        self.watch_limits()

    def override(self, now: float, feed: float, rapid: float) -> None:
        """Scale the speeds from now on."""
        self.planner.override(now, feed, rapid)
        self.watch_limits()

    def finish(self, now: float) -> None:
        """A block, or braking, is over."""
        self._keep_lost_steps(now)
        self.planner.finish(now)
        self.watch_limits()

    def freeze(self, now: float) -> None:
        """Stop the motors where they are and forget the queue."""
        if self.homing is not None:
            # The counters do not follow while homing, so now they no longer tell where the machine is.
            really = self.homing.position(now)
            self.homing = None
            self._count_from(really, self.planner.position(now))
        self._keep_lost_steps(now)
        self.planner.clear(now)
        self.limit_at_s = math.inf

    def lose_count(self, now: float, counted: Point = (0.0, 0.0, 0.0)) -> None:
        """Begin to count at `counted`, wherever the machine stands."""
        self.freeze(now)
        self._count_from(self.really(now), counted)

    def sink(self, now: float, mm: float) -> None:
        """Z goes down by itself, which nobody counts."""
        x, y, z = self._shift
        self._shift = (x, y, z - mm)
        self._keep_lost_steps(now)

    def start_homing(self, now: float) -> None:
        """Begin to seek the switches."""
        self.homing = HomingCycle(self._settings, self.really(now), self._frame, now)

    def end_homing(self) -> None:
        """The switches are found: count from them."""
        if self.homing is not None:
            cycle, self.homing = self.homing, None
            self._count_from(cycle.position(cycle.end_s), cycle.counted)

    def watch_limits(self) -> None:
        """With hard limits on (`$21`), find out when the present block will run into a switch."""
        self.limit_at_s = math.inf
        block = self.planner.block
        if not self._settings[21] or block is None or self.planner.cycle is Cycle.RESTING:
            return
        for start, end, shift in zip(block.start, block.target, self._shift, strict=True):
            if end > start and end + shift > 0:
                part = max(-(start + shift) / (end - start), 0.0)
                self.limit_at_s = min(self.limit_at_s, self.planner.time_at(part))

    def _count_from(self, really: Point, counted: Point) -> None:
        self.planner.place(counted)
        x, y, z = (a - b for a, b in zip(really, counted, strict=True))
        self._shift = (x, y, z)

    def _within_frame(self, counted: Point) -> Point:
        """An axis at its end stands there while its motor loses steps."""
        (x, y, z), (a, b, c), (fx, fy, fz) = counted, self._shift, self._frame
        return (
            min(max(x + a, -fx - OVERTRAVEL_MM), OVERTRAVEL_MM),
            min(max(y + b, -fy - OVERTRAVEL_MM), OVERTRAVEL_MM),
            min(max(z + c, -fz - OVERTRAVEL_MM), OVERTRAVEL_MM),
        )

    def _keep_lost_steps(self, now: float) -> None:
        """Steps lost against the frame stay lost when the machine turns back."""
        counted = self.planner.position(now)
        really = self._within_frame(counted)
        if any(abs(c + s - r) > 1e-9 for c, s, r in zip(counted, self._shift, really, strict=True)):
            x, y, z = (r - c for r, c in zip(really, counted, strict=True))
            self._shift = (x, y, z)
