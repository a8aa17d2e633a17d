"""What is under the middle of the gripper, found by trying."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.grip_middle import FEWEST, MOST, GripSearch, GripTry

DISC_MM = 30.0


def searched(off: tuple[float, float], reach: float) -> GripSearch:
    """The search with a gripper that is so far off and takes discs as far as `reach` from their middle (mm)."""
    search = GripSearch(DISC_MM)
    while not search.done:
        x, y = search.next_offset()
        search.learn(GripTry((x, y), math.hypot(x + off[0], y + off[1]) < reach))
    return search


@settings(max_examples=5, deadline=None)
@given(st.floats(0.0, 7.0), st.floats(0.0, 2 * math.pi), st.floats(4.0, 14.0))
def test_the_middle_is_found_wherever_it_is(away: float, angle: float, reach: float) -> None:
    off = away * math.cos(angle), away * math.sin(angle)
    search = searched(off, max(reach, away + 0.5))
    assert FEWEST <= len(search.tries) <= MOST
    found = search.middle()
    assert math.dist(found.off_mm, off) < 0.5
    assert max(found.sure_mm) < 0.4


def test_the_reach_is_found_too() -> None:
    assert searched((1.0, -2.0), 9.0).middle().reach_mm == pytest.approx(9.0, abs=0.5)


def test_one_lapse_does_not_spoil_it() -> None:
    search = GripSearch(DISC_MM)
    while not search.done:
        x, y = search.next_offset()
        held = math.hypot(x + 2.0, y - 1.0) < 8.0
        search.learn(GripTry((x, y), held != (len(search.tries) == 9)))
    assert math.dist(search.middle().off_mm, (2.0, -1.0)) < 0.8


def test_nothing_is_sure_before_anything_was_tried() -> None:
    assert not GripSearch(DISC_MM).middle().sure
