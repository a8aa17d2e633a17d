"""What the Grbl driver is waiting for."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What the driver is waiting for."""

    CLOSED = "closed"
    READY = "ready"
    STARTING = "starting"
    """A move is being sent; it may have begun."""
    MOVING = "moving"
    """The barrier has not been answered."""
    CONFIRMING = "confirming"
    """Motion is over; a status report has to say where the machine stands."""
    HOMING = "homing"
    ALARM = "alarm"


MOTION = frozenset({Phase.STARTING, Phase.MOVING, Phase.CONFIRMING})
"""A move is under way, or may be."""
