"""How the robot answers an offer of a draw."""

from __future__ import annotations

import pytest

from controller.draughts import DrawRules, Game, GameOverError, Move, parse_move, read_fen
from controller.draw_offer import answer_draw_offer
from controller.engine import WIN, Limits, Reply, make_engine
from hardware.clock import VirtualClock

KINGS = "B:WK32:BK1"


class Judge:
    """An engine to which every position is worth the same to the side to move."""

    def __init__(self, score: int) -> None:
        self.score = score

    def choose(self, game: Game, limits: Limits, stop: object = None, progress: object = None) -> Reply:
        assert limits.seconds is None  # Time may stand still meanwhile.
        move: Move = game.position.legal_moves()[0]
        return Reply(move, self.score, 9, 1, 0.0, (move,))


def played(moves: str, fen: str | None = None) -> Game:
    game = Game(read_fen(fen) if fen else None, DrawRules(repetition=False))
    for text in moves.split():
        game.play(parse_move(game.position, text))
    return game


@pytest.mark.parametrize(
    ("score", "agreed", "word"),
    [(-WIN + 9, False, "better"), (-11, False, "better"), (0, False, "much to play"), (39, False, "much to play"),
     (40, True, "agree"), (WIN - 9, True, "agree")],
)  # fmt: skip
def test_early_in_the_game_only_the_worse_side_agrees(score: int, agreed: bool, word: str) -> None:
    answer = answer_draw_offer(Game(), Judge(score))
    assert answer.agreed is agreed
    assert word in answer.sentence
    assert answer.sentence.endswith(".")


@pytest.mark.parametrize("fen", ["B:W32,31,30,29:B1,2,3,4", KINGS])
def test_a_level_ending_is_a_draw(fen: str) -> None:
    game = played("", fen)
    assert answer_draw_offer(game, Judge(0)).agreed
    assert answer_draw_offer(game, Judge(-10)).agreed
    assert not answer_draw_offer(game, Judge(-11)).agreed


def test_a_level_game_in_which_nothing_happens_any_more_is_a_draw() -> None:
    fen, around = "B:WK32,21,22,23,24:BK1,9,10,11,12", "1-6 32-28 6-1 28-32 "
    assert not answer_draw_offer(played(around * 4, fen), Judge(0)).agreed
    assert answer_draw_offer(played(around * 5, fen), Judge(0)).agreed
    assert not answer_draw_offer(played(around * 5, fen), Judge(-50)).agreed


def test_endings_that_the_engine_knows() -> None:
    engine = make_engine(VirtualClock())
    assert answer_draw_offer(played("", KINGS), engine).agreed
    lost_for_black = played("", "B:WK10,K11:BK12")
    answer = answer_draw_offer(lost_for_black, engine)
    assert (answer.agreed, "better" in answer.sentence) == (False, True)
    with pytest.raises(GameOverError):
        answer_draw_offer(played("", "B:W9:B"), engine)
