"""How high one disc of an unknown set is, from what stands on the board."""

import numpy as np
import pytest

from vision.unprepared.disc_heights import disc_height, stacks_by_share


@pytest.mark.parametrize("true", [0.6, 0.8, 1.0, 1.3, 1.7])
@pytest.mark.parametrize("kings", [0, 3, 8])
def test_the_height_of_one_disc_is_found_among_men_and_kings(true: float, kings: int) -> None:
    random = np.random.default_rng(3)
    levels = np.repeat([1, 2], [12 - kings, kings])
    spreads = np.full(12, 0.12)
    seen = np.log(true * levels) + random.normal(0, 0.1, 12)
    stacked = np.where(levels == 2, 1.5, -1.5) + random.normal(0, 1, 12)
    assert disc_height(seen, spreads, stacked) == pytest.approx(true, rel=0.1)


def test_without_any_disc_the_guess_stays() -> None:
    nothing = np.zeros(0)
    assert disc_height(nothing, nothing, nothing) == pytest.approx(1.0, rel=0.02)


def test_one_misread_disc_does_not_matter() -> None:
    seen = np.log(np.array([1.0] * 8 + [9.0]))
    assert disc_height(seen, np.full(9, 0.1), np.full(9, -2.0)) == pytest.approx(1.0, rel=0.05)


def test_where_no_stack_stands_out_discs_in_doubt_are_single() -> None:
    doubtful = np.array([-3.0] * 20 + [0.4, 0.2])
    assert (stacks_by_share(doubtful) < -1).all()


def test_where_stacks_are_common_discs_in_doubt_may_be_stacks() -> None:
    log_odds = np.array([-5.0] * 6 + [5.0] * 6 + [0.4])
    seen = stacks_by_share(log_odds)
    assert (seen > 0).tolist() == [False] * 6 + [True] * 7


def test_a_clear_stack_is_one_though_it_is_the_only_one() -> None:
    assert (stacks_by_share(np.array([-4.0] * 15 + [6.0])) > 0).tolist() == [False] * 15 + [True]
