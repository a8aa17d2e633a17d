"""What the gantry keeps to, and what it can be doing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from hardware.motion import MachinePoint

WaitObserver = Callable[[str | None], None]
"""Told why the gantry waits, and None when it goes on."""


@dataclass(frozen=True)
class GantryLimits:
    """What the gantry keeps to. Lengths mm in machine coordinates, which run from -travel to 0; times s."""

    travel_mm: MachinePoint = (620.0, 490.0, 95.0)
    grip_s: float = 0.15
    """From switching the gripper on until it holds."""
    release_s: float = 0.15
    """From switching the gripper off until the disc is free."""
    settle_s: float = 0.5
    """How long the permit must have been back before motion goes on."""
    fastest_mm_s: float = 600.0
    """Faster than any motion along a straight line: √2 × 400 mm/s and a little more."""
    latency_s: float = 0.05
    """How long a report of the position may have been under way."""
    camera_lag_s: float = 0.15
    """How much older than its time a frame may be."""
    poll_interval_s: float = 0.005
    """Between looks at the firmware while it moves, and questions to the permit, which looks as often as it likes."""


class GantryState(Enum):
    """What the gantry is doing."""

    CLOSED = "closed"
    UNHOMED = "unhomed"
    READY = "ready"
    MOVING = "moving"
    HOMING = "homing"
    WAITING = "waiting"
    """The permit is refused; a motion will begin or go on when it is back."""
    STOPPED = "stopped"
    """A person has stopped it; `allow` lets it move again."""
