"""A game from its first move to its end."""

from __future__ import annotations

import random

import pytest

from controller.draughts import (
    Colour,
    DrawRules,
    Game,
    GameOverError,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    Outcome,
    Position,
    Reason,
    parse_move,
    read_fen,
)


def played(moves: str, fen: str | None = None, rules: DrawRules | None = None) -> Game:
    game = Game(read_fen(fen) if fen else None, rules)
    for text in moves.split():
        game.play(parse_move(game.position, text))
    return game


KINGS = "B:WK32:BK1"
ROUND = "1-6 32-27 6-1 27-32 "
"""Four moves that lead back to KINGS."""


def test_moves_are_remembered_and_taken_back() -> None:
    game = played("11-15 22-18 15x22")
    assert game.notations() == ("11-15", "22-18", "15x22")
    assert game.plies == 3
    assert len(game.positions) == 4
    assert str(game.undo()) == "15x22"
    assert game.position == played("11-15 22-18").position
    game.undo()
    game.undo()
    assert game.position == Position.start()
    with pytest.raises(GameOverError, match="no move to take back"):
        game.undo()


def test_an_illegal_move_changes_nothing_and_says_why() -> None:
    game = played("11-15 22-18")
    with pytest.raises(IllegalMoveError, match="You must jump: 15x22"):
        game.play(Move((8, 11)))
    assert game.plies == 2


def test_a_jump_broken_off_is_no_move() -> None:
    game = Game(read_fen("B:W15,22,32:B11"))
    with pytest.raises(IllegalMoveError, match="The jump goes on: 11x18x25"):
        game.play(Move((11, 18), (15,)))
    with pytest.raises(IllegalMoveError, match="leaves out squares"):
        game.play(Move((11, 25), (15, 22)))


def test_any_route_of_a_move_is_that_move() -> None:
    game = Game(read_fen("B:W18,19,26,27,5:BK15"))
    game.play(game.position.routes()[1])
    assert game.moves == (Move((15, 22, 31, 24, 15), (18, 26, 27, 19)),)


def test_no_pieces_left() -> None:
    outcome = played("14x23", "B:W18:B14").outcome()
    assert outcome == Outcome(Colour.BLACK, Reason.NO_PIECES)
    assert outcome.result == "0-1"
    assert outcome.sentence == "Black wins: White has no pieces left."


def test_no_move_left() -> None:
    outcome = played("27-24", "W:W27,32:B28").outcome()
    assert outcome == Outcome(Colour.WHITE, Reason.NO_MOVES)
    assert outcome.result == "1-0"
    assert outcome.sentence == "White wins: Black cannot move."


def test_nobody_moves_after_the_end() -> None:
    game = Game(read_fen("W:W27:B1"))
    game.resign(Colour.BLACK)
    assert game.outcome() == Outcome(Colour.WHITE, Reason.RESIGNATION)
    assert game.outcome().sentence == "White wins: Black has resigned."
    for action in (
        lambda: game.play(game.position.legal_moves()[0]),
        game.agree_draw,
        lambda: game.resign(Colour.WHITE),
    ):
        with pytest.raises(GameOverError, match="over"):
            action()


def test_agreed_draw_is_taken_back_with_the_last_move() -> None:
    game = played("11-15 23-19")
    game.agree_draw()
    assert game.outcome() == Outcome(None, Reason.AGREEMENT)
    assert game.outcome().result == "1/2-1/2"
    game.undo()
    assert game.outcome() is None


def test_several_moves_are_taken_back_across_the_end() -> None:
    game = played("11-15 23-19 8-11 22-17")
    game.resign(Colour.BLACK)
    assert [str(move) for move in game.take_back(3)] == ["23-19", "8-11", "22-17"]
    assert game.notations() == ("11-15",)
    assert game.outcome() is None
    game = played("14x23", "B:W18:B14")
    assert game.outcome() is not None
    game.take_back(1)
    assert (game.position, game.outcome()) == (game.start, None)
    assert game.take_back(0) == ()


def test_more_than_was_played_is_not_taken_back() -> None:
    game = played("11-15 23-19")
    game.agree_draw()
    with pytest.raises(GameOverError, match="There are 2 moves to take back, not 3"):
        game.take_back(3)
    assert (game.plies, game.outcome()) == (2, Outcome(None, Reason.AGREEMENT))
    with pytest.raises(ValueError, match="negative"):
        game.take_back(-1)


