"""The 32 playing squares and how they lie.

Squares are numbered 1–32 as in English draughts: Black starts on 1–12, White on 21–32. Rows are counted from Black's
side (row 0 holds 1–4), columns from White's left hand (square 29 lies in row 7, column 0).
"""

from __future__ import annotations

from controller.draughts.errors import PositionError
from controller.draughts.pieces import Colour

SQUARES: tuple[int, ...] = tuple(range(1, 33))


def check_square(square: int) -> int:
    """Return `square`; raise PositionError when the board has no such square."""
    if not 1 <= square <= 32:
        raise PositionError(f"There is no square {square}: the squares are numbered from 1 to 32.")
    return square


def row_of(square: int) -> int:
    """Row 0–7 of a square, counted from Black's side."""
    return (check_square(square) - 1) // 4


def column_of(square: int) -> int:
    """Column 0–7 of a square, counted from White's left."""
    row, place = divmod(check_square(square) - 1, 4)
    return 2 * place + (1 if row % 2 == 0 else 0)


def square_at(row: int, column: int) -> int | None:
    """The playing square at a row and column; None off the board and on the light squares."""
    if not (0 <= row < 8 and 0 <= column < 8) or (row + column) % 2 == 0:
        return None
    return row * 4 + column // 2 + 1


def crowning_row(colour: Colour) -> int:
    """The row (0 or 7) in which men of `colour` become kings."""
    return 7 if colour is Colour.BLACK else 0


def crowning_squares(colour: Colour) -> tuple[int, ...]:
    """The four squares on which men of `colour` become kings."""
    first = crowning_row(colour) * 4 + 1
    return tuple(range(first, first + 4))


def forward(colour: Colour) -> int:
    """The change of row of a man's step: +1 for Black, -1 for White."""
    return 1 if colour is Colour.BLACK else -1


def neighbours(square: int) -> tuple[int, ...]:
    """The diagonally adjacent squares, in ascending order."""
    row, column = row_of(square), column_of(square)
    around = (square_at(row + down, column + right) for down in (-1, 1) for right in (-1, 1))
    return tuple(found for found in around if found is not None)


def square_between(start: int, end: int) -> int | None:
    """The square that a jump from `start` to `end` goes over; None when the two do not lie a jump apart."""
    rows, columns = row_of(end) - row_of(start), column_of(end) - column_of(start)
    if abs(rows) != 2 or abs(columns) != 2:
        return None
    return square_at(row_of(start) + rows // 2, column_of(start) + columns // 2)


def on_one_diagonal(start: int, end: int) -> bool:
    """Whether two different squares lie on a common diagonal."""
    rows, columns = row_of(end) - row_of(start), column_of(end) - column_of(start)
    return rows != 0 and abs(rows) == abs(columns)
