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


class NoPanel:
    """The panel of a build that has neither button nor light."""

    def turn_pressed(self) -> bool:
        """There is no button: never."""
        return False

    def stop_pressed(self) -> bool:
        """There is no button: never."""
        return False

    def show(self, light: Light) -> None:
        """There is no light: nothing happens."""

    def close(self) -> None:
        """There is nothing to let go of."""
