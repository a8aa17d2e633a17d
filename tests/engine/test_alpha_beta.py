"""The engine in plain Python: what is its own."""

from __future__ import annotations

from itertools import count

from controller.draughts import Colour, Game, parse_move
from controller.draughts.bitboard import jumpers, successors
from controller.engine import WIN, AlphaBeta, Engine, Limits
from controller.engine.evaluation import evaluate
from hardware.clock import VirtualClock
from tests.engine.test_engines import random_game


def engine() -> Engine:
    return AlphaBeta(VirtualClock())


def minimax(own: int, other: int, kings: int, black: bool, depth: int, ply: int) -> int:
    """What the search must find, by looking at everything."""
    states, jump = successors(own, other, kings, black), jumpers(own, other, kings, black)
    if not states:
        return ply - WIN
    if depth <= 0 and not jump:
        return evaluate(own, other, kings, black)
    deeper = depth if jump and len(states) == 1 else depth - 1
    return max(-minimax(*state, not black, deeper, ply + 1) for state in states)


def test_pruning_changes_no_score() -> None:
    for seed in range(40):
        position = random_game(seed, seed * 2).position
        if len(position.legal_moves()) < 2:
            continue
        for depth in (1, 2, 3):
            score = engine().choose(Game(position), Limits(depth=depth)).score
            assert score == minimax(*position.state, position.turn is Colour.BLACK, depth, 0), position


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
