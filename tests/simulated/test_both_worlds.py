"""What every physics owes: the same things are done to the simple and to the rigid discs."""

from __future__ import annotations

import math
import random
from importlib.util import find_spec
from itertools import combinations

import pytest

from hardware.simulated.discs import DiscColour
from hardware.simulated.physics.build import make_world
from hardware.simulated.physics.interface import GripperKind, MishapKind, StackOfDiscs
from tests.simulated.gripper_drive import DIAMETER, GEOMETRY, HEIGHT, SAFE, Drive

DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT
SUCTION, MAGNET, JAWS = GripperKind

needs_mujoco = pytest.mark.skipif(find_spec("mujoco") is None, reason="MuJoCo is not installed")
pytestmark = pytest.mark.parametrize("kind", ["simple", pytest.param("mujoco", marks=needs_mujoco)])


def lying(drive: Drive, disc_id: int) -> tuple[float, float, float]:
    disc = next(disc for disc in drive.world.discs if disc.id == disc_id)
    return disc.x, disc.y, disc.z


def test_a_man_is_carried_with_its_offset_and_put_down(kind: str) -> None:
    drive = Drive(kind, (DARK, 100, 60, 1))
    drive.pick(103, 56, HEIGHT)
    (carried,) = drive.world.carried
    assert (carried.x, carried.y, carried.z) == pytest.approx((100, 60, SAFE - HEIGHT), abs=0.2)
    assert drive.world.discs == ()
    drive.place(183, 96, HEIGHT)
    assert drive.world.carried == ()
    assert lying(drive, 0) == pytest.approx((180, 100, 0), abs=0.2)
    assert drive.world.mishaps == []


@pytest.mark.parametrize("gripper", [SUCTION, MAGNET])
def test_only_the_top_disc_of_a_king_is_lifted(kind: str, gripper: GripperKind) -> None:
    drive = Drive(kind, (LIGHT, 20, 20, 2), gripper=gripper)
    drive.pick(20, 20, 2 * HEIGHT)
    assert [disc.id for disc in drive.world.carried] == [1]
    assert [stack.ids for stack in drive.world.stacks()] == [(0,)]
    drive.place(100, 20, HEIGHT)
    assert lying(drive, 1) == pytest.approx((100, 20, 0), abs=0.3)
    assert drive.world.mishaps == []


def test_jaws_centre_a_stack_and_lift_it_whole(kind: str) -> None:
    drive = Drive(kind, (LIGHT, 20, 20, 2), (DARK, 100, 20, 1), gripper=JAWS)
    drive.pick(23, 18, 2 * HEIGHT)
    assert [disc.id for disc in drive.world.carried] == [0, 1]
    for disc in drive.world.carried:
        assert (disc.x, disc.y) == pytest.approx((23, 18), abs=0.5)
    assert [stack.ids for stack in drive.world.stacks()] == [(2,)]
    drive.place(180, 60, 2 * HEIGHT)
    (_, king) = sorted(drive.world.stacks(), key=lambda stack: len(stack.ids))
    assert king.ids == (0, 1)
    assert (king.x, king.y) == pytest.approx((180, 60), abs=0.5)
    assert drive.world.mishaps == []


def test_jaws_crown_a_man(kind: str) -> None:
    drive = Drive(kind, (LIGHT, 20, 20, 1), (LIGHT, 100, 20, 1), gripper=JAWS)
    drive.pick(20, 20, HEIGHT)
    drive.place(100, 20, 2 * HEIGHT)
    assert [stack.ids for stack in drive.world.stacks()] == [(1, 0)]
    assert drive.world.mishaps == []


def test_a_gripper_takes_nothing_where_nothing_is(kind: str) -> None:
    for gripper in GripperKind:
        drive = Drive(kind, (LIGHT, 20, 20, 1), gripper=gripper)
        drive.pick(100, 100, HEIGHT)
        assert drive.world.carried == ()
        assert lying(drive, 0) == pytest.approx((20, 20, 0))
        assert drive.world.mishaps == []


@pytest.mark.parametrize(
    ("gripper", "aside", "above", "picked"),
    [
        (SUCTION, 8.5, 0.0, True),
        (SUCTION, 9.5, 0.0, False),
        (SUCTION, 0.0, 0.6, True),
        (SUCTION, 0.0, 1.3, False),
        (MAGNET, 11.5, 0.0, True),
        (MAGNET, 12.5, 0.0, False),
        (MAGNET, 0.0, 1.8, True),
        (MAGNET, 0.0, 2.3, False),
    ],
)
def test_how_near_a_cup_has_to_come(
    kind: str, gripper: GripperKind, aside: float, above: float, picked: bool
) -> None:
    drive = Drive(kind, (LIGHT, 100, 100, 1), gripper=gripper)
    drive.go(100 + aside, 100, SAFE)
    drive.go(100 + aside, 100, HEIGHT + above)
    drive.grip(True)
    drive.go(100 + aside, 100, SAFE)
    assert bool(drive.world.carried) is picked
    assert drive.world.mishaps == []


