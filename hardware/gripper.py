"""What the gantry asks of a gripper, whatever kind it is (`hardware.grippers`)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Protocol, TypeAlias

Work: TypeAlias = Generator[float, None, None]
"""What a gripper does, step by step: each item is done when it is taken, and is the time (s) to wait before the next.

Closing it early leaves the gripper in a safe state: what was to last a moment has ended.
"""


class Gripper(Protocol):
    """Suction, a magnet or jaws. The gantry works it, and only while the machine is at rest."""

    @property
    def on(self) -> bool:
        """Whether it is switched on, as far as is known; it may still hold nothing."""
        ...

    def grip(self) -> Work:
        """Take what is under the tip. A step raises HardwareError if the gripper cannot be switched."""
        ...

    def release(self) -> Work:
        """Let go of what is held, residue and all."""
        ...

    def feels_disc(self) -> bool | None:
        """Whether a sensor feels a disc in its grip; None for a gripper that has none."""
        ...

    def ready_in_s(self) -> float:
        """How long (s) it must rest before it may grip; 0 as long as it is not too warm."""
        ...

    @property
    def overdue(self) -> bool:
        """Whether it has held for as long as it can stand and must let go, whatever it holds."""
        ...

    def let_go(self) -> None:
        """Switch off at once, and no more than that. Raises HardwareError if it cannot be switched."""
        ...

    def close(self) -> None:
        """Let go of outputs and inputs; one on the firmware's output stays as it is."""
        ...