def test_a_resignation_alone_is_taken_back() -> None:
    game = Game()
    game.resign(Colour.BLACK)
    game.reopen()
    assert game.outcome() is None
    game.play(game.position.legal_moves()[0])
    with pytest.raises(GameOverError, match="Nobody has resigned"):
        game.reopen()


def test_repetitions_and_counts_are_right_after_several_moves_are_taken_back() -> None:
    game = played(ROUND * 2, KINGS)
    assert game.outcome() == Outcome(None, Reason.REPETITION)
    game.take_back(6)
    assert (game.occurrences(game.start), game.quiet_plies, game.outcome()) == (1, 2, None)
    for text in (ROUND * 2).split()[2:]:
        assert game.outcome() is None
        game.play(parse_move(game.position, text))
    assert game.outcome() == Outcome(None, Reason.REPETITION)


def test_third_repetition_is_a_draw() -> None:
    game = played(ROUND, KINGS)
    assert game.occurrences(game.start) == 2
    assert game.outcome() is None
    for text in ("1-6", "32-27", "6-1"):
        game.play(parse_move(game.position, text))
        assert game.outcome() is None
    game.play(parse_move(game.position, "27-32"))
    assert game.outcome() == Outcome(None, Reason.REPETITION)
    assert "third time" in game.outcome().sentence
    game.undo()
    assert game.outcome() is None


def test_the_same_pieces_with_the_other_side_to_move_are_no_repetition() -> None:
    game = played(ROUND, KINGS)
    assert game.occurrences(game.position) == 2
    assert game.occurrences(game.position.with_turn(Colour.WHITE)) == 0


def test_repetition_can_be_switched_off() -> None:
    game = played(ROUND * 5, KINGS, DrawRules(repetition=False))
    assert game.occurrences(game.start) == 6
    assert game.outcome() is None


def test_forty_moves_of_each_side_are_eighty_of_both() -> None:
    game = played(ROUND * 19 + "1-6 32-27 6-1", KINGS, DrawRules(repetition=False))
    assert (game.plies, game.quiet_plies, game.outcome()) == (79, 79, None)
    game.play(parse_move(game.position, "27-32"))
    assert game.outcome() == Outcome(None, Reason.FORTY_MOVES)
    assert "forty moves" in game.outcome().sentence
    game.undo()
    assert game.outcome() is None


def test_forty_moves_can_be_switched_off() -> None:
    assert played(ROUND * 25, KINGS, DrawRules(repetition=False, forty_moves=False)).outcome() is None


@pytest.mark.parametrize(("moves", "fen"), [("1-6 32-27 9-13", "B:WK32:BK1,9"), ("1-6 15-10 6x15", "B:WK15,32:BK1")])
def test_a_man_moved_or_a_capture_starts_the_count_anew(moves: str, fen: str) -> None:
    game = played(moves, fen, DrawRules(repetition=False))
    assert game.quiet_plies == 0
    assert game.quiet_positions() == (game.position,)
    game.undo()
    assert game.quiet_plies == 2


def test_what_is_no_move_is_refused_with_a_sentence() -> None:
    game = Game()
    with pytest.raises(InvalidMoveError, match="'11-15' is no Move: parse_move"):
        game.play("11-15")  # type: ignore[arg-type]
    assert game.plies == 0


def test_a_copy_goes_its_own_way() -> None:
    game = played("11-15 23-19")
    twin = game.copy()
    twin.undo()
    twin.resign(Colour.WHITE)
    assert game.plies == 2
    assert game.outcome() is None
    assert twin.plies == 1


def test_counters_agree_with_the_moves_in_random_games() -> None:
    choose = random.Random(3)
    for _ in range(15):
        game = Game()
        while game.outcome() is None:
            game.play(choose.choice(game.position.legal_moves()))
            if choose.random() < 0.2:
                game.undo()
        quiet = 0
        for before, move in zip(game.positions, game.moves, strict=False):
            piece = before.piece_at(move.start)
            quiet = quiet + 1 if piece is not None and piece.king and not move.captured else 0
        assert game.quiet_plies == quiet
        assert all(game.occurrences(position) == game.positions.count(position) for position in game.positions)
        assert game.quiet_positions() == game.positions[len(game.positions) - 1 - quiet :]
