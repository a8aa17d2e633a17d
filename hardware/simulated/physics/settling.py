"""How discs come to lie: on the surface, on one another, or beside each other after sliding off. Pure functions.

A simple contact model: discs stay level, a disc lies on another one if their centres are close enough, and discs
whose sides meet push one another along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hardware.simulated.discs import Disc
from hardware.simulated.physics.interface import DiscSizes

STACKS_WITHIN_MM = 12.0
"""A disc put down with its centre this close to another's lies on it; farther out it slides off."""
GENTLE_OVERLAP_MM = 8.0
"""Fingers feel an overlap up to this with a disc beside the place, and put theirs down next to it."""
PLAY_MM = 0.3
ATTEMPTS = 12

Lying = Mapping[int, Disc]
"""Discs at rest, by id."""


@dataclass(frozen=True)
class Settled:
    """The discs after something came to rest, and the ids of those that slid or were pushed on the way."""

    lying: dict[int, Disc]
    disturbed: tuple[int, ...]


def distance(one: Disc, other: Disc) -> float:
    """Horizontal distance of two discs' centres, mm."""
    return math.hypot(one.x - other.x, one.y - other.y)


def discs_above(lying: Lying, disc: Disc, sizes: DiscSizes) -> list[Disc]:
    """All discs that rest on this one, directly or through others, from below."""
    found: list[Disc] = []
    carriers = [disc]
    for candidate in sorted(lying.values(), key=lambda d: d.z):
        if candidate.z > disc.z and any(_rests_on(candidate, carrier, sizes) for carrier in carriers):
            carriers.append(candidate)
            found.append(candidate)
    return found


def is_topmost(lying: Lying, disc: Disc, sizes: DiscSizes) -> bool:
    """Whether nothing rests on the disc."""
    return not any(_rests_on(other, disc, sizes) for other in lying.values())


def surface_below(lying: Lying, x: float, y: float, sizes: DiscSizes) -> float:
    """Height (mm) of the highest thing that a disc falling straight down at (x, y) meets: 0 for the bare surface."""
    tops = [
        d.z + sizes.height_mm for d in lying.values() if math.hypot(d.x - x, d.y - y) < sizes.diameter_mm - PLAY_MM
    ]
    return max(tops, default=0.0)


def settle(lying: Lying, disc: Disc, sizes: DiscSizes, gentle: bool) -> Settled:
    """Let go of a disc at its (x, y): it falls straight down, lies on a disc, or slides off it.

    gentle: a human's fingers let go, which shift the disc a little rather than set it on another one's edge.
    """
    disturbed: list[int] = []
    for _ in range(ATTEMPTS):
        below = surface_below(lying, disc.x, disc.y, sizes)
        disc = replace(disc, z=below)
        if below == 0.0:
            break
        edge = min(_met(lying, disc, below, sizes), key=lambda d: distance(d, disc))
        away = distance(edge, disc)
        if away <= STACKS_WITHIN_MM:
            break
        if not (gentle and sizes.diameter_mm - away <= GENTLE_OVERLAP_MM):
            disturbed += [disc.id, edge.id]
        part = (sizes.diameter_mm + PLAY_MM) / away
        disc = replace(disc, x=edge.x + part * (disc.x - edge.x), y=edge.y + part * (disc.y - edge.y))
    return Settled({**lying, disc.id: disc}, tuple(dict.fromkeys(disturbed)))


def settle_stack(lying: Lying, stack: tuple[Disc, ...], sizes: DiscSizes, gentle: bool) -> Settled:
    """Let go of a stack (from below): its lowest disc settles and the others stay on it, offset as they are."""
    base, *upper = stack
    settled = settle(lying, base, sizes, gentle)
    resting = settled.lying[base.id]
    disturbed = settled.disturbed
    for disc in upper:
        moved = replace(disc, x=disc.x + resting.x - base.x, y=disc.y + resting.y - base.y)
        settled = settle(settled.lying, moved, sizes, gentle)
        disturbed += settled.disturbed
    return Settled(settled.lying, tuple(dict.fromkeys(disturbed)))


def push(lying: Lying, disc_id: int, x: float, y: float, sizes: DiscSizes) -> Settled:
    """Shove a disc, and what rests on it, to (x, y); discs in its way are pushed along.

    A disc that lay on others comes off them if it is pushed too far.
    """
    disc = lying[disc_id]
    shift_x, shift_y = x - disc.x, y - disc.y
    moved = [disc, *discs_above(lying, disc, sizes)]
    rest = {key: value for key, value in lying.items() if key not in {d.id for d in moved}}
    shifted = tuple(replace(d, x=d.x + shift_x, y=d.y + shift_y) for d in moved)
    if disc.z > 0:
        settled = settle_stack(rest, shifted, sizes, gentle=False)
        return Settled(settled.lying, tuple(dict.fromkeys([disc_id, *settled.disturbed])))
    after, pushed = _make_room(rest, shifted[0], (shift_x, shift_y), sizes)
    return Settled(after | {d.id: d for d in shifted}, tuple(dict.fromkeys([d.id for d in moved] + pushed)))


def _make_room(
    lying: dict[int, Disc], newcomer: Disc, direction: tuple[float, float], sizes: DiscSizes, depth: int = 0
) -> tuple[dict[int, Disc], list[int]]:
    """Push whatever stands on the surface out of the newcomer's place, and in turn what stands in that one's way."""
    pushed: list[int] = []
    contact = sizes.diameter_mm + PLAY_MM
    for other in [d for d in lying.values() if d.z == 0]:
        away = distance(other, newcomer)
        if away >= sizes.diameter_mm or depth > ATTEMPTS:
            continue
        along = (other.x - newcomer.x, other.y - newcomer.y) if away > 0.1 else direction
        length = math.hypot(*along) or 1.0
        shift_x = newcomer.x + along[0] / length * contact - other.x
        shift_y = newcomer.y + along[1] / length * contact - other.y
        stack = [other, *discs_above(lying, other, sizes)]
        for disc in stack:
            lying = lying | {disc.id: replace(disc, x=disc.x + shift_x, y=disc.y + shift_y)}
            pushed.append(disc.id)
        others = {key: value for key, value in lying.items() if key not in {d.id for d in stack}}
        others, more = _make_room(others, lying[other.id], (shift_x, shift_y), sizes, depth + 1)
        lying = lying | others
        pushed += more
    return lying, pushed


def _met(lying: Lying, disc: Disc, below: float, sizes: DiscSizes) -> list[Disc]:
    """The discs whose tops, at the height `below`, carry the disc."""
    reach = sizes.diameter_mm - PLAY_MM
    return [d for d in lying.values() if abs(d.z + sizes.height_mm - below) < 0.01 and distance(d, disc) < reach]


def _rests_on(upper: Disc, lower: Disc, sizes: DiscSizes) -> bool:
    return abs(upper.z - lower.z - sizes.height_mm) < 0.01 and distance(upper, lower) < sizes.diameter_mm - PLAY_MM
