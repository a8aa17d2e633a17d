"""Switches, contacts and servos on gpiozero's mock pins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.errors import HardwareError
from hardware.gpio_switch import GpioContact, GpioServo, GpioSwitch

PIN = 18


@pytest.fixture
def factory() -> Iterator[Any]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.close()


@pytest.mark.parametrize("closed_when_held", [True, False])
def test_a_contact_to_ground(factory: Any, closed_when_held: bool) -> None:
    contact = GpioContact(PIN, closed_when_held, factory)
    assert factory.pin(PIN).pull == "up"
    assert contact.feels is not closed_when_held, "open at first"
    factory.pin(PIN).drive_low()
    assert contact.feels is closed_when_held
    contact.close()
    with pytest.raises(HardwareError, match="GPIO pin 18 cannot be used"):
        _ = contact.feels


def pulse_us(factory: Any) -> float:
    pin = factory.pin(PIN)
    return float(pin.state / pin.frequency * 1e6)


def test_a_servo_gets_pulses_of_the_right_width_and_none_before_and_after(factory: Any) -> None:
    servo = GpioServo(PIN, factory)
    assert factory.pin(PIN).state == 0
    for width in (500.0, 1200.0, 1500.0, 2500.0):
        servo.turn_to(width)
        assert pulse_us(factory) == pytest.approx(width)
    servo.relax()
    assert not factory.pin(PIN).frequency or factory.pin(PIN).state == 0
    servo.close()
    with pytest.raises(HardwareError, match="GPIO pin 18 cannot be used"):
        servo.turn_to(1500.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda pin, factory: GpioSwitch(pin, pin_factory=factory),
        lambda pin, factory: GpioContact(pin, pin_factory=factory),
        GpioServo,
    ],
)
def test_wrong_pins_are_one_sentence(factory: Any, make: Callable[[int, Any], Any]) -> None:
    with pytest.raises(HardwareError, match="There is no GPIO pin 99 on this computer"):
        make(99, factory)
    device = make(PIN, factory)
    with pytest.raises(HardwareError, match="GPIO pin 18 cannot be used: check that it has no other use"):
        make(PIN, factory)
    device.close()
