"""The gripper of the settings: what is made, on which pins, and what is said when it cannot be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from controller.errors import SettingsError
from controller.grippers import gripper_pins, make_gripper
from controller.hardware_settings import GripperSettings
from controller.settings import Settings
from controller.settings_file import settings_from
from hardware.clock import VirtualClock
from hardware.errors import HardwareError
from hardware.gripper import Gripper, Work


class Firmware:
    """The firmware's output, as far as grippers know it."""

    def __init__(self) -> None:
        self.gripper_on = False

    def set_gripper(self, on: bool) -> None:
        self.gripper_on = on


@pytest.fixture
def factory() -> Iterator[Any]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.close()


def settings(on_pin: bool, **gripper: Any) -> Settings:
    machine = Settings().machine
    if on_pin:
        machine = replace(machine, gripper_output="pin", gripper_pin=18)
    return replace(Settings(), machine=machine, gripper=GripperSettings(**gripper))


def made(given: Settings, factory: Any, clock: VirtualClock | None = None) -> tuple[Gripper, Firmware]:
    firmware = Firmware()
    return make_gripper(given, firmware, clock or VirtualClock(), factory), firmware  # type: ignore[arg-type]


def seconds(work: Work) -> float:
    return sum(work)


def test_the_reference_build_uses_no_pin(factory: Any) -> None:
    given = Settings()
    gripper, firmware = made(given, None)
    assert gripper_pins(given) == []
    assert seconds(gripper.grip()) == pytest.approx(given.machine.grip_s)
    assert firmware.gripper_on and gripper.on and gripper.feels_disc() is None
    assert seconds(gripper.release()) == pytest.approx(given.machine.release_s)
    assert not firmware.gripper_on


def test_a_pump_on_the_firmware_with_valve_and_vacuum_switch_on_pins(factory: Any) -> None:
    given = settings(False, release_pin=25, release_pin_active_high=False, sensor_pin=24, release_pulse_s=0.2)
    gripper, firmware = made(given, factory)
    assert gripper_pins(given) == [25]
    assert factory.pin(25).state == 1, "off"
    factory.pin(24).drive_low()
    assert seconds(gripper.grip()) == 0 and firmware.gripper_on and gripper.feels_disc()
    work = gripper.release()
    assert next(work) == pytest.approx(0.2)
    assert factory.pin(25).state == 0 and not firmware.gripper_on
    factory.pin(24).drive_high()
    assert list(work) == [] and factory.pin(25).state == 1
    gripper.close()


def test_a_magnet_on_pins_with_its_heat_limit(factory: Any) -> None:
    clock = VirtualClock()
    given = settings(True, kind="magnet", release_pin=25, longest_on_s=30.0, duty=0.5)
    gripper, firmware = made(given, factory, clock)
    assert gripper_pins(given) == [18, 25]
    seconds(gripper.grip())
    assert factory.pin(18).state == 1 and factory.pin(25).state == 0 and not firmware.gripper_on
    clock.sleep(31.0)
    assert gripper.overdue
    gripper.close()


def test_jaws_are_a_servo_on_a_pin_or_an_output_of_the_firmware(factory: Any) -> None:
    gripper, _ = made(settings(True, kind="jaws", open_us=1000.0, closed_us=2000.0), factory)
    seconds(gripper.grip())
    pin = factory.pin(18)
    assert pin.state / pin.frequency * 1e6 == pytest.approx(2000)
    gripper.close()
    gripper, firmware = made(settings(False, kind="jaws"), factory)
    seconds(gripper.grip())
    assert firmware.gripper_on


def test_a_pin_that_cannot_be_had_lets_the_others_go(factory: Any) -> None:
    taken = factory.pin(25)
    first, _ = made(settings(True, release_pin=25), factory)
    with pytest.raises(HardwareError, match="GPIO pin 25 cannot be used"):
        made(replace(settings(False, release_pin=25, sensor_pin=24)), factory)
    first.close()
    assert taken.function == "input"
    again, _ = made(settings(True, release_pin=25, sensor_pin=24), factory)
    again.close()


@pytest.mark.parametrize(
    ("gripper", "said"),
    [
        (
            {"kind": "jaws", "release_pin": 4},
            "'release_pin' in [gripper] is for a vacuum or magnet gripper: jaws need none",
        ),
        (
            {"kind": "jaws", "open_us": 1500.0, "closed_us": 1500.0},
            "'open_us' and 'closed_us' in [gripper] are the same: the jaws would not move",
        ),
        (
            {"sensor_pin": 4, "release_pin": 4},
            "'sensor_pin' in [gripper] and 'release_pin' in [gripper] are both pin 4: each needs its own",
        ),
        (
            {"kind": "suction"},
            '\'kind\' in [gripper] must be "jaws" or "magnet" or "vacuum", not "suction"',
        ),
        ({"duty": 0}, "'duty' in [gripper] must be a number from 0.05 to 1, not 0"),
    ],
)
def test_what_does_not_fit_together_is_said(gripper: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings_from({"gripper": gripper})
    assert str(caught.value) == said


def test_a_pin_of_the_gripper_and_one_of_the_panel(factory: Any) -> None:
    with pytest.raises(
        SettingsError, match=r"'buzzer_pin' in \[panel\] and 'sensor_pin' in \[gripper\] are both pin"
    ):
        settings_from({"panel": {"buzzer_pin": 19}, "gripper": {"sensor_pin": 19}})
    settings_from({"panel": {"stop_normally_closed": False, "buzzer_pin": 19}})
