"""Matches: who plays what, how games end, and what a failing player costs."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from controller.draughts import Colour, Game, read_pdn
from controller.engine import AlphaBeta, Limits, level_named
from controller.engine.hub import HubError
from controller.engine.interface import Reply
from controller.engine.match import (
    MatchGame,
    MatchOrder,
    MatchResult,
    Pace,
    PlayerError,
    all_ballots_order,
    drawn_ballots,
    match_games,
    play_match,
    player_named,
)
from controller.engine.match.one_game import play_one_game
from controller.engine.openings import ballot, ballots
from controller.errors import ControllerError
from hardware.clock import VirtualClock

PLAIN, LEVEL_1 = player_named("baseline"), player_named("1")
QUICK = Limits(nodes=30)


def order(games: int = 2, first=LEVEL_1, second=PLAIN, **options) -> MatchOrder:
    options = {"limits": QUICK, **options}
    return MatchOrder(first, second, options.pop("openings", (ballot(7), ballot(130))), games, **options)


@pytest.mark.parametrize("name", ["1", "10", "best", "baseline", "python", "hub:scan hub"])
def test_players_keep_their_name(name: str) -> None:
    assert player_named(name).name == name


@pytest.mark.parametrize("name", ["0", "11", "01", "Best", "", "hub:", "hub:  ", "/bin/scan"])
def test_there_are_no_other_players(name: str) -> None:
    with pytest.raises(PlayerError, match=r"no player|must be followed"):
        player_named(name)


def test_only_programs_have_parameters() -> None:
    assert player_named("hub:x", (("book", "false"),)).parameters == (("book", "false"),)
    with pytest.raises(PlayerError, match="5 has no parameters"):
        player_named("5", (("book", "false"),))


@pytest.mark.parametrize(
    ("name", "asked", "limits"),
    [
        ("baseline", None, Limits(seconds=0.1)),
        ("hub:x", QUICK, QUICK),
        ("best", None, Limits(seconds=0.1)),
        ("best", Limits(seconds=9), Limits(seconds=9)),
        ("3", None, level_named("3").limits),
        ("3", Limits(seconds=9), level_named("3").limits.and_at_most(Limits(seconds=9))),
    ],
)
def test_what_limits_a_move(name: str, asked: Limits | None, limits: Limits) -> None:
    assert player_named(name).limits(asked) == limits


@pytest.mark.parametrize(
    ("first", "second", "limits"),
    [
        ("best", "hub:x", Limits(seconds=0.1)),
        ("best", "best", Limits(seconds=0.1)),
        ("baseline", "best", Limits(seconds=0.1)),
        ("4", "hub:x", Limits(seconds=0.1)),
        ("4", "5", None),
    ],
)
def test_without_limits_both_players_have_the_same(first: str, second: str, limits: Limits | None) -> None:
    asked = order(first=player_named(first), second=player_named(second), limits=None).move_limits
    assert asked == limits
    for name in (first, second):
        own = player_named(name).limits(asked)
        assert own == (limits or level_named(name).limits) or name == "4"


def test_limits_that_are_asked_for_count_for_both() -> None:
    assert order(first=player_named("best"), second=player_named("hub:x"), limits=QUICK).move_limits == QUICK


def test_every_opening_is_played_with_both_colours() -> None:
    plan = order(games=6)
    assert [plan.opening(index).number for index in range(6)] == [7, 7, 130, 130, 7, 7]
    assert [plan.first_colour(index) for index in range(2)] == [Colour.BLACK, Colour.WHITE]


def test_all_ballots_make_312_games() -> None:
    plan = all_ballots_order(LEVEL_1, PLAIN)
    assert plan.games == 312
    assert {plan.opening(index) for index in range(312)} == set(ballots())


def test_a_seed_draws_an_order_of_the_ballots() -> None:
    assert drawn_ballots(1) == drawn_ballots(1) != drawn_ballots(2)
    assert sorted(one.number for one in drawn_ballots(3)) == [one.number for one in ballots()]


@pytest.mark.parametrize("wrong", [{"games": 0}, {"openings": ()}, {"adjudicate": True}])
def test_a_match_that_cannot_be(wrong) -> None:
    with pytest.raises(ValueError, match=r"match needs|must be at hand"):
        order(**wrong)


def test_a_match_is_played_to_the_end_of_every_game() -> None:
    told: list[MatchGame] = []
    result = play_match(order(games=4), on_game=told.append, clock=VirtualClock())
    assert result.games == tuple(told)
    assert result.wins + result.draws + result.losses == 4
    assert result.estimate.score == sum(game.points for game in told) / 4
    for game in told:
        (record,) = read_pdn(game.pdn)
        assert record.result == game.result
        assert record.game.plies == game.plies
        assert record.game.notations()[:3] == order().opening(game.index).moves
        assert record.tags["Black" if game.first_is_black else "White"] == "1"
        assert record.tags["Round"] == str(game.index + 1)
        won = {"1-0": Colour.WHITE, "0-1": Colour.BLACK}.get(game.result)
        assert game.points == (0.5 if won is None else float(won is order().first_colour(game.index)))
        moves = sum(pace.moves for pace in game.pace)
        assert moves == game.plies - 3
    assert all(pace.nodes > 0 for pace in result.pace)


def test_the_same_seed_plays_the_same_games() -> None:
    def pdn(seed: int) -> list[str]:
        return [game.pdn for game in match_games(order(seed=seed), clock=VirtualClock())]

    assert pdn(1) == pdn(1) != pdn(2)


def test_processes_side_by_side_play_the_same_games() -> None:
    plan = order(games=5, seed=3)
    alone = MatchResult.of(plan, match_games(plan))
    together = play_match(plan, concurrency=3)
    assert [game.index for game in together.games] == list(range(5))
    assert [game.plies for game in together.games] == [game.plies for game in alone.games]
    assert [game.result for game in together.games] == [game.result for game in alone.games]


class Seated:
    """A seat for an engine of the test's own."""

    def __init__(self, choose) -> None:
        self.choose = choose
        self.closed = 0
        self.seeds: list[int] = []

    def engine(self, seed: int):
        self.seeds.append(seed)
        return self

    def close(self) -> None:
        self.closed += 1


