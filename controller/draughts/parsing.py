"""Moves read from text.

Squares are numbers, or letters and figures as in chess (`c3`): a1 is then the square at the near left of the side
that begins, Black's, as PDN has it for its notation A0. Others put it at White's near left.
"""

from __future__ import annotations

import re

from controller.draughts.errors import AmbiguousMoveError, DraughtsError, IllegalMoveError, InvalidMoveError
from controller.draughts.legality import fits, why_not
from controller.draughts.moves import Move
from controller.draughts.position import Position, same_move
from controller.draughts.squares import SQUARES, square_at

BLACK_LEFT, WHITE_LEFT = 4, 29
"""The squares that algebraic notation may call a1: the corners at the near left of Black and of White."""

_STRENGTH = re.compile(r"[!?*]+$")
_SEPARATOR = re.compile(r"\s*([-–x×:])\s*")
_SQUARE = r"(?:\d{1,2}|[a-h][1-8])"
_MOVE = re.compile(rf"{_SQUARE}(?:[-x]{_SQUARE})+")
_JOINED = re.compile(r"(?:\d\d){2,}|(?:[a-h][1-8]){2,}")
_ALGEBRAIC = re.compile(r"[a-h][1-8]", re.IGNORECASE)


def is_algebraic(text: str) -> bool:
    """Whether a move is written with letters for the columns."""
    return _ALGEBRAIC.search(text) is not None


def read_path(text: str, a1: int = BLACK_LEFT) -> tuple[tuple[int, ...], bool]:
    """The squares that a move's text names, and whether it is written as a capture; legality is not looked at.

    Understands `11-15`, `15x22`, `1x10x17`, a jump written step by step (`11x18 18x25`), joined squares (`1115`),
    algebraic ones (`c3-d4`, `a1` being the square given) and a mark of strength behind. Raises InvalidMoveError.
    """
    invalid = InvalidMoveError(f"“{_short(text)}” is not a move: write it like 11-15 or 22x15.")
    steps = _SEPARATOR.sub(lambda match: "-" if match[1] in "-–" else "x", _STRENGTH.sub("", text.strip().lower()))
    path: list[int] = []
    for step in steps.split():
        if _JOINED.fullmatch(step):
            squares = [step[place : place + 2] for place in range(0, len(step), 2)]
        elif _MOVE.fullmatch(step):
            squares = re.split("[-x]", step)
        else:
            raise invalid
        numbers = [_number_of(square, a1, text) for square in squares]
        if path and path[-1] != numbers[0]:
            raise invalid
        path += numbers[1:] if path else numbers
    if not path:
        raise invalid
    return tuple(path), "x" in steps


def _number_of(square: str, a1: int, text: str) -> int:
    """The number of a square that is named in a move's text. Raises InvalidMoveError."""
    if square.isdecimal():
        if int(square) not in SQUARES:
            raise InvalidMoveError(f"{_short(text)} names square {square}: the squares are numbered from 1 to 32.")
        return int(square)
    column, rank = ord(square[0]) - ord("a"), int(square[1]) - 1
    number = square_at(7 - rank, column) if a1 == WHITE_LEFT else square_at(rank, 7 - column)
    if number is None:
        raise InvalidMoveError(f"{_short(text)} names {square}, a light square: the game is played on the dark ones.")
    return number


def parse_move(position: Position, text: str, a1: int = BLACK_LEFT) -> Move:
    """The legal move of `position` that `text` stands for.

    Reads what `read_path` reads; captures may be written with a hyphen, and squares between may be left out
    (`11x25` for `11x18x25`). Raises InvalidMoveError when the text cannot be read, IllegalMoveError when the rules
    forbid the move, and AmbiguousMoveError when several moves with different captures fit.
    """
    path, as_capture = read_path(text, a1)
    routes = position.routes()
    fitting = [route for route in routes if route.path == path] or [route for route in routes if fits(route, path)]
    moves = [move for move in position.legal_moves() if any(same_move(move, route) for route in fitting)]
    shown = ("x" if as_capture else "-").join(map(str, path))
    if is_algebraic(text):
        shown = f"{_short(text)} ({shown})"
    if not moves:
        raise IllegalMoveError(f"{shown} is not legal: {_uncapitalised(why_not(position, path[0], path) or '')}")
    if len(moves) > 1:
        choices = " or ".join(str(move) for move in moves)
        raise AmbiguousMoveError(f"{shown} can mean {choices}: name the squares between.")
    if as_capture and not moves[0].is_capture:
        raise IllegalMoveError(
            f"{shown} is written as a jump but jumps nothing: write {moves[0]} if it is that move."
        )
    return moves[0]


def why_not_text(position: Position, text: str, a1: int = BLACK_LEFT) -> str | None:
    """Why a move's text cannot be played, in one sentence; None when it can.

    It may be no move at all, illegal, or fit several moves: what `parse_move` would raise.
    """
    try:
        parse_move(position, text, a1)
    except DraughtsError as error:
        return str(error)
    return None


def _short(text: str) -> str:
    return " ".join(text.split())[:40]


def _uncapitalised(sentence: str) -> str:
    return sentence if sentence.startswith(("Black", "White")) else sentence[:1].lower() + sentence[1:]