@pytest.mark.parametrize("away", [0.0, 6.0, 10.0])
def test_putting_a_disc_on_another_crowns_it(kind: str, away: float) -> None:
    drive = Drive(kind, (DARK, 20, 20, 1), (DARK, 100, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.place(100 + away, 20, 2 * HEIGHT)
    drive.wait()
    (stack,) = drive.world.stacks()
    assert stack.ids == (1, 0)
    assert stack.colours == (DARK, DARK)
    assert (stack.x, stack.y) == pytest.approx((100, 20), abs=0.2)
    assert lying(drive, 0) == pytest.approx((100 + away, 20, HEIGHT), abs=0.2)
    assert drive.world.mishaps == []


def test_a_king_moves_disc_by_disc(kind: str) -> None:
    drive = Drive(kind, (LIGHT, 20, 20, 2), (DARK, 60, 60, 1))
    drive.pick(20, 20, 2 * HEIGHT)
    drive.place(100, 100, HEIGHT)
    drive.pick(20, 20, HEIGHT)
    drive.place(100, 100, 2 * HEIGHT)
    assert {stack.ids for stack in drive.world.stacks()} == {(1, 0), (2,)}
    assert drive.world.mishaps == []


@pytest.mark.parametrize("away", [19.0, 24.0])
def test_put_half_over_another_disc_counts_as_knocked(kind: str, away: float) -> None:
    drive = Drive(kind, (DARK, 20, 20, 1), (DARK, 100, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.place(100 + away, 20, 2 * HEIGHT)
    drive.wait()
    assert drive.world.knocked >= 1
    assert len(drive.world.stacks()) == 2
    assert drive.world.dropped == 0


@pytest.mark.parametrize(("z", "knocked"), [(HEIGHT + 1, 0), (HEIGHT - 2, 1), (HEIGHT - 5, 1)])
def test_crossing_a_disc_high_is_free_and_low_knocks_it(kind: str, z: float, knocked: int) -> None:
    drive = Drive(kind, (DARK, 100, 100, 1))
    drive.go(20, 100, SAFE)
    drive.go(20, 100, z)
    drive.go(200, 101, z)
    drive.go(200, 101, SAFE)
    drive.wait()
    assert drive.world.knocked == knocked
    moved = math.dist(lying(drive, 0), (100, 100, 0))
    assert moved > 20 if knocked else moved < 0.01


@pytest.mark.parametrize(("clearance", "knocked"), [(1.0, False), (-1.5, True)])
def test_a_carried_disc_knocks_what_stands_lower_than_itself_but_not_what_it_clears(
    kind: str, clearance: float, knocked: bool
) -> None:
    drive = Drive(kind, (DARK, 20, 100, 1), (LIGHT, 100, 120, 1))
    drive.pick(20, 100, HEIGHT)
    drive.go(20, 100, 2 * HEIGHT + clearance)
    drive.go(200, 100, 2 * HEIGHT + clearance)
    assert (drive.world.knocked > 0) is knocked


def test_a_man_swept_into_a_king_pushes_it_along(kind: str) -> None:
    drive = Drive(kind, (DARK, 60, 100, 1), (LIGHT, 100, 100, 2))
    drive.go(20, 100, SAFE)
    drive.go(20, 100, 5)
    drive.go(100, 100, 5)
    drive.wait()
    assert drive.world.knocked == 3
    assert sorted(len(stack.ids) for stack in drive.world.stacks()) == [1, 2]
    for one, other in combinations(drive.world.stacks(), 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) >= DIAMETER - 0.1


def test_the_upper_disc_of_a_king_is_swept_off(kind: str) -> None:
    drive = Drive(kind, (LIGHT, 100, 100, 2))
    drive.go(20, 100, SAFE)
    drive.go(20, 100, HEIGHT + 3)
    drive.go(140, 100, HEIGHT + 3)
    drive.go(140, 100, SAFE)
    drive.wait()
    assert drive.world.knocked >= 1
    assert [disc.z for disc in drive.world.discs] == [0, 0]
    assert lying(drive, 0) == pytest.approx((100, 100, 0), abs=3)


@pytest.mark.parametrize(("height", "dropped"), [(3.5, 0), (4.6, 1), (30.0, 1)])
def test_letting_go_too_high_is_a_drop(kind: str, height: float, dropped: int) -> None:
    drive = Drive(kind, (DARK, 20, 20, 1))
    drive.pick(20, 20, HEIGHT)
    drive.go(60, 60, SAFE)
    drive.go(60, 60, HEIGHT + height)
    let_go_s = drive.time_s
    drive.grip(False)
    drive.wait()
    assert drive.world.dropped == dropped
    assert lying(drive, 0) == pytest.approx((60, 60, 0), abs=5)
    assert drive.world.knocked == 0
    if dropped:
        (mishap,) = drive.world.mishaps
        assert mishap.disc_id == 0
        assert let_go_s <= mishap.time_s <= let_go_s + 0.01


def test_pressing_into_the_surface_or_a_disc_is_a_crash_noted_once(kind: str) -> None:
    drive = Drive(kind, (DARK, 100, 100, 1))
    drive.go(20, 20, SAFE)
    drive.go(20, 20, -3)
    drive.go(20, 20, -4)
    drive.go(20, 20, SAFE)
    drive.go(100, 100, SAFE)
    drive.go(100, 100, HEIGHT - 3)
    drive.wait()
    drive.go(100, 100, SAFE)
    assert [(mishap.kind, mishap.disc_id) for mishap in drive.world.mishaps] == [
        (MishapKind.CRASHED, None),
        (MishapKind.CRASHED, 0),
    ]
    assert lying(drive, 0) == pytest.approx((100, 100, 0), abs=0.2)


def test_the_sprung_tip_gives_way(kind: str) -> None:
    drive = Drive(kind, (DARK, 100, 100, 1))
    assert drive.world.tip_mm == pytest.approx((0, 0, SAFE))
    drive.go(100, 100, SAFE)
    drive.go(100, 100, HEIGHT - 2)
    drive.wait(0.1)
    assert drive.world.tip_mm == pytest.approx((100, 100, HEIGHT), abs=0.15)
    drive.grip(True)
    assert drive.world.carried[0].z == pytest.approx(0, abs=0.1)
    drive.go(100, 100, HEIGHT + 1)
    assert drive.world.carried[0].z == pytest.approx(1, abs=0.2)
    assert drive.world.mishaps == []


# The hand


def test_the_hand_takes_a_king_and_puts_it_down(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2), (LIGHT, 100, 20, 1))
    taken = drive.world.take((0, 1))
    assert [disc.id for disc in taken] == [disc.id for disc in drive.world.in_hand] == [0, 1]
    assert [disc.id for disc in drive.world.discs] == [2]
    drive.wait(0.5)
    put = drive.world.put(180, 62)
    assert (put[0].x, put[0].y) == pytest.approx((180, 62))
    assert drive.world.in_hand == ()
    drive.wait(0.5)
    assert {stack.ids for stack in drive.world.stacks()} == {(0, 1), (2,)}
    assert lying(drive, 1) == pytest.approx((180, 62, HEIGHT), abs=0.1)
    assert drive.world.put(0, 0) == ()
    assert drive.world.mishaps == []


def test_the_hand_crowns_a_man_roughly(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 1), (DARK, 100, 20, 1))
    drive.world.take((0,))
    drive.world.put(104, 17)
    drive.wait()
    assert [stack.ids for stack in drive.world.stacks()] == [(1, 0)]
    assert lying(drive, 0) == pytest.approx((104, 17, HEIGHT), abs=0.1)
    assert drive.world.mishaps == []


def test_fingers_put_a_disc_beside_one_that_it_would_overlap_a_little(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 1), (LIGHT, 100, 20, 2))
    drive.world.take((0,))
    (put,) = drive.world.put(124, 20)
    assert (put.x, put.y) == pytest.approx((100 + DIAMETER + 0.3, 20))
    drive.wait()
    assert lying(drive, 0) == pytest.approx((100 + DIAMETER + 0.3, 20, 0), abs=0.1)
    assert lying(drive, 2) == pytest.approx((100, 20, HEIGHT), abs=0.1)
    assert drive.world.mishaps == []


def test_a_king_comes_down_when_its_lower_disc_is_taken(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2))
    drive.world.take((0,))
    drive.wait()
    assert lying(drive, 1) == pytest.approx((20, 20, 0), abs=1)
    assert drive.world.mishaps == []


