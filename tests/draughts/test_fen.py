"""Positions as text."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import Colour, FenError, Piece, Position, read_fen, write_fen


@pytest.mark.parametrize(
    "text",
    [
        "B:W18,K22:B1,K9",
        "B:B1,K9:W18,K22",
        "B:W18,K22:B1,K9.",
        " b : w18, k22 : b1, k9 ",
        '"B:W18,K22:B1,K9"',
        "'B:W18,K22:B1,K9.'",
        '[FEN "B:W18,K22:B1,K9."]',
        "B:WK22,18:BK9,1\n",
        "B:W18,K22:B1,K9:H0:F1",
        "B:W018,K22:B01,K09:F12",
    ],
)
def test_forms(text: str) -> None:
    position = read_fen(text)
    assert position.turn is Colour.BLACK
    assert position.pieces() == {
        1: Piece(Colour.BLACK),
        9: Piece(Colour.BLACK, king=True),
        18: Piece(Colour.WHITE),
        22: Piece(Colour.WHITE, king=True),
    }
    assert write_fen(position) == "B:W18,K22:B1,K9"


def test_ranges() -> None:
    assert read_fen("B:B1-12:W21-32") == Position.start()
    assert read_fen("W:WK1-2,5:B12") == read_fen("W:WK1,K2,5:B12")


def test_a_side_may_be_empty() -> None:
    assert read_fen("W:W18:B").squares_of(Colour.BLACK) == ()
    assert write_fen(read_fen("W:W18:B")) == "W:W18:B"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "does not say whose turn"),
        ("rubbish", "does not say whose turn"),
        ("W18,K22:B1,K9", "does not say whose turn"),
        ("B", "must list both sides"),
        ("B:W18", "must list both sides"),
        ("B:W18:B1:B2", "must list both sides"),
        ("B:W18:H0:F1", "does not say its colour"),
        ("B:W18:B1:H", "must list both sides"),
        ("B:18:B1", "does not say its colour"),
        ("B:W18:W1", "lists White twice"),
        ("B:W18,33:B1", "names square 33"),
        ("B:W0:B1", "names square 0"),
        ("B:W18-40:B1", "names square 40"),
        ("B:W18,18:B1", "two pieces on square 18"),
        ("B:W18:B18", "two pieces on square 18"),
        ("B:W20-32:B1", "White has 13 pieces, but a side has at most 12"),
        ("B:W32:B1-13", "Black has 13 pieces"),
        ("B:W3:B1", "white man on 3 stands on its crowning row"),
        ("B:W18:B30", "black man on 30 stands on its crowning row"),
        ("B:W18,x:B1", "“X” for White is no square"),
        ("B:W18,,19:B1", "is no square"),
        ("B:W22-18:B1", "range 22-18 runs backwards"),
        ("B:W:B", "no pieces at all"),
    ],
)
def test_errors_name_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(FenError, match=sentence) as caught:
        read_fen(text)
    assert "\n" not in str(caught.value)


def test_round_trip_through_random_games() -> None:
    choose = random.Random(9)
    for _ in range(20):
        position = Position.start()
        while position.legal_moves() and choose.random() < 0.99:
            position = position.after(choose.choice(position.legal_moves()))
            assert read_fen(write_fen(position)) == position


@given(st.text(max_size=30) | st.from_regex(r"[BW]:[BW][K0-9,\-]{0,12}:[BW][K0-9,\-]{0,12}", fullmatch=True))
def test_any_text_gives_a_position_or_a_fen_error(text: str) -> None:
    try:
        position = read_fen(text)
    except FenError as error:
        assert str(error)
    else:
        assert position.contradictions() == ()
