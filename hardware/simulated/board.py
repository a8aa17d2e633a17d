"""What every simulated controller board offers to what stands around it, whichever firmware runs on it."""

from __future__ import annotations

from typing import Protocol

from hardware.simulated.firmware_state import FirmwareFaults
from hardware.simulated.planner import Point


class BoardFirmware(Protocol):
    """A controller board and the axes it drives: bytes in, bytes out, time told from outside (s)."""

    faults: FirmwareFaults

    @property
    def position(self) -> Point:
        """Where the machine really is, mm in homed machine coordinates: from -travel to 0."""
        ...

    @property
    def gripper_on(self) -> bool:
        """Whether an output that may work the gripper is on."""
        ...

    @property
    def moving(self) -> bool:
        """Whether motors are turning."""
        ...

    @property
    def busy(self) -> bool:
        """Whether time alone will change anything."""
        ...

    @property
    def next_event_s(self) -> float:
        """When the next thing happens by itself, s; infinity if nothing will."""
        ...

    def advance_to(self, t: float) -> None:
        """Let time run on to `t`, s; earlier times are ignored."""
        ...

    def receive(self, data: bytes) -> None:
        """Bytes arrive at the serial port at the time last told."""
        ...

    def take_output(self) -> bytes:
        """All that was sent since the last call."""
        ...

    def power_off(self) -> None:
        """Cut the power."""
        ...

    def power_on(self) -> None:
        """Give power."""
        ...

    def power_cycle(self) -> None:
        """A power cut, or the chip's reset pin (DTR)."""
        ...

    def sink(self, mm: float) -> None:
        """Without power the Z axis comes down by its own weight."""
        ...

    def raise_alarm(self, code: int) -> None:
        """Stop and lock as after a fault that the firmware has noticed; `code` is Grbl's number of it."""
        ...

    def noise(self, data: bytes) -> None:
        """Bytes that nobody sent appear on the line to the host."""
        ...
