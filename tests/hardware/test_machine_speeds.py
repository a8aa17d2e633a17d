"""The least time of a straight line: the table of the design's figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.machine_speeds import REFERENCE_SPEEDS, MachineSpeeds

ORIGIN = (0.0, 0.0, 0.0)
POINTS = st.tuples(*[st.floats(-600, 0)] * 3)


@pytest.mark.parametrize(
    ("target", "seconds"),
    [
        ((0.0, 0.0, 30.0), 0.35),
        ((380.0, 0.0, 0.0), 1.15),
        ((80.0, 0.0, 0.0), 0.4),
        ((40.0, 0.0, 0.0), 2 * (40 / 2000) ** 0.5),
        ((200.0, 100.0, 0.0), 0.7),
        ((200.0, 200.0, 0.0), 0.7),
        (ORIGIN, 0.0),
    ],
)
def test_known_times(target: tuple[float, float, float], seconds: float) -> None:
    assert REFERENCE_SPEEDS.seconds(ORIGIN, target) == pytest.approx(seconds)


@given(POINTS, POINTS)
def test_there_and_back_takes_the_same(one, other) -> None:
    assert REFERENCE_SPEEDS.seconds(one, other) == pytest.approx(REFERENCE_SPEEDS.seconds(other, one))


@given(POINTS, POINTS)
def test_a_faster_machine_is_never_slower(one, other) -> None:
    faster = MachineSpeeds((500.0, 500.0, 150.0), (3000.0, 3000.0, 3000.0))
    assert faster.seconds(one, other) <= REFERENCE_SPEEDS.seconds(one, other) + 1e-9
