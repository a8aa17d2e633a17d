"""How high the arm goes on its way from one place to another: over all that stands there, and no higher than pays.

Heights and distances are mm on the board's frame; a point of a way is told by the share of it (0 to 1) that lies
behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import dist, hypot, sqrt

from controller.handling.layout import Centre
from hardware.machine_speeds import MachineSpeeds


@dataclass(frozen=True)
class Obstacle:
    """A stack that stands in the way: its centre (board mm) and the height of its top (mm)."""

    centre: Centre
    top_mm: float


@dataclass(frozen=True)
class Height:
    """The tip may be no lower than `lowest_mm` where `share` of the way lies behind."""

    share: float
    lowest_mm: float


def heights_over(
    start: Centre, end: Centre, obstacles: Iterable[Obstacle], width: float, above: float
) -> tuple[Height, ...]:
    """What keeps the tip up on the straight way from `start` to `end`.

    Where the way comes nearer to an obstacle's centre than `width`, the tip stays `above` over its top; at both ends
    it stays so far over the bare board.
    """
    heights = [Height(0.0, above), Height(1.0, above)]
    for obstacle in obstacles:
        shares = shares_near(obstacle.centre, start, end, width)
        heights += [Height(share, obstacle.top_mm + above) for share in shares]
    return tuple(heights)


def shares_near(point: Centre, start: Centre, end: Centre, width: float) -> tuple[float, ...]:
    """Where a straight way enters and leaves the circle of radius `width` about a point; nothing if it misses it."""
    if distance_to_segment(point, start, end) >= width:
        return ()
    length = dist(start, end)
    if length == 0:
        return 0.0, 1.0
    along, beside = _along_and_beside(point, start, end)
    half = sqrt(width * width - beside * beside)
    return max((along - half) / length, 0.0), min((along + half) / length, 1.0)


def distance_to_segment(point: Centre, start: Centre, end: Centre) -> float:
    """Distance (mm) of a point from the straight way between two others."""
    length = dist(start, end)
    if length == 0:
        return dist(point, start)
    along, beside = _along_and_beside(point, start, end)
    return hypot(beside, max(-along, 0.0, along - length))


def _along_and_beside(point: Centre, start: Centre, end: Centre) -> tuple[float, float]:
    """How far along the line through two points, and how far beside it, a third one lies."""
    (x, y), (way_x, way_y) = ((p[0] - start[0], p[1] - start[1]) for p in (point, end))
    length = hypot(way_x, way_y)
    return (x * way_x + y * way_y) / length, (x * way_y - y * way_x) / length


def level_height(start_mm: float, heights: Sequence[Height]) -> float:
    """The height at which a way is kept on one level: that of its start if that is enough, else the lowest."""
    return max(start_mm, *(height.lowest_mm for height in heights))


def quickest_heights(
    length_mm: float,
    start_mm: float,
    end_mm: float,
    heights: Sequence[Height],
    speeds: MachineSpeeds,
) -> tuple[float, float]:
    """The heights at which the straight part of a way begins and ends, so that all of it takes least time.

    The tip rises from `start_mm` to the first, goes straight, and comes down from the second to `end_mm` (or rises).
    A slope costs nothing as long as the axes across take longer than z. The best straight line rests on the start's
    height, or on two of the heights that keep the tip up; so only those are tried.
    """
    least = max(start_mm, *(height.lowest_mm for height in heights if height.share == 0))
    firsts = {least, level_height(start_mm, heights)}
    for one, other in combinations(heights, 2):
        if one.share != other.share:
            slope = (other.lowest_mm - one.lowest_mm) / (other.share - one.share)
            firsts.add(max(least, one.lowest_mm - slope * one.share))

    def seconds(first: float, last: float) -> float:
        corners = ((0.0, 0.0, start_mm), (0.0, 0.0, first), (length_mm, 0.0, last), (length_mm, 0.0, end_mm))
        return sum(speeds.seconds(a, b) for a, b in pairwise(corners))

    ways = [(first, _lowest_end(first, end_mm, heights)) for first in sorted(firsts)]
    return min(ways, key=lambda way: (seconds(*way), way))


def _lowest_end(first: float, end_mm: float, heights: Sequence[Height]) -> float:
    """How low a straight line that begins at `first` may end, and no lower than `end_mm`."""
    needed = [(h.lowest_mm - first * (1 - h.share)) / h.share for h in heights if h.share > 0]
    return max(end_mm, *needed)
