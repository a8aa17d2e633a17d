"""Counting move sequences: the usual proof that a move generator is right."""

from __future__ import annotations

from controller.draughts.bitboard import move_count, successors
from controller.draughts.moves import Move
from controller.draughts.pieces import Colour
from controller.draughts.position import Position


def perft(position: Position, depth: int) -> int:
    """The number of sequences of `depth` moves, each jumping route counted by itself."""
    if depth == 0:
        return 1
    return _count(*position.state, position.turn is Colour.BLACK, depth)


def perft_divided(position: Position, depth: int) -> dict[Move, int]:
    """For each route of the first move, the number of sequences of `depth` (at least 1) moves that begin with it."""
    return {move: perft(position.after(move), depth - 1) for move in position.routes()}


def _count(own: int, other: int, kings: int, black: bool, depth: int) -> int:
    if depth == 1:
        return move_count(own, other, kings, black)
    return sum(
        _count(own_next, other_next, kings_next, not black, depth - 1)
        for own_next, other_next, kings_next in successors(own, other, kings, black)
    )
