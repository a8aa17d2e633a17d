"""Firmware, gripper, discs and hand together on one clock."""

from __future__ import annotations

import pytest

from hardware.panel import Light
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Errand, Hover, PressButton
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import TableSetup
from tests.simulated.gcode_machine import GcodeMachine

GEOMETRY = TableGeometry()
DARK = DiscColour.DARK


def machine_with(*stacks: StackOfDiscs) -> GcodeMachine:
    return GcodeMachine(TableSetup(GEOMETRY, seed=1), *stacks)


def test_gcode_carries_a_disc_across_the_board() -> None:
    machine = machine_with((DARK, 100, 60, 1), (DARK, 180, 60, 1))
    machine.go(100, 60, 40)
    machine.go(100, 60, 8)
    machine.send("M8")
    machine.go(100, 60, 40)
    assert machine.table.scene().carried[0].z == pytest.approx(32, abs=0.02)
    machine.go(260, 220, 40)
    machine.go(260, 220, 8)
    machine.send("M9")
    machine.go(260, 220, 40)
    disc = machine.table.world.discs[0]
    assert (disc.x, disc.y, disc.z) == pytest.approx((260, 220, 0), abs=0.03)
    assert machine.table.world.mishaps == []


def test_a_low_crossing_is_seen_although_time_jumps() -> None:
    machine = machine_with((DARK, 160, 100, 1))
    machine.go(20, 100, 40)
    machine.go(20, 100, 4)
    x, y, z = GEOMETRY.board_to_machine @ (300, 100, 4, 1.0)
    machine.table.line.write(f"G53 G0 X{x:.3f} Y{y:.3f} Z{z:.3f}\n".encode())
    machine.clock.sleep(10)
    assert machine.table.world.knocked == 1


def test_a_reset_lets_go_of_the_disc() -> None:
    machine = machine_with((DARK, 100, 60, 1))
    machine.go(100, 60, 40)
    machine.go(100, 60, 8)
    machine.send("M8")
    machine.go(100, 60, 40)
    machine.table.line.write(b"\x18")
    machine.clock.sleep(1)
    assert machine.table.world.dropped == 1
    assert machine.table.world.carried == ()


def test_motion_under_the_hand_is_counted() -> None:
    machine = machine_with((DARK, 100, 60, 1))
    machine.go(160, 200, 60)
    assert machine.table.moved_under_hand_s == 0
    machine.table.hand.do(Errand((Hover((160, 60), 5.0),)))
    machine.clock.sleep(3)
    assert machine.table.moved_under_hand_s == 0
    machine.go(200, 260, 60)
    assert 0.1 < machine.table.moved_under_hand_s < 2


def test_the_hand_presses_the_turn_button_once() -> None:
    machine = machine_with()
    machine.table.hand.do(Errand((PressButton(),)))
    while machine.table.hand.busy:
        machine.clock.sleep(0.5)
    assert machine.table.panel.turn_pressed()
    assert not machine.table.panel.turn_pressed()


def test_the_panel_shows_its_light_and_remembers_the_stop_button() -> None:
    panel = SimulatedPanel()
    panel.show(Light.THINKING)
    assert panel.light is Light.THINKING
    panel.press_stop()
    assert panel.stop_pressed()
    assert not panel.stop_pressed()


def test_the_camera_sees_the_table_as_it_is_at_the_clocks_time() -> None:
    machine = machine_with((DARK, 100, 60, 1))
    frame = machine.table.camera.frame()
    assert frame.time_s == machine.clock.now()
    assert frame.pixels.shape == (720, 1280, 3)
