"""How high the arm goes: never lower than what stands on its way, and no slower than any other way over it."""

from __future__ import annotations

from itertools import pairwise
from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.handling.ways import (
    Height,
    Obstacle,
    distance_to_segment,
    heights_over,
    level_height,
    quickest_heights,
    shares_near,
)
from hardware.machine_speeds import REFERENCE_SPEEDS

ABOVE, WIDTH = 6.0, 26.0
COORDINATES = st.floats(-100, 450)
POINTS = st.tuples(COORDINATES, COORDINATES)
OBSTACLES = st.lists(st.builds(Obstacle, POINTS, st.sampled_from([8.0, 16.0])), max_size=8)


def seconds_of(length: float, start: float, first: float, last: float, end: float) -> float:
    corners = ((0.0, 0.0, start), (0.0, 0.0, first), (length, 0.0, last), (length, 0.0, end))
    return sum(REFERENCE_SPEEDS.seconds(a, b) for a, b in pairwise(corners))


@given(POINTS, POINTS, POINTS, st.floats(1, 60))
def test_a_way_is_near_a_point_just_between_the_shares(start, end, point, width) -> None:
    shares = shares_near(point, start, end, width)
    near = distance_to_segment(point, start, end) < width
    assert bool(shares) == near
    for part in [i / 50 for i in range(51)]:
        on_way = tuple(a + part * (b - a) for a, b in zip(start, end, strict=True))
        away = dist(on_way, point)
        if abs(away - width) > 1e-6:
            assert (away < width) == (near and shares[0] <= part <= shares[1])


@given(POINTS, POINTS, OBSTACLES, st.floats(6, 90), st.floats(0, 16))
def test_the_tip_is_over_everything_on_its_way(start, end, obstacles, start_mm, end_mm) -> None:
    heights = heights_over(start, end, obstacles, WIDTH, ABOVE)
    first, last = quickest_heights(dist(start, end), start_mm, end_mm, heights, REFERENCE_SPEEDS)
    assert first >= start_mm
    assert last >= end_mm
    for part in [i / 100 for i in range(101)]:
        on_way = tuple(a + part * (b - a) for a, b in zip(start, end, strict=True))
        needed = [o.top_mm for o in obstacles if dist(o.centre, on_way) < WIDTH]
        assert first + part * (last - first) >= max(needed, default=0.0) + ABOVE - 1e-6


@given(POINTS, POINTS, OBSTACLES, st.floats(6, 90), st.floats(0, 16), st.floats(0, 60), st.floats(0, 60))
def test_no_other_straight_way_over_it_is_quicker(start, end, obstacles, start_mm, end_mm, more, other) -> None:
    heights = heights_over(start, end, obstacles, WIDTH, ABOVE)
    length = dist(start, end)
    found = seconds_of(
        length, start_mm, *quickest_heights(length, start_mm, end_mm, heights, REFERENCE_SPEEDS), end_mm
    )
    first = max(start_mm, more)
    last = max(end_mm, other)
    if all(first + h.share * (last - first) >= h.lowest_mm for h in heights):
        # The candidates are the corners of what is possible; between them the ramps of short lifts may save a little.
        assert found <= seconds_of(length, start_mm, first, last, end_mm) + 0.02


def test_a_way_that_begins_high_comes_down_while_it_goes_across() -> None:
    heights = heights_over((0.0, 0.0), (200.0, 0.0), [], WIDTH, ABOVE)
    assert quickest_heights(200.0, 30.0, 7.0, heights, REFERENCE_SPEEDS) == (30.0, 7.0)


def test_over_a_free_way_it_stays_as_low_as_the_margin() -> None:
    heights = heights_over((0.0, 0.0), (40.0, 40.0), [], WIDTH, ABOVE)
    assert level_height(0.0, heights) == ABOVE


def test_a_tall_stack_beside_the_way_does_not_matter() -> None:
    heights = heights_over((0.0, 0.0), (100.0, 0.0), [Obstacle((50.0, 27.0), 16.0)], WIDTH, ABOVE)
    assert level_height(0.0, heights) == ABOVE
    heights = heights_over((0.0, 0.0), (100.0, 0.0), [Obstacle((50.0, 25.0), 16.0)], WIDTH, ABOVE)
    assert level_height(0.0, heights) == 22.0


def test_an_obstacle_near_one_end_only_is_passed_by_a_slope() -> None:
    heights = (Height(0.0, 6.0), Height(1.0, 6.0), Height(0.0, 22.0), Height(0.1, 22.0))
    first, last = quickest_heights(300.0, 22.0, 2.0, heights, REFERENCE_SPEEDS)
    assert last < 22.0
    assert first + 0.1 * (last - first) == pytest.approx(22.0)
