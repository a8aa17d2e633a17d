"""Counting move sequences: the usual proof that a move generator is right."""

from __future__ import annotations

from controller.draughts.bitboard import move_count, successors
from controller.draughts.moves import Move
from controller.draughts.pieces import Colour
from controller.draughts.position import Position


def perft(position: Position, depth: int, merged: bool = False) -> int:
    """The number of sequences of `depth` moves: each jumping route by itself, or if `merged` each legal move.

    Merged, routes with the same start, end and captures count once.
    """
    if depth == 0:
        return 1
    count = _count_merged if merged else _count
    return count(*position.state, position.turn is Colour.BLACK, depth)


def perft_divided(position: Position, depth: int, merged: bool = False) -> dict[Move, int]:
    """For each first move, the number of sequences of `depth` (at least 1) moves that begin with it."""
    moves = position.legal_moves() if merged else position.routes()
    return {move: perft(position.after(move), depth - 1, merged) for move in moves}


def _count(own: int, other: int, kings: int, black: bool, depth: int) -> int:
    if depth == 1:
        return move_count(own, other, kings, black)
    return sum(
        _count(own_next, other_next, kings_next, not black, depth - 1)
        for own_next, other_next, kings_next in successors(own, other, kings, black)
    )


def _count_merged(own: int, other: int, kings: int, black: bool, depth: int) -> int:
    states = set(successors(own, other, kings, black))
    if depth == 1:
        return len(states)
    return sum(_count_merged(*state, not black, depth - 1) for state in states)
