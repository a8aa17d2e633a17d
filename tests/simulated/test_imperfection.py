"""Boards a little off, offset and playing grippers, grips that fail, discs that get lost."""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.imperfection_option import imperfection_text
from hardware.simulated.discs import DiscColour
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.imperfection import (
    BOARD_SHIFT_MM,
    BOARD_TURN_DEG,
    GRIPPER_OFFSET_MM,
    GripperPlay,
    Imperfection,
    imperfect_geometry,
    imperfection_of,
)
from hardware.simulated.scene import Point
from hardware.simulated.table import TableSetup
from tests.simulated.gcode_machine import GcodeMachine

GEOMETRY = TableGeometry()
MIDDLE = 4 * GEOMETRY.square_mm

offs = st.floats(-3, 3)
statics = st.builds(
    Imperfection,
    board_shift_mm=st.tuples(offs, offs),
    board_turn_deg=st.floats(-1, 1),
    gripper_offset_mm=st.tuples(offs, offs),
)
points = st.tuples(st.floats(-100, 450), st.floats(-50, 400), st.floats(0, 80))


def in_the_room(point: Point, imperfection: Imperfection) -> Point:
    """Where a point of the board's frame is, seen from where the calibration believes the board to be."""
    x, y, z = point
    turn = math.radians(imperfection.board_turn_deg)
    shift_x, shift_y = imperfection.board_shift_mm
    across, along = x - MIDDLE, y - MIDDLE
    return (
        MIDDLE + across * math.cos(turn) - along * math.sin(turn) + shift_x,
        MIDDLE + across * math.sin(turn) + along * math.cos(turn) + shift_y,
        z,
    )


def to_board(geometry: TableGeometry, machine: Point) -> Point:
    matrix = geometry.board_to_machine
    x, y, z = np.linalg.solve(matrix[:, :3], np.asarray(machine) - matrix[:, 3])
    return float(x), float(y), float(z)


def test_levels_draw_from_the_seed() -> None:
    assert imperfection_of("ideal", 3) == Imperfection()
    drawn = [imperfection_of("static", seed) for seed in range(200)]
    assert len(set(drawn)) == 200
    for one in drawn:
        assert max(map(abs, one.board_shift_mm)) <= BOARD_SHIFT_MM
        assert abs(one.board_turn_deg) <= BOARD_TURN_DEG
        assert math.hypot(*one.gripper_offset_mm) <= GRIPPER_OFFSET_MM
        assert one.grip_fails == one.drops == one.placement_noise_mm == 0
    assert max(abs(one.board_turn_deg) for one in drawn) > 0.9 * BOARD_TURN_DEG
    assert max(math.hypot(*one.gripper_offset_mm) for one in drawn) > 0.9 * GRIPPER_OFFSET_MM


def test_dynamic_is_static_and_more() -> None:
    static, dynamic = imperfection_of("static", 5), imperfection_of("dynamic", 5)
    assert dynamic.board_shift_mm == static.board_shift_mm
    assert dynamic.gripper_offset_mm == static.gripper_offset_mm
    assert (dynamic.grip_fails, dynamic.drops, dynamic.placement_noise_mm) == (0.04, 0.015, 0.6)


def test_another_level_is_refused() -> None:
    with pytest.raises(ValueError, match="ideal, static, dynamic"):
        imperfection_of("perfect", 1)


def test_an_ideal_or_only_dynamic_table_has_the_geometry_that_is_believed() -> None:
    assert imperfect_geometry(GEOMETRY, Imperfection(grip_fails=0.5, placement_noise_mm=1.0)) is GEOMETRY


@given(statics, points)
def test_the_machine_goes_where_it_always_went_but_for_the_grippers_offset(static: Imperfection, at: Point) -> None:
    machine = tuple(GEOMETRY.board_to_machine @ (*at, 1.0))
    x, y, z = in_the_room(to_board(imperfect_geometry(GEOMETRY, static), machine), static)  # type: ignore[arg-type]
    offset_x, offset_y = static.gripper_offset_mm
    assert (x, y, z) == pytest.approx((at[0] + offset_x, at[1] + offset_y, at[2]), abs=1e-6)


@given(statics, points)
def test_the_camera_stands_where_it_stood(static: Imperfection, at: Point) -> None:
    camera = imperfect_geometry(GEOMETRY, static).camera
    room = in_the_room(at, static)
    believed = GEOMETRY.camera.rotation @ room + GEOMETRY.camera.translation_mm
    assert camera.rotation @ at + camera.translation_mm == pytest.approx(believed, abs=1e-6)


