"""What every motion firmware can do, in millimetres of machine coordinates."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from hardware.errors import OutOfReachError

MachinePoint = tuple[float, float, float]
"""Machine coordinates (x, y, z), mm."""


class MotionState(Enum):
    """What the machine is doing."""

    IDLE = "idle"
    MOVING = "moving"
    HOLDING = "holding"
    """Coming to rest, or at rest, in a feed hold; the rest of the motion waits for `resume`."""
    HOMING = "homing"
    ALARM = "alarm"


class Motion(Protocol):
    """A firmware dialect. Nothing here blocks longer than an exchange on the line; `poll` tells how motion goes on.

    Every method raises SerialError when the line is gone or silent, FirmwareError when the firmware refuses, and
    PositionLostError when an alarm or an unasked restart has made the position unknown.
    """

    def connect(self) -> str:
        """Greet the firmware and return its version line; FirmwareError if what answers is no firmware we know."""
        ...

    def start_homing(self) -> None:
        """Begin to seek the home switches."""
        ...

    def start_move(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        *,
        speed_mm_s: float | None = None,
    ) -> None:
        """Begin a straight move to machine coordinates (mm); axes left out keep their place.

        As fast as the machine can, or no faster than `speed_mm_s` along the line. Raises OutOfReachError, with
        nothing sent, for a point outside the travel.
        """
        ...

    def poll(self) -> MotionState:
        """Read what the firmware has said and return what the machine is doing; IDLE only once it has stopped."""
        ...

    def hold(self) -> None:
        """Ask for a feed hold (at once, past any queue); nothing at rest. Homing cannot be held: FirmwareError."""
        ...

    def resume(self) -> None:
        """Go on after a hold."""
        ...

    def reset(self) -> None:
        """Stop everything at once; position is lost if the machine was moving, and outputs go off.

        Also the way out of an alarm. Nothing of an interrupted move is left to be resumed.
        """
        ...

    def position(self) -> MachinePoint:
        """Where the machine last said that it is."""
        ...

    def position_time(self) -> float:
        """When it said so, in the clock's seconds."""
        ...

    @property
    def gripper_on(self) -> bool:
        """Whether the output that works the gripper is on, as far as is known; `connect` asks the firmware."""
        ...

    def set_gripper(self, on: bool) -> None:
        """Switch the output that works the gripper; the machine must be at rest."""
        ...

    def close(self) -> None:
        """Let go of the line."""
        ...


def check_reach(point: MachinePoint, travel_mm: MachinePoint) -> None:
    """Raise OutOfReachError unless `point` is inside the travel, which runs from -travel to 0 on each axis."""
    for axis, value, travel in zip("XYZ", point, travel_mm, strict=True):
        if not -travel <= value <= 0:
            raise OutOfReachError(f"{axis}{value:.1f} is outside the machine's travel of {-travel:.0f} to 0 mm")
