"""The imaginary pins of a Raspberry Pi that panel and gripper of the running table are wired to.

The turn button closes pin 17 to ground. The stop button is normally closed: pin 27 is at ground until it is pressed.
Both inputs are pulled up. The status light is red, green and blue, each lit by a high pin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from hardware.errors import TableProgramError
from hardware.gpio_panel import COLOURS
from hardware.panel import Light
from hardware.simulated.panel import SimulatedPanel

Button = Literal["turn", "stop"]
PinListener = Callable[[int, bool], None]
"""Told the pin (BCM number) and whether it is high now."""

BUTTON_PINS: dict[Button, int] = {"turn": 17, "stop": 27}
RED, GREEN, BLUE = LIGHT_PINS = (5, 6, 13)
GRIPPER_PIN = 23

HAND_PRESS_S = 0.2
"""How long the simulated hand holds the turn button down."""
SETTLE_S = 0.1
"""The three pins of a light change one after the other: a colour counts once it has stood for this long."""
DARK_S = 1.0
"""A light counts as off once it has been dark for this long: it may only blink."""


class PinBoard:
    """Buttons as input levels, output levels as light and gripper; call `advance_to` often.

    `panel` is the table's: what the hand presses there appears on the pins, and its `light` is what the pins show.
    `set_gripper` is told when the gripper's pin changes; None for a table whose gripper is not on a pin.
    """

    def __init__(
        self, panel: SimulatedPanel, now: Callable[[], float], set_gripper: Callable[[bool], None] | None = None
    ) -> None:
        self.on_change: PinListener | None = None
        self._panel = panel
        self._now = now
        self._set_gripper = set_gripper
        self._pressed_until: dict[Button, float] = {}
        self._outputs = dict.fromkeys(LIGHT_PINS, 0.0)
        if set_gripper is not None:
            self._outputs[GRIPPER_PIN] = 0.0
        self._time = now()
        self._dark, self._dark_for_s = True, DARK_S
        self._lit, self._lit_for_s = Light.OFF, 0.0

    def levels(self) -> dict[int, bool]:
        """The input pins, and whether each is high."""
        return {pin: (button in self._pressed_until) is (button == "stop") for button, pin in BUTTON_PINS.items()}

    def press(self, button: Button, seconds: float) -> None:
        """Somebody holds a button down for so long."""
        until = self._now() + seconds
        pressed = button in self._pressed_until
        self._pressed_until[button] = max(until, self._pressed_until.get(button, until))
        if not pressed:
            self._tell(button)

    def drive(self, levels: Mapping[str, float]) -> None:
        """The controller's outputs, by BCM number as text, are so far on (0 to 1).

        Raises TableProgramError for a pin that nothing is wired to, and then changes none.
        """
        driven: dict[int, float] = {}
        for name, level in levels.items():
            pin = int(name) if name.isascii() and name.isdecimal() and len(name) <= 2 else None
            if pin not in self._outputs:
                wired = ", ".join(str(each) for each in self._outputs)
                raise TableProgramError(f"Nothing on this table is driven by pin {name!r}: wired are {wired}.")
            if not 0 <= level <= 1:
                raise TableProgramError(f"The level of pin {pin} must be from 0 to 1, not {level:g}.")
            driven[pin] = level
        self._outputs.update(driven)
        if self._set_gripper is not None and GRIPPER_PIN in driven:
            self._set_gripper(driven[GRIPPER_PIN] >= 0.5)
        self._look_at_light()

    def release(self, pins: Iterable[str]) -> None:
        """Whoever drove these pins is gone: they are off, as a Raspberry Pi's are when the process ends."""
        self.drive(dict.fromkeys(pins, 0.0))

    def advance_to(self, time_s: float) -> None:
        """Let go of buttons whose time is over, and follow light and hand."""
        if self._panel.turn_pressed():
            self.press("turn", HAND_PRESS_S)
        for button in [each for each, until in self._pressed_until.items() if until <= time_s]:
            del self._pressed_until[button]
            self._tell(button)
        self._show_light(time_s - self._time)
        self._time = time_s

    def _show_light(self, seconds: float) -> None:
        """Show what the pins have said for long enough when `seconds` more have passed."""
        if self._dark:
            self._dark_for_s += seconds
            if self._dark_for_s >= DARK_S:
                self._lit = Light.OFF
                self._panel.show(Light.OFF)
        else:
            self._lit_for_s += seconds
            if self._lit_for_s >= SETTLE_S:
                self._panel.show(self._lit)

    def _look_at_light(self) -> None:
        """Take the colour of the light for what it says; a colour of no meaning is a light that changes."""
        colour = tuple(float(self._outputs[pin] >= 0.5) for pin in LIGHT_PINS)
        lit = next((light for light, meant in COLOURS.items() if meant == colour), None)
        if lit is Light.OFF and not self._dark:
            self._dark, self._dark_for_s = True, 0.0
        elif lit is not Light.OFF and lit is not None:
            self._dark = False
            if lit is not self._lit:
                self._lit, self._lit_for_s = lit, 0.0

    def _tell(self, button: Button) -> None:
        if self.on_change is not None:
            pin = BUTTON_PINS[button]
            self.on_change(pin, self.levels()[pin])
