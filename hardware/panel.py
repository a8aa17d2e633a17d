"""What the player presses, sees and hears beside the board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable


class Light(Enum):
    """What the status light says."""

    OFF = "off"
    YOUR_TURN = "your turn"
    THINKING = "thinking"
    MOVING = "moving"
    ATTENTION = "attention"


class Panel(Protocol):
    """Turn button, stop button, status light and buzzer; every build may lack any of them."""

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        ...

    def stop_pressed(self) -> bool:
        """Whether the stop button is (or, since the last call, was) pressed."""
        ...

    def on_stop(self, tell: Callable[[], None]) -> None:
        """Call `tell`, in whatever thread, at the moment at which the stop button is pressed."""
        ...

    def show(self, light: Light) -> None:
        """Set the status light, and let the buzzer say what has changed."""
        ...

    def close(self) -> None:
        """Let go of the pins."""
        ...


@dataclass(frozen=True)
class Edge:
    """The turn button has gone down (`pressed`) or up, at `time_s` on the clock."""

    pressed: bool
    time_s: float


@runtime_checkable
class TimedPanel(Protocol):
    """A panel that also tells when its turn button went down and up, so that patterns of presses can be told."""

    def turn_edges(self) -> tuple[Edge, ...]:
        """What the turn button has done since the last call, in order."""
        ...


@runtime_checkable
class SoundingPanel(Protocol):
    """A panel with a buzzer that can say more than what the light begins to say."""

    def beep(self, times: int) -> None:
        """Beep so often, in place of what the buzzer is saying; returns at once."""
        ...


class NoPanel:
    """The panel of a build that has neither button nor light."""

    def turn_pressed(self) -> bool:
        """There is no button: never."""
        return False

    def stop_pressed(self) -> bool:
        """There is no button: never."""
        return False

    def on_stop(self, tell: Callable[[], None]) -> None:
        """There is no button: nobody will be told."""

    def show(self, light: Light) -> None:
        """There is no light: nothing happens."""

    def close(self) -> None:
        """There is nothing to let go of."""