@given(statics)
def test_tray_park_and_button_stay_in_the_room(static: Imperfection) -> None:
    true = imperfect_geometry(GEOMETRY, static)
    moved = [*((x, y, 0.0) for x, y in true.tray_mm), true.park_mm, true.button_mm]
    believed = [*((x, y, 0.0) for x, y in GEOMETRY.tray_mm), GEOMETRY.park_mm, GEOMETRY.button_mm]
    for point, before in zip(moved, believed, strict=True):
        assert in_the_room(point, static) == pytest.approx(before, abs=1e-6)


# The gripper's play


class Trips:
    """A tip that goes from place to place in small steps, down, up and on, as the arm does."""

    def __init__(self, imperfection: Imperfection, seed: int = 1, step_mm: float = 1.0) -> None:
        self.play = GripperPlay(imperfection, seed)
        self.step_mm = step_mm
        self.tip: Point = (0.0, 0.0, 40.0)
        self.gripping = False
        self.offset = (0.0, 0.0)
        self.grips = False
        self.jumps: list[float] = []
        """For each step, how far the side play changed beyond what the way allows."""
        self.meet(self.tip)

    def meet(self, tip: Point) -> None:
        way = math.hypot(tip[0] - self.tip[0], tip[1] - self.tip[1])
        self.tip = tip
        (x, y, z), self.grips = self.play.meet(tip, self.gripping)
        offset = (x - tip[0], y - tip[1])
        assert z == tip[2]
        self.jumps.append(math.dist(offset, self.offset) - 0.1 * way)
        self.offset = offset

    def go(self, *to: float) -> None:
        start = self.tip
        steps = max(1, round(math.dist(start, to) / self.step_mm))
        for step in range(1, steps + 1):
            x, y, z = (a + step / steps * (b - a) for a, b in zip(start, to, strict=True))
            self.meet((x, y, z))

    def set(self, on: bool) -> None:
        self.gripping = on
        self.meet(self.tip)

    def carry(self, x: float, to_x: float) -> bool:
        """Pick at x and put down at to_x; whether it still held when it got there."""
        self.go(x, 0, 40)
        self.go(x, 0, 8)
        self.set(True)
        self.go(x, 0, 40)
        self.go(to_x, 0, 40)
        self.go(to_x, 0, 8)
        held = self.grips
        self.set(False)
        return held


def test_an_ideal_gripper_does_what_it_is_told() -> None:
    trips = Trips(Imperfection())
    for _ in range(50):
        assert trips.carry(0, 120)
        assert trips.offset == (0, 0)
        assert not trips.grips


def test_side_play_has_its_spread_and_changes_smoothly_and_only_on_the_way() -> None:
    trips = Trips(Imperfection(placement_noise_mm=0.6))
    picked, put = [], []
    for _ in range(400):
        trips.go(0, 0, 40)
        trips.go(0, 0, 8)
        before = trips.offset
        trips.set(True)
        assert trips.offset == before
        trips.go(0, 0, 40)
        assert trips.offset == before
        picked.append(before)
        trips.go(150, 0, 40)
        put.append(trips.offset)
        trips.set(False)
    for offsets in (picked, put):
        assert np.std(offsets, axis=0) == pytest.approx(0.6, rel=0.15)
        assert np.mean(offsets, axis=0) == pytest.approx(0.0, abs=0.12)
    assert abs(np.corrcoef(np.array(picked)[:, 0], np.array(put)[:, 0])[0, 1]) < 0.2
    assert max(trips.jumps) <= 1e-9


def test_side_play_does_not_depend_on_how_finely_time_is_cut() -> None:
    fine, coarse = (Trips(Imperfection(placement_noise_mm=0.6), step_mm=step) for step in (0.5, 4.0))
    for x in (30, 10, 200):
        fine.carry(x, x + 40)
        coarse.carry(x, x + 40)
        assert fine.offset == pytest.approx(coarse.offset)


def test_grips_fail_and_discs_are_lost_as_often_as_asked_for() -> None:
    trips = Trips(Imperfection(grip_fails=0.1), step_mm=8.0)
    assert sum(trips.carry(0, 120) for _ in range(1000)) == pytest.approx(900, abs=30)
    trips = Trips(Imperfection(drops=0.1), step_mm=8.0)
    assert sum(trips.carry(0, 120) for _ in range(1000)) == pytest.approx(900, abs=30)


