"""From carried discs to the arm's axes, and what is said of a machine that moves otherwise than it should."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.arm_fit import (
    AxesFit,
    Carried,
    MachineNames,
    Tried,
    check_axes,
    check_residual,
    fit_axes,
    tip_at_zero,
)
from calibration.errors import CalibrationRefusedError

NAMES = MachineNames(steps_per_mm=(75.0, 75.0))
SPOTS = ((-400.0, -400.0), (-150.0, -380.0), (-160.0, -150.0), (-420.0, -170.0), (-290.0, -260.0), (-200.0, -300.0))


def axes_of(turn: float = 0.0, skew: float = 0.0, scale: tuple[float, float] = (1.0, 1.0)) -> np.ndarray:
    x, y = math.radians(turn), math.radians(turn + 90 + skew)
    return np.array(
        [[scale[0] * math.cos(x), scale[1] * math.cos(y)], [scale[0] * math.sin(x), scale[1] * math.sin(y)]]
    )


def carried_by(axes: np.ndarray, backlash: tuple[float, float], noise_mm: float = 0.0) -> list[Carried]:
    """Discs carried from spot to spot, coming to each from another side, by a machine like that."""
    chance = np.random.default_rng(5)
    shift = np.array([480.0, 455.0])

    def stands(motors: tuple[float, float], turned: tuple[int, int]) -> np.ndarray:
        return axes @ (np.array(motors) - np.array(turned) * np.array(backlash) / 2) + shift

    found = []
    sides = list(product((-1, 1), repeat=2))
    for number, (start, end) in enumerate(product(SPOTS, repeat=2)):
        if start == end:
            continue
        came, went = sides[number % 4], sides[(number // 4) % 4]
        disc = np.array([7.0, -3.0]) + stands(start, came)
        after = disc + stands(end, went) - stands(start, came) + chance.normal(0, noise_mm, 2)
        found.append(Carried(start, came, end, went, (disc[0], disc[1]), (after[0], after[1])))
    return found


@given(
    st.floats(-8, 8),
    st.floats(-1, 1),
    st.tuples(st.floats(0.98, 1.02), st.floats(0.98, 1.02)),
    st.tuples(st.floats(0, 0.6), st.floats(0, 0.6)),
)
def test_axes_and_backlash_come_out_as_they_are(
    turn: float, skew: float, scale: tuple[float, float], backlash: tuple[float, float]
) -> None:
    axes = axes_of(turn, skew, scale)
    fit = fit_axes(carried_by(axes, backlash))
    assert np.allclose(fit.axes, axes, atol=1e-6)
    assert fit.backlash_mm == pytest.approx(backlash, abs=1e-4)
    assert fit.worst_mm < 1e-4
    check_axes(fit.axes, NAMES, size_is_sure=True)


def test_chance_is_averaged_and_told_as_what_is_left() -> None:
    axes = axes_of(3.0)
    fit = fit_axes(carried_by(axes, (0.4, 0.2), noise_mm=0.3))
    assert np.abs(fit.axes - axes).max() < 0.002
    assert fit.backlash_mm == pytest.approx((0.4, 0.2), abs=0.25)
    assert 0.3 < fit.rms_mm < 0.55
    assert fit.slipped == ()


def test_a_disc_that_slipped_is_left_out_and_counted() -> None:
    axes = axes_of(-2.0)
    ways = carried_by(axes, (0.3, 0.3), noise_mm=0.1)
    one = ways[11]
    ways[11] = Carried(
        one.taken_at, one.came_from, one.put_at, one.went_to, one.before, (one.after[0] + 7, one.after[1])
    )
    fit = fit_axes(ways)
    assert fit.slipped == (11,)
    assert np.abs(fit.axes - axes).max() < 0.002
    check_residual(fit, len(ways))


def test_many_slipped_discs_are_no_calibration() -> None:
    ways = carried_by(axes_of(), (0.0, 0.0), noise_mm=0.1)
    for number in range(0, 30, 3):
        one = ways[number]
        there = (one.after[0] + 5 + number, one.after[1] - 9)
        ways[number] = Carried(one.taken_at, one.came_from, one.put_at, one.went_to, one.before, there)
    with pytest.raises(CalibrationRefusedError, match="did not come to lie"):
        check_residual(fit_axes(ways), len(ways))


def test_a_large_rest_is_refused_with_its_size() -> None:
    fit = fit_axes(carried_by(axes_of(), (0.0, 0.0), noise_mm=1.2))
    with pytest.raises(CalibrationRefusedError, match=r"remaining error of \d\.\d\d mm is too large"):
        check_residual(fit, 30)


@pytest.mark.parametrize("ways", [0, 1])
def test_too_few_ways_tell_nothing(ways: int) -> None:
    with pytest.raises(CalibrationRefusedError, match="too few"):
        fit_axes(carried_by(axes_of(), (0.0, 0.0))[:ways])


def test_ways_along_one_line_tell_nothing() -> None:
    one = Carried((0.0, 0.0), (1, 1), (50.0, 0.0), (1, 1), (0.0, 0.0), (50.0, 0.0))
    with pytest.raises(CalibrationRefusedError, match="too few"):
        fit_axes([one] * 8)


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        (axes_of(4.0)[:, ::-1], "the axes are swapped"),
        (axes_of(4.0) * (-1, 1), r"the x axis is mirrored: .* set \$3=1 \(now 0\) .* \$23=1 \(now 0\)"),
        (axes_of(-7.0) * (1, -1), r"the y axis is mirrored: .* set \$3=2 \(now 0\) .* \$23=2 \(now 0\)"),
        (axes_of(2.0) * (-1, -1), "both axes run the other way"),
        (axes_of(1.0, scale=(1.05, 1.0)), r"off by 5%: x goes 1\.050 mm .* set \$100=71\.429 \(now 75\)"),
        (axes_of(1.0, scale=(1.0, 0.5)), r"off by 50%: y goes 0\.500 mm .* set \$101=150\.000 \(now 75\)"),
        (axes_of(0.0, skew=4.0), "86.0° to each other|94.0° to each other"),
        (axes_of(35.0), "turned by 35°"),
    ],
)
def test_a_wrong_machine_is_named_with_what_mends_it(axes: np.ndarray, words: str) -> None:
    with pytest.raises(CalibrationRefusedError, match=words):
        check_axes(axes, NAMES, size_is_sure=True)


@given(st.floats(1.035, 2.0) | st.floats(0.4, 0.965), st.sampled_from((0, 1)))
def test_the_steps_that_are_named_make_the_scale_right(scale: float, axis: int) -> None:
    scales = [1.0, 1.0]
    scales[axis] = scale
    with pytest.raises(CalibrationRefusedError) as caught:
        check_axes(axes_of(2.0, scale=(scales[0], scales[1])), NAMES, size_is_sure=True)
    named = float(str(caught.value).split(f"${100 + axis}=")[1].split()[0])
    assert named * scale == pytest.approx(75.0, abs=0.01)


def test_both_scales_wrong_alike_may_be_the_squares_size() -> None:
    axes = axes_of(scale=(1.06, 1.06))
    with pytest.raises(CalibrationRefusedError, match="or the squares are not as large as was stated"):
        check_axes(axes, NAMES, size_is_sure=False)
    with pytest.raises(CalibrationRefusedError) as caught:
        check_axes(axes, NAMES, size_is_sure=True)
    assert "squares" not in str(caught.value)


def test_a_firmware_without_masks_is_named_too() -> None:
    names = MachineNames(
        direction="INVERT_X_DIR", direction_mask=None, homing_direction="X_HOME_DIR", homing_mask=None
    )
    with pytest.raises(CalibrationRefusedError, match=r"change its direction .INVERT_X_DIR. .* .X_HOME_DIR."):
        check_axes(axes_of() * (-1, 1), names, size_is_sure=True)


def test_what_is_under_the_gripper_is_found_from_what_it_took_and_what_it_did_not() -> None:
    axes, backlash, over, reach = axes_of(5.0, 0.8, (1.015, 0.99)), (0.5, 0.3), np.array([260.0, 210.0]), 8.5
    fit = AxesFit(axes, backlash, 0.1, 0.2, ())
    rng = np.random.default_rng(5)
    tried = []
    for number in range(40):
        motors = -rng.uniform(60, 120, 2)
        turned = (1, -1) if number % 2 else (-1, 1)
        tip = over + axes @ (motors - np.multiply(turned, backlash) / 2)
        angle, away = rng.uniform(0, 2 * np.pi), rng.uniform(0.6, 1.4) * reach
        disc = tip + away * np.array([np.cos(angle), np.sin(angle)])
        tried.append(Tried(tuple(motors), turned, tuple(disc), bool(away < reach)))
    assert tip_at_zero(fit, (), tried, 30.0) == pytest.approx(tuple(over), abs=0.35)


def test_jaws_centre_what_they_take() -> None:
    carried = carried_by(axes_of(3.0), (0.4, 0.2))
    fit = fit_axes(carried)
    offsets = [np.subtract(one.after, fit.way_to(one.put_at, one.went_to)) for one in carried]
    assert tip_at_zero(fit, carried, (), 30.0) == pytest.approx(tuple(np.mean(offsets, axis=0)), abs=0.1)
