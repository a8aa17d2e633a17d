"""What the player presses and sees beside the board."""

from __future__ import annotations

from enum import Enum
from typing import Protocol


class Light(Enum):
    """What the status light says."""

    OFF = "off"
    YOUR_TURN = "your turn"
    THINKING = "thinking"
    MOVING = "moving"
    ATTENTION = "attention"


class Panel(Protocol):
    """Turn button and status light; every build may lack either."""

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        ...

    def stop_pressed(self) -> bool:
        """Whether the stop button is (or, since the last call, was) pressed."""
        ...

    def show(self, light: Light) -> None:
        """Set the status light."""
        ...

    def close(self) -> None:
        """Let go of the pins."""
        ...
