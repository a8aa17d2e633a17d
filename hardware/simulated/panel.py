"""The simulated panel: a turn button that the hand presses, and a light."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hardware.panel import Edge, Light

PRESS_S = 0.15
"""How long a finger stays on a button."""
MOST_EDGES = 64
"""Of a button that nobody asks about, no more is kept in mind."""


class SimulatedPanel:
    """Implements `hardware.panel.Panel`; `light` is what it shows, and `beeps` what was last asked of the buzzer."""

    def __init__(self, now: Callable[[], float] = lambda: 0.0) -> None:
        """`now` is the clock's time (s)."""
        self.light = Light.OFF
        self.beeps = 0
        self._now = now
        self._edges: deque[Edge] = deque(maxlen=MOST_EDGES)
        self._turn = False
        self._stop = False
        self._tell_stop: Callable[[], None] = lambda: None

    def press_turn(self, seconds: float = PRESS_S, after_s: float = 0.0) -> None:
        """Somebody presses the turn button for so long, and is about to let go of it; the press counts at once.

        `after_s`: how long from now it goes down.
        """
        self._turn = True
        begins = self._now() + after_s
        self._edges += (Edge(True, begins), Edge(False, begins + seconds))

    def press_stop(self) -> None:
        """Somebody presses the stop button."""
        self._stop = True
        self._tell_stop()

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        pressed, self._turn = self._turn, False
        return pressed

    def turn_edges(self) -> tuple[Edge, ...]:
        """What the turn button has done until now since the last call."""
        edges: list[Edge] = []
        while self._edges and self._edges[0].time_s <= self._now():
            edges.append(self._edges.popleft())
        return tuple(edges)

    def beep(self, times: int) -> None:
        """The buzzer beeps so often."""
        self.beeps = times

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
