"""What only rigid bodies do: lean, slide, fly, roll; and what the package MuJoCo has to do with it."""

from __future__ import annotations

import math
import os
import random
import sys
from dataclasses import replace
from types import ModuleType

import pytest

from hardware.errors import HardwareError
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.physics import mujoco_package
from hardware.simulated.physics.build import make_world
from hardware.simulated.physics.interface import GripperKind, MishapKind, StackOfDiscs
from hardware.simulated.table import TableSetup
from tests.simulated.gcode_machine import GcodeMachine
from tests.simulated.gripper_drive import GEOMETRY, HEIGHT, SAFE, Drive

DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT
SUCTION, MAGNET, JAWS = GripperKind
LOW_TRAY = replace(GEOMETRY, tray_height_mm=-18.0)
HIGH_TRAY = replace(GEOMETRY, tray_height_mm=12.0)


def test_without_mujoco_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(HardwareError) as caught:
        make_world("mujoco", GEOMETRY, (), lambda: 0.0)
    assert str(caught.value) == (
        "the physics \"mujoco\" needs the package MuJoCo: install it with pip install 'crownhead[sim]', or use "
        "--physics simple"
    )


def test_a_mujoco_that_will_not_load_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> ModuleType:
        raise ImportError("libmujoco.so.4: cannot open shared object file\nand much more")

    monkeypatch.setattr(mujoco_package, "import_module", broken)
    with pytest.raises(HardwareError, match=r"cannot be loaded \(libmujoco.so.4: cannot open shared object file\):"):
        make_world("mujoco", GEOMETRY, (), lambda: 0.0)


def test_an_old_mujoco_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    old = ModuleType("mujoco")
    old.__version__ = "3.9.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mujoco", old)
    with pytest.raises(HardwareError, match=r"needs MuJoCo 3\.13 or newer and 3\.9\.0 is installed: install it"):
        make_world("mujoco", GEOMETRY, (), lambda: 0.0)


def test_the_simple_physics_does_not_load_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert make_world("simple", GEOMETRY, [(DARK, 20, 20, 1)], lambda: 0.0).discs


pytest.importorskip("mujoco")


def the_disc(drive: Drive, disc_id: int) -> Disc:
    return next(disc for disc in drive.world.discs if disc.id == disc_id)


def place_of(drive: Drive, disc_id: int) -> tuple[float, float, float]:
    disc = the_disc(drive, disc_id)
    return disc.x, disc.y, disc.z


def lean_of(disc: Disc) -> float:
    return math.hypot(*disc.lean)


# Carrying


@pytest.mark.parametrize(("away", "angle"), [(0.0, 0.0), (5.0, 0.7), (8.5, 4.0)])
def test_a_carried_disc_follows_the_tip_stiffly(away: float, angle: float) -> None:
    """Also over a king that it has to be steered close above, where each timestep is computed."""
    drive = Drive("mujoco", (DARK, 20, 100, 1), (LIGHT, 100, 100, 2))
    offset_x, offset_y = away * math.cos(angle), away * math.sin(angle)
    drive.pick(20 + offset_x, 100 + offset_y, HEIGHT)
    low = 3 * HEIGHT + 0.8
    drive.go(20 + offset_x, 100 + offset_y, low)
    for x in (60, 100, 140, 180, 60):
        drive.go(x + offset_x, 100 + offset_y, low, mm_s=400)
        (disc,) = drive.world.carried
        assert (disc.x, disc.y, disc.z) == pytest.approx((x, 100, low - HEIGHT), abs=0.3)
        assert lean_of(disc) < 0.02
    drive.place(180 + offset_x, 100 + offset_y, HEIGHT)
    assert place_of(drive, 0) == pytest.approx((180, 100, 0), abs=0.3)
    assert drive.world.mishaps == []


def test_a_king_is_taken_apart_and_put_together_with_an_unsteady_hand() -> None:
    """Each pick and each put is up to 2 mm off on both axes."""
    chance = random.Random(4)
    drive = Drive("mujoco", (LIGHT, 60, 60, 2), (DARK, 20, 20, 1))

    def near(x: float, y: float) -> tuple[float, float]:
        return x + chance.uniform(-2, 2), y + chance.uniform(-2, 2)

    at = (60.0, 60.0)
    for to in ((140.0, 60.0), (100.0, 100.0), (180.0, 180.0), (60.0, 140.0)):
        drive.pick(*near(*at), 2 * HEIGHT)
        drive.place(*near(*to), HEIGHT)
        drive.pick(*near(*at), HEIGHT)
        drive.place(*near(*to), 2 * HEIGHT)
        drive.wait(0.3)
        king = next(stack for stack in drive.world.stacks() if len(stack.ids) == 2)
        assert math.dist((king.x, king.y), to) < 6
        at = to
    assert drive.world.mishaps == []


