"""The firmware output that works the gripper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class GripperOutput:
    """The output that works the gripper: `coolant` (M8/M9) or `spindle` (M3 S…/M5)."""

    output: Literal["coolant", "spindle"] = "coolant"
    spindle_speed: float = 1000.0

    def line(self, on: bool) -> str:
        """The G-code that switches it."""
        if self.output == "coolant":
            return "M8" if on else "M9"
        return f"M3 S{self.spindle_speed:.0f}" if on else "M5"

    def is_on(self, modes: str) -> bool:
        """Whether it is on by what `$G` answers (without its brackets), such as "G0 G54 … M5 M8 T0"."""
        return ("M8" if self.output == "coolant" else "M3") in modes.split()
