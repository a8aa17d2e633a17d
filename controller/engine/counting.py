"""Counting move sequences with the compiled move generator, where it is there."""

from __future__ import annotations

from controller.draughts import Colour, Move, Position, perft
from controller.engine.choosing import is_compiled

_WHOLE_DEPTH = 9
"""Up to which one call of the core counts: a tenth of a second or so, after which Ctrl-C is heard."""


def count_sequences(position: Position, depth: int, merged: bool = False) -> int:
    """The number of sequences of `depth` legal moves; see `draughts.perft`, which counts the same more slowly."""
    if not is_compiled():
        return perft(position, depth, merged)
    from controller.engine import _core  # noqa: PLC0415

    if depth <= _WHOLE_DEPTH:
        return _core.perft(*position.state, position.turn is Colour.BLACK, depth, merged)
    return sum(count_sequences_by_move(position, depth, merged).values())


def count_sequences_by_move(position: Position, depth: int, merged: bool = False) -> dict[Move, int]:
    """For each first move, the number of sequences of `depth` (at least 1) moves that begin with it."""
    moves = position.legal_moves() if merged else position.routes()
    return {move: count_sequences(position.after(move), depth - 1, merged) for move in moves}
