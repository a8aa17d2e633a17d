from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.clock import RealClock, VirtualClock
from hardware.errors import HardwareError
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.panel import Edge, Light


@pytest.fixture
def factory() -> Iterator[Any]:
    factory = MockFactory(pin_class=MockPWMPin)
    yield factory
    factory.close()


def test_a_press_of_the_turn_button_counts_once(factory: Any) -> None:
    panel = GpioPanel(PanelPins(turn=17), factory)
    assert not panel.turn_pressed()
    factory.pin(17).drive_low()
    factory.pin(17).drive_high()
    assert panel.turn_pressed()
    assert not panel.turn_pressed()
    panel.close()


def test_the_stop_button_is_closed_until_pressed(factory: Any) -> None:
    factory.pin(27).drive_low()
    panel = GpioPanel(PanelPins(stop=27), factory)
    factory.pin(27).drive_low()
    panel.stop_pressed()
    assert not panel.stop_pressed()
    factory.pin(27).drive_high()
    assert panel.stop_pressed()
    assert panel.stop_pressed(), "it is still pressed"
    factory.pin(27).drive_low()
    assert not panel.stop_pressed()
    panel.close()


def test_a_short_stop_between_two_looks_is_not_missed(factory: Any) -> None:
    panel = GpioPanel(PanelPins(stop=27), factory)
    factory.pin(27).drive_low()
    panel.stop_pressed()
    factory.pin(27).drive_high()
    factory.pin(27).drive_low()
    assert panel.stop_pressed()
    assert not panel.stop_pressed()
    panel.close()


def test_a_broken_stop_wire_stops(factory: Any) -> None:
    panel = GpioPanel(PanelPins(stop=27), factory)
    assert panel.stop_pressed(), "an open input is pulled high"
    panel.close()


def test_a_stop_button_that_closes_when_pressed(factory: Any) -> None:
    panel = GpioPanel(PanelPins(stop=27, stop_normally_closed=False), factory)
    assert not panel.stop_pressed()
    factory.pin(27).drive_low()
    assert panel.stop_pressed()
    panel.close()


def test_a_coloured_light(factory: Any) -> None:
    panel = GpioPanel(PanelPins(red=5, green=6, blue=13), factory)
    shown = {}
    for light in Light:
        panel.show(light)
        shown[light] = tuple(factory.pin(pin).state for pin in (5, 6, 13))
    assert shown[Light.OFF] == (0, 0, 0)
    assert shown[Light.YOUR_TURN] == (0, 1, 0)
    assert shown[Light.ATTENTION] == (1, 0, 0)
    assert len(set(shown.values())) == len(Light)
    panel.show(Light.ATTENTION)
    panel.close()
    assert factory.pin(5).state == 0


def test_one_led_is_on_off_or_blinks(factory: Any) -> None:
    panel = GpioPanel(PanelPins(light=5), factory)
    panel.show(Light.YOUR_TURN)
    assert factory.pin(5).state == 1
    panel.show(Light.OFF)
    assert factory.pin(5).state == 0
    panel.show(Light.ATTENTION)
    panel.show(Light.YOUR_TURN)
    assert factory.pin(5).state == 1, "the blinking is over"
    panel.close()


def test_a_panel_without_anything_is_quiet(factory: Any) -> None:
    panel = GpioPanel(PanelPins(), factory)
    panel.show(Light.MOVING)
    assert not panel.turn_pressed() and not panel.stop_pressed()
    panel.close()


def test_pins_are_free_again_after_closing(factory: Any) -> None:
    for _ in range(2):
        GpioPanel(PanelPins(turn=17, stop=27, light=5), factory).close()


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        (PanelPins(turn=99), "There is no GPIO pin 99"),
        (PanelPins(light="BOARD999"), "There is no GPIO pin BOARD999"),
        (PanelPins(turn=17, stop=17), "GPIO pin 17 cannot be used"),
        (PanelPins(red=5, green=6), "needs all three pins"),
        (PanelPins(light=5, buzzer=99), "There is no GPIO pin 99"),
    ],
)
def test_wrong_pins_are_one_sentence(factory: Any, pins: PanelPins, words: str) -> None:
    with pytest.raises(HardwareError, match=words) as caught:
        GpioPanel(pins, factory)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
    GpioPanel(PanelPins(turn=17, light=5), factory).close()


def test_a_computer_without_pins_is_told_so_and_nothing_is_printed() -> None:
    code = (
        "from hardware.gpio_panel import GpioPanel, PanelPins\n"
        "import sys\n"
        "assert 'gpiozero' not in sys.modules\n"
        "GpioPanel(PanelPins())\n"
        "try:\n    GpioPanel(PanelPins(turn=17))\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("HardwareError This computer has no GPIO pins")
    assert run.stderr == ""


def test_a_stop_is_told_at_the_moment_it_is_pressed(factory: Any) -> None:
    factory.pin(27).drive_low()
    panel = GpioPanel(PanelPins(stop=27), factory)
    factory.pin(27).drive_low()
    told: list[bool] = []
    panel.on_stop(lambda: told.append(True))
    factory.pin(27).drive_high()
    assert told == [True], "before anybody has asked"
    assert panel.stop_pressed()
    factory.pin(27).drive_low()
    factory.pin(27).drive_high()
    assert told == [True, True]
    panel.close()


def test_the_buzzer_says_what_begins_and_only_that(factory: Any) -> None:
    panel = GpioPanel(PanelPins(buzzer=19), factory)
    pin = factory.pin(19)
    panel.show(Light.THINKING)
    panel.show(Light.MOVING)
    assert pin.state == 0
    pin.clear_states()
    panel.show(Light.YOUR_TURN)
    panel.show(Light.YOUR_TURN)
    wait_until(lambda: [state.state for state in pin.states] == [False, True, False])
    pin.clear_states()
    panel.show(Light.ATTENTION)
    wait_until(lambda: [state.state for state in pin.states] == [False, *[True, False] * 3])
    panel.show(Light.OFF)
    panel.show(Light.ATTENTION)
    wait_until(lambda: pin.state == 1)
    panel.close()
    assert not factory.pin(19).state, "and is silent when the panel is closed"


def wait_until(what: Callable[[], bool]) -> None:
    """Return once something is so that gpiozero's thread brings about."""
    clock = RealClock()
    give_up = clock.now() + 20.0
    while not what():
        assert clock.now() < give_up
        clock.sleep(0.005)


def test_the_turn_button_tells_when_it_went_down_and_up(factory: Any) -> None:
    clock = VirtualClock()
    panel = GpioPanel(PanelPins(turn=17), factory, clock)
    for down in (True, False, True):
        clock.sleep(0.5)
        (factory.pin(17).drive_low if down else factory.pin(17).drive_high)()
    assert panel.turn_edges() == (Edge(True, 0.5), Edge(False, 1.0), Edge(True, 1.5))
    assert panel.turn_edges() == ()
    assert panel.turn_pressed()
    panel.close()


def test_the_buzzer_can_be_told_to_beep(factory: Any) -> None:
    panel = GpioPanel(PanelPins(buzzer=19), factory)
    panel.beep(2)
    pin = factory.pin(19)
    wait = RealClock()
    for _ in range(400):
        if [state.state for state in pin.states].count(True) >= 2:
            break
        wait.sleep(0.005)
    panel.close()
    assert [state.state for state in pin.states].count(True) == 2
