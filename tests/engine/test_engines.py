"""What every engine finds and keeps to: the one in plain Python and the compiled one."""

from __future__ import annotations

import random
from typing import Protocol

import pytest

from controller.draughts import Colour, DrawRules, Game, GameOverError, Piece, Position, parse_move, read_fen
from controller.engine import WIN, AlphaBeta, Engine, Limits
from controller.engine.choosing import has_learnt
from controller.engine.compiled import CompiledSearch
from hardware.clock import VirtualClock


class MakeEngine(Protocol):
    def __call__(self, noise: float = 0.0, seed: int = 0) -> Engine: ...


@pytest.fixture(params=[AlphaBeta, CompiledSearch])
def engine(request: pytest.FixtureRequest, no_endgame_tables: None) -> MakeEngine:
    assert has_learnt()
    return lambda noise=0.0, seed=0: request.param(VirtualClock(), noise, seed)


def random_game(seed: int, plies: int) -> Game:
    chosen, game = random.Random(seed), Game()
    while game.plies < plies and game.outcome() is None:
        game.play(chosen.choice(game.position.legal_moves()))
    return game


def plies_to_the_end(position: Position, most: int) -> int | None:
    """By trying everything: plies to a forced win (odd) or loss (even) of the side to move; None beyond `most`."""
    ends = [plies_to_the_end(position.after(move), most - 1) for move in position.legal_moves()] if most else [None]
    if not position.legal_moves():
        return 0
    wins = [end for end in ends if end is not None and end % 2 == 0]
    if wins:
        return min(wins) + 1
    losses = [end for end in ends if end is not None]
    return max(losses) + 1 if len(losses) == len(ends) else None


def few_pieces(seed: int) -> Position:
    chosen = random.Random(seed)
    squares = chosen.sample(range(5, 29), 4)
    pieces = {
        square: Piece(Colour.BLACK if index < 3 else Colour.WHITE, chosen.random() < 0.7)
        for index, square in enumerate(squares)
    }
    return Position.of(pieces, chosen.choice(list(Colour)))


def test_finds_every_short_win_and_loss_and_how_long_it_takes(engine: MakeEngine) -> None:
    found = []
    for seed in range(60):
        position = few_pieces(seed)
        plies = plies_to_the_end(position, 4)
        if not plies or len(position.legal_moves()) == 1:
            continue
        reply = engine().choose(Game(position), Limits(depth=plies))
        assert reply.score == (WIN - plies if plies % 2 else plies - WIN), position
        if plies % 2:
            assert plies_to_the_end(position.after(reply.move), plies - 1) == plies - 1
        found.append(plies)
    assert {1, 3, 4} <= set(found)


@pytest.mark.parametrize(("turn", "winner"), [("W", Colour.WHITE), ("B", None)])
def test_first_position_ends_as_published(engine: MakeEngine, turn: str, winner: Colour | None) -> None:
    game = Game(read_fen(f"{turn}:WK15,20:BK28,12"))
    while game.outcome() is None:
        game.play(engine().choose(game, Limits(nodes=1000)).move)
    assert game.outcome().winner is winner


@pytest.mark.parametrize("fen", ["W:WK1:BK32,K28", "B:WK18:BK32,K7", "B:WK5:BK32,K14"])
def test_two_kings_beat_one(engine: MakeEngine, fen: str) -> None:
    game = Game(read_fen(fen))
    strong, weak = engine(), engine(noise=30, seed=2)
    while game.outcome() is None:
        black = game.position.turn is Colour.BLACK
        reply = (strong if black else weak).choose(game, Limits(nodes=2500))
        game.play(reply.move)
    assert game.outcome().winner is Colour.BLACK


def test_an_extra_king_among_several_is_turned_into_a_win(engine: MakeEngine) -> None:
    game = Game(read_fen("B:WK18,K19:BK1,K5,K9,K6"))
    while game.outcome() is None:
        game.play(engine().choose(game, Limits(nodes=1500)).move)
    assert game.outcome().winner is Colour.BLACK


