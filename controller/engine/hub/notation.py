"""Positions, moves and scores as the Hub protocol writes them."""

from __future__ import annotations

import re

from controller.draughts import SQUARES, Colour, Move, Piece, Position, parse_move
from controller.engine.hub.errors import HubLineError
from controller.engine.interface import SURE_WIN, WIN

_PIECES = {
    "b": Piece(Colour.BLACK),
    "w": Piece(Colour.WHITE),
    "B": Piece(Colour.BLACK, king=True),
    "W": Piece(Colour.WHITE, king=True),
}
_LETTERS = {piece: letter for letter, piece in _PIECES.items()}
_EMPTY = "e"
_CAPTURE = re.compile(r"\d{1,2}(x\d{1,2}){2,}")

_FORCED_WIN = 10_000
"""The score of a game that is won, in hundredths of a man: a forced win in n plies is written as 100.00 − n / 100."""
_BEST_ESTIMATE = 8_999
"""The most that a score which is no forced win is written as."""


def write_position(position: Position) -> str:
    """The side to move and the squares 1 to 32, a letter each: `Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww`."""
    pieces = position.pieces()
    squares = (pieces.get(square) for square in SQUARES)
    return position.turn.value + "".join(_EMPTY if piece is None else _LETTERS[piece] for piece in squares)


def read_position(text: str) -> Position:
    """The position that 33 letters describe; a side may have no pieces. Raises HubLineError."""
    if len(text) != 1 + len(SQUARES):
        raise HubLineError(
            f"the position has {len(text)} letters, but it must have {1 + len(SQUARES)}: the side to move (B or W)"
            " and the squares 1 to 32 (b, w, B, W or e)"
        )
    turn = next((colour for colour in Colour if colour.value == text[0]), None)
    if turn is None:
        raise HubLineError(f"the position begins with {text[0]!r}, but it must begin with the side to move, B or W")
    pieces: dict[int, Piece] = {}
    for square, letter in zip(SQUARES, text[1:], strict=True):
        if letter in _PIECES:
            pieces[square] = _PIECES[letter]
        elif letter != _EMPTY:
            raise HubLineError(f"the position has {letter!r} on square {square}: it must be b, w, B, W or e")
    position = Position.of(pieces, turn)
    if wrong := position.contradictions():
        raise HubLineError(f"the position cannot be: {wrong[0]}")
    return position


def write_move(move: Move) -> str:
    """A move in Hub's form: `11-15`, and for a capture its start, its end and all squares jumped, `11x25x15x22`.

    The squares jumped stand in ascending order, as the engine Scan writes them and other programs expect.
    """
    if not move.captured:
        return f"{move.start}-{move.end}"
    return "x".join(map(str, (move.start, move.end, *sorted(move.captured))))


def read_move(position: Position, text: str) -> Move:
    """The legal move that a text stands for: in Hub's form, or in any form of PDN.

    The forms cannot be confused: the squares that a piece visits and those that it jumps lie on different rows.
    Raises the errors of `parse_move`.
    """
    if _CAPTURE.fullmatch(text):
        start, end, *jumped = map(int, text.split("x"))
        for move in position.legal_moves():
            if (move.start, move.end) == (start, end) and sorted(move.captured) == sorted(jumped):
                return move
    return parse_move(position, text)


def write_score(score: int) -> str:
    """A score of an engine in men, two decimals; a forced win in n plies is 100.00 − n / 100, a loss its negative."""
    size = abs(score)
    hundredths = _FORCED_WIN - (WIN - size) if size >= SURE_WIN else min(size, _BEST_ESTIMATE)
    return f"{(hundredths if score >= 0 else -hundredths) / 100:.2f}"


def read_score(text: str) -> int:
    """The score of `write_score` in hundredths of a man; 0 for what is no number."""
    try:
        hundredths = round(float(text) * 100)
    except (ValueError, OverflowError):
        return 0
    size = min(abs(hundredths), _FORCED_WIN)
    score = WIN - (_FORCED_WIN - size) if size > _BEST_ESTIMATE else size
    return score if hundredths >= 0 else -score
