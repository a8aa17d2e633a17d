"""The worth of positions."""

from __future__ import annotations

import random
from statistics import fmean, pstdev

import pytest

from controller.draughts import Colour, Piece, Position, read_fen
from controller.engine.evaluation import evaluate, position_noise


def score(position: Position) -> int:
    return evaluate(*position.state, position.turn is Colour.BLACK)


def some_positions(number: int) -> list[Position]:
    choose, found = random.Random(number), []
    position = Position.start()
    while len(found) < number:
        position = position.after(choose.choice(position.legal_moves()))
        if not position.legal_moves():
            position = Position.start()
        found.append(position)
    return found


def test_the_start_is_even() -> None:
    assert score(Position.start()) == 0


def test_colours_are_treated_alike() -> None:
    for position in some_positions(500):
        turned = Position.of(
            {33 - square: Piece(piece.colour.other, piece.king) for square, piece in position.pieces().items()},
            position.turn.other,
        )
        assert score(turned) == score(position)


def test_the_two_sides_see_opposite_scores() -> None:
    for position in some_positions(200):
        assert score(position.with_turn(position.turn.other)) == -score(position)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("B:W21-24:B1-5", "B:W21-24:B1-4"),
        ("B:W21-24:B1-3,K10", "B:W21-24:B1-3,10"),
        ("B:W21:B1,2", "B:W21-24:B1-5"),  # A man ahead is worth more with few pieces left.
        ("B:WK14:BK10,K18", "B:WK14:BK4,K32"),  # Near the lone king.
        ("B:WK14:BK10,K18", "B:WK1:BK6,K10"),  # Out of the double corner.
    ],
)
def test_order(better: str, worse: str) -> None:
    assert score(read_fen(better)) > score(read_fen(worse))


def test_noise_is_spread_as_it_says_and_stays_the_same() -> None:
    positions = list(dict.fromkeys(some_positions(2000)))
    values = [
        position_noise(*position.state, position.turn is Colour.BLACK, seed)
        for position in positions
        for seed in range(5)
    ]
    assert abs(fmean(values)) < 0.05
    assert pstdev(values) == pytest.approx(1.0, abs=0.03)
    assert max(map(abs, values)) <= 6**0.5
    again = [
        position_noise(*position.state, position.turn is Colour.BLACK, seed)
        for position in positions
        for seed in range(5)
    ]
    assert again == values


def test_noise_is_the_same_error_for_both_sides() -> None:
    own, other, kings = Position.start().state
    assert position_noise(own, other, kings, True, 3) == -position_noise(other, own, kings, False, 3)
