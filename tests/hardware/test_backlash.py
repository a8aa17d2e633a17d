"""Taking up the backlash: against axes that lag behind their motors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.backlash import Backlash
from hardware.simulated.imperfection import Backlash as LaggingAxes

SLACKS = st.tuples(st.floats(0, 0.6), st.floats(0, 0.6))
PLACES = st.lists(st.tuples(st.floats(-600, -20), st.floats(-470, -20)), min_size=1, max_size=12)


@given(SLACKS, PLACES)
def test_axes_stand_where_they_are_wanted_whichever_way_they_came(
    slack: tuple[float, float], places: list[tuple[float, float]]
) -> None:
    axes, taken_up = LaggingAxes(slack), Backlash(slack)
    axes.meet((0.0, 0.0, 0.0))
    motors = (-2.0, -2.0, -2.0)  # Homing ends with pulling off the switches.
    axes.meet(motors)
    for x, y in places:
        motors = taken_up.motors(motors, (x, y, -40.0))
        stand = axes.meet(motors)
        assert math.dist(stand[:2], (x, y)) < 0.03
        assert taken_up.axes(motors)[:2] == pytest.approx((x, y))


@given(SLACKS)
def test_rising_and_sinking_turn_no_other_motor(slack: tuple[float, float]) -> None:
    taken_up = Backlash(slack)
    motors = taken_up.motors((-2.0, -2.0, -2.0), (-300.0, -200.0, -40.0))
    # The firmware rounds to whole steps.
    reported = (motors[0] + 0.006, motors[1] - 0.006, motors[2])
    x, y, _ = taken_up.axes(reported)
    again = taken_up.motors(reported, (x, y, -80.0))
    assert again[:2] == pytest.approx(reported[:2])


def test_nothing_is_told_beyond_the_end_of_the_travel() -> None:
    taken_up = Backlash((0.6, 0.6))
    motors = taken_up.motors((-100.0, -100.0, -2.0), (-0.1, -0.1, -2.0))
    assert motors[0] <= 0
    assert motors[1] <= 0


def test_without_backlash_nothing_is_changed() -> None:
    assert Backlash((0.0, 0.0)).motors((-5.0, -5.0, -5.0), (-9.0, -1.0, -3.0)) == (-9.0, -1.0, -3.0)