def test_a_finger_pushes_a_king_and_what_stands_in_its_way(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2), (LIGHT, 80, 20, 1))
    drive.world.shove(0, 60, 20)
    drive.wait()
    assert lying(drive, 0) == pytest.approx((60, 20, 0), abs=0.3)
    assert lying(drive, 1) == pytest.approx((60, 20, HEIGHT), abs=0.5)
    assert lying(drive, 2)[0] >= 60 + DIAMETER - 0.1
    assert [stack.ids for stack in drive.world.stacks()] == [(0, 1), (2,)]
    assert drive.world.mishaps == []


def test_a_bump_shifts_each_disc_with_what_rests_on_it(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2), (LIGHT, 100, 20, 1))
    drive.world.jolt([(0, 1.5, -1.0), (2, -2.0, 0.5)])
    drive.wait()
    assert lying(drive, 0) == pytest.approx((21.5, 19, 0), abs=0.2)
    assert lying(drive, 1) == pytest.approx((21.5, 19, HEIGHT), abs=0.2)
    assert lying(drive, 2) == pytest.approx((98, 20.5, 0), abs=0.2)
    assert drive.world.mishaps == []


def test_the_nearest_stack_is_found_within_reach(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2), (LIGHT, 60, 60, 1))
    stack = drive.world.nearest_stack(28, 22, 25)
    assert stack is not None
    assert stack.ids == (0, 1)
    assert drive.world.nearest_stack(180, 180, 25) is None


