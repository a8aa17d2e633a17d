from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.simulated.planner import Planner, straight_block, travel_profile

V, A = 400.0, 2000.0
RATES, ACCELERATIONS = (400.0, 400.0, 100.0), (2000.0, 2000.0, 2000.0)


def ideal(distance: float, v: float, a: float) -> float:
    return distance / v + v / a if distance >= v * v / a else 2 * math.sqrt(distance / a)


@pytest.mark.parametrize("distance", [0.5, 10.0, 79.9, 80.0, 80.1, 380.0, 620.0])
def test_a_trapezoid_takes_its_known_time(distance: float) -> None:
    assert travel_profile(distance, V, A).duration_s == pytest.approx(ideal(distance, V, A), rel=1e-9)


@given(st.floats(0.01, 700), st.floats(1, 500), st.floats(100, 5000), st.floats(0, 500), st.floats(0, 1))
def test_a_profile_is_monotone_continuous_and_within_its_limits(
    distance: float, top: float, a: float, speed: float, part: float
) -> None:
    profile = travel_profile(distance, top, a, speed)
    assert profile.distance_mm == pytest.approx(distance, rel=1e-6)
    t = profile.duration_s * part
    way, v = profile.at(t)
    later, _ = profile.at(t + 1e-6)
    assert -1e-9 <= way <= distance * (1 + 1e-9)
    assert -1e-6 <= v <= max(top, speed) * (1 + 1e-9)
    assert -1e-9 <= later - way <= max(top, speed) * 1.01e-6 + 1e-9


@given(st.floats(1, 700), st.floats(0.01, 0.99))
def test_time_at_is_the_inverse_of_at(distance: float, part: float) -> None:
    profile = travel_profile(distance, V, A)
    assert profile.at(profile.time_at(distance * part))[0] == pytest.approx(distance * part, abs=1e-6)
    assert profile.time_at(distance * 1.01) == math.inf


def test_each_axis_may_use_its_own_limit_along_a_slanting_line() -> None:
    block = straight_block((0, 0, 0), (-300, -300, 0), RATES, ACCELERATIONS, None)
    assert block.speed == pytest.approx(400 * math.sqrt(2))
    assert block.acceleration == pytest.approx(2000 * math.sqrt(2))
    steep = straight_block((0, 0, 0), (-10, 0, -80), RATES, ACCELERATIONS, None)
    assert steep.speed * 80 / steep.length_mm == pytest.approx(100)


def test_a_hold_stops_within_the_braking_distance_and_the_rest_is_run_from_rest() -> None:
    planner = Planner()
    planner.add(straight_block((0, 0, 0), (-400, 0, 0), RATES, ACCELERATIONS, None))
    planner.run(0.0)
    planner.hold(0.6)
    at_hold = planner.position(0.6)[0]
    assert planner.end_s == pytest.approx(0.6 + V / A)
    stopped = planner.end_s
    planner.finish(stopped)
    assert planner.position(stopped + 5)[0] == pytest.approx(at_hold - V * V / (2 * A))
    left = 400 + planner.position(stopped)[0]
    planner.run(10.0)
    assert planner.end_s == pytest.approx(10.0 + ideal(left, V, A))
    planner.finish(planner.end_s)
    assert planner.position(20.0) == (-400, 0, 0)


def test_a_hold_while_the_move_is_ending_lets_it_end() -> None:
    planner = Planner()
    planner.add(straight_block((0, 0, 0), (-400, 0, 0), RATES, ACCELERATIONS, None))
    planner.add(straight_block((-400, 0, 0), (0, 0, 0), RATES, ACCELERATIONS, None))
    planner.run(0.0)
    end = planner.end_s
    planner.hold(end - 0.05)
    assert planner.end_s == end
    planner.finish(end)
    assert planner.end_s == math.inf
    assert planner.position(end + 9) == (-400, 0, 0)


def test_an_override_scales_what_is_left() -> None:
    planner = Planner()
    planner.add(straight_block((0, 0, 0), (-400, 0, 0), RATES, ACCELERATIONS, None))
    planner.run(0.0)
    planner.override(0.5, feed=1.0, rapid=0.25)
    assert planner.speed(0.5) == pytest.approx(400)
    assert planner.speed(0.7) == pytest.approx(100)
    assert planner.end_s > 1.2 + 1
