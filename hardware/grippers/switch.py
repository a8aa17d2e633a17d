"""What is on or off at a gripper: a pump, a valve, a coil; and what feels whether a disc is there."""

from __future__ import annotations

from typing import Protocol

from hardware.errors import FirmwareError
from hardware.motion import Motion


class Switch(Protocol):
    """One output that is on or off."""

    @property
    def on(self) -> bool:
        """Whether it is switched on, as far as is known."""
        ...

    def set(self, on: bool) -> None:
        """Switch it; it has been switched when this returns. Raises HardwareError if it cannot be."""
        ...

    def close(self) -> None:
        """Let go of whatever switches it."""
        ...


class Contact(Protocol):
    """One input that says whether a disc is held: a vacuum switch, a light barrier, a contact at the tip."""

    @property
    def feels(self) -> bool:
        """Whether a disc is felt now."""
        ...

    def close(self) -> None:
        """Let go of the input."""
        ...


class FirmwareSwitch:
    """The gripper's output of the motion firmware, which stays as it is when our program ends or dies.

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


class FirmwareOutput:
    """Another output of the motion firmware, by its name in the dialect; as lasting as `FirmwareSwitch`."""

    def __init__(self, motion: Motion, name: str) -> None:
        self._motion = motion
        self._name = name

    @property
    def on(self) -> bool:
        """Whether the output is on."""
        return self._motion.output_on(self._name)

    def set(self, on: bool) -> None:
        """Have the firmware switch it; FirmwareError if it has no output of that name.

        Raises otherwise as `Motion.set_output` does.
        """
        try:
            self._motion.set_output(self._name, on)
        except ValueError as error:
            raise FirmwareError(f"{error}: choose one of these in the settings.") from error

    def close(self) -> None:
        """There is nothing to let go of: the output stays as it is."""