def test_turns_away_from_a_repetition_when_it_is_ahead(engine: MakeEngine) -> None:
    game = Game(read_fen("B:WK32:BK1,K14"))
    for text in ["1-6", "32-28", "6-1", "28-32"]:
        game.play(parse_move(game.position, text))
    reply = engine().choose(game, Limits(depth=5))
    after = game.position.after(reply.move)
    assert game.occurrences(after) == 0


@pytest.mark.parametrize(("forty_moves", "sign"), [(True, 0), (False, 1)])
def test_knows_that_the_fortieth_quiet_move_draws(engine: MakeEngine, forty_moves: bool, sign: int) -> None:
    game = Game(read_fen("B:WK32:BK1,K14"), DrawRules(repetition=False, forty_moves=forty_moves))
    for text in ["1-6", "32-28", "6-1", "28-32"] * 19 + ["1-6", "32-28"]:
        game.play(parse_move(game.position, text))
    assert game.quiet_plies == 78
    score = engine().choose(game, Limits(depth=4)).score
    assert (score > 0) - (score < 0) == sign


def test_moves_a_man_before_the_forty_moves_are_over(engine: MakeEngine) -> None:
    game = Game(read_fen("B:WK32:BK1,K14,3"), DrawRules(repetition=False))
    for text in ["1-6", "32-28", "6-1", "28-32"] * 19 + ["1-6", "32-28"]:
        game.play(parse_move(game.position, text))
    assert engine().choose(game, Limits(depth=4)).move.start == 3


def test_replies_are_legal_in_positions_of_all_kinds(engine: MakeEngine) -> None:
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


def test_the_game_is_left_as_it_was(engine: MakeEngine) -> None:
    game = random_game(4, 20)
    before = (game.moves, game.position, game.quiet_plies)
    engine().choose(game, Limits(depth=4))
    assert (game.moves, game.position, game.quiet_plies) == before


@pytest.mark.parametrize("nodes", [1, 2, 17, 1000])
def test_keeps_to_the_node_limit(engine: MakeEngine, nodes: int) -> None:
    reply = engine().choose(Game(), Limits(nodes=nodes))
    assert reply.nodes <= nodes
    assert reply.move in Position.start().legal_moves()


def test_keeps_to_the_depth(engine: MakeEngine) -> None:
    assert engine().choose(Game(), Limits(depth=4)).depth == 4


def test_the_same_question_has_the_same_answer(engine: MakeEngine) -> None:
    game = random_game(8, 16)
    used = engine(noise=20, seed=5)
    first = used.choose(game, Limits(nodes=3000))
    used.choose(random_game(9, 30), Limits(nodes=3000))
    assert used.choose(game, Limits(nodes=3000)) == first
    assert engine(noise=20, seed=5).choose(game, Limits(nodes=3000)) == first


def test_seeds_vary_the_play_of_a_noisy_engine(engine: MakeEngine) -> None:
    moves = {str(engine(noise=60, seed=seed).choose(Game(), Limits(nodes=60)).move) for seed in range(12)}
    assert len(moves) >= 3


def test_beats_a_player_of_random_moves(engine: MakeEngine) -> None:
    for seed in range(4):
        chosen, game = random.Random(seed), Game()
        side = Colour.BLACK if seed % 2 else Colour.WHITE
        while game.outcome() is None:
            if game.position.turn is side:
                game.play(engine().choose(game, Limits(nodes=300)).move)
            else:
                game.play(chosen.choice(game.position.legal_moves()))
        assert game.outcome().winner is side


def test_a_lost_game_has_no_reply(engine: MakeEngine) -> None:
    with pytest.raises(GameOverError, match="Black has no move"):
        engine().choose(Game(read_fen("B:W32,27:B28")), Limits(depth=2))


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"depth": 0}, {"nodes": -1}])
def test_limits_are_above_nought(limits: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        Limits(**limits)
