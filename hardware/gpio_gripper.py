"""A gripper on a pin of the Raspberry Pi, by gpiozero (imported only when the gripper is made)."""

from __future__ import annotations

from typing import Any

from hardware.gpio_pins import Pin, cannot_be_used, make_device


class GpioGripper:
    """A `Gripper` on a GPIO pin, off at first; `active_high` False is for one that works while its pin is low.

    A reset of the motion firmware does not touch it, but it lets go when this program ends, however it ends.
    HardwareError if the pin does not exist, is in use, or this computer has none. `pin_factory` is gpiozero's; None
    lets gpiozero choose for the computer it runs on.
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
        """Whether the pin switches the gripper on."""
        return not self._device.closed and bool(self._device.value)

    def set(self, on: bool) -> None:
        """Switch the gripper; HardwareError if the pin has failed or is closed."""
        from gpiozero import GPIOZeroError  # noqa: PLC0415

        try:
            self._device.value = on
        except (GPIOZeroError, OSError) as error:
            raise cannot_be_used(self._pin, error) from error

    def close(self) -> None:
        """Let go of the pin, and so of whatever is held."""
        self._device.close()
