"""Motion as Grbl plans it: straight blocks, each a trapezoid of speed over its length, in a queue that can be held.

Source: Grbl 1.1 `planner.c` and `stepper.c` as described in its documentation; every block starts and ends at rest
here, which is what a sender sees that waits for each move to end.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum

Point = tuple[float, float, float]

PLANNER_BLOCKS = 15
"""Blocks that Grbl 1.1 queues before it makes the sender wait."""


@dataclass(frozen=True)
class Phase:
    """A stretch of constant acceleration: it begins at `start_s` and `distance_mm` with `speed` (mm/s)."""

    start_s: float
    distance_mm: float
    speed: float
    acceleration: float


@dataclass(frozen=True)
class Profile:
    """How far along its path something is at a time: phases in order, then rest."""

    phases: tuple[Phase, ...]
    duration_s: float
    distance_mm: float

    def at(self, seconds: float) -> tuple[float, float]:
        """The distance (mm) and speed (mm/s) after `seconds`."""
        if seconds >= self.duration_s:
            return self.distance_mm, 0.0
        for phase in reversed(self.phases):
            if seconds >= phase.start_s:
                t = seconds - phase.start_s
                return (
                    phase.distance_mm + (phase.speed + 0.5 * phase.acceleration * t) * t,
                    phase.speed + phase.acceleration * t,
                )
        return 0.0, self.phases[0].speed if self.phases else 0.0

    def time_at(self, distance_mm: float) -> float:
        """The first time (s) at which `distance_mm` is reached; infinity if never."""
        if distance_mm > self.distance_mm:
            return math.inf
        early, late = 0.0, self.duration_s
        for _ in range(60):
            middle = 0.5 * (early + late)
            if self.at(middle)[0] < distance_mm:
                early = middle
            else:
                late = middle
        return late


def _profile(stretches: list[tuple[float, float, float]]) -> Profile:
    """Join (duration s, start speed, acceleration) stretches end to end."""
    phases: list[Phase] = []
    time = distance = 0.0
    for duration, speed, acceleration in stretches:
        if duration > 0:
            phases.append(Phase(time, distance, speed, acceleration))
            time += duration
            distance += (speed + 0.5 * acceleration * duration) * duration
    return Profile(tuple(phases), time, distance)


def travel_profile(distance_mm: float, top_speed: float, acceleration: float, speed: float = 0.0) -> Profile:
    """The fastest way over `distance_mm` to rest, beginning at `speed` (mm/s), no faster than `top_speed`.

    Too short a way to stop in is braked on harder than `acceleration`, as a block's end is always its target.
    """
    braking = speed * speed / (2 * acceleration)
    if braking >= distance_mm:
        return _profile([(2 * distance_mm / speed, speed, -speed * speed / (2 * distance_mm))] if distance_mm else [])
    if speed > top_speed:
        slowing = (speed * speed - top_speed * top_speed) / (2 * acceleration)
        before = [((speed - top_speed) / acceleration, speed, -acceleration)]
        peak = top_speed
        cruise = distance_mm - slowing - top_speed * top_speed / (2 * acceleration)
    else:
        peak = min(top_speed, math.sqrt(acceleration * distance_mm + speed * speed / 2))
        before = [((peak - speed) / acceleration, speed, acceleration)]
        cruise = distance_mm - (2 * peak * peak - speed * speed) / (2 * acceleration)
    return _profile([*before, (max(cruise, 0.0) / peak, peak, 0.0), (peak / acceleration, peak, -acceleration)])


def stop_profile(speed: float, acceleration: float) -> Profile:
    """Braking from `speed` (mm/s) to rest."""
    return _profile([(speed / acceleration, speed, -acceleration)])


@dataclass(frozen=True)
class Block:
    """A straight move in machine mm, with the speed asked for and the most the axes allow along it (mm/s, mm/s²)."""

    start: Point
    target: Point
    length_mm: float
    speed: float
    speed_limit: float
    acceleration: float
    rapid: bool


def straight_block(start: Point, target: Point, max_rate: Point, acceleration: Point, feed: float | None) -> Block:
    """Plan a straight move; `max_rate` (mm/s) and `acceleration` (mm/s²) are each axis's own, `feed` None is G0.

    Along the line the machine may be so fast that no axis exceeds its limit (Grbl:
    limit_value_by_axis_maximum).
    """
    deltas = [b - a for a, b in zip(start, target, strict=True)]
    length = math.hypot(*deltas)
    shares = [abs(delta) / length if length else 0.0 for delta in deltas]
    limit = min((rate / share for rate, share in zip(max_rate, shares, strict=True) if share > 1e-9), default=1.0)
    braking = min((a / share for a, share in zip(acceleration, shares, strict=True) if share > 1e-9), default=1.0)
    speed = limit if feed is None else min(feed, limit)
    return Block(start, target, length, speed, limit, braking, feed is None)


class Cycle(Enum):
    """What the queue is doing."""

    RESTING = "resting"
    RUNNING = "running"
    STOPPING = "stopping"
    """Braking for a hold; what is left of the block and the queue waits for `run`."""


class Planner:
    """The queue of blocks and where the machine counts itself to be. Times are the simulation's, s."""

    def __init__(self) -> None:
        self.cycle = Cycle.RESTING
        self.feed_override = 1.0
        self.rapid_override = 1.0
        self._blocks: deque[Block] = deque()
        self._rest: Point = (0.0, 0.0, 0.0)
        self._done_mm = 0.0
        self._profile = Profile((), 0.0, 0.0)
        self._began = 0.0

    @property
    def waiting(self) -> int:
        """Blocks that are not finished."""
        return len(self._blocks)

    @property
    def full(self) -> bool:
        """Whether the sender has to wait."""
        return len(self._blocks) >= PLANNER_BLOCKS

    @property
    def end_s(self) -> float:
        """When the present block, or braking, will be over; infinity while at rest."""
        return math.inf if self.cycle is Cycle.RESTING else self._began + self._profile.duration_s

    @property
    def block(self) -> Block | None:
        """The block that is being run or was interrupted."""
        return self._blocks[0] if self._blocks else None

    def add(self, block: Block) -> None:
        """Queue a block; `run` starts it."""
        self._blocks.append(block)

    def run(self, now: float) -> None:
        """Start or go on with the queue."""
        if self.cycle is Cycle.RESTING and self._blocks:
            self.cycle = Cycle.RUNNING
            self._plan(now, speed=0.0)

    def hold(self, now: float) -> None:
        """Brake to rest, or go on braking if the block is ending anyway."""
        if self.cycle is not Cycle.RUNNING:
            return
        self.cycle = Cycle.STOPPING
        done, speed = self._along(now)
        block = self._blocks[0]
        braking = stop_profile(speed, block.acceleration)
        if done + braking.distance_mm < block.length_mm - 1e-9:
            self._done_mm, self._profile, self._began = done, braking, now

    def override(self, now: float, feed: float, rapid: float) -> None:
        """Scale feed and rapid speeds from now on (1.0 is as programmed)."""
        self.feed_override, self.rapid_override = feed, rapid
        if self.cycle is Cycle.RUNNING:
            done, speed = self._along(now)
            self._done_mm = done
            self._plan(now, speed)

    def finish(self, now: float) -> None:
        """Call at `end_s`: the block, or the braking, is over; the next block begins unless a hold was asked for."""
        block = self._blocks[0]
        self._done_mm += self._profile.distance_mm
        if self._done_mm >= block.length_mm - 1e-6:
            self._blocks.popleft()
            self._rest, self._done_mm = block.target, 0.0
        held = self.cycle is Cycle.STOPPING
        self.cycle = Cycle.RESTING
        self._profile = Profile((), 0.0, 0.0)
        if not held:
            self.run(now)

    def clear(self, now: float) -> None:
        """Forget the queue and stand still at once where the machine is."""
        self.place(self.position(now))

    def place(self, position: Point) -> None:
        """Stand at rest at `position`, the queue empty."""
        self._blocks.clear()
        self._rest, self._done_mm = position, 0.0
        self._profile = Profile((), 0.0, 0.0)
        self.cycle = Cycle.RESTING

    def speed(self, now: float) -> float:
        """The speed along the path, mm/s."""
        return self._along(now)[1] if self.cycle is not Cycle.RESTING else 0.0

    def position(self, now: float) -> Point:
        """Where the machine counts itself to be, mm."""
        if not self._blocks:
            return self._rest
        block = self._blocks[0]
        part = self._along(now)[0] / block.length_mm if block.length_mm else 1.0
        (x0, y0, z0), (x1, y1, z1) = block.start, block.target
        return x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, z0 + (z1 - z0) * part

    def time_at(self, part: float) -> float:
        """When the present block will have covered `part` (0 to 1) of its length; infinity if it will not."""
        if self.cycle is Cycle.RESTING:
            return math.inf
        return self._began + self._profile.time_at(self._blocks[0].length_mm * part - self._done_mm)

    def _plan(self, now: float, speed: float) -> None:
        block = self._blocks[0]
        scale = self.rapid_override if block.rapid else self.feed_override
        top = min(block.speed * scale, block.speed_limit)
        self._profile = travel_profile(max(block.length_mm - self._done_mm, 0.0), top, block.acceleration, speed)
        self._began = now

    def _along(self, now: float) -> tuple[float, float]:
        """Distance along the present block (mm) and speed (mm/s)."""
        distance, speed = self._profile.at(now - self._began)
        return self._done_mm + distance, speed
