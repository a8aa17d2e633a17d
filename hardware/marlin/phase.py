"""What the Marlin driver is doing."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What the driver is doing, or waiting for."""

    CLOSED = "closed"
    READY = "ready"
    FEEDING = "feeding"
    """The segments of a move are being sent."""
    BRAKING = "braking"
    """Nothing more is sent, so that the machine comes to rest at the end of what is queued."""
    SETTLING = "settling"
    """The barrier has not been answered."""
    CONFIRMING = "confirming"
    """Motion is over; Marlin has to say where the machine stands."""
    HELD = "held"
    """At rest short of the target, until resumed."""
    HOMING = "homing"
    HALTED = "halted"
    """Marlin has switched everything off and listens to nothing."""


MOTION = frozenset({Phase.FEEDING, Phase.BRAKING, Phase.SETTLING, Phase.CONFIRMING})
"""A move is under way."""
