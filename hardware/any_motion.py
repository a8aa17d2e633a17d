"""The motion firmware that turns out to be at the other end of the port."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hardware.clock import Clock
from hardware.dialect import Dialect, identify
from hardware.errors import SerialError
from hardware.motion import MachineLimits, MachinePoint, Motion, MotionState
from hardware.serial_port import BytePort

MakeMotion = Callable[[Callable[[], BytePort]], Motion]
"""Makes the driver of one dialect, given what opens the port."""


class AnyMotion:
    """A `Motion` that is told its dialect by the firmware, the first time that it connects."""

    def __init__(self, open_port: Callable[[], BytePort], clock: Clock, make: Mapping[Dialect, MakeMotion]) -> None:
        self._open_port = open_port
        self._clock = clock
        self._make = make
        self._motion: Motion | None = None
        self._opened: BytePort | None = None

    def connect(self) -> str:
        """Open the port, find out what is there, and connect to it; returns its version."""
        if self._motion is not None:
            return self._motion.connect()
        port = self._open_port()
        try:
            dialect = identify(port, self._clock)
        except BaseException:
            port.close()
            raise
        self._opened = port
        motion = self._make[dialect](self._port)
        version = motion.connect()
        self._motion = motion
        return version

    def _port(self) -> BytePort:
        """The port; first the one that has told the dialect, for opening it again might restart the board."""
        port, self._opened = self._opened, None
        return port or self._open_port()

    def _found(self) -> Motion:
        if self._motion is None:
            raise SerialError("The controller board is not connected: connect first.")
        return self._motion

    @property
    def limits(self) -> MachineLimits:
        """What the machine's own settings say."""
        return self._found().limits

    @property
    def home_corner(self) -> MachinePoint:
        """Where the home switches are."""
        return self._found().home_corner

    @property
    def position_known(self) -> bool:
        """Whether the machine knows where it is."""
        return self._motion is not None and self._motion.position_known

    def start_homing(self) -> None:
        """Begin to seek the home switches."""
        self._found().start_homing()

    def start_move(
        self,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        *,
        speed_mm_s: float | None = None,
    ) -> None:
        """Begin a straight move to machine coordinates (mm)."""
        self._found().start_move(x, y, z, speed_mm_s=speed_mm_s)

    def poll(self) -> MotionState:
        """What the machine is doing."""
        return self._found().poll()

    def refresh(self) -> None:
        """Ask what the machine does and where it is, and wait for the answer."""
        self._found().refresh()

    def stop_at_once(self) -> bool:
        """Put on the line whatever stops the machine soonest."""
        return self._motion is not None and self._motion.stop_at_once()

    def hold(self) -> None:
        """Ask for a feed hold."""
        self._found().hold()

    def resume(self) -> None:
        """Go on after a hold."""
        self._found().resume()

    def reset(self) -> None:
        """Stop everything at once."""
        self._found().reset()

    def position(self) -> MachinePoint:
        """Where the machine last said that it is."""
        return self._found().position()

    def position_time(self) -> float:
        """When it said so."""
        return self._found().position_time()

    @property
    def gripper_on(self) -> bool:
        """Whether the gripper's output is on, as far as is known."""
        return self._motion is not None and self._motion.gripper_on

    def set_gripper(self, on: bool) -> None:
        """Switch the gripper's output."""
        self._found().set_gripper(on)

    def output_on(self, name: str) -> bool:
        """Whether another output is on, as far as is known."""
        return self._found().output_on(name)

    def set_output(self, name: str, on: bool, level: float | None = None) -> None:
        """Switch another output."""
        self._found().set_output(name, on, level)

    def close(self) -> None:
        """Let go of the line."""
        if self._motion is not None:
            self._motion.close()
