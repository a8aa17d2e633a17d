"""Why a move is not legal, and jumps that are broken off."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from controller.draughts.moves import Move
from controller.draughts.notation import listed
from controller.draughts.pieces import Piece
from controller.draughts.position import Position
from controller.draughts.squares import (
    SQUARES,
    column_of,
    crowning_row,
    forward,
    on_one_diagonal,
    row_of,
    square_between,
)


def unfinished_jumps(position: Position) -> tuple[Move, ...]:
    """Every multiple jump broken off early: the proper prefixes of the legal routes, ordered by path.

    A prefix has its partial path and the pieces captured so far, and it never crowns.
    """
    prefixes = {
        Move(route.path[: count + 1], route.captured[:count])
        for route in position.routes()
        for count in range(1, len(route.captured))
    }
    return tuple(sorted(prefixes, key=lambda move: move.path))


def fits(route: Move, path: Sequence[int]) -> bool:
    """Whether `path` is `route` with none, some or all of the squares between start and end left out."""
    if path[0] != route.start or path[-1] != route.end:
        return False
    between = iter(route.path[1:-1])
    return all(square in between for square in path[1:-1])


def why_not(position: Position, start: int, end_or_path: int | Sequence[int]) -> str | None:
    """Why the piece on `start` may not move so, in one sentence; None when the move is legal.

    The second argument is the square where the piece ends, or the squares it visits (with or without `start` before
    them). Squares between may be left out.
    """
    rest = [end_or_path] if isinstance(end_or_path, int) else list(end_or_path)
    path = tuple(rest) if len(rest) > 1 and rest[0] == start else (start, *rest)
    for square in path:
        if square not in SQUARES:
            return f"There is no square {square}: the squares are numbered from 1 to 32."
    piece = position.piece_at(start)
    if piece is None:
        return f"There is no piece on {start}."
    if piece.colour is not position.turn:
        return f"The piece on {start} is {piece.colour.title}'s, and it is {position.turn.title}'s turn."
    if len(path) < 2:
        return f"The piece on {start} has not moved."
    if any(fits(route, path) for route in position.routes()):
        return None
    return (
        _why_broken_off(position, path)
        or _why_carried_too_far(position, piece, path)
        or _why_first_wrong(position, piece, path)
    )


def _why_broken_off(position: Position, path: tuple[int, ...]) -> str | None:
    """The reason when the path ends in the middle of a legal jump."""
    going_on = [
        move
        for move in position.legal_moves()
        if any(
            fits(Move(route.path[: count + 1], route.captured[:count]), path)
            for route in position.routes()
            if (route.start, route.end, set(route.captured)) == (move.start, move.end, set(move.captured))
            for count in range(1, len(route.captured))
        )
    ]
    if not going_on:
        return None
    return f"The jump goes on: {' or '.join(str(move) for move in going_on)}."


def _why_carried_too_far(position: Position, piece: Piece, path: tuple[int, ...]) -> str | None:
    """The reason when the path begins with a whole legal move and then goes on."""
    for route in position.routes():
        length = len(route.path)
        if length >= len(path) or path[:length] != route.path:
            continue
        if route.crowns:
            return f"A man that is crowned ends its move there: {route}."
        if not route.is_capture:
            return f"Only one step may be made in a move: {route}."
        return _why_no_jump(position.after(route).with_turn(piece.colour), piece, path[length - 1], path[length])
    return None


def _why_first_wrong(position: Position, piece: Piece, path: tuple[int, ...]) -> str:
    """The reason for the first step of `path` that is wrong."""
    board = position
    for length, (before, after) in enumerate(pairwise(path), start=1):
        middle = square_between(before, after)
        wrong = _why_no_jump(board, piece, before, after) if middle is not None else None
        if middle is None or wrong is not None:
            going_on = _why_broken_off(position, path[:length]) if length > 1 else None
            return going_on or _why_no_step(board, piece, before, after, wrong)
        board = board.after(Move((before, after), (middle,))).with_turn(piece.colour)
    return _must_jump(position) or f"The piece on {path[0]} cannot go to {path[-1]}."


def _why_no_step(position: Position, piece: Piece, start: int, end: int, jump: str | None) -> str:
    """The reason why a piece cannot go from `start` to `end`; `jump` says why it cannot jump there."""
    if start == end:
        return f"The piece on {start} has not moved."
    there = position.piece_at(end)
    if there is not None:
        return f"Square {end} is taken by a {there.title}."
    if jump is not None:
        return jump
    rows = row_of(end) - row_of(start)
    one_step = abs(rows) == 1 and abs(column_of(end) - column_of(start)) == 1
    if not one_step and not on_one_diagonal(start, end):
        return _must_jump(position) or f"Pieces move diagonally, and {end} does not lie on a diagonal with {start}."
    if not piece.king and rows * forward(piece.colour) < 0:
        return f"Men do not move backwards: the man on {start} is no king."
    if not one_step:
        kind = "king" if piece.king else "man"
        return _must_jump(position) or f"A {kind} moves one square at a time: from {start} to {end} is too far."
    return _must_jump(position) or f"The piece on {start} cannot go to {end}."


def _why_no_jump(position: Position, piece: Piece, start: int, end: int) -> str | None:
    """The reason why a piece on `start` cannot jump to `end`; None when it can."""
    middle = square_between(start, end)
    if middle is None:
        return f"The jump ends on {start}: from there it cannot go on to {end}."
    there = position.piece_at(end)
    if there is not None:
        return f"Square {end} is taken by a {there.title}."
    jumped = position.piece_at(middle)
    if jumped is not None and jumped.colour is piece.colour:
        return f"You cannot jump your own piece on {middle}."
    if not piece.king and (row_of(end) - row_of(start)) * forward(piece.colour) < 0:
        return f"Men do not {'move' if jumped is None else 'jump'} backwards: the man on {start} is no king."
    if jumped is None:
        return _must_jump(position) or (
            f"There is no piece to jump on {middle}: from {start} to {end} is too far for a step."
        )
    if not piece.king and row_of(start) == crowning_row(piece.colour):
        return f"A man that is crowned on {start} ends its move there."
    return None


def _must_jump(position: Position) -> str | None:
    if not position.can_capture():
        return None
    return f"You must jump: {listed(position, position.legal_moves())}."
