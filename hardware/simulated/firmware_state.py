"""What the simulated firmware can be in: states, power, outputs, and faults to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """Grbl's states, by the names that its reports use."""

    IDLE = "Idle"
    RUN = "Run"
    HOLD = "Hold"
    JOG = "Jog"
    ALARM = "Alarm"
    DOOR = "Door"
    CHECK = "Check"
    HOME = "Home"
    SLEEP = "Sleep"


class Power(Enum):
    """What keeps the firmware from listening."""

    ON = "on"
    BOOTING = "booting"
    RESTARTING = "restarting"
    """Between an alarm's or a reset's first word and the banner."""
    LOCKED_UP = "locked up"
    """After a limit alarm: deaf to all but a reset."""
    OFF = "off"


@dataclass(frozen=True)
class Outputs:
    """The switched outputs that can work a gripper."""

    coolant: bool = False
    spindle: bool = False
    spindle_speed: float = 0.0


@dataclass
class FirmwareFaults:
    """Faults to come: how many of the next replies (`ok`, `error:n`) are lost or spoilt, and whether it is mute."""

    swallow_replies: int = 0
    garble_replies: int = 0
    mute: bool = False


Step = Callable[[], bool]
"""Part of a line's execution; False means: not yet, ask again when something has changed."""
