"""The imaginary pins of the running table."""

from __future__ import annotations

import pytest

from hardware.clock import VirtualClock
from hardware.errors import TableProgramError
from hardware.gpio_panel import COLOURS
from hardware.panel import Light
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.program.pins import GRIPPER_PIN, LIGHT_PINS, PinBoard

TURN, STOP = 17, 27


class Board:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.panel = SimulatedPanel()
        self.gripper: list[bool] = []
        self.pins = PinBoard(self.panel, self.clock.now, self.gripper.append)
        self.heard: list[tuple[int, bool]] = []
        self.pins.on_change = lambda pin, high: self.heard.append((pin, high))
        self.lights: list[Light] = []
        self.clock.attach(self.pins.advance_to)
        self.clock.attach(lambda now: self.lights.append(self.panel.light))

    def show(self, *colours: tuple[float, ...], each_s: float = 0.001) -> None:
        """Change the light's pins one after the other, as gpiozero does."""
        for colour in colours:
            for pin, level in zip(LIGHT_PINS, colour, strict=True):
                self.pins.drive({str(pin): level})
                self.clock.sleep(0.001)
            self.clock.sleep(each_s)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.01)):
            self.clock.sleep(0.01)


@pytest.fixture
def board() -> Board:
    return Board()


def test_the_turn_button_pulls_its_pin_low_for_a_while(board: Board) -> None:
    assert board.pins.levels() == {TURN: True, STOP: False}
    board.pins.press("turn", 0.2)
    assert board.pins.levels() == {TURN: False, STOP: False}
    board.wait(0.19)
    assert board.heard == [(TURN, False)]
    board.wait(0.02)
    assert board.heard == [(TURN, False), (TURN, True)]


def test_the_stop_button_opens_its_circuit_as_long_as_it_is_held(board: Board) -> None:
    board.pins.press("stop", 1.0)
    board.wait(0.5)
    board.pins.press("stop", 1.0)
    board.wait(0.9)
    assert board.heard == [(STOP, True)]
    board.wait(0.2)
    assert board.heard == [(STOP, True), (STOP, False)]


def test_the_hand_on_the_panel_presses_the_pin(board: Board) -> None:
    board.panel.press_turn()
    board.wait(0.5)
    assert board.heard == [(TURN, False), (TURN, True)]


@pytest.mark.parametrize("before", list(Light))
@pytest.mark.parametrize("after", list(Light))
def test_pins_that_change_one_by_one_never_show_a_third_light(board: Board, before: Light, after: Light) -> None:
    board.show(COLOURS[before])
    board.wait(1.2)
    assert board.panel.light is before
    board.lights.clear()
    board.show(COLOURS[after])
    board.wait(1.2)
    assert board.panel.light is after
    assert set(board.lights) <= {before, after}


def test_a_light_that_blinks_does_not_go_off(board: Board) -> None:
    blinking = [COLOURS[Light.ATTENTION], COLOURS[Light.OFF]]
    board.show(*blinking * 4, each_s=0.1)
    assert board.panel.light is Light.ATTENTION
    board.lights.clear()
    board.show(*blinking * 4, each_s=0.7)
    assert set(board.lights) == {Light.ATTENTION}
    board.wait(1.2)
    assert board.panel.light is Light.OFF


def test_the_gripper_follows_its_pin(board: Board) -> None:
    board.pins.drive({str(GRIPPER_PIN): 1.0})
    board.pins.release([str(GRIPPER_PIN)])
    assert board.gripper == [True, False]


@pytest.mark.parametrize("levels", [{"4": 1.0}, {"x": 1.0}, {"-5": 1.0}, {"5": 2.0}, {"5": float("nan")}, {"²": 1.0}])
def test_pins_that_are_not_wired_change_nothing(board: Board, levels: dict[str, float]) -> None:
    with pytest.raises(TableProgramError, match="pin"):
        board.pins.drive({"23": 1.0, **levels})
    assert board.gripper == []


def test_a_gripper_on_the_firmware_is_on_no_pin() -> None:
    clock = VirtualClock()
    with pytest.raises(TableProgramError, match="wired are 5, 6, 13"):
        PinBoard(SimulatedPanel(), clock.now).drive({"23": 1.0})