@pytest.mark.parametrize("angle", [0.0, 0.9, 2.0, 3.7, 5.1])
def test_a_stack_put_with_6_mm_offset_stands(angle: float) -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1), (DARK, 100, 60, 1), seed=round(10 * angle))
    drive.pick(20, 20, HEIGHT)
    drive.place(100 + 6 * math.cos(angle), 60 + 6 * math.sin(angle), 2 * HEIGHT)
    drive.wait()
    (stack,) = drive.world.stacks()
    assert stack.ids == (1, 0)
    assert all(disc.lean == (0, 0) for disc in drive.world.discs)
    assert drive.world.mishaps == []


@pytest.mark.parametrize(("x", "y"), [(0, 0), (2, -2), (-2, -2), (4, 3)])
def test_jaws_lift_a_king_that_stands_askew(x: float, y: float) -> None:
    drive = Drive("mujoco", (LIGHT, 60, 60, 2), (DARK, 100, 60, 1), (DARK, 60, 100, 1), gripper=JAWS)
    drive.world.jolt([(1, 1.5, -1.5)])
    drive.wait(0.5)
    drive.pick(60 + x, 60 + y, 2 * HEIGHT)
    lower, upper = drive.world.carried
    assert (lower.id, upper.id) == (0, 1)
    assert upper.z - lower.z == pytest.approx(HEIGHT, abs=0.3)
    drive.go(300, 250, SAFE, mm_s=400)
    drive.go(140, 60, SAFE, mm_s=400)
    drive.place(140, 60, 2 * HEIGHT)
    drive.wait(0.5)
    for disc_id, z in ((0, 0), (1, HEIGHT)):
        assert place_of(drive, disc_id) == pytest.approx((140, 60, z), abs=0.5)
    assert drive.world.mishaps == []


def test_jaws_that_close_on_nothing_knock_with_their_fingers() -> None:
    """Closed where nothing is, they hang below the tip until they are opened."""
    drive = Drive("mujoco", (DARK, 100, 60, 1), gripper=JAWS)
    drive.go(20, 60, SAFE)
    drive.go(20, 60, 2 * HEIGHT)
    drive.grip(True)
    drive.go(180, 60, 2 * HEIGHT)
    assert drive.world.knocked == 1
    drive.grip(False)
    drive.go(20, 60, 2 * HEIGHT)
    assert drive.world.knocked == 1


def test_a_magnet_gets_rid_of_a_disc_before_the_arm_rises() -> None:
    for seed in range(5):
        drive = Drive("mujoco", (DARK, 20, 20, 1), gripper=MAGNET, seed=seed)
        drive.pick(24, 20, HEIGHT)
        drive.place(64, 60, HEIGHT)
        assert place_of(drive, 0) == pytest.approx((60, 60, 0), abs=0.3)


# Things that go wrong