# What pictures and tests rely on


def test_the_discs_are_the_same_object_while_nothing_changes(kind: str) -> None:
    drive = Drive(kind, (DARK, 20, 20, 2), (LIGHT, 100, 20, 1))
    before = drive.world.discs
    drive.wait(5)
    drive.go(300, 200, SAFE)
    drive.go(100, 20, SAFE)
    drive.go(100, 20, HEIGHT - 0.8)
    assert drive.world.discs is before
    drive.grip(True)
    drive.go(100, 20, SAFE)
    assert drive.world.discs is not before
    assert drive.world.discs == before[:2]


def test_an_empty_table_is_no_trouble(kind: str) -> None:
    drive = Drive(kind)
    drive.go(20, 20, -1)
    drive.grip(True)
    drive.go(20, 20, SAFE)
    drive.world.jolt([])
    assert drive.world.discs == drive.world.carried == drive.world.stacks() == ()


def a_set() -> list[StackOfDiscs]:
    return [
        (DARK if row < 4 else LIGHT, 20.0 + 80 * column + 40 * (row % 2), 20.0 + 40 * row, 1 + (row + column) % 2)
        for row in (0, 1, 3, 6, 7)
        for column in range(4)
    ]


@pytest.mark.parametrize("gripper", list(GripperKind))
@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_loses_a_disc_whatever_is_done(kind: str, gripper: GripperKind, seed: int) -> None:
    """A random walk of everything that arm and people can do, most of it wrong."""
    chance = random.Random(seed)
    stacks = a_set()
    drive = Drive(kind, *stacks, gripper=gripper, seed=seed)
    ids = drive.all_ids
    assert len(ids) == sum(stack[3] for stack in stacks)
    for _ in range(40):
        x, y = chance.uniform(-60, 380), chance.uniform(-20, 340)
        match chance.randrange(6):
            case 0 | 1:
                stack = chance.choice(drive.world.stacks())
                drive.go(stack.x, stack.y, SAFE)
                drive.go(stack.x, stack.y, HEIGHT * len(stack.ids) - 0.8)
                drive.grip(True)
                drive.go(stack.x, stack.y, chance.uniform(8, SAFE))
            case 2:
                drive.go(x, y, chance.uniform(-3, 25), mm_s=400)
            case 3:
                drive.grip(not drive.gripping)
            case 4 if drive.world.in_hand:
                drive.world.put(x, y)
            case 4:
                drive.world.take(chance.choice(drive.world.stacks()).ids)
            case _:
                drive.world.shove(chance.choice(drive.world.discs).id, x, y)
        drive.wait(0.1)
        assert drive.all_ids == ids
        grouped = [disc_id for stack in drive.world.stacks() for disc_id in stack.ids]
        assert sorted(grouped) == [disc.id for disc in drive.world.discs]
    drive.gripping = False
    drive.wait(5)
    for disc in drive.world.discs:
        assert -0.5 <= disc.z < 8 * HEIGHT
        assert max(abs(disc.x), abs(disc.y)) < 5000


def test_another_physics_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="simple, mujoco"):
        make_world(kind + "x", GEOMETRY, (), lambda: 0.0)
