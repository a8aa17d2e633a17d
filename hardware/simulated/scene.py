"""What there is to see at one moment on the simulated table."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.simulated.discs import Disc

Point = tuple[float, float, float]
"""Board coordinates (x, y, z), mm."""


@dataclass(frozen=True)
class HandPose:
    """Where the human's hand is: the point between its fingertips, and the direction the forearm points in.

    pinch_mm: board mm, z is the height of the fingertips. turn_deg: 0 for an arm straight away from the human,
    counter-clockwise seen from above. held: the discs between the fingers, where they are now. reach: counts the
    times that a hand has reached in; it decides whose hand it is.
    """

    pinch_mm: Point
    turn_deg: float
    held: tuple[Disc, ...] = ()
    reach: int = 0


@dataclass(frozen=True)
class Scene:
    """Discs that lie still, the gripper's tip (board mm; None draws no gantry), what hangs under it, and the hand."""

    discs: tuple[Disc, ...]
    tip_mm: Point | None = None
    carried: tuple[Disc, ...] = ()
    hand: HandPose | None = None