def test_a_disc_put_half_on_another_leans_on_it() -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1), (LIGHT, 100, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.place(122, 20, 2 * HEIGHT)
    drive.wait()
    leaning = the_disc(drive, 0)
    assert 0.15 < lean_of(leaning) < 0.6
    assert leaning.lean[0] > 0
    assert 0 < leaning.z < HEIGHT
    assert [stack.ids for stack in drive.world.stacks()] == [(1,), (0,)]
    assert [(mishap.kind, mishap.disc_id) for mishap in drive.world.mishaps] == [(MishapKind.KNOCKED, 0)]


def test_a_leaning_disc_is_picked_up_and_put_right() -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1), (LIGHT, 100, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.place(122, 20, 2 * HEIGHT)
    leaning = the_disc(drive, 0)
    drive.pick(leaning.x, leaning.y, leaning.z + HEIGHT)
    assert [disc.id for disc in drive.world.carried] == [0]
    drive.place(180, 60, HEIGHT)
    drive.wait(0.5)
    assert the_disc(drive, 0).z == 0
    assert the_disc(drive, 0).lean == (0, 0)


def test_what_is_let_go_on_the_way_flies_on_and_comes_to_rest() -> None:
    ends = set()
    for seed in (1, 2):
        drive = Drive("mujoco", (DARK, 20, 20, 1), seed=seed)
        drive.pick(20, 20, HEIGHT)
        for x in range(22, 122, 2):
            drive.step(0.005, (x, 20, SAFE))
        drive.gripping = False
        drive.step(0.005, (122, 20, SAFE))
        drive.wait(3)
        x, y, z = place_of(drive, 0)
        assert 125 < x < 250
        assert abs(y - 20) < 40
        assert z == 0
        assert [(mishap.kind, mishap.disc_id) for mishap in drive.world.mishaps] == [(MishapKind.DROPPED, 0)]
        before = drive.world.discs
        drive.wait(60)
        assert drive.world.discs is before
        ends.add((x, y))
    assert len(ends) == 2


def test_what_is_dropped_on_others_knocks_only_what_it_moves() -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1), (LIGHT, 100, 20, 1), (LIGHT, 180, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.go(110, 20, SAFE)
    drive.grip(False)
    drive.wait(2)
    assert drive.world.dropped == 1
    assert {m.disc_id for m in drive.world.mishaps if m.kind is MishapKind.KNOCKED} <= {1}
    assert place_of(drive, 2) == pytest.approx((180, 20, 0), abs=0.01)


def test_a_carried_disc_that_is_run_into_a_king_is_not_lost() -> None:
    drive = Drive("mujoco", (DARK, 20, 100, 1), (LIGHT, 100, 100, 2))
    drive.pick(20, 100, HEIGHT)
    drive.go(20, 100, HEIGHT + 4)
    drive.go(200, 100, HEIGHT + 4, mm_s=400)
    drive.go(200, 100, SAFE)
    drive.grip(False)
    drive.wait(2)
    assert drive.world.knocked >= 1
    assert [disc.id for disc in drive.world.discs] == [0, 1, 2]


def test_a_tip_that_is_moved_at_once_does_not_jump_through_discs() -> None:
    drive = Drive("mujoco", (DARK, 100, 100, 1))
    drive.go(20, 100, 4)
    drive.step(0.0, (180, 100, 4))
    assert drive.world.knocked == 1
    assert drive.world.tip_mm == pytest.approx((180, 100, 4), abs=0.3)


def test_a_disc_put_where_the_tip_presses_stays_on_the_table() -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 2), (LIGHT, 180, 20, 1))
    drive.go(100, 100, -2)
    drive.world.take((0, 1))
    drive.world.put(101, 100)
    drive.wait(3)
    drive.go(100, 100, SAFE)
    drive.wait(2)
    assert drive.all_ids == [0, 1, 2]
    for disc in drive.world.discs:
        assert math.hypot(disc.x - 100, disc.y - 100) < 300
        assert 0 <= disc.z <= 2 * HEIGHT


# Board and tray


def test_a_tray_below_the_board_and_one_above_it() -> None:
    for geometry, tray in ((LOW_TRAY, -18.0), (HIGH_TRAY, 12.0)):
        stacks: list[StackOfDiscs] = [(LIGHT, 100, 100, 1), (LIGHT, *geometry.tray_mm[0], 1), (DARK, -90, 60, 2)]
        drive = Drive("mujoco", *stacks, geometry=geometry)
        assert [disc.z for disc in drive.world.discs] == [0, tray, tray, tray + HEIGHT]
        drive.pick(*geometry.tray_mm[0], tray + HEIGHT)
        drive.place(100, 100, 2 * HEIGHT)
        drive.world.take((3,))
        drive.world.put(*geometry.tray_mm[16])
        drive.wait()
        assert place_of(drive, 1) == pytest.approx((100, 100, HEIGHT), abs=0.2)
        assert place_of(drive, 3) == pytest.approx((*geometry.tray_mm[16], tray), abs=0.2)
        assert drive.world.mishaps == []


def test_a_disc_put_over_the_boards_edge_falls_off_it() -> None:
    drive = Drive("mujoco", (LIGHT, 100, 100, 1), geometry=LOW_TRAY)
    drive.world.take((0,))
    drive.world.put(-LOW_TRAY.border_mm - 2, 140)
    drive.wait(4)
    x, _, z = place_of(drive, 0)
    assert x < -LOW_TRAY.border_mm
    assert z < 0
    assert drive.world.mishaps == []


def test_what_falls_on_its_rim_does_not_stay_there() -> None:
    drive = Drive("mujoco", (LIGHT, 100, 100, 1), geometry=LOW_TRAY)
    drive.world.take((0,))
    drive.world.put(-LOW_TRAY.border_mm - 3, 140)
    upright = 0
    for _ in range(2000):
        drive.wait(0.01)
        upright += lean_of(the_disc(drive, 0)) > 0.99
    assert upright > 0
    assert lean_of(the_disc(drive, 0)) < 0.95


