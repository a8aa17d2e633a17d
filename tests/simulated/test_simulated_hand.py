"""The human's hand: where it puts discs, what it leaves alone, when it is seen."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Carry, Errand, Hover, Pause, PressButton
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hand import AIM_MM, AIM_ON_DISC_MM, SPEED_MM_S, Hand
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.physics.simple_world import SimpleWorld
from hardware.simulated.scene import HandPose

GEOMETRY = TableGeometry()
DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT


class Table:
    def __init__(self, *stacks: StackOfDiscs, seed: int = 1) -> None:
        self.presses = 0
        self.now = 0.0
        self.world = SimpleWorld(GEOMETRY, stacks, lambda: self.now)
        self.hand = Hand(self.world, GEOMETRY, seed, self.press)

    def press(self) -> None:
        self.presses += 1

    def run(self, errand: Errand) -> list[HandPose]:
        self.hand.do(errand)
        poses = []
        while self.hand.busy:
            self.now += 0.02
            self.hand.advance_to(self.now)
            if self.hand.pose is not None:
                poses.append(self.hand.pose)
            assert self.now < 120
        return poses


def test_errors_of_putting_down_fill_the_allowed_disc_and_no_more() -> None:
    errors = []
    for seed in range(60):
        table = Table((DARK, 102, 61, 1), seed=seed)
        table.run(Errand((Carry((100, 60), (140, 100)),)))
        (disc,) = table.world.discs
        errors.append(math.dist((disc.x, disc.y), (140, 100)))
        (done,) = table.hand.done
        assert done.disc_ids == (0,)
        assert done.put_mm == (disc.x, disc.y)
    assert max(errors) <= AIM_MM + 1e-9
    assert max(errors) > 0.9 * AIM_MM
    assert sum(error > AIM_MM / 2 for error in errors) == pytest.approx(45, abs=12)  # Three quarters of the area.


def test_a_disc_put_on_another_lies_on_it_within_its_smaller_error() -> None:
    for seed in range(20):
        table = Table((DARK, 100, 60, 1), (DARK, 143, 97, 1), seed=seed)
        table.run(Errand((Carry((100, 60), (140, 100)),)))
        (stack,) = table.world.stacks()
        assert stack.ids == (1, 0)
        top = table.world.discs[0]
        assert math.dist((top.x, top.y), (143, 97)) <= AIM_ON_DISC_MM + 1e-9


def test_a_king_goes_whole_or_only_its_top() -> None:
    for whole, expected in ((True, [2]), (False, [1, 1])):
        table = Table((LIGHT, 20, 20, 2))
        table.run(Errand((Carry((20, 20), (100, 100), whole_stack=whole),)))
        assert sorted(len(stack.ids) for stack in table.world.stacks()) == expected
        assert table.world.mishaps == []


def test_it_takes_the_nearest_disc_and_touches_nothing_else() -> None:
    stacks = [(DARK, 20.0 + 80 * i, 100.0, 1) for i in range(4)]
    table = Table(*stacks)
    before = {disc.id: disc for disc in table.world.discs}
    table.run(Errand((Carry((110, 95), (140, 300)),)))
    moved = [disc.id for disc in table.world.discs if disc != before[disc.id]]
    assert moved == [1]


def test_it_finds_nothing_where_nothing_lies_and_says_so() -> None:
    table = Table((DARK, 20, 20, 1))
    table.run(Errand((Carry((200, 200), (140, 300)),)))
    assert table.hand.done[0].disc_ids == ()
    assert (table.world.discs[0].x, table.world.discs[0].y) == (20, 20)


def test_it_moves_smoothly_at_a_humans_speed_and_leaves_the_view() -> None:
    table = Table((DARK, 20, 300, 1))
    assert not table.hand.in_view
    poses = table.run(Errand((Carry((20, 300), (100, 220)), PressButton())))
    points = [pose.pinch_mm for pose in poses]
    speeds = [math.dist(a, b) / 0.02 for a, b in pairwise(points)]
    assert max(speeds) < 2 * SPEED_MM_S  # A minimum-jerk motion is 1.875 times as fast as its mean.
    assert not table.hand.in_view
    assert table.hand.pose is None
    assert table.presses == 1


def test_it_is_in_view_over_the_board() -> None:
    table = Table()
    table.hand.do(Errand((Hover((160, 160), 2.0),)))
    table.hand.advance_to(2.5)
    assert table.hand.in_view
    assert table.hand.pose is not None
    assert table.hand.pose.pinch_mm[:2] == (160, 160)


def test_pauses_and_hovers_last_as_long_as_said() -> None:
    times = []
    for seconds in (1.0, 4.0):
        table = Table()
        table.run(Errand((Hover((100, 100), seconds), Pause(seconds))))
        times.append(table.hand.done[-1].time_s)
    assert times[1] - times[0] == pytest.approx(6.0)


def test_the_held_disc_hangs_between_the_fingers() -> None:
    table = Table((DARK, 100, 60, 2))
    poses = table.run(Errand((Carry((100, 60), (140, 100), whole_stack=True),)))
    carrying = [pose for pose in poses if pose.held]
    assert carrying
    for pose in carrying:
        assert [disc.id for disc in pose.held] == [0, 1]
        assert (pose.held[0].x, pose.held[0].y) == pytest.approx(pose.pinch_mm[:2])
        assert pose.held[0].z >= -1e-9
        assert pose.held[1].z - pose.held[0].z == pytest.approx(GEOMETRY.disc_height_mm)


def test_how_finely_time_is_cut_makes_no_difference() -> None:
    ends = []
    for step in (0.01, 0.3, 50.0):
        table = Table((DARK, 20, 300, 1), seed=4)
        table.hand.do(Errand((Carry((20, 300), (100, 220)), PressButton())))
        now = 0.0
        while table.hand.busy:
            now += step
            table.hand.advance_to(now)
        ends.append(([done.put_mm for done in table.hand.done], table.hand.done[-1].time_s))
    assert ends[0][0] == ends[1][0] == ends[2][0]
    assert ends[0][1] == pytest.approx(ends[1][1]) == pytest.approx(ends[2][1])


def test_it_counts_errands_given_and_done() -> None:
    table = Table((DARK, 20, 300, 1))
    errands = [Errand((Carry((20, 300), (100, 220)),)), Errand((Hover((100, 100), 1.0), PressButton()))]
    assert [table.hand.do(errand) for errand in errands] == [1, 2]
    assert table.hand.errands_done == 0
    counts = set()
    while table.hand.busy:
        table.now += 0.05
        table.hand.advance_to(table.now)
        counts.add(table.hand.errands_done)
    assert counts == {0, 1, 2}


def leave_after(table: Table, seconds: float) -> None:
    """Go on for so long, then break off and go to the end."""
    while table.now < seconds:
        table.now += 0.01
        table.hand.advance_to(table.now)
    table.hand.leave()
    while table.hand.busy:
        table.now += 0.01
        table.hand.advance_to(table.now)


@pytest.mark.parametrize("seconds", [0.5, 1.5, 2.0, 2.3, 2.7, 3.2, 4.0])
def test_a_hand_that_breaks_off_leaves_nothing_in_the_air(seconds: float) -> None:
    table = Table((DARK, 20, 300, 1), (DARK, 100, 60, 1))
    table.hand.do(Errand((Carry((20, 300), (100, 220)), Carry((100, 60), (180, 60)), PressButton())))
    table.hand.do(Errand((PressButton(),)))
    leave_after(table, seconds)
    assert table.world.in_hand == ()
    assert len(table.world.discs) == 2
    first, second = table.world.discs
    assert min(math.dist((first.x, first.y), place) for place in ((20, 300), (100, 220))) <= AIM_MM
    assert (second.x, second.y) == (100, 60)
    assert table.presses == 0
    assert table.hand.errands_done == table.hand.errands_given == 2
    assert table.hand.pose is None


def test_what_it_holds_is_put_down_where_it_was_going() -> None:
    table = Table((DARK, 20, 300, 1))
    table.hand.do(Errand((Carry((20, 300), (100, 220)),)))
    while not table.world.in_hand:
        table.now += 0.01
        table.hand.advance_to(table.now)
    leave_after(table, table.now)
    (disc,) = table.world.discs
    assert math.dist((disc.x, disc.y), (100, 220)) <= AIM_MM


def test_a_hand_that_hovers_can_be_sent_away() -> None:
    table = Table()
    table.hand.do(Errand((Hover((160, 160), 600.0),)))
    leave_after(table, 5.0)
    assert table.now < 10.0


def test_a_hand_that_is_leaving_turns_round_for_another_errand() -> None:
    table = Table((DARK, 100, 60, 1), seed=3)
    table.hand.do(Errand((Carry((100, 60), (140, 100)),)))
    while not table.hand.errands_done:
        table.now += 0.02
        table.hand.advance_to(table.now)
    table.hand.do(Errand((Carry((140, 100), (180, 60)),)))
    while table.hand.errands_done < 2:
        table.now += 0.02
        table.hand.advance_to(table.now)
        assert table.hand.in_view


def test_of_discs_that_lie_on_one_another_the_topmost_is_taken() -> None:
    table = Table((DARK, 100, 60, 2), (LIGHT, 131, 60, 1))
    table.world.take([1])
    table.world.put(106, 60)  # The upper disc sticks out over its neighbour.
    table.run(Errand((Carry((100, 60), (20, 300)),)))
    assert table.hand.done[-1].disc_ids == (1,)
    table.run(Errand((Carry((131, 60), (60, 300)),)))
    assert table.hand.done[-1].disc_ids == (2,)


def test_a_leaning_disc_is_found_by_its_own_middle_and_nothing_is_drawn_from_under_it() -> None:
    table = Table((DARK, 100, 60, 1), (LIGHT, 140, 60, 1))
    leaning = replace(table.world.discs[1], x=120.0, z=4.0, lean=(0.3, 0.0))
    world = SimpleNamespace(
        discs=(table.world.discs[0], leaning), in_hand=(), sizes=table.world.sizes, taken=[],
    )  # fmt: skip
    world.take = lambda ids: world.taken.append(tuple(ids))
    world.put = lambda x, y: ()
    for start, whole in (((120, 60), False), ((100, 60), False), ((100, 60), True)):
        hand = Hand(world, GEOMETRY, 1, lambda: None)
        hand.do(Errand((Carry(start, (20, 300), whole_stack=whole),)))
        hand.advance_to(100.0)
    assert world.taken == [(1,), (1,), (0, 1)]


places = st.tuples(st.floats(-95, 415), st.floats(0, 320))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(Carry, places, places, st.booleans()), max_size=8), st.integers(0, 9))
def test_no_errand_loses_or_makes_discs(steps: list[Carry], seed: int) -> None:
    stacks = [(DARK if i % 2 else LIGHT, 20.0 + 80 * (i % 4), 20.0 + 80 * (i // 4), 1 + i % 2) for i in range(16)]
    table = Table(*stacks, seed=seed)
    total = len(table.world.discs)
    table.run(Errand(tuple(steps)))
    assert sorted(disc.id for disc in table.world.discs) == list(range(total))
    assert sum(len(stack.ids) for stack in table.world.stacks()) == total
    assert table.world.in_hand == ()
    assert len(table.hand.done) == len(steps)


def test_each_time_it_reaches_in_has_a_number_of_its_own() -> None:
    table = Table((DARK, 20, 300, 1))
    reaches = [{pose.reach for pose in table.run(Errand((Carry((20, 300), (100, 220)),)))} for _ in range(2)]
    assert all(len(numbers) == 1 for numbers in reaches)
    assert reaches[0] != reaches[1]
