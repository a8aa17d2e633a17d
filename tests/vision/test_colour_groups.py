"""Telling the two colours of a set of discs by comparing them with each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.unprepared.colour_groups import regrouped

BLUE, GREEN = np.log([170.0, 90.0, 30.0]), np.log([60.0, 120.0, 40.0])
DARK_WOOD, PALE_WOOD = np.log([46.0, 53.0, 61.0]), np.log([110.0, 140.0, 160.0])


def _discs(seed: int, first: int, second: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    means = np.concatenate([np.tile(BLUE, (first, 1)), np.tile(GREEN, (second, 1))])
    return np.exp(means + random.normal(0, 0.08, (len(means), 1)) + random.normal(0, 0.04, means.shape))


def _places(seed: int, count: int) -> np.ndarray:
    squares = np.random.default_rng(seed).permutation(64)[:count]
    return np.column_stack([squares % 8, squares // 8]) + 0.5


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(3, 12))
def test_two_clear_colours_are_parted_where_single_discs_were_misjudged(seed: int, first: int, second: int) -> None:
    log_odds = np.concatenate([np.full(first, -3.0), np.full(second, 3.0)])
    log_odds[0], log_odds[-1] = 1.0, -1.0
    seen = regrouped(_discs(seed, first, second), _places(seed, first + second), log_odds)
    assert (seen[:first] < 0).all()
    assert (seen[first:] > 0).all()


@given(st.integers(0, 10_000), st.integers(3, 24))
def test_one_colour_is_not_parted(seed: int, count: int) -> None:
    log_odds = np.full(count, -3.0)
    assert (regrouped(_discs(seed, count, 0), _places(seed, count), log_odds) < 0).all()


def test_few_discs_stay_as_they_are() -> None:
    assert regrouped(_discs(0, 1, 1), _places(0, 2), np.array([0.5, -0.5])).tolist() == [0.5, -0.5]


@given(st.integers(0, 10_000))
def test_a_lamp_at_one_side_does_not_mix_the_colours(seed: int) -> None:
    """Dark discs near it are as bright as pale ones away from it."""
    random = np.random.default_rng(seed)
    places = _places(seed, 24)
    pale = np.arange(24) >= 12
    light = 0.13 * (places[:, 1] - 4)
    logs = np.where(pale[:, None], PALE_WOOD, DARK_WOOD) + light[:, None] + random.normal(0, 0.05, (24, 3))
    seen = regrouped(np.exp(logs), places, np.where(pale, 1.5, -1.5))
    assert ((seen > 0) == pale).all()
