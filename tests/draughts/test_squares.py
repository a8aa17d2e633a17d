"""Where the squares lie."""

from __future__ import annotations

import pytest

from controller.draughts import (
    SQUARES,
    Colour,
    PositionError,
    column_of,
    crowning_row,
    crowning_squares,
    neighbours,
    row_of,
    square_at,
    square_between,
)


def test_numbering_starts_at_blacks_side() -> None:
    assert [row_of(square) for square in (1, 4, 5, 12, 29, 32)] == [0, 0, 1, 2, 7, 7]
    # Square 29 is White's near left corner, square 4 Black's: the far right as White sees it.
    assert (row_of(29), column_of(29)) == (7, 0)
    assert (row_of(4), column_of(4)) == (0, 7)


def test_rows_and_columns_lead_back_to_the_square() -> None:
    assert [square_at(row_of(square), column_of(square)) for square in SQUARES] == list(SQUARES)
    assert sum(square_at(row, column) is not None for row in range(-1, 9) for column in range(-1, 9)) == 32


@pytest.mark.parametrize(
    ("square", "around"), [(1, (5, 6)), (4, (8,)), (5, (1, 9)), (15, (10, 11, 18, 19)), (29, (25,)), (28, (24, 32))]
)
def test_neighbours(square: int, around: tuple[int, ...]) -> None:
    assert neighbours(square) == around


def test_jumped_square() -> None:
    assert square_between(11, 18) == 15
    assert square_between(18, 11) == 15
    assert square_between(11, 20) == 16
    assert square_between(11, 19) is None
    assert square_between(4, 12) is None


def test_crowning_rows() -> None:
    assert crowning_row(Colour.BLACK) == 7
    assert crowning_squares(Colour.BLACK) == (29, 30, 31, 32)
    assert crowning_squares(Colour.WHITE) == (1, 2, 3, 4)


@pytest.mark.parametrize("square", [0, 33, -1])
def test_no_other_squares(square: int) -> None:
    with pytest.raises(PositionError, match=f"no square {square}"):
        row_of(square)
