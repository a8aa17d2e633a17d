"""Moves read from text."""

from __future__ import annotations

import re

from controller.draughts.errors import AmbiguousMoveError, IllegalMoveError, InvalidMoveError
from controller.draughts.legality import fits, why_not
from controller.draughts.moves import Move
from controller.draughts.position import Position, same_move
from controller.draughts.squares import SQUARES

_STRENGTH = re.compile(r"[!?*]+$")
_SEPARATOR = re.compile(r"\s*([-–x×:])\s*")
_MOVE = re.compile(r"\d{1,2}([-x]\d{1,2})+")
_JOINED = re.compile(r"(\d\d)(\d\d)")


def read_path(text: str) -> tuple[tuple[int, ...], bool]:
    """The squares that a move's text names, and whether it is written as a capture; legality is not looked at.

    Understands `11-15`, `15x22`, `1x10x17`, a jump written step by step (`11x18 18x25`), joined squares (`1115`)
    and a mark of strength behind. Raises InvalidMoveError.
    """
    invalid = InvalidMoveError(f"“{text.strip()[:40]}” is not a move: write it like 11-15 or 22x15.")
    steps = _SEPARATOR.sub(lambda match: "-" if match[1] in "-–" else "x", _STRENGTH.sub("", text.strip().lower()))
    path: list[int] = []
    for step in steps.split():
        if joined := _JOINED.fullmatch(step):
            squares = [int(joined[1]), int(joined[2])]
        elif _MOVE.fullmatch(step):
            squares = [int(square) for square in re.split("[-x]", step)]
        else:
            raise invalid
        if path and path[-1] != squares[0]:
            raise invalid
        path += squares[1:] if path else squares
    if not path:
        raise invalid
    for square in path:
        if square not in SQUARES:
            raise InvalidMoveError(
                f"{text.strip()[:40]} names square {square}: the squares are numbered from 1 to 32."
            )
    return tuple(path), "x" in steps


def parse_move(position: Position, text: str) -> Move:
    """The legal move of `position` that `text` stands for.

    Reads what `read_path` reads; captures may be written with a hyphen, and squares between may be left out
    (`11x25` for `11x18x25`). Raises InvalidMoveError when the text cannot be read, IllegalMoveError when the rules
    forbid the move, and AmbiguousMoveError when several moves with different captures fit.
    """
    path, as_capture = read_path(text)
    routes = position.routes()
    fitting = [route for route in routes if route.path == path] or [route for route in routes if fits(route, path)]
    moves = [move for move in position.legal_moves() if any(same_move(move, route) for route in fitting)]
    shown = ("x" if as_capture else "-").join(map(str, path))
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


def _uncapitalised(sentence: str) -> str:
    return sentence if sentence.startswith(("Black", "White")) else sentence[:1].lower() + sentence[1:]
