"""Moves written as people write them."""

from __future__ import annotations

from collections.abc import Iterable

from controller.draughts.moves import Move
from controller.draughts.position import Position, same_move


def notation(position: Position, move: Move) -> str:
    """The shortest PDN form of a legal move that is unambiguous in `position`.

    Start and end (`11-15`, `15x22`), with the squares between only where another capture shares both.
    """
    rivals = [
        other
        for other in position.legal_moves()
        if (other.start, other.end) == (move.start, move.end) and not same_move(other, move)
    ]
    if rivals:
        return str(move)
    return f"{move.start}{'x' if move.is_capture else '-'}{move.end}"


def notations(position: Position, moves: Iterable[Move]) -> tuple[str, ...]:
    """Legal moves that follow each other from `position` on, each in its shortest form."""
    written = []
    for move in moves:
        written.append(notation(position, move))
        position = position.after(move)
    return tuple(written)


def listed(position: Position, moves: Iterable[Move]) -> str:
    """Moves in a sentence: `22x15`, `22x15 or 23x16`, `9x18, 22x15 or 23x16`."""
    words = [notation(position, move) for move in moves]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
