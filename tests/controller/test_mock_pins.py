"""The real panel and the real gripper on pins that are wired to a table at the other end of a socket."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gpiozero import Device
from table_stub import PATIENCE_S, TableStub

from controller import mock_pins
from controller.mock_pins import TablePins
from hardware.clock import RealClock
from hardware.errors import TableProgramError
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.gpio_switch import GpioSwitch
from hardware.panel import Light
from hardware.simulated import control_client

TURN, STOP, GRIPPER = 17, 27, 23
RED, GREEN, BLUE = 5, 6, 13
PANEL = PanelPins(turn=TURN, stop=STOP, red=RED, green=GREEN, blue=BLUE)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableStub]:
    table = TableStub(tmp_path / "control", {TURN: True, STOP: False})
    yield table
    if table.path.exists():
        table.stop()


@pytest.fixture
def pins(table: TableStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[TablePins]:
    monkeypatch.setattr(control_client, "DIAL_AGAIN_S", 0.01)
    pins = TablePins(table.path, [TURN, STOP], [GRIPPER])
    yield pins
    pins.close()


@pytest.fixture
def panel(pins: TablePins) -> Iterator[GpioPanel]:
    panel = GpioPanel(PANEL, pins.factory)
    yield panel
    panel.close()


@pytest.fixture
def gripper(pins: TablePins) -> Iterator[GpioSwitch]:
    gripper = GpioSwitch(GRIPPER, pin_factory=pins.factory)
    yield gripper
    gripper.close()


def wait_until(what: Callable[[], bool]) -> None:
    """Return once something is so that other threads bring about."""
    clock = RealClock()
    give_up = clock.now() + PATIENCE_S
    while not what():
        assert clock.now() < give_up
        clock.sleep(0.002)


def sent(table: TableStub) -> list[dict[str, float]]:
    return [request["levels"] for request in table.asked if request["do"] == "pins"]


# Buttons.


def test_a_press_at_the_table_is_a_press_on_the_panel(table: TableStub, panel: GpioPanel) -> None:
    assert not panel.turn_pressed()
    for _ in range(2):
        table.set_level(TURN, False)
        table.set_level(TURN, True)
        wait_until(panel.turn_pressed)
        assert not panel.turn_pressed(), "it counts once"


def test_the_stop_button_is_at_rest_from_the_first_look_on(table: TableStub, panel: GpioPanel) -> None:
    assert not panel.stop_pressed(), "its closed contact is stronger than the pull-up"
    table.set_level(STOP, True)
    wait_until(panel.stop_pressed)
    assert panel.stop_pressed(), "and it is still pressed"
    table.set_level(STOP, False)
    wait_until(lambda: not panel.stop_pressed())


def test_a_stop_button_that_is_held_when_the_controller_starts(table: TableStub) -> None:
    table.levels[STOP] = True
    pins = TablePins(table.path, [TURN, STOP], [])
    panel = GpioPanel(PANEL, pins.factory)
    assert panel.stop_pressed()
    panel.close()
    pins.close()


def test_buttons_work_again_once_the_table_is_back(table: TableStub, panel: GpioPanel) -> None:
    table.stop()
    assert not panel.stop_pressed() and not panel.turn_pressed(), "a table that is gone presses nothing"
    table.levels = {TURN: True, STOP: True}
    table.start()
    wait_until(panel.stop_pressed)


def test_a_button_that_the_table_does_not_have(table: TableStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mock_pins, "FIRST_LEVELS_S", 0.05)
    with pytest.raises(TableProgramError, match=r"No button of the simulated table in .* is wired to pin 4: "):
        TablePins(table.path, [TURN, 4], [])
    assert table.left.get(timeout=PATIENCE_S) is table.left.get(timeout=PATIENCE_S) is None, "both connections"


# Light and gripper.


def test_every_light_arrives(table: TableStub, panel: GpioPanel) -> None:
    colours = {
        Light.YOUR_TURN: (0, 1, 0),
        Light.THINKING: (0, 0, 1),
        Light.MOVING: (1, 1, 0),
        Light.ATTENTION: (1, 0, 0),
        Light.OFF: (0, 0, 0),
    }
    for light, colour in colours.items():
        panel.show(light)
        wanted = dict(zip((str(RED), str(GREEN), str(BLUE)), colour, strict=True))
        wait_until(lambda wanted=wanted: {pin: table.driven().get(pin, 0.0) for pin in wanted} == wanted)


def test_a_blinking_led_blinks_at_the_table(table: TableStub, pins: TablePins) -> None:
    panel = GpioPanel(PanelPins(light=RED), pins.factory)
    panel.show(Light.ATTENTION)
    wait_until(lambda: [levels.get("5") for levels in sent(table)].count(1.0) >= 2)
    panel.close()


def test_the_gripper_has_switched_when_the_call_returns(table: TableStub, gripper: GpioSwitch) -> None:
    for on in (True, False, True):
        gripper.set(on)
        assert sent(table)[-1] == {"23": float(on)}
        assert gripper.on is on


def test_changes_keep_their_order(table: TableStub, panel: GpioPanel, gripper: GpioSwitch) -> None:
    panel.show(Light.MOVING)
    gripper.set(True)
    after_gripping = len(sent(table))
    panel.show(Light.YOUR_TURN)
    gripper.set(False)
    driven = sent(table)
    assert driven[after_gripping - 1] == {"23": 1.0} and driven[-1] == {"23": 0.0}
    before: dict[str, float] = {}
    for levels in driven[:after_gripping]:
        before.update(levels)
    assert before == {"5": 1.0, "6": 1.0, "23": 1.0}
    assert {"5": 0.0} in driven[after_gripping:] or driven[after_gripping]["5"] == 0.0


def test_a_slow_table_does_not_keep_the_turn_waiting_for_a_light(table: TableStub, panel: GpioPanel) -> None:
    answers = threading.Event()

    def slowly(request: dict[str, Any]) -> dict[str, Any]:
        answers.wait(PATIENCE_S)
        return {"ok": True}

    table.answer = slowly
    for light in (Light.MOVING, Light.THINKING, Light.ATTENTION, Light.YOUR_TURN):
        panel.show(light)
    assert len(sent(table)) <= 1, "and nothing has been answered"
    answers.set()
    wait_until(lambda: table.driven() == {"23": 0.0, "5": 0.0, "6": 1.0, "13": 0.0})
    assert len(sent(table)) <= 4, "what has changed meanwhile goes together"


def test_a_gripper_at_a_table_that_is_gone(table: TableStub, panel: GpioPanel, gripper: GpioSwitch) -> None:
    gripper.set(True)
    table.stop()
    panel.show(Light.ATTENTION)
    with pytest.raises(TableProgramError, match=r"simulated table .*crownhead table --dir"):
        gripper.set(False)
    panel.show(Light.YOUR_TURN)
    gripper.close()
    assert not gripper.on


def test_a_gripper_that_the_table_does_not_have(table: TableStub) -> None:
    table.answer = lambda request: (
        {"error": "Nothing is driven by pin 23."} if request["do"] == "pins" else {"ok": True}
    )
    with pytest.raises(TableProgramError, match=r"Nothing is driven by pin 23\."):
        TablePins(table.path, [TURN], [GRIPPER])
    assert table.left.get(timeout=PATIENCE_S) is None


def test_a_light_that_the_table_does_not_have_disturbs_nothing(
    table: TableStub, panel: GpioPanel, gripper: GpioSwitch
) -> None:
    table.answer = lambda request: {"ok": True} if "23" in request.get("levels", {}) else {"error": "No such pin."}
    panel.show(Light.MOVING)
    gripper.set(True)
    assert sent(table)[-1] == {"23": 1.0}


# The end.


def test_closing_lets_everything_go(table: TableStub) -> None:
    pins = TablePins(table.path, [TURN, STOP], [GRIPPER])
    panel, gripper = GpioPanel(PANEL, pins.factory), GpioSwitch(GRIPPER, pin_factory=pins.factory)
    panel.show(Light.MOVING)
    gripper.set(True)
    gripper.close()
    panel.close()
    pins.close()
    assert table.left.get(timeout=PATIENCE_S) is table.left.get(timeout=PATIENCE_S) is None
    assert set(table.driven().values()) == {0.0}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("table ")]


def test_closing_after_the_table_is_gone(table: TableStub) -> None:
    pins = TablePins(table.path, [TURN, STOP], [GRIPPER])
    panel, gripper = GpioPanel(PANEL, pins.factory), GpioSwitch(GRIPPER, pin_factory=pins.factory)
    gripper.set(True)
    table.stop()
    gripper.close()
    panel.close()
    pins.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("table ")]


def test_gpiozeros_own_choice_of_pins_is_left_alone(pins: TablePins, panel: GpioPanel) -> None:
    assert Device.pin_factory is None


def test_no_table(tmp_path: Path) -> None:
    with pytest.raises(TableProgramError, match="No simulated table runs in"):
        TablePins(tmp_path / "control", [TURN], [GRIPPER])


def test_nothing_of_it_is_loaded_before_it_is_wanted() -> None:
    code = "import sys, controller.table\nprint('gpiozero' in sys.modules, 'controller.mock_pins' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"
