"""Discs that lie, lean or overlap, as rigid bodies leave them: what rests on what, and where fingers put one down."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hardware.simulated.discs import Disc, Stack
from hardware.simulated.physics.floor import Floor
from hardware.simulated.physics.interface import DiscSizes
from hardware.simulated.physics.settling import ATTEMPTS, GENTLE_OVERLAP_MM, PLAY_MM, distance


def rests_on(upper: Disc, lower: Disc, sizes: DiscSizes) -> bool:
    """Whether the lower disc carries the upper one: it is next below it, and under its middle.

    A disc that only leans against another one's edge is not carried by it.
    """
    rise = (upper.z - lower.z) / sizes.height_mm
    return 0.5 < rise < 1.5 and distance(upper, lower) < sizes.diameter_mm / 2


def group_stacks(discs: Iterable[Disc], sizes: DiscSizes) -> tuple[Stack, ...]:
    """What lies where, each stack by its lowest disc, in the order of the lowest discs' heights."""
    groups: list[list[Disc]] = []
    for disc in sorted(discs, key=lambda d: (d.z, d.id)):
        carriers = [group for group in groups if rests_on(disc, group[-1], sizes)]
        if carriers:
            min(carriers, key=lambda group: distance(group[-1], disc)).append(disc)
        else:
            groups.append([disc])
    return tuple(
        Stack(group[0].x, group[0].y, tuple(d.colour for d in group), tuple(d.id for d in group)) for group in groups
    )


def all_above(discs: Sequence[Disc], disc: Disc, sizes: DiscSizes) -> list[Disc]:
    """All discs that rest on this one, directly or through others, from below."""
    found = [disc]
    for candidate in sorted(discs, key=lambda d: d.z):
        if candidate.id != disc.id and any(rests_on(candidate, carrier, sizes) for carrier in found):
            found.append(candidate)
    return found[1:]


def top_of(disc: Disc, sizes: DiscSizes) -> float:
    """The height (mm) of a disc's highest point."""
    lean = math.hypot(*disc.lean)
    return disc.z + sizes.height_mm * math.sqrt(max(1 - lean**2, 0.0)) + sizes.diameter_mm / 2 * lean


def support_below(discs: Iterable[Disc], floor: Floor, x: float, y: float, sizes: DiscSizes) -> float:
    """Height (mm) of the highest thing that a level disc coming straight down at (x, y) meets."""
    tops = [top_of(d, sizes) for d in discs if math.hypot(d.x - x, d.y - y) < sizes.diameter_mm - PLAY_MM]
    return max([floor.height(x, y, sizes.diameter_mm / 2), *tops])


def feel_for_place(discs: Sequence[Disc], x: float, y: float, sizes: DiscSizes) -> tuple[float, float]:
    """Where fingers put a disc that is meant for (x, y): beside discs that it would overlap a little."""
    for _ in range(ATTEMPTS):
        near = [d for d in discs if math.hypot(d.x - x, d.y - y) < sizes.diameter_mm - PLAY_MM]
        if not near:
            break
        highest = max(near, key=lambda d: top_of(d, sizes))
        away = math.hypot(highest.x - x, highest.y - y)
        if sizes.diameter_mm - away > GENTLE_OVERLAP_MM:
            break
        part = (sizes.diameter_mm + PLAY_MM) / away
        x, y = highest.x + part * (x - highest.x), highest.y + part * (y - highest.y)
    return x, y
