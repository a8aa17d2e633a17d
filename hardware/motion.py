"""What every motion firmware can do, in millimetres of machine coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from hardware.errors import OutOfReachError

MachinePoint = tuple[float, float, float]
"""Machine coordinates (x, y, z), mm."""
HOME: MachinePoint = (0.0, 0.0, 0.0)
"""The upper corner of the travel."""


class MotionState(Enum):
    """What the machine is doing."""

    IDLE = "idle"
    MOVING = "moving"
    HOLDING = "holding"
    """Coming to rest, or at rest, in a feed hold; the rest of the motion waits for `resume`."""
    HOMING = "homing"
    ALARM = "alarm"


@dataclass(frozen=True)
class SettingNames:
    """What the firmware calls its settings, for sentences; a triple is for x, y and z."""

    travel: tuple[str, str, str]
    speed: tuple[str, str, str]
    homing: str
    soft_limits: str
    keeps_motors_on: str
    steps: tuple[str, str, str]
    direction: str
    """What turns motors round; a mask with a bit for each axis where the firmware has one."""
    homing_direction: str


@dataclass(frozen=True)
class MachineLimits:
    """What the machine's own settings say of it: the same for every dialect."""

    travel_mm: MachinePoint
    """Machine coordinates run from -travel to 0 on each axis, wherever the firmware counts from."""
    max_speed_mm_s: MachinePoint
    """Each axis's own."""
    acceleration_mm_s2: MachinePoint
    """Each axis's own."""
    steps_per_mm: MachinePoint
    """0 where the firmware does not tell."""
    can_home: bool
    """Homing is switched on."""
    soft_limits: bool
    """The firmware itself refuses to leave its travel."""
    keeps_motors_on: bool
    """The motors hold between moves: Z does not sag, and home is not lost."""
    can_stop_homing: bool
    """A reset stops homing at once."""
    names: SettingNames
    direction_mask: int | None = None
    """A bit for each axis whose motor is turned round; None where the firmware does not tell."""
    homing_direction_mask: int | None = None
    """A bit for each axis that homes towards its lower end."""


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

    def refresh(self) -> None:
        """Ask what the machine does and where it is, and wait for the answer; nothing may be moving."""
        ...

    def stop_at_once(self) -> bool:
        """Put on the line whatever stops the machine soonest, and say whether that was needed.

        The one method for any thread, a signal's handler included: when it returns, the byte has been written. In
        mid-move it is a hold, which may be resumed; while homing, which knows no hold, a reset. At rest nothing is
        sent. Never raises: a line that is gone is noticed by whoever polls.
        """
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

    def output_on(self, name: str) -> bool:
        """Whether another output is on, as far as is known. The names are the dialect's; ValueError for others."""
        ...

    def set_output(self, name: str, on: bool, level: float | None = None) -> None:
        """Switch another output ("coolant", "spindle", …), to `level` where it has one.

        The machine must be at rest; ValueError for a name that the dialect does not have.
        """
        ...

    @property
    def limits(self) -> MachineLimits:
        """What the machine's own settings say, as read by `connect`; FirmwareError before."""
        ...

    @property
    def home_corner(self) -> MachinePoint:
        """The corner of the travel (machine mm) where the home switches are."""
        ...

    @property
    def position_known(self) -> bool:
        """Whether the machine has been homed and nothing has happened since that could have moved it unseen."""
        ...

    def close(self) -> None:
        """Let go of the line."""
        ...


def check_reach(point: MachinePoint, travel_mm: MachinePoint) -> None:
    """Raise OutOfReachError unless `point` is inside the travel, which runs from -travel to 0 on each axis."""
    for axis, value, travel in zip("XYZ", point, travel_mm, strict=True):
        if not -travel <= value <= 0:
            raise OutOfReachError(f"{axis}{value:.1f} is outside the machine's travel of {-travel:.0f} to 0 mm")