def first_move(game: Game, limits: Limits) -> Reply:
    move = game.position.legal_moves()[0]
    return Reply(move, 0, 1, 1, 0.0, (move,))


def one_game(first, second, clock: VirtualClock | None = None, adjudicate=None, **options) -> MatchGame:
    seats = Seated(first), Seated(second)
    return play_one_game(order(**options), 0, seats, clock or VirtualClock(), adjudicate)


@pytest.mark.parametrize(("index", "result", "points"), [(0, "1-0", 0.0), (1, "0-1", 0.0)])
def test_who_fails_has_lost(index: int, result: str, points: float) -> None:
    def fail(game: Game, limits: Limits) -> Reply:
        raise HubError("Scan is gone: it has ended with exit status 1")

    failing = Seated(fail)
    game = play_one_game(order(), index, (failing, Seated(first_move)), VirtualClock())
    assert (game.result, game.points, game.failed) == (result, points, "1")
    assert "wins: Scan is gone: it has ended with exit status 1." in game.reason
    assert failing.closed == 1
    (record,) = read_pdn(game.pdn)
    assert record.result == result


def test_an_illegal_move_loses() -> None:
    def cheat(game: Game, limits: Limits) -> Reply:
        reply = first_move(Game(), limits)
        return Reply(reply.move, 0, 1, 1, 0.0, (reply.move,))

    game = one_game(first_move, cheat)
    assert game.points == 1
    assert game.failed == "baseline"
    assert "Black wins: " in game.reason


