"""Levels of play."""

from __future__ import annotations

from itertools import pairwise

import pytest

from controller.draughts import Game
from controller.engine import level_limits
from controller.engine.match import MatchOrder, drawn_ballots, play_match, player_named
from hardware.clock import VirtualClock


def test_levels_grow_stronger_step_by_step() -> None:
    levels = [level_limits(level) for level in range(1, 11)]
    for weaker, stronger in pairwise(levels):
        assert stronger.limits.nodes >= weaker.limits.nodes
        assert stronger != weaker
        assert stronger.noise <= weaker.noise
    assert levels[-1].noise < levels[0].noise / 5


@pytest.mark.parametrize(("stronger", "weaker"), [("4", "1"), ("7", "4")])
def test_three_levels_make_a_clear_difference(stronger: str, weaker: str) -> None:
    order = MatchOrder(player_named(stronger), player_named(weaker), drawn_ballots(seed=2), games=24)
    assert play_match(order).estimate.score > 0.7


def test_levels_do_not_read_the_time() -> None:
    assert all(level_limits(level).limits.seconds is None for level in range(1, 11))


def test_a_level_plays() -> None:
    level = level_limits(2)
    reply = level.engine(VirtualClock(), seed=4).choose(Game(), level.limits)
    assert reply.nodes <= level.limits.nodes
    assert reply.move in Game().position.legal_moves()


@pytest.mark.parametrize("level", [0, 11])
def test_there_are_no_others(level: int) -> None:
    with pytest.raises(ValueError, match="levels run from 1 to 10"):
        level_limits(level)
