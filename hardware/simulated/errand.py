"""What a simulated human is asked to do with the hand, and what the hand really did.

Steps are msgspec structs, so that they can be asked for over a socket as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

PointXY = tuple[float, float]
"""Board coordinates (x, y), mm."""


class Carry(msgspec.Struct, frozen=True, tag_field="step", tag="carry"):
    """Take the top disc, or the whole stack, nearest to one point and put it down at another."""

    from_mm: PointXY
    to_mm: PointXY
    whole_stack: bool = False


class PressButton(msgspec.Struct, frozen=True, tag_field="step", tag="press"):
    """Press the turn button."""


class Pause(msgspec.Struct, frozen=True, tag_field="step", tag="pause"):
    """Hold the hand still where it is."""

    seconds: float


class Hover(msgspec.Struct, frozen=True, tag_field="step", tag="hover"):
    """Hold the hand over a point for a while without touching anything."""

    over_mm: PointXY
    seconds: float


class Push(msgspec.Struct, frozen=True, tag_field="step", tag="push"):
    """Push the stack nearest to one point along the surface until its centre is at another."""

    from_mm: PointXY
    to_mm: PointXY


class Turn(msgspec.Struct, frozen=True, tag_field="step", tag="turn"):
    """Turn the top disc nearest to a point over and put it back where it lay."""

    at_mm: PointXY


Step = Carry | PressButton | Pause | Hover | Push | Turn


@dataclass(frozen=True)
class Errand:
    """Steps done one after the other in one reach of the arm; afterwards the hand leaves."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Done:
    """A step as it really went: when it ended (s), the discs moved, and where the lowest came to lie (board mm)."""

    time_s: float
    step: Step
    disc_ids: tuple[int, ...] = ()
    put_mm: PointXY | None = None
