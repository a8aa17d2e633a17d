"""Buttons, light and buzzer on the Raspberry Pi's pins, by gpiozero (imported only when a panel is made)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hardware.clock import Clock, RealClock
from hardware.errors import HardwareError
from hardware.gpio_pins import Pin, make_device
from hardware.panel import Edge, Light

T = TypeVar("T")

_DEBOUNCE_S = 0.02
_MOST_EDGES = 64
"""Of a button that nobody asks about, no more is kept in mind."""
_STOP_DEBOUNCE_S = 0.002
"""An edge is told only when the level has stood for so long: enough against what a motor's cable induces, and too
little to keep a stop waiting."""

COLOURS: dict[Light, tuple[float, float, float]] = {
    Light.OFF: (0, 0, 0),
    Light.YOUR_TURN: (0, 1, 0),
    Light.THINKING: (0, 0, 1),
    Light.MOVING: (1, 1, 0),
    Light.ATTENTION: (1, 0, 0),
}
"""How far red, green and blue of a coloured light are on."""
_BLINKS: dict[Light, tuple[float, float]] = {
    Light.THINKING: (0.8, 0.8),
    Light.MOVING: (0.3, 0.3),
    Light.ATTENTION: (0.1, 0.1),
}
"""Seconds on and off of a light that has one colour only."""
_BEEPS: dict[Light, tuple[float, float, int]] = {
    Light.YOUR_TURN: (0.08, 0.08, 1),
    Light.ATTENTION: (0.2, 0.15, 3),
}
"""Seconds on and off, and how often, of what the buzzer says when the light begins to say this."""


@dataclass(frozen=True)
class PanelPins:
    """Where things are connected; None for what a build lacks.

    The turn button closes to ground. The stop button is normally closed to ground, so that a broken wire stops, too;
    `stop_normally_closed` False is for one that closes when pressed. The light is one LED (`light`) or three
    (`red`, `green`, `blue`), each lit by a high pin. The buzzer is one that sounds by itself while its pin is high.
    """

    turn: Pin | None = None
    stop: Pin | None = None
    stop_normally_closed: bool = True
    light: Pin | None = None
    red: Pin | None = None
    green: Pin | None = None
    blue: Pin | None = None
    buzzer: Pin | None = None


class GpioPanel:
    """A `Panel` on GPIO pins. HardwareError if a pin does not exist, is in use, or this computer has none.

    `pin_factory` is gpiozero's; None lets gpiozero choose for the computer it runs on.
    """

    def __init__(self, pins: PanelPins, pin_factory: Any = None, clock: Clock | None = None) -> None:
        """`clock` tells when buttons are pressed; the system's if it is not given."""
        self._clock = clock or RealClock()
        self._devices: list[Any] = []
        self._edges: deque[Edge] = deque(maxlen=_MOST_EDGES)
        self._turn_pressed = threading.Event()
        self._stop_pressed = threading.Event()
        self._stop_normally_closed = pins.stop_normally_closed
        self._stop: Any = None
        self._light: Any = None
        self._buzzer: Any = None
        self._colours = False
        self._shown = Light.OFF
        self._tell_stop: Callable[[], None] = lambda: None
        try:
            self._connect(pins, pin_factory)
        except BaseException:
            self.close()
            raise

    def turn_pressed(self) -> bool:
        """Whether the turn button was pressed since the last call."""
        pressed = self._turn_pressed.is_set()
        self._turn_pressed.clear()
        return pressed

    def turn_edges(self) -> tuple[Edge, ...]:
        """What the turn button has done since the last call."""
        edges: list[Edge] = []
        while self._edges:
            edges.append(self._edges.popleft())
        return tuple(edges)

    def beep(self, times: int) -> None:
        """Beep so often, as for one's turn."""
        if self._buzzer is not None:
            on_s, off_s, _ = _BEEPS[Light.YOUR_TURN]
            self._buzzer.off()
            self._buzzer.blink(on_time=on_s, off_time=off_s, n=times)

    def stop_pressed(self) -> bool:
        """Whether the stop button is pressed, or was since the last call."""
        was = self._stop_pressed.is_set()
        self._stop_pressed.clear()
        return was or self._stop_is_pressed()

    def on_stop(self, tell: Callable[[], None]) -> None:
        """Call `tell` in gpiozero's thread as soon as the stop button is pressed."""
        self._tell_stop = tell

    def show(self, light: Light) -> None:
        """Set the status light: a colour, or with one LED a way to blink. The buzzer tells of what begins."""
        if light is not self._shown and self._buzzer is not None:
            self._beep(light)
        self._shown = light
        if self._light is None:
            return
        if self._colours:
            self._light.color = COLOURS[light]
        elif light in _BLINKS:
            on_s, off_s = _BLINKS[light]
            self._light.blink(on_time=on_s, off_time=off_s)
        elif light is Light.OFF:
            self._light.off()
        else:
            self._light.on()

    def close(self) -> None:
        """Switch light and buzzer off and let go of the pins."""
        for device in self._devices:
            device.close()
        self._devices.clear()
        self._stop = self._light = self._buzzer = None

    def _connect(self, pins: PanelPins, factory: Any) -> None:
        # gpiozero takes 0.2 s to import and looks for a Pi as it does.
        from gpiozero import LED, RGBLED, Button, Buzzer  # noqa: PLC0415

        if pins.turn is not None:
            turn = self._make(pins.turn, lambda: Button(pins.turn, bounce_time=_DEBOUNCE_S, pin_factory=factory))
            turn.when_pressed = self._turn_goes_down
            turn.when_released = lambda: self._edges.append(Edge(False, self._clock.now()))
        if pins.stop is not None:
            self._stop = self._make(
                pins.stop, lambda: Button(pins.stop, bounce_time=_STOP_DEBOUNCE_S, pin_factory=factory)
            )
            if pins.stop_normally_closed:
                self._stop.when_released = self._stop_now
            else:
                self._stop.when_pressed = self._stop_now
        colours = (pins.red, pins.green, pins.blue)
        if all(pin is not None for pin in colours):
            self._colours = True
            named = "/".join(str(pin) for pin in colours)
            self._light = self._make(named, lambda: RGBLED(*colours, pin_factory=factory))
        elif any(pin is not None for pin in colours):
            raise HardwareError(
                "A coloured status light needs all three pins: give red, green and blue, or light alone."
            )
        elif pins.light is not None:
            self._light = self._make(pins.light, lambda: LED(pins.light, pin_factory=factory))
        if pins.buzzer is not None:
            self._buzzer = self._make(pins.buzzer, lambda: Buzzer(pins.buzzer, pin_factory=factory))

    def _make(self, pin: Pin, make: Callable[[], T]) -> T:
        device = make_device(pin, make)
        self._devices.append(device)
        return device

    def _turn_goes_down(self) -> None:
        self._edges.append(Edge(True, self._clock.now()))
        self._turn_pressed.set()

    def _stop_now(self) -> None:
        self._stop_pressed.set()
        self._tell_stop()

    def _beep(self, light: Light) -> None:
        """Say what the light begins to say, if that is worth a sound."""
        self._buzzer.off()
        if light in _BEEPS:
            on_s, off_s, count = _BEEPS[light]
            self._buzzer.blink(on_time=on_s, off_time=off_s, n=count)

    def _stop_is_pressed(self) -> bool:
        if self._stop is None:
            return False
        return bool(self._stop.is_pressed) is not self._stop_normally_closed
