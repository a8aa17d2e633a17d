"""The contact model: picking, carrying, stacking, dropping, knocking; no disc is lost or made."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.simulated.discs import DiscColour
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.interface import MishapKind, StackOfDiscs
from hardware.simulated.physics.simple_world import SimpleWorld

GEOMETRY = TableGeometry()
HEIGHT = GEOMETRY.disc_height_mm
DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT
SAFE = 60.0


def make_world(*stacks: StackOfDiscs) -> SimpleWorld:
    return SimpleWorld(GEOMETRY, stacks, lambda: 12.5)


def go(world: SimpleWorld, *points: tuple[float, float, float], suction: bool) -> None:
    for point in points:
        world.advance(0.0, point, suction)


def pick(world: SimpleWorld, x: float, y: float, top: float) -> None:
    go(world, (x, y, SAFE), (x, y, top), suction=False)
    go(world, (x, y, top), (x, y, SAFE), suction=True)


def place(world: SimpleWorld, x: float, y: float, top: float) -> None:
    go(world, (x, y, SAFE), (x, y, top), suction=True)
    go(world, (x, y, top), (x, y, SAFE), suction=False)


def test_a_man_is_carried_with_its_offset_and_put_down() -> None:
    world = make_world((DARK, 100, 60, 1))
    pick(world, 103, 56, HEIGHT)
    (carried,) = world.carried
    assert carried.z == pytest.approx(SAFE - HEIGHT)
    assert world.discs == ()
    place(world, 183, 96, HEIGHT)
    assert world.carried == ()
    (disc,) = world.discs
    assert (disc.x, disc.y, disc.z) == pytest.approx((180, 100, 0))
    assert world.mishaps == []


@pytest.mark.parametrize(
    ("aside", "above", "picked"), [(8.9, 0, True), (9.1, 0, False), (0, 0.7, True), (0, 0.9, False), (0, -2.4, True)]
)
def test_the_cup_seals_only_close_to_the_middle_and_to_the_top(aside: float, above: float, picked: bool) -> None:
    world = make_world((LIGHT, 100, 100, 1))
    pick(world, 100 + aside, 100, HEIGHT + above)
    assert bool(world.carried) is picked
    assert world.mishaps == []


def test_only_the_top_disc_of_a_king_is_lifted() -> None:
    world = make_world((LIGHT, 20, 20, 2))
    pick(world, 20, 20, 2 * HEIGHT)
    (carried,) = world.carried
    assert carried.id == 1
    assert [stack.ids for stack in world.stacks()] == [(0,)]


def test_putting_a_disc_on_another_crowns_it() -> None:
    world = make_world((DARK, 20, 20, 1), (DARK, 100, 20, 1))
    pick(world, 20, 20, HEIGHT)
    place(world, 107, 20, 2 * HEIGHT)
    (stack,) = world.stacks()
    assert stack.ids == (1, 0)
    assert stack.colours == (DARK, DARK)
    assert (stack.x, stack.y) == (100, 20)
    assert world.discs[0].x == pytest.approx(107)
    assert world.discs[0].z == HEIGHT
    assert world.mishaps == []


def test_half_over_another_disc_it_slides_off_and_counts_as_knocked() -> None:
    world = make_world((DARK, 20, 20, 1), (DARK, 100, 20, 1))
    pick(world, 20, 20, HEIGHT)
    place(world, 120, 20, 2 * HEIGHT)
    assert all(disc.z == 0 for disc in world.discs)
    assert world.knocked == 2
    assert math.dist((world.discs[0].x, world.discs[0].y), (world.discs[1].x, world.discs[1].y)) >= 30


def test_letting_go_too_high_is_a_drop_and_the_disc_falls_straight_down() -> None:
    world = make_world((DARK, 20, 20, 1))
    pick(world, 20, 20, HEIGHT)
    place(world, 60, 60, HEIGHT + 4.5)
    assert world.dropped == 1
    assert (world.discs[0].x, world.discs[0].y, world.discs[0].z) == pytest.approx((60, 60, 0))
    assert (world.mishaps[0].time_s, world.mishaps[0].disc_id) == (12.5, 0)


def test_letting_go_a_little_high_is_no_drop() -> None:
    world = make_world((DARK, 20, 20, 1))
    pick(world, 20, 20, HEIGHT)
    place(world, 60, 60, HEIGHT + 3.5)
    assert world.mishaps == []


@pytest.mark.parametrize(("z", "knocked"), [(HEIGHT + 1, 0), (HEIGHT - 2, 1)])
def test_crossing_a_disc_high_is_free_and_low_knocks_it(z: float, knocked: int) -> None:
    world = make_world((DARK, 100, 100, 1))
    go(world, (20, 100, SAFE), (20, 100, z), (200, 101, z), (200, 101, SAFE), suction=False)
    assert world.knocked == knocked
    moved = math.dist((world.discs[0].x, world.discs[0].y), (100, 100))
    assert moved > 20 if knocked else moved == 0


def test_a_carried_disc_knocks_what_stands_lower_than_itself_but_not_what_it_clears() -> None:
    for top, expected in ((2 * HEIGHT + 1, 0), (2 * HEIGHT - 1, 1)):
        world = make_world((DARK, 20, 100, 1), (LIGHT, 100, 120, 1))
        pick(world, 20, 100, HEIGHT)
        go(world, (20, 100, top), (200, 100, top), suction=True)
        assert world.knocked == expected


def test_a_man_swept_into_a_king_pushes_it_along_whole() -> None:
    world = make_world((DARK, 60, 100, 1), (LIGHT, 100, 100, 2))
    go(world, (20, 100, 5), (100, 100, 5), suction=False)
    assert world.knocked == 3
    assert sorted(len(stack.ids) for stack in world.stacks()) == [1, 2]
    for one, other in combinations(world.stacks(), 2):
        assert math.dist((one.x, one.y), (other.x, other.y)) >= 30


def test_the_upper_disc_of_a_king_is_swept_off() -> None:
    world = make_world((LIGHT, 100, 100, 2))
    go(world, (20, 100, HEIGHT + 3), (140, 100, HEIGHT + 3), (140, 100, SAFE), suction=False)
    assert world.knocked >= 1
    assert sorted(disc.z for disc in world.discs) == [0, 0]
    assert (world.discs[0].x, world.discs[0].y) == (100, 100)


def test_pressing_into_the_surface_or_a_disc_is_a_crash_noted_once() -> None:
    world = make_world((DARK, 100, 100, 1))
    go(world, (20, 20, SAFE), (20, 20, -3), (20, 20, -4), (20, 20, SAFE), suction=False)
    go(world, (100, 100, SAFE), (100, 100, HEIGHT - 3), (100, 100, SAFE), suction=False)
    assert [(mishap.kind, mishap.disc_id) for mishap in world.mishaps] == [
        (MishapKind.CRASHED, None),
        (MishapKind.CRASHED, 0),
    ]
    assert (world.discs[0].x, world.discs[0].y) == (100, 100)


def test_the_sprung_tip_gives_way() -> None:
    world = make_world((DARK, 100, 100, 1))
    go(world, (100, 100, SAFE), (100, 100, HEIGHT - 2), suction=False)
    assert world.tip_mm == (100, 100, HEIGHT)
    go(world, (100, 100, HEIGHT - 2), suction=True)
    (carried,) = world.carried
    assert carried.z == 0
    go(world, (100, 100, HEIGHT + 1), suction=True)
    assert world.carried[0].z == pytest.approx(1)


points = st.tuples(
    st.floats(-80, 400, allow_nan=False),
    st.floats(-20, 340, allow_nan=False),
    st.sampled_from([-4.0, 2.0, 8.0, 15.0, 16.0, 40.0]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(points, st.booleans()), max_size=25), st.lists(st.integers(0, 15), max_size=4))
def test_no_path_of_the_gripper_loses_makes_or_merges_discs(
    path: list[tuple[tuple[float, float, float], bool]], aims: list[int]
) -> None:
    stacks = [(DARK if i % 2 else LIGHT, 20.0 + 80 * (i % 4), 20.0 + 80 * (i // 4), 1 + i % 2) for i in range(16)]
    world = make_world(*stacks)
    total = len(world.discs)
    aimed = [((stacks[i][1], stacks[i][2], HEIGHT * stacks[i][3]), True) for i in aims]
    for point, suction in [*aimed, *path]:
        world.advance(0.0, point, suction)
        assert sorted(disc.id for disc in [*world.discs, *world.carried]) == list(range(total))
        assert sum(len(stack.ids) for stack in world.stacks()) == len(world.discs)
    for disc in world.discs:
        assert disc.z % HEIGHT == 0
        assert math.isfinite(disc.x + disc.y)
