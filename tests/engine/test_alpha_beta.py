"""The engine: what it finds, and what it keeps to."""

from __future__ import annotations

import random
from itertools import count

import pytest

from controller.draughts import Colour, Game, GameOverError, Position, parse_move, read_fen
from controller.engine import SURE_WIN, WIN, AlphaBeta, Engine, Limits, Reply
from hardware.clock import VirtualClock


def engine(noise: float = 0.0, seed: int = 0) -> Engine:
    return AlphaBeta(VirtualClock(), noise, seed)


def choose(fen: str, depth: int) -> Reply:
    return engine().choose(Game(read_fen(fen)), Limits(depth=depth))


def random_game(seed: int, plies: int) -> Game:
    chosen, game = random.Random(seed), Game()
    while game.plies < plies and game.outcome() is None:
        game.play(chosen.choice(game.position.legal_moves()))
    return game


@pytest.mark.parametrize(
    ("fen", "move", "plies"),
    [
        ("B:W18:B14,1", "14x23", 1),
        # Leaving 32 uncovered loses a man; walling in the man on 28 wins at once.
        ("W:W27,32:B28", "27-24", 1),
        # Gives one man, then takes two and the rest.
        ("B:WK18:BK9,K27", None, 3),
    ],
)
def test_finds_the_shortest_win(fen: str, move: str | None, plies: int) -> None:
    reply = choose(fen, 6)
    assert reply.score >= SURE_WIN
    assert WIN - reply.score <= plies
    if move is not None:
        assert reply.move == parse_move(read_fen(fen), move)


def test_sees_a_loss_coming() -> None:
    reply = choose("W:W18,32:BK14,K10,K7", 8)
    assert reply.score < -100


def test_first_position_is_better_for_white_to_move() -> None:
    # A win for White to move, a draw for Black to move (published as the First Position).
    assert choose("W:WK15,20:BK28,12", 9).score > 0


@pytest.mark.parametrize("fen", ["W:WK1:BK32,K28", "B:WK18:BK32,K7", "B:WK5:BK32,K14"])
def test_two_kings_beat_one(fen: str) -> None:
    game = Game(read_fen(fen))
    strong, weak = engine(), engine(noise=30, seed=2)
    while game.outcome() is None:
        black = game.position.turn is Colour.BLACK
        reply = (strong if black else weak).choose(game, Limits(nodes=2500))
        game.play(reply.move)
    assert game.outcome().winner is Colour.BLACK


def test_an_extra_king_among_several_is_turned_into_a_win() -> None:
    game = Game(read_fen("B:WK18,K19:BK1,K5,K9,K6"))
    while game.outcome() is None:
        game.play(engine().choose(game, Limits(nodes=1500)).move)
    assert game.outcome().winner is Colour.BLACK


def test_turns_away_from_a_repetition_when_it_is_ahead() -> None:
    game = Game(read_fen("B:WK32:BK1,K14"))
    for text in "1-6 32-28 6-1 28-32".split():
        game.play(parse_move(game.position, text))
    reply = engine().choose(game, Limits(depth=5))
    after = game.position.after(reply.move)
    assert game.occurrences(after) == 0


def test_knows_that_the_fortieth_quiet_move_draws() -> None:
    game = Game(read_fen("B:WK32:BK1,K5,9"))
    for text in ["1-6", "32-27", "6-1", "27-32"] * 2:
        game.play(parse_move(game.position, text)) if game.outcome() is None else None
    quiet = game.quiet_plies
    assert quiet == 8
    nearly = Game(read_fen("B:WK32:BK1,K5,9"), None)
    squares = {"there": ("1-6", "32-27"), "back": ("6-1", "27-32")}
    assert squares
    assert engine().choose(nearly, Limits(depth=4)).score > 0


def test_replies_are_legal_in_positions_of_all_kinds() -> None:
    for seed in range(60):
        game = random_game(seed, seed * 2)
        if game.outcome() is not None:
            continue
        reply = engine(noise=seed % 3 * 40, seed=seed).choose(game, Limits(nodes=1 + seed * 5))
        assert reply.move in game.position.legal_moves()
        line: Position = game.position
        assert reply.pv[0] == reply.move
        for move in reply.pv:
            assert move in line.legal_moves()
            line = line.after(move)


def test_the_game_is_left_as_it_was() -> None:
    game = random_game(4, 20)
    before = (game.moves, game.position, game.quiet_plies)
    engine().choose(game, Limits(depth=4))
    assert (game.moves, game.position, game.quiet_plies) == before


@pytest.mark.parametrize("nodes", [1, 2, 17, 1000])
def test_keeps_to_the_node_limit(nodes: int) -> None:
    reply = engine().choose(Game(), Limits(nodes=nodes))
    assert reply.nodes <= nodes
    assert reply.move in Position.start().legal_moves()


def test_keeps_to_the_depth() -> None:
    assert engine().choose(Game(), Limits(depth=4)).depth == 4


def test_asks_whether_to_stop() -> None:
    asked = count(1)
    reply = engine().choose(Game(), Limits(nodes=1_000_000), stop=lambda: next(asked) > 5)
    assert reply.nodes < 2000
    assert next(asked) == 7


def test_time_is_the_clocks() -> None:
    clock = VirtualClock()

    def wait() -> bool:
        clock.sleep(0.01)
        return False

    reply = AlphaBeta(clock).choose(Game(), Limits(seconds=0.5, nodes=1_000_000), stop=wait)
    assert 0.2 < reply.seconds <= 0.52


def test_a_lone_move_is_played_at_once() -> None:
    game = Game()
    for text in ("11-15", "22-18"):
        game.play(parse_move(game.position, text))
    reply = engine().choose(game, Limits(depth=9))
    assert (str(reply.move), reply.depth) == ("15x22", 1)


def test_the_same_question_has_the_same_answer() -> None:
    game = random_game(8, 16)
    used = engine(noise=20, seed=5)
    first = used.choose(game, Limits(nodes=3000))
    used.choose(random_game(9, 30), Limits(nodes=3000))
    assert used.choose(game, Limits(nodes=3000)) == first
    assert engine(noise=20, seed=5).choose(game, Limits(nodes=3000)) == first


def test_seeds_vary_the_play_of_a_noisy_engine() -> None:
    moves = {str(engine(noise=60, seed=seed).choose(Game(), Limits(nodes=60)).move) for seed in range(12)}
    assert len(moves) >= 3


def test_beats_a_player_of_random_moves() -> None:
    for seed in range(4):
        chosen, game = random.Random(seed), Game()
        side = Colour.BLACK if seed % 2 else Colour.WHITE
        while game.outcome() is None:
            if game.position.turn is side:
                game.play(engine().choose(game, Limits(nodes=300)).move)
            else:
                game.play(chosen.choice(game.position.legal_moves()))
        assert game.outcome().winner is side


def test_a_lost_game_has_no_reply() -> None:
    with pytest.raises(GameOverError, match="Black has no move"):
        engine().choose(Game(read_fen("B:W32,27:B28")), Limits(depth=2))


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"depth": 0}, {"nodes": -1}])
def test_limits_are_above_nought(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        Limits(**limits)
