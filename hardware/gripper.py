"""What switches the gripper: an output of the firmware, or a pin of this computer (`hardware.gpio_gripper`)."""

from __future__ import annotations

from typing import Protocol

from hardware.motion import Motion


class Gripper(Protocol):
    """The switch of a vacuum, a magnet or jaws. The gantry works it, and only while the machine is at rest."""

    @property
    def on(self) -> bool:
        """Whether it is switched on, as far as is known; it may still hold nothing."""
        ...

    def set(self, on: bool) -> None:
        """Switch it; it has been switched when this returns. Raises HardwareError if it cannot be."""
        ...

    def close(self) -> None:
        """Let go of whatever switches it."""
        ...


class FirmwareGripper:
    """A gripper on an output of the motion firmware, which stays as it is when our program ends or dies.

    A reset or an alarm of the firmware switches it off.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    @property
    def on(self) -> bool:
        """Whether the firmware's output is on."""
        return self._motion.gripper_on

    def set(self, on: bool) -> None:
        """Have the firmware switch its output; raises as `Motion.set_gripper` does."""
        self._motion.set_gripper(on)

    def close(self) -> None:
        """There is nothing to let go of: the output stays as it is."""
