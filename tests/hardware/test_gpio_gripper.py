"""A gripper on a pin: when it switches, and what the firmware's resets and the program's end mean for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory
from simulated_machine import Machine

from hardware.errors import FirmwareError, HardwareError, PositionLostError, SerialError, StoppedError
from hardware.gantry import Gantry
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.gpio_switch import GpioSwitch
from hardware.grippers.vacuum import VacuumGripper

PIN = 23


@pytest.fixture
def factory() -> Iterator[Any]:
    factory = MockFactory()
    yield factory
    factory.close()


class TimedSwitch:
    """A gripper on a pin, with what the machine was doing whenever it was switched."""

    def __init__(self, machine: Machine, factory: Any) -> None:
        self._machine = machine
        self._gripper = GpioSwitch(PIN, pin_factory=factory)
        self.switched: list[tuple[float, bool, bool]] = []
        """When, to what, and whether motors turned."""

    @property
    def on(self) -> bool:
        return self._gripper.on

    def set(self, on: bool) -> None:
        self.switched.append((self._machine.clock.now(), on, self._machine.firmware.moving))
        self._gripper.set(on)

    def close(self) -> None:
        self._gripper.close()


@pytest.fixture
def gripper(machine: Machine, factory: Any) -> TimedSwitch:
    return TimedSwitch(machine, factory)


@pytest.fixture
def gantry(machine: Machine, gripper: TimedSwitch) -> Gantry:
    gantry = Gantry(machine.motion, machine.permit, machine.clock, gripper=VacuumGripper(gripper))
    gantry.connect()
    gantry.home()
    machine.line.written.clear()
    return gantry


# The pin.


@pytest.mark.parametrize("active_high", [True, False])
def test_the_pin_follows_the_gripper(factory: Any, active_high: bool) -> None:
    gripper = GpioSwitch(PIN, active_high, factory)
    assert not gripper.on and factory.pin(PIN).state is not active_high
    gripper.set(True)
    assert gripper.on and factory.pin(PIN).state is active_high
    gripper.set(False)
    assert not gripper.on and factory.pin(PIN).state is not active_high


def test_closing_lets_the_pin_go(factory: Any) -> None:
    gripper = GpioSwitch(PIN, pin_factory=factory)
    gripper.set(True)
    gripper.close()
    gripper.close()
    assert not gripper.on
    assert factory.pin(PIN).function == "input", "nothing drives it any more"
    with pytest.raises(HardwareError, match="GPIO pin 23 cannot be used"):
        gripper.set(True)
    GpioSwitch(PIN, pin_factory=factory).close()


def test_wrong_pins_are_one_sentence(factory: Any) -> None:
    with pytest.raises(HardwareError, match="There is no GPIO pin 99 on this computer"):
        GpioSwitch(99, pin_factory=factory)
    panel = GpioPanel(PanelPins(turn=PIN), factory)
    with pytest.raises(HardwareError, match="GPIO pin 23 cannot be used: check that it has no other use"):
        GpioSwitch(PIN, pin_factory=factory)
    panel.close()


def test_a_computer_without_pins_is_told_so() -> None:
    code = (
        "import sys\nfrom hardware.gpio_switch import GpioSwitch\n"
        "assert 'gpiozero' not in sys.modules\n"
        "try:\n    GpioSwitch(23)\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("HardwareError This computer has no GPIO pins")
    assert run.stderr == ""


# Behind the gantry.


def test_it_switches_where_the_machine_stands_and_is_given_time(
    machine: Machine, gantry: Gantry, gripper: TimedSwitch
) -> None:
    gantry.move_to(x=-200)
    before = machine.clock.now()
    gantry.grip()
    held = machine.clock.now()
    gantry.move_to(x=-10)
    carried = machine.clock.now()
    gantry.release()
    assert gripper.switched == [(before, True, False), (carried, False, False)]
    assert held - before == pytest.approx(gantry.limits.grip_s, abs=0.01)
    assert machine.clock.now() - carried == pytest.approx(gantry.limits.release_s, abs=0.01)
    assert not any(data.startswith(b"M") for _, data in machine.line.written), "the firmware's outputs are left alone"
    assert not machine.firmware.gripper_on


def test_it_waits_for_the_permit(machine: Machine, gantry: Gantry, gripper: TimedSwitch) -> None:
    now = machine.clock.now()
    machine.permit.refused = [(now, now + 1)]
    gantry.grip()
    ((switched, _, _),) = gripper.switched
    assert switched >= now + 1.5


def test_while_stopped_a_held_disc_stays_held(machine: Machine, gantry: Gantry, gripper: TimedSwitch) -> None:
    gantry.grip()
    machine.at(machine.clock.now() + 0.5, gantry.stop)
    with pytest.raises(StoppedError):
        gantry.move_to(x=-500)
    with pytest.raises(StoppedError):
        gantry.release()
    assert gantry.holding_disc and gripper.on
    gantry.allow()
    gantry.release()
    ((_, _, _), (_, on, moving)) = gripper.switched
    assert not on and not moving
    assert machine.firmware.position[0] == pytest.approx(-500, abs=0.02), "the interrupted move was finished first"


def test_it_holds_through_alarm_reset_and_homing(machine: Machine, gantry: Gantry, gripper: TimedSwitch) -> None:
    gantry.grip()
    machine.at(machine.clock.now() + 0.5, lambda: machine.firmware.raise_alarm(1))
    with pytest.raises(PositionLostError):
        gantry.move_to(x=-500)
    assert gantry.holding_disc and gripper.on
    with pytest.raises(PositionLostError, match="home the machine"):
        gantry.release()
    gantry.home()
    assert gantry.holding_disc and gripper.on
    gantry.release()
    assert not gantry.holding_disc


def test_it_holds_while_the_line_is_gone(machine: Machine, gantry: Gantry, gripper: TimedSwitch) -> None:
    gantry.grip()
    machine.line.unplug()
    with pytest.raises(SerialError):
        gantry.release()
    assert gantry.holding_disc and gripper.on, "nobody knows whether the machine stands"
    machine.line.plug_in()
    machine.firmware.power_cycle()
    gantry.connect()
    gantry.home()
    assert gantry.holding_disc and gripper.on
    gantry.release()
    assert not gripper.on


def test_it_is_not_switched_while_something_moves(machine: Machine, gantry: Gantry, gripper: TimedSwitch) -> None:
    machine.motion.start_move(x=-300)
    with pytest.raises(FirmwareError, match="has not come to rest"):
        gantry.grip()
    assert gripper.switched == []


def test_closing_the_table_lets_go(gantry: Gantry, gripper: TimedSwitch, factory: Any) -> None:
    gantry.grip()
    gantry.close()
    assert not gantry.holding_disc and not gripper.on
    assert factory.pin(PIN).function == "input"