def test_a_failed_grip_stays_failed_until_it_is_switched_off() -> None:
    trips = Trips(Imperfection(grip_fails=0.0))
    trips.play.fail_next_grip()
    trips.set(True)
    assert not trips.grips
    trips.go(50, 0, 10)
    trips.set(True)
    assert not trips.grips
    trips.set(False)
    trips.set(True)
    assert trips.grips


def test_what_is_carried_is_lost_on_its_way_at_once_when_asked_for() -> None:
    trips = Trips(Imperfection())
    trips.set(True)
    trips.go(50, 0, 40)
    assert trips.grips
    trips.play.drop()
    trips.go(51, 0, 40)
    assert not trips.grips
    trips.go(80, 0, 40)
    assert not trips.grips
    trips.set(False)
    assert trips.carry(0, 100)


def test_what_is_carried_next_is_lost_on_its_way_when_nothing_is_carried_now() -> None:
    trips = Trips(Imperfection())
    trips.play.drop()
    trips.set(True)
    assert trips.grips
    trips.go(0, 0, 50)
    assert trips.grips
    trips.go(70, 0, 50)
    assert not trips.grips
    trips.set(False)
    assert trips.carry(0, 100)


def test_a_drop_waits_for_a_grip_that_holds() -> None:
    trips = Trips(Imperfection())
    trips.play.drop()
    trips.play.fail_next_grip()
    assert not trips.carry(0, 100)
    assert not trips.carry(0, 100)
    assert trips.carry(0, 100)


def test_the_same_seed_gives_the_same_chance() -> None:
    dynamic = Imperfection(grip_fails=0.2, drops=0.2, placement_noise_mm=0.6)
    runs = []
    for seed in (1, 1, 2):
        trips = Trips(dynamic, seed, step_mm=8.0)
        runs.append([(trips.carry(0, 120), trips.offset) for _ in range(30)])
    assert runs[0] == runs[1] != runs[2]


# On the table


def a_machine(imperfection: Imperfection) -> GcodeMachine:
    return GcodeMachine(TableSetup(GEOMETRY, seed=1, imperfection=imperfection), (DiscColour.DARK, 100, 60, 1))


def pick(machine: GcodeMachine) -> None:
    machine.go(100, 60, 40)
    machine.go(100, 60, 8)
    machine.grip(True)
    machine.go(100, 60, 40)


def test_the_tip_of_an_imperfect_table_is_off_by_board_and_gripper() -> None:
    static = Imperfection(board_shift_mm=(1.0, -0.5), gripper_offset_mm=(0.4, 1.2))
    machine = a_machine(static)
    machine.go(100, 60, 40)
    assert machine.table.world.tip_mm == pytest.approx((99.4, 61.7, 40), abs=0.02)
    assert machine.table.geometry == imperfect_geometry(GEOMETRY, static)


def test_a_grip_fails_on_the_table_and_the_next_one_holds() -> None:
    machine = a_machine(Imperfection())
    machine.table.gripper_play.fail_next_grip()
    pick(machine)
    assert machine.table.world.carried == ()
    machine.grip(False)
    pick(machine)
    assert len(machine.table.world.carried) == 1
    assert machine.table.world.mishaps == []


def test_a_disc_is_lost_on_the_table() -> None:
    machine = a_machine(Imperfection())
    pick(machine)
    machine.table.gripper_play.drop()
    machine.go(200, 60, 40)
    assert machine.table.world.carried == ()
    assert machine.table.world.dropped == 1


def test_single_numbers_can_be_set_beside_a_level() -> None:
    drawn = imperfection_of("dynamic", 3)
    changed = imperfection_of("dynamic,drops=0,placement_noise_mm=0.3,gripper_offset_x_mm=-2", 3)
    assert changed == replace(
        drawn, drops=0.0, placement_noise_mm=0.3, gripper_offset_mm=(-2.0, drawn.gripper_offset_mm[1])
    )
    with pytest.raises(ValueError, match="no number 'slips'"):
        imperfection_of("ideal,slips=1", 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("perfect", "invalid choice: 'perfect'"),
        ("ideal,slips=1", "invalid number: 'slips'"),
        ("ideal,drops=2", "drops must be a number from 0 to 1, not '2'"),
        ("ideal,drops=nan", "drops must be a number"),
        ("ideal,drops", "drops must be a number"),
    ],
)
def test_what_is_no_imperfection_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ArgumentTypeError, match=re.escape(sentence)):
        imperfection_text(text)
