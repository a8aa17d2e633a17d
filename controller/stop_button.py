"""The stop button as part of the permit: the gantry asks it before and during every motion.

A press stops the gantry by itself and at once (`Panel.on_stop`); the permit keeps motion from beginning while the
button is held, or when it was pressed before anybody listened.
"""

from __future__ import annotations

from collections.abc import Callable

from hardware.panel import Panel
from hardware.permit import Permit


class StopButton:
    """A permit that is asked before another one: when the button is pressed, `stop` is told, and motion ends there.

    Our stop button comes on top of the one that cuts the motors' power in hardware.
    """

    def __init__(self, panel: Panel, permit: Permit, stop: Callable[[str], None]) -> None:
        self._panel = panel
        self._permit = permit
        self._stop = stop

    def refusal(self) -> str | None:
        """None while motion is allowed, else the reason it is not."""
        if self._panel.stop_pressed():
            self._stop("the stop button was pressed")
            return "the stop button was pressed"
        return self._permit.refusal()
