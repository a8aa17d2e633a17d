"""Switches, contacts and servos on the Raspberry Pi's pins, by gpiozero (imported only when one is made).

All of them raise HardwareError if the pin does not exist, is in use, or this computer has none. `pin_factory` is
gpiozero's; None lets gpiozero choose for the computer it runs on.
"""

from __future__ import annotations

from typing import Any

from hardware.gpio_pins import Pin, cannot_be_used, make_device

SERVO_LEAST_US, SERVO_MOST_US = 500.0, 2500.0
"""What the pulses of hobby servos lie between; gpiozero's -1 and 1."""


class GpioSwitch:
    """A `Switch` on a pin, off at first; `active_high` False is for one that works while its pin is low.

    A reset of the motion firmware does not touch it, but it is off when this program ends, however it ends.
    """

    def __init__(self, pin: Pin, active_high: bool = True, pin_factory: Any = None) -> None:
        # gpiozero takes 0.2 s to import and looks for a Pi as it does.
        from gpiozero import DigitalOutputDevice  # noqa: PLC0415

        self._pin = pin
        self._device = make_device(
            pin, lambda: DigitalOutputDevice(pin, active_high=active_high, pin_factory=pin_factory)
        )

    @property
    def on(self) -> bool:
        """Whether the pin switches it on."""
        return not self._device.closed and bool(self._device.value)

    def set(self, on: bool) -> None:
        """Switch it; HardwareError if the pin has failed or is closed."""
        from gpiozero import GPIOZeroError  # noqa: PLC0415

        try:
            self._device.value = on
        except (GPIOZeroError, OSError) as error:
            raise cannot_be_used(self._pin, error) from error

    def close(self) -> None:
        """Let go of the pin, and so switch it off."""
        self._device.close()


class GpioContact:
    """A `Contact` that closes its pin to ground: while a disc is felt, or, with `closed_when_held` False, while none
    is."""

    def __init__(self, pin: Pin, closed_when_held: bool = True, pin_factory: Any = None) -> None:
        from gpiozero import DigitalInputDevice  # noqa: PLC0415

        self._pin = pin
        self._closed_when_held = closed_when_held
        self._device = make_device(pin, lambda: DigitalInputDevice(pin, pull_up=True, pin_factory=pin_factory))

    @property
    def feels(self) -> bool:
        """Whether a disc is felt now; HardwareError if the pin has failed or is closed."""
        from gpiozero import GPIOZeroError  # noqa: PLC0415

        try:
            closed = bool(self._device.value)
        except (GPIOZeroError, OSError) as error:
            raise cannot_be_used(self._pin, error) from error
        return closed is self._closed_when_held

    def close(self) -> None:
        """Let go of the pin."""
        self._device.close()


class GpioServo:
    """A `Servo` on a pin; it gets no pulses before it is told where to turn to."""

    def __init__(self, pin: Pin, pin_factory: Any = None) -> None:
        from gpiozero import Servo  # noqa: PLC0415

        self._pin = pin
        self._device = make_device(
            pin,
            lambda: Servo(
                pin,
                initial_value=None,
                min_pulse_width=SERVO_LEAST_US / 1e6,
                max_pulse_width=SERVO_MOST_US / 1e6,
                pin_factory=pin_factory,
            ),
        )

    def turn_to(self, pulse_us: float) -> None:
        """Go to a position between SERVO_LEAST_US and SERVO_MOST_US; HardwareError if the pin has failed or is
        closed."""
        middle, half = (SERVO_MOST_US + SERVO_LEAST_US) / 2, (SERVO_MOST_US - SERVO_LEAST_US) / 2
        self._set((pulse_us - middle) / half)

    def relax(self) -> None:
        """Give no more pulses; HardwareError if the pin has failed or is closed."""
        self._set(None)

    def close(self) -> None:
        """Let go of the pin."""
        self._device.close()

    def _set(self, value: float | None) -> None:
        from gpiozero import DeviceClosed, GPIOZeroError  # noqa: PLC0415

        try:
            if self._device.closed:
                raise DeviceClosed("it has been let go")
            self._device.value = value
        except (GPIOZeroError, OSError) as error:
            raise cannot_be_used(self._pin, error) from error
