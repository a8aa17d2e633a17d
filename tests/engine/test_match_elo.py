"""What results say about strength: numbers that are known, and what must hold for all results."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.engine.match.elo import elo_of_score, estimate, expected_score, superiority

GROUPS = st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=2), min_size=1, max_size=60)


@pytest.mark.parametrize(
    ("score", "elo"),
    [(0.5, 0), (0.75, 190.848), (0.9, 381.697), (0.55, 34.860), (0.25, -190.848), (10 / 11, 400), (1 / 101, -800)],
)
def test_elo_of_a_score(score: float, elo: float) -> None:
    assert elo_of_score(score) == pytest.approx(elo, abs=0.001)
    assert expected_score(elo) == pytest.approx(score, abs=1e-5)


def test_winning_or_losing_all_is_endlessly_far() -> None:
    assert (elo_of_score(1), elo_of_score(0)) == (math.inf, -math.inf)


@pytest.mark.parametrize(
    ("wins", "losses", "likelihood"),
    [(0, 0, 0.5), (10, 10, 0.5), (1, 0, 0.8413), (30, 18, 0.9584), (18, 30, 0.0416), (100, 50, 0.99998)],
)
def test_superiority(wins: int, losses: int, likelihood: float) -> None:
    assert superiority(wins, losses) == pytest.approx(likelihood, abs=1e-4)


def single(wins: int, draws: int, losses: int) -> list[list[float]]:
    return [[1.0]] * wins + [[0.5]] * draws + [[0.0]] * losses


def test_the_error_of_many_games_is_the_usual_one() -> None:
    """500 wins, 4200 draws, 300 losses: mean 0.52, variance 0.0396 a game, so ± 1.96 × 0.199 / √5000 = 0.00552."""
    found = estimate(single(500, 4200, 300))
    assert found.score == pytest.approx(0.52)
    assert (found.low, found.high) == pytest.approx((0.51448, 0.52552), abs=2e-5)
    assert found.elo == pytest.approx(13.905, abs=0.001)
    assert found.error == pytest.approx(3.84, abs=0.01)


def test_without_draws_it_is_wilsons_interval() -> None:
    """Of 10 games 8 won, with Bessel's 10 / 9 in the variance: Wilson's interval for 8 of 10 in 9 trials."""
    found = estimate(single(8, 0, 2))
    assert (found.low, found.high) == pytest.approx((0.47379, 0.94672), abs=1e-5)


def test_pairs_that_come_out_even_are_no_chance() -> None:
    """100 openings that White always wins say much more than 200 games that happen to be won and lost."""
    pairs = [[1.0, 0.0]] * 98 + [[1.0, 1.0]] * 2
    by_pairs = estimate(pairs)
    by_games = estimate([[points] for pair in pairs for points in pair])
    assert by_pairs.score == by_games.score == 0.51
    assert by_games.high - by_games.low > 4 * (by_pairs.high - by_pairs.low)


def test_games_of_a_pair_that_go_the_same_way_count_less_than_twice() -> None:
    pairs = [[1.0, 1.0]] * 30 + [[0.0, 0.0]] * 20
    by_pairs = estimate(pairs)
    by_games = estimate([[points] for pair in pairs for points in pair])
    wider = (by_pairs.high - by_pairs.low) / (by_games.high - by_games.low)
    assert wider == pytest.approx(math.sqrt(2), abs=0.03)


@pytest.mark.parametrize(
    ("groups", "low", "high"),
    [
        ([[1.0, 1.0]] * 100, 0.97, 1),
        ([[0.0, 0.0]] * 100, 0, 0.03),
        ([[0.5, 0.5]] * 100, 0.485, 0.515),
        ([[1.0, 0.0]] * 100, 0.485, 0.515),
        ([[1.0, 1.0]], 0, 1),
        ([[0.5]], 0, 1),
    ],
)
def test_results_that_are_all_alike_are_not_taken_for_certain(groups, low: float, high: float) -> None:
    found = estimate(groups)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_no_game_says_nothing() -> None:
    with pytest.raises(ValueError, match="without a game"):
        estimate([[]])


@given(GROUPS)
def test_the_score_lies_within_its_interval(groups: list[list[float]]) -> None:
    found = estimate(groups)
    assert 0 <= found.low <= found.score <= found.high <= 1
    assert found.elo_low <= found.elo <= found.elo_high
    assert 0 <= found.superiority <= 1


@given(GROUPS)
def test_the_other_player_sees_it_the_other_way_round(groups: list[list[float]]) -> None:
    found = estimate(groups)
    other = estimate([[1 - points for points in group] for group in groups])
    assert (other.score, other.low, other.high, other.superiority) == pytest.approx(
        (1 - found.score, 1 - found.high, 1 - found.low, 1 - found.superiority)
    )


def test_the_truth_lies_within_the_interval_as_often_as_it_says() -> None:
    """Matches of 40 pairs whose openings favour one colour or the other, between players who are not alike."""
    drawn = random.Random(8)
    inside, matches, truth = 0, 600, 0.55

    def points(chance: float) -> float:
        x = drawn.random()
        return 1.0 if x < chance - 0.2 else 0.5 if x < chance + 0.2 else 0.0

    for _ in range(matches):
        pairs = []
        for _ in range(40):
            favour = drawn.uniform(-0.2, 0.2)
            pairs.append([points(truth + favour), points(truth - favour)])
        found = estimate(pairs)
        inside += found.low <= truth <= found.high
    assert 0.925 <= inside / matches <= 0.98
