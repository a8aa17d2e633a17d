"""The simulated panel: a turn button that the hand presses, and a light."""

from __future__ import annotations

from collections.abc import Callable

from hardware.panel import Light


class SimulatedPanel:
    """Implements `hardware.panel.Panel`; `light` is what it shows."""

    def __init__(self) -> None:
        self.light = Light.OFF
        self._turn = False
        self._stop = False
        self._tell_stop: Callable[[], None] = lambda: None

    def press_turn(self) -> None:
        """Somebody presses the turn button."""
        self._turn = True

    def press_stop(self) -> None:
        """Somebody presses the stop button."""
        self._stop = True
        self._tell_stop()

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        pressed, self._turn = self._turn, False
        return pressed

    def stop_pressed(self) -> bool:
        """Whether the stop button was pressed since the last call."""
        pressed, self._stop = self._stop, False
        return pressed

    def on_stop(self, tell: Callable[[], None]) -> None:
        """Call `tell` when the stop button is pressed."""
        self._tell_stop = tell

    def show(self, light: Light) -> None:
        """Set the status light."""
        self.light = light

    def close(self) -> None:
        """Nothing to let go of."""