def test_a_disc_beside_the_table_lies_on_what_is_around_it() -> None:
    drive = Drive("mujoco", (LIGHT, 100, 100, 1))
    drive.world.take((0,))
    drive.world.put(1500, -2500)
    drive.wait()
    assert place_of(drive, 0) == pytest.approx((1500, -2500, 0), abs=0.1)


# Hands


def test_what_people_do_is_no_mishap_of_the_arm() -> None:
    """A king put on the edge of another disc slides off and pushes it away."""
    drive = Drive("mujoco", (DARK, 20, 20, 2), (LIGHT, 100, 20, 2), (LIGHT, 131, 20, 1))
    drive.world.take((0, 1))
    drive.world.put(117, 20)
    drive.wait(2)
    drive.world.shove(2, 140, 25)
    drive.wait(2)
    assert drive.world.mishaps == []
    drive.go(20, 20, 5)
    drive.go(160, 24, 5)
    assert drive.world.knocked > 0


def test_discs_in_the_hand_are_in_nobodys_way() -> None:
    drive = Drive("mujoco", (DARK, 100, 100, 2))
    drive.world.take((0, 1))
    drive.go(20, 100, 5)
    drive.go(200, 100, 5)
    assert drive.world.mishaps == []
    assert [disc.id for disc in drive.world.in_hand] == [0, 1]


# Time


class _Counted:
    """How many timesteps are computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, drive: Drive) -> None:
        self.steps = 0
        bodies = drive.world._bodies  # type: ignore[attr-defined]
        step = bodies.step

        def counted(steps: int, tip_mm: tuple[float, float, float]) -> None:
            self.steps += steps
            step(steps, tip_mm)

        monkeypatch.setattr(bodies, "step", counted)


def test_nothing_is_computed_while_all_rests_or_moves_through_the_air(monkeypatch: pytest.MonkeyPatch) -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1), (LIGHT, 100, 20, 2))
    counted = _Counted(monkeypatch, drive)
    drive.wait(1000)
    drive.go(100, 20, SAFE)
    drive.go(20, 20, HEIGHT + 4)
    assert counted.steps == 0
    drive.pick(20, 20, HEIGHT)
    touched = counted.steps
    assert 50 < touched < 250
    drive.go(300, 300, SAFE)
    drive.go(20, 60, SAFE)
    drive.wait(100)
    assert counted.steps == touched
    assert drive.world.carried[0].x == pytest.approx(20, abs=0.1)


def test_a_falling_disc_is_computed_only_until_it_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    drive = Drive("mujoco", (DARK, 20, 20, 1))
    drive.pick(20, 20, HEIGHT)
    counted = _Counted(monkeypatch, drive)
    drive.gripping = False
    drive.step(0.0, drive.tip)
    drive.wait(600)
    assert 30 < counted.steps < 1500
    assert place_of(drive, 0)[2] == 0


def test_the_same_calls_have_the_same_outcome() -> None:
    runs = []
    for seed in (1, 1, 2):
        drive = Drive("mujoco", (DARK, 20, 20, 1), (LIGHT, 100, 20, 2), seed=seed)
        drive.pick(20, 20, HEIGHT)
        drive.go(108, 20, SAFE)
        drive.grip(False)
        drive.go(60, 20, 6)
        drive.go(140, 22, 6)
        drive.wait(2)
        runs.append((drive.world.discs, drive.world.mishaps))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_table_with_jaws_and_rigid_discs_is_worked_by_gcode() -> None:
    setup = TableSetup(GEOMETRY, physics="mujoco", gripper=JAWS)
    machine = GcodeMachine(setup, (LIGHT, 100, 60, 2), (DARK, 180, 60, 1))
    machine.go(101, 61, 40)
    machine.go(101, 61, 2 * HEIGHT - 0.8)
    machine.grip(True)
    machine.go(101, 61, 40)
    assert [disc.id for disc in machine.table.scene().carried] == [0, 1]
    machine.go(260, 220, 40)
    machine.go(260, 220, 2 * HEIGHT + 0.4)
    machine.grip(False)
    machine.go(260, 220, 40)
    (king,) = (stack for stack in machine.table.world.stacks() if len(stack.ids) == 2)
    assert (king.x, king.y) == pytest.approx((260, 220), abs=0.5)
    assert machine.table.world.mishaps == []


def test_mujoco_is_told_to_look_for_no_graphics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    mujoco_package.load_mujoco()
    assert os.environ["MUJOCO_GL"] == "disable"
    monkeypatch.setenv("MUJOCO_GL", "egl")
    mujoco_package.load_mujoco()
    assert os.environ["MUJOCO_GL"] == "egl"
