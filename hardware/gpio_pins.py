"""Devices on the Raspberry Pi's pins, by gpiozero; every way they can fail becomes one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from hardware.errors import HardwareError

T = TypeVar("T")
Pin = int | str
"""A pin as gpiozero names it: a GPIO number, or a name such as "BOARD11"."""


def make_device(pin: Pin, make: Callable[[], T]) -> T:
    """Make a gpiozero device on `pin`; HardwareError if it does not exist, is in use, or this computer has none."""
    # gpiozero takes 0.2 s to import and looks for a Pi as it does.
    from gpiozero import BadPinFactory, GPIOZeroError, PinFactoryFallback, PinInvalidPin  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            # Which of its libraries gpiozero tried in vain matters only if all of them fail.
            warnings.simplefilter("ignore", PinFactoryFallback)
            return make()
    except BadPinFactory as error:
        raise HardwareError(
            "This computer has no GPIO pins that gpiozero can use: run on a Raspberry Pi with python3-lgpio "
            "installed, or take the pins out of the settings."
        ) from error
    except PinInvalidPin as error:
        raise HardwareError(
            f"There is no GPIO pin {pin} on this computer: give the pin that is really connected."
        ) from error
    except (GPIOZeroError, OSError, ValueError) as error:
        raise cannot_be_used(pin, error) from error


def cannot_be_used(pin: Pin, error: Exception) -> HardwareError:
    """What to raise when gpiozero fails at a pin that exists."""
    return HardwareError(
        f"GPIO pin {pin} cannot be used: check that it has no other use in the settings or by another program "
        f"({error})."
    )
