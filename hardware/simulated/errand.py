"""What a simulated human is asked to do with the hand, and what the hand really did."""

from __future__ import annotations

from dataclasses import dataclass

PointXY = tuple[float, float]
"""Board coordinates (x, y), mm."""


@dataclass(frozen=True)
class Carry:
    """Take the top disc, or the whole stack, nearest to one point and put it down at another."""

    from_mm: PointXY
    to_mm: PointXY
    whole_stack: bool = False


@dataclass(frozen=True)
class PressButton:
    """Press the turn button."""


@dataclass(frozen=True)
class Pause:
    """Hold the hand still where it is."""

    seconds: float


@dataclass(frozen=True)
class Hover:
    """Hold the hand over a point for a while without touching anything."""

    over_mm: PointXY
    seconds: float


Step = Carry | PressButton | Pause | Hover


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
