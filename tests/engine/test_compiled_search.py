"""The compiled engine: what is its own. What every engine does is in test_engines."""

from __future__ import annotations

import random
from itertools import count
from statistics import fmean, pstdev

import pytest

from controller.draughts import Colour, Game, Position, parse_move, read_fen
from controller.engine import SURE_WIN, Limits, Reply, _core
from controller.engine.choosing import make_engine
from controller.engine.compiled import CompiledSearch
from controller.engine.evaluation import evaluate
from hardware.clock import VirtualClock
from tests.engine.test_engines import random_game

MIDDLE_GAME = "W:W19,20,21,22,23,24,26,28,30,32:B1,3,5,6,7,8,10,11,12,14"


def quiet_positions(number: int) -> list[Position]:
    found: list[Position] = []
    for seed in count():
        position = random_game(seed, random.Random(seed).randrange(70)).position
        if position.legal_moves() and not position.can_capture():
            found.append(position)
        if len(found) == number:
            return found
    raise AssertionError


def test_it_is_what_plays_here() -> None:
    assert isinstance(make_engine(VirtualClock()), CompiledSearch)


def test_the_hand_made_evaluation_equals_the_one_in_python() -> None:
    for position in quiet_positions(400):
        black = position.turn is Colour.BLACK
        assert _core.evaluate(*position.state, black, True, 0.0, 0) == evaluate(*position.state, black), position


def test_misjudgement_is_as_large_as_it_says_and_the_same_for_both_sides() -> None:
    errors = []
    for position in quiet_positions(60):
        black = position.turn is Colour.BLACK
        own, other, kings = position.state
        if not 14 <= (own | other).bit_count() <= 18:
            continue
        for seed in range(40):
            error = _core.evaluate(own, other, kings, black, False, 50.0, seed)
            errors.append(error - _core.evaluate(own, other, kings, black, False, 0.0, 0))
    assert len(errors) > 300
    assert abs(fmean(errors)) < 5
    assert 40 < pstdev(errors) < 60
    start = Position.start()
    own, other, kings = start.state
    assert all(_core.evaluate(own, other, kings, True, True, 0.0, seed) == 0 for seed in range(5))
    for seed in range(20):  # What stands alike on both sides is misjudged alike.
        noisy = _core.evaluate(own, other, kings, True, False, 80.0, seed)
        assert noisy == _core.evaluate(own, other, kings, True, False, 0.0, 0)


def test_progress_is_told_depth_by_depth() -> None:
    told: list[Reply] = []
    reply = CompiledSearch(VirtualClock()).choose(Game(read_fen(MIDDLE_GAME)), Limits(depth=9), progress=told.append)
    assert [one.depth for one in told] == list(range(1, 10))
    assert [one.nodes for one in told] == sorted(one.nodes for one in told)
    assert (told[-1].move, told[-1].score, told[-1].pv) == (reply.move, reply.score, reply.pv)


def test_is_stopped_soon_after_it_is_told_to() -> None:
    asked = count(1)
    reply = CompiledSearch(VirtualClock()).choose(Game(), Limits(nodes=100_000_000), stop=lambda: next(asked) == 5)
    assert 5 * 1_000 < reply.nodes < 5 * 5_000  # So it asks every half a millisecond to two, by machine.


def test_time_is_the_clocks() -> None:
    clock = VirtualClock()

    def pass_time() -> bool:
        clock.sleep(0.002)
        return False

    reply = CompiledSearch(clock).choose(Game(), Limits(seconds=0.5), stop=pass_time)
    assert 0.5 <= reply.seconds <= 0.504


def test_an_exception_of_the_caller_ends_the_search() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CompiledSearch(VirtualClock()).choose(Game(), Limits(nodes=100_000_000), stop=interrupt)

    def refuse(reply: Reply) -> None:
        raise RuntimeError(f"not at depth {reply.depth}")

    with pytest.raises(RuntimeError, match="not at depth 1"):
        CompiledSearch(VirtualClock()).choose(Game(), Limits(depth=30), progress=refuse)


def test_a_lone_move_is_played_at_once_when_time_is_what_counts() -> None:
    game = Game()
    for text in ("11-15", "22-18"):
        game.play(parse_move(game.position, text))
    reply = CompiledSearch(VirtualClock()).choose(game, Limits(seconds=1e9))
    assert (str(reply.move), reply.depth) == ("15x22", 1)


@pytest.mark.parametrize("threads", [2, 4])
def test_several_threads_find_what_one_finds(threads: int) -> None:
    engine = CompiledSearch(VirtualClock(), threads=threads)
    for fen, depth in (("W:WK15,20:BK28,12", 9), ("B:WK18,K19:BK1,K5,K9,K6", 9), (MIDDLE_GAME, 11)):
        game = Game(read_fen(fen))
        one = CompiledSearch(VirtualClock()).choose(game, Limits(depth=depth))
        reply = engine.choose(game, Limits(depth=depth))
        assert reply.move in game.position.legal_moves()
        assert reply.depth == one.depth
        assert (reply.score >= SURE_WIN) == (one.score >= SURE_WIN)


def test_several_threads_keep_to_the_nodes_roughly() -> None:
    reply = CompiledSearch(VirtualClock(), threads=2).choose(Game(), Limits(nodes=200_000))
    assert reply.nodes < 210_000


def test_searches_side_by_side_do_not_disturb_each_other() -> None:
    from concurrent.futures import ThreadPoolExecutor

    games = [random_game(seed, 10 + seed) for seed in range(6)]
    alone = [CompiledSearch(VirtualClock()).choose(game, Limits(nodes=40_000)) for game in games]
    with ThreadPoolExecutor(3) as pool:
        together = list(
            pool.map(lambda game: CompiledSearch(VirtualClock()).choose(game, Limits(nodes=40_000)), games)
        )
    assert together == alone


def test_positions_that_cannot_be_played_are_refused() -> None:
    table = _core.table_new(1)
    with pytest.raises(ValueError, match="no move"):
        _core.search(table, 0, 1, 0, True, 1, 0, 1, 0, 80, [], 0.0, 0, True, lambda: False, lambda *_: False)
    with pytest.raises(ValueError, match="megabytes"):
        _core.table_new(0)


@pytest.mark.parametrize("limits", [Limits(seconds=1), Limits(depth=1), Limits(nodes=10), Limits(nodes=10**6)])
def test_what_is_made_ready_is_not_made_in_the_time_of_the_first_search(limits: Limits, monkeypatch) -> None:
    engine = make_engine(VirtualClock(), ready_for=limits)
    monkeypatch.setattr(_core, "table_new", lambda megabytes: pytest.fail("a table was made"))
    assert engine.choose(Game(), limits.and_at_most(Limits(depth=2))).depth
