"""Why a move is illegal, in words."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import SQUARES, Position, read_fen, unfinished_jumps, why_not

START = "B:W21-32:B1-12"


@pytest.mark.parametrize(
    ("fen", "start", "to", "sentence"),
    [
        (START, 11, 40, "There is no square 40: the squares are numbered from 1 to 32."),
        (START, 16, 20, "There is no piece on 16."),
        (START, 22, 18, "The piece on 22 is White's, and it is Black's turn."),
        (START, 11, 11, "The piece on 11 has not moved."),
        (START, 7, 11, "Square 11 is taken by a black man."),
        (START, 2, 11, "Square 11 is taken by a black man."),
        (START, 1, 10, "Square 10 is taken by a black man."),
        (START, 11, 20, "There is no piece to jump on 16: from 11 to 20 is too far for a step."),
        (START, 11, 19, "Pieces move diagonally, and 19 does not lie on a diagonal with 11."),
        ("B:W32:B9", 9, 23, "A man moves one square at a time: from 9 to 23 is too far."),
        (START, 11, (15, 19), "Only one step may be made in a move: 11-15."),
        ("B:W32:B6,9", 6, 13, "You cannot jump your own piece on 9."),
        ("B:W32:B14", 14, 10, "Men do not move backwards: the man on 14 is no king."),
        ("B:W32:B14", 14, 7, "Men do not move backwards: the man on 14 is no king."),
        ("B:W10:B14", 14, 7, "Men do not jump backwards: the man on 14 is no king."),
        ("B:W32:BK14", 14, 23, "There is no piece to jump on 18: from 14 to 23 is too far for a step."),
        ("B:W32:BK14", 14, 5, "There is no piece to jump on 9: from 14 to 5 is too far for a step."),
        ("B:W32:BK14", 14, 27, "A king moves one square at a time: from 14 to 27 is too far."),
        ("W:W22,23:B18,19,1", 22, 17, "You must jump: 22x15, 23x14 or 23x16."),
        ("W:W22,32:B18,1", 32, 28, "You must jump: 22x15."),
        ("B:W15,22,32:B11", 11, 18, "The jump goes on: 11x18x25."),
        ("B:W15,22,23,32:B11", 11, 18, "The jump goes on: 11x18x25 or 11x18x27."),
        ("B:W15,22,32:B11", 11, (18, 23), "The jump goes on: 11x18x25."),
        ("B:W15,22,32:B11", 11, (18, 25, 29), "The jump ends on 25: from there it cannot go on to 29."),
        ("B:W26,27:B22", 22, (31, 24), "A man that is crowned ends its move there: 22x31."),
        ("B:W26,27:B22", 22, 25, "You must jump: 22x31."),
    ],
)
def test_sentence(fen: str, start: int, to: int | tuple[int, ...], sentence: str) -> None:
    assert why_not(read_fen(fen), start, to) == sentence


@pytest.mark.parametrize("path", [18, (11, 18, 25), (18, 25), 25, (11, 25)])
def test_squares_between_may_be_left_out(path: int | tuple[int, ...]) -> None:
    broken_off = path == 18
    assert (why_not(read_fen("B:W15,22,32:B11"), 11, path) is not None) is broken_off


def test_both_routes_of_a_round_trip_are_legal() -> None:
    position = read_fen("B:W18,19,26,27:BK15")
    for path in ((22, 31, 24, 15), (24, 31, 22, 15), (15, 24, 31, 22, 15), 15):
        assert why_not(position, 15, path) is None
    assert why_not(position, 15, 31) == "The jump goes on: 15x22x31x24x15."
    assert why_not(position, 15, (24, 31)) == "The jump goes on: 15x22x31x24x15."


@given(
    st.integers(0, 10**6),
    st.integers(-2, 34),
    st.integers(-2, 34) | st.lists(st.integers(-2, 34), max_size=5),
)
def test_whatever_is_asked_the_reason_is_one_sentence(seed: int, start: int, to: int | list[int]) -> None:
    choose = random.Random(seed)
    position = Position.start()
    for _ in range(choose.randrange(60)):
        if not position.legal_moves():
            break
        position = position.after(choose.choice(position.legal_moves()))
    reason = why_not(position, start, to)
    if reason is None:
        assert any(move.start == start for move in position.legal_moves())
    else:
        assert reason[0].isupper() and reason.endswith(".") and "\n" not in reason
        assert reason.count(". ") == 0


def test_legal_moves_and_no_others_have_no_reason() -> None:
    choose = random.Random(5)
    for _ in range(6):
        position = Position.start()
        while position.legal_moves():
            legal = {(move.start, move.end) for move in position.legal_moves()}
            for start in position.squares_of(position.turn):
                for end in SQUARES:
                    reason = why_not(position, start, end)
                    assert (reason is None) == ((start, end) in legal), (position, start, end)
                    assert reason is None or (reason[0].isupper() and reason.endswith("."))
            for route in position.routes():
                assert why_not(position, route.start, route.path) is None
            for prefix in unfinished_jumps(position):
                if prefix.path not in {route.path for route in position.routes()}:
                    reason = why_not(position, prefix.start, prefix.path)
                    assert reason is None or reason.startswith("The jump goes on: ")
            position = position.after(choose.choice(position.legal_moves()))
            if choose.random() < 0.02:
                break
