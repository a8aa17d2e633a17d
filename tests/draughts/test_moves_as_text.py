"""Moves written and read."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import (
    AmbiguousMoveError,
    DraughtsError,
    IllegalMoveError,
    InvalidMoveError,
    Position,
    column_of,
    notation,
    parse_move,
    read_fen,
    row_of,
    same_move,
    why_not_text,
)
from controller.draughts.parsing import WHITE_LEFT

DOUBLE = "B:W15,22,32:B11"


@pytest.mark.parametrize(
    ("fen", "text", "full"),
    [
        ("B:W21-32:B1-12", "11-15", "11-15"),
        ("B:W21-32:B1-12", " 11 - 15! ", "11-15"),
        ("B:W21-32:B1-12", "1115", "11-15"),
        ("B:W21-32:B1-12", "11–15?!", "11-15"),
        (DOUBLE, "11x18x25", "11x18x25"),
        (DOUBLE, "11x25", "11x18x25"),
        (DOUBLE, "11-25", "11x18x25"),
        (DOUBLE, "11-18-25", "11x18x25"),
        (DOUBLE, "11X18:25", "11x18x25"),
        (DOUBLE, "11x18 18x25", "11x18x25"),
        (DOUBLE, "111825", "11x18x25"),
        (DOUBLE, "1125", "11x18x25"),
        (DOUBLE, "c3-e5-g7", "11x18x25"),
        (DOUBLE, "c3:g7", "11x18x25"),
        (DOUBLE, "C3e5G7", "11x18x25"),
        ("B:W21-32:B1-12", "c3-d4", "11-15"),
        ("B:W21-32:B1-12", "0914", "9-14"),
        ("W:W22:B18", "22x15", "22x15"),
        ("B:W18,19,26,27:BK15", "15x24x31x22x15", "15x22x31x24x15"),
        ("B:W18,19,26,27:BK15", "15x15", "15x22x31x24x15"),
    ],
)
def test_reads_what_people_write(fen: str, text: str, full: str) -> None:
    assert str(parse_move(read_fen(fen), text)) == full


@pytest.mark.parametrize(
    "text", ["", "   ", "eleven", "11", "11-", "11-15-", "c3-", "i3-j4", "111-15", "11-15 22-18", "[]", "1.5"]
)
def test_unreadable_text_is_invalid(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="is not a move"):
        parse_move(Position.start(), text)


@pytest.mark.parametrize("text", ["0-5", "11-33", "99x1"])
def test_unknown_squares_are_invalid(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="numbered from 1 to 32"):
        parse_move(Position.start(), text)


@pytest.mark.parametrize(
    ("fen", "text", "reason"),
    [
        ("B:W21-32:B1-12", "11-20", "11-20 is not legal: there is no piece to jump on 16"),
        ("B:W21-32:B1-12", "22-18", "22-18 is not legal: the piece on 22 is White's"),
        (DOUBLE, "11x18", "11x18 is not legal: the jump goes on: 11x18x25."),
        (DOUBLE, "11-16", "11-16 is not legal: you must jump: 11x25."),
        ("B:W21-32:B1-12", "11x15", "11x15 is written as a jump but jumps nothing: write 11-15"),
    ],
)
def test_illegal_moves_say_why(fen: str, text: str, reason: str) -> None:
    with pytest.raises(IllegalMoveError, match=reason):
        parse_move(read_fen(fen), text)


def test_captures_with_the_same_ends_need_the_squares_between() -> None:
    position = read_fen("B:W6,7,14,15,31:B2")
    assert {str(move) for move in position.legal_moves()} == {"2x9x18", "2x11x18"}
    with pytest.raises(AmbiguousMoveError, match="2x18 can mean 2x9x18 or 2x11x18: name the squares between"):
        parse_move(position, "2x18")
    for move in position.legal_moves():
        assert notation(position, move) == str(move)
        assert parse_move(position, str(move)) == move


@pytest.mark.parametrize("text", ["0218", "2-18", "2x18", "e1-e5", "e1:e5", "e1e5"])
def test_ambiguous_however_it_is_written(text: str) -> None:
    position = read_fen("B:W6,7,14,15,31:B2")
    with pytest.raises(AmbiguousMoveError, match="can mean 2x9x18 or 2x11x18: name the squares between"):
        parse_move(position, text)


@pytest.mark.parametrize(("text", "full"), [("021118", "2x11x18"), ("e1-c3-e5", "2x11x18"), ("e1:g3:e5", "2x9x18")])
def test_the_squares_between_make_it_clear(text: str, full: str) -> None:
    assert str(parse_move(read_fen("B:W6,7,14,15,31:B2"), text)) == full


def test_a_round_trip_by_its_ends_by_either_route_or_by_a_square_between() -> None:
    position = read_fen("W:WK22:B18,17,9,10")
    assert {str(move) for move in position.legal_moves()} == {"22x13x6x15x22"}
    assert str(parse_move(position, "22-22")) == "22x13x6x15x22"
    assert str(parse_move(position, "22x15x6x13x22")) == "22x13x6x15x22"
    assert parse_move(position, "22x6x22").captured == (17, 9, 10, 18)


def test_algebraic_squares_from_white_s_side() -> None:
    position = read_fen("W:W21-32:B1-10,12,15")
    assert str(parse_move(position, "c3-d4", WHITE_LEFT)) == "22-18"
    with pytest.raises(IllegalMoveError, match=r"c3-d4 \(11-15\) is not legal: there is no piece on 11"):
        parse_move(position, "c3-d4")


@pytest.mark.parametrize("text", ["a2-b3", "c3-c4", "d1e2"])
def test_light_squares_are_invalid(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="a light square: the game is played on the dark ones"):
        parse_move(Position.start(), text)


@pytest.mark.parametrize(
    ("fen", "text", "sentence"),
    [
        ("W:W22,23,32:B18,19,1", "32-28", "32-28 is not legal: you must jump: 22x15, 23x14 or 23x16."),
        ("W:W22,32:B18,1", "h8-a1", "h8-a1 (29-4) is not legal: there is no piece on 29."),
        ("W:W22,32:B18,1", "west", "“west” is not a move: write it like 11-15 or 22x15."),
        ("W:W22,32:B18,1", "32-33", "32-33 names square 33: the squares are numbered from 1 to 32."),
        ("B:W6,7,14,15,31:B2", "2x18", "2x18 can mean 2x9x18 or 2x11x18: name the squares between."),
        ("W:W22,32:B18,1", "22x15", None),
    ],
)
def test_why_a_text_is_not_played(fen: str, text: str, sentence: str | None) -> None:
    assert why_not_text(read_fen(fen), text) == sentence


def test_a_single_jump_is_meant_when_it_is_written_in_full() -> None:
    position = read_fen("B:W18,19,26,27,11:BK15")
    single = parse_move(position, "15x8")
    assert single.captured == (11,)
    assert notation(position, single) == "15x8"
    longer = next(move for move in position.legal_moves() if move != single)
    assert parse_move(position, notation(position, longer)) == longer


def test_shortest_form() -> None:
    position = read_fen(DOUBLE)
    (move,) = position.legal_moves()
    assert notation(position, move) == "11x25"
    assert str(move) == "11x18x25"


def test_every_legal_move_is_read_back_in_both_forms() -> None:
    choose = random.Random(11)
    for _ in range(40):
        position = Position.start()
        for _ in range(150):
            legal = position.legal_moves()
            if not legal:
                break
            for move in legal:
                assert parse_move(position, str(move)) == move
                assert parse_move(position, notation(position, move)) == move
            position = position.after(choose.choice(legal))


def algebraic(square: int) -> str:
    """A square as Black, who begins, sees it: a1 at the near left."""
    return "abcdefgh"[7 - column_of(square)] + str(row_of(square) + 1)


def test_every_route_is_read_back_joined_and_algebraic() -> None:
    choose = random.Random(12)
    for _ in range(15):
        position = Position.start()
        while position.legal_moves() and choose.random() < 0.995:
            for route in position.routes():
                for text in (
                    "".join(f"{square:02}" for square in route.path),
                    ":".join(map(algebraic, route.path)) if route.captured else "-".join(map(algebraic, route.path)),
                    "".join(map(algebraic, route.path)),
                    "-".join(map(str, route.path)),
                ):
                    assert same_move(parse_move(position, text), route), text
            position = position.after(choose.choice(position.legal_moves()))


@given(st.text(max_size=20) | st.from_regex(r"[0-9x\-: ]{0,12}", fullmatch=True))
def test_any_text_gives_a_move_or_one_of_our_errors(text: str) -> None:
    position = Position.start()
    try:
        assert parse_move(position, text) in position.legal_moves()
    except DraughtsError as error:
        assert str(error).endswith(".")