def test_time_is_taken_by_the_matchs_own_clock_and_lateness_noted_not_punished() -> None:
    clock = VirtualClock()
    durations = iter([0.1, 0.13, 0.11] + [0.05] * 500)

    def slow(game: Game, limits: Limits) -> Reply:
        assert limits.seconds == 0.1
        clock.sleep(next(durations))
        return first_move(game, limits)

    game = one_game(slow, first_move, clock, limits=Limits(seconds=0.1))
    assert game.failed is None
    pace = game.pace[0]
    assert pace.late == 1
    assert pace.most_over_s == pytest.approx(0.03)
    assert pace.longest_s == pytest.approx(0.13)
    assert pace.seconds == pytest.approx(0.34 + 0.05 * (pace.moves - 3))
    assert game.pace[1].seconds == 0


def test_depths_are_those_of_moves_with_a_choice() -> None:
    game = one_game(first_move, first_move)
    for pace in game.pace:
        assert 0 < pace.searched <= pace.moves
        assert pace.depths == pace.searched


def test_paces_add_up() -> None:
    one, two = Pace(1, 0.5, 10, 1, 7, 1, 0.4, 0.5), Pace(2, 0.25, 20, 1, 3, 0, 0.1, 0.2)
    assert one + two == Pace(3, 0.75, 30, 2, 10, 1, 0.4, 0.5)


@pytest.mark.parametrize(
    ("value", "points", "reason"),
    [
        (1, 0.0, "White wins by the endgame tables."),
        (0, 0.5, "The game is a draw by the endgame tables."),
        (-1, 1.0, "Black wins by the endgame tables."),
    ],
)
def test_a_game_ends_where_the_tables_know_how(value: int, points: float, reason: str) -> None:
    game = one_game(first_move, first_move, adjudicate=lambda position: value)
    assert (game.plies, game.points) == (3, points)
    assert game.reason == reason


def test_a_colours_seeds_differ_from_game_to_game() -> None:
    plan = order()
    assert len({seed for index in range(4) for seed in plan.seeds(index)}) == 8
    first = Seated(first_move)
    play_one_game(plan, 1, (first, Seated(first_move)), VirtualClock())
    assert first.seeds == [plan.seeds(1)[0]]


def hub(body: str) -> str:
    """The name of a player whose program answers `go think` with what `body` prints."""
    source = (
        "import os, sys\n"
        "for line in sys.stdin:\n"
        "    print({'hub': 'wait', 'init': 'ready'}.get(line.strip(), ''), flush=True)\n"
        f"    if line.startswith('go'): {body}\n"
    )
    return f"hub:{sys.executable} -c {shlex.quote(source)}"


def test_a_program_that_breaks_down_is_started_again_for_the_next_game(tmp_path: Path) -> None:
    log = tmp_path / "started"
    breaking = hub(f"open({str(log)!r}, 'a').write('x'); sys.exit(7)")
    result = play_match(order(games=3, first=player_named(breaking)))
    assert (result.wins, result.draws, result.losses) == (0, 0, 3)
    assert len(result.failures) == 3
    assert "exit status 7" in result.failures[0].reason
    assert log.read_text() == "xxx"


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_program_that_cannot_be_started_ends_the_match(concurrency: int) -> None:
    with pytest.raises(HubError, match="cannot start '/nowhere/engine'"):
        play_match(order(first=player_named("hub:/nowhere/engine")), concurrency)


def test_a_process_that_dies_ends_the_match_in_a_sentence() -> None:
    killing = hub("os.kill(os.getppid(), 9)")
    with pytest.raises(ControllerError, match="ended unexpectedly"):
        play_match(order(games=4, first=player_named(killing)), concurrency=2)


def test_breaking_off_ends_every_process(tmp_path: Path) -> None:
    log = tmp_path / "pids"
    waiting = hub(f"open({str(log)!r}, 'a').write(f'{{os.getpid()}} '); print('done', flush=True)")
    games = match_games(order(games=50, first=player_named(waiting)), concurrency=2)
    next(games)
    games.close()
    started = [int(pid) for pid in log.read_text().split()]
    assert started
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_plain_engine_is_the_baseline() -> None:
    with PLAIN.seat(VirtualClock()) as seat:
        assert isinstance(seat.engine(1), AlphaBeta)
