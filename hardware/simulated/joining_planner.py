"""A planner that looks ahead along a straight way: segments that go on in the same direction are run as one.

That is what Marlin's look-ahead does with the short segments of a straight move: it always plans to stand still at
the end of what is queued, and no sooner.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace

from hardware.simulated.planner import Block, Cycle, Planner, Point

MARLIN_BLOCKS = 16
"""BLOCK_BUFFER_SIZE."""
_STRAIGHT = 0.999
"""The cosine of the angle between segments that count as one line."""


class JoiningPlanner(Planner):
    """A `Planner` to which segments are added with the time, s."""

    def __init__(self) -> None:
        super().__init__()
        self._ends: deque[float] = deque()

    def has_room(self, now: float) -> bool:
        """Whether another segment may be added."""
        if not self._blocks:
            self._ends.clear()
        elif len(self._blocks) == 1:
            done, _ = self._along(now)
            while self._ends and self._ends[0] <= done:
                self._ends.popleft()
        return len(self._ends) < MARLIN_BLOCKS

    def append(self, block: Block, now: float) -> None:
        """Queue a segment, as the going on of the last one if it is that."""
        last = self._blocks[-1] if self._blocks else None
        if last is None or not _goes_on(last, block):
            self.add(block)
            self._ends.append(block.length_mm)
            return
        joined = replace(last, target=block.target, length_mm=math.dist(last.start, block.target), speed=block.speed)
        if len(self._blocks) == 1 and self.cycle is Cycle.RUNNING:
            self._done_mm, speed = self._along(now)
            self._blocks[-1] = joined
            self._plan(now, speed)
        else:
            self._blocks[-1] = joined
        self._ends.append(joined.length_mm)


def _goes_on(last: Block, block: Block) -> bool:
    if not last.length_mm or not block.length_mm:
        return False
    dot = sum(a * b for a, b in zip(_direction(last), _direction(block), strict=True))
    return dot > _STRAIGHT


def _direction(block: Block) -> Point:
    x, y, z = ((b - a) / block.length_mm for a, b in zip(block.start, block.target, strict=True))
    return x, y, z
