"""The simulated panel: a turn button that the hand presses, and a light."""

from __future__ import annotations

from hardware.panel import Light


class SimulatedPanel:
    """Implements `hardware.panel.Panel`; `light` is what it shows."""

    def __init__(self) -> None:
        self.light = Light.OFF
        self._turn = False
        self._stop = False

    def press_turn(self) -> None:
        """Somebody presses the turn button."""
        self._turn = True

    def press_stop(self) -> None:
        """Somebody presses the stop button."""
        self._stop = True

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        pressed, self._turn = self._turn, False
        return pressed

    def stop_pressed(self) -> bool:
        """Whether the stop button was pressed since the last call."""
        pressed, self._stop = self._stop, False
        return pressed

    def show(self, light: Light) -> None:
        """Set the status light."""
        self.light = light

    def close(self) -> None:
        """Nothing to let go of."""
