"""What stands on the 32 squares, and whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from controller.draughts.bitboard import (
    BITS,
    BLACK_CROWNING,
    SQUARE_OF,
    WHITE_CROWNING,
    State,
    board_of,
    jump_routes,
    jumpers,
    quiet_steps,
    squares_of,
)
from controller.draughts.moves import Move
from controller.draughts.pieces import Colour, Piece
from controller.draughts.squares import check_square

MOST_PIECES = 12
"""Pieces of one colour that a position can hold."""


@dataclass(frozen=True)
class Position:
    """A position: the pieces of both sides and the kings among them as boards of `draughts.bitboard`.

    >>> [str(move) for move in Position.start().legal_moves()]
    ['9-13', '9-14', '10-14', '10-15', '11-15', '11-16', '12-16']
    """

    black: int
    white: int
    kings: int
    turn: Colour

    @staticmethod
    def start() -> Position:
        """The beginning of a game: Black on 1–12 and to move, White on 21–32."""
        return Position(sum(BITS[1:13]), sum(BITS[21:33]), 0, Colour.BLACK)

    @staticmethod
    def of(pieces: Mapping[int, Piece], turn: Colour) -> Position:
        """The position with `pieces` on their squares.

        It may be one that no game can reach: `problems` tells. Raises PositionError for a square that is none.
        """
        for square in pieces:
            check_square(square)
        return Position(
            board_of([square for square, piece in pieces.items() if piece.colour is Colour.BLACK]),
            board_of([square for square, piece in pieces.items() if piece.colour is Colour.WHITE]),
            board_of([square for square, piece in pieces.items() if piece.king]),
            turn,
        )

    def piece_at(self, square: int) -> Piece | None:
        """The piece on a square; None when it is empty. Raises PositionError for a square that is none."""
        bit = BITS[check_square(square)]
        if not (self.black | self.white) & bit:
            return None
        return Piece(Colour.BLACK if self.black & bit else Colour.WHITE, bool(self.kings & bit))

    def pieces(self) -> dict[int, Piece]:
        """All pieces by square, in ascending order."""
        return {
            square: piece
            for square in squares_of(self.black | self.white)
            if (piece := self.piece_at(square)) is not None
        }

    def squares_of(self, colour: Colour) -> tuple[int, ...]:
        """The squares of one side's pieces, in ascending order."""
        return squares_of(self.board_of(colour))

    def board_of(self, colour: Colour) -> int:
        """One side's pieces as a board of `draughts.bitboard`."""
        return self.black if colour is Colour.BLACK else self.white

    @property
    def state(self) -> State:
        """The boards as the side to move sees them: own, other, kings."""
        if self.turn is Colour.BLACK:
            return self.black, self.white, self.kings
        return self.white, self.black, self.kings

    def with_turn(self, turn: Colour) -> Position:
        """The same pieces with `turn` to move."""
        return self if turn is self.turn else Position(self.black, self.white, self.kings, turn)

    def contradictions(self) -> tuple[str, ...]:
        """What no position of a game can have, a sentence each: too many pieces, men on their crowning row."""
        found = []
        for colour, crowning in ((Colour.BLACK, BLACK_CROWNING), (Colour.WHITE, WHITE_CROWNING)):
            board = self.board_of(colour)
            if board.bit_count() > MOST_PIECES:
                found.append(f"{colour.title} has {board.bit_count()} pieces, but a side has at most {MOST_PIECES}.")
            found += [
                f"The {colour.title.lower()} man on {square} stands on its crowning row, where it must be a king."
                for square in squares_of(board & crowning & ~self.kings)
            ]
        return tuple(found)

    def problems(self) -> tuple[str, ...]:
        """All that is wrong with the position as one to play from, a sentence each; empty when it is sound.

        Besides the contradictions: a side without pieces, or nothing that the side to move could do.
        """
        found = list(self.contradictions())
        empty_sides = [colour for colour in Colour if not self.board_of(colour)]
        found += [f"{colour.title} has no pieces." for colour in empty_sides]
        if not empty_sides and not self.legal_moves():
            found.append(f"{self.turn.title} is to move but has no legal move.")
        return tuple(found)

    def routes(self) -> tuple[Move, ...]:
        """Every legal move, each jumping route by itself, ordered by path."""
        return self._routes

    def legal_moves(self) -> tuple[Move, ...]:
        """Every legal move, ordered by path; routes with the same start, end and captures are one move."""
        return self._legal_moves

    def can_capture(self) -> bool:
        """Whether the side to move must jump."""
        return bool(jumpers(*self.state, self.turn is Colour.BLACK))

    def after(self, move: Move) -> Position:
        """The position after `move`, the opponent to move.

        `move` is taken as it is and not checked, so that a jump broken off can be carried out as well.
        """
        start, end = BITS[move.start], BITS[move.end]
        gone = board_of(move.captured)
        kings = self.kings & ~gone
        if self.kings & start:
            kings ^= start ^ end
        elif move.crowns:
            kings |= end
        if self.turn is Colour.BLACK:
            return Position(self.black ^ start ^ end, self.white & ~gone, kings, Colour.WHITE)
        return Position(self.black & ~gone, self.white ^ start ^ end, kings, Colour.BLACK)

    @cached_property
    def _routes(self) -> tuple[Move, ...]:
        black = self.turn is Colour.BLACK
        crowning = BLACK_CROWNING if black else WHITE_CROWNING
        if self.can_capture():
            bits = jump_routes(*self.state, black)
        else:
            bits = [(step, ()) for step in quiet_steps(*self.state, black)]
        moves = [
            Move(
                tuple(SQUARE_OF[bit] for bit in path),
                tuple(SQUARE_OF[bit] for bit in captured),
                bool(path[-1] & crowning and not path[0] & self.kings),
            )
            for path, captured in bits
        ]
        return tuple(sorted(moves, key=lambda move: move.path))

    @cached_property
    def _legal_moves(self) -> tuple[Move, ...]:
        merged: dict[tuple[int, int, frozenset[int]], Move] = {}
        for move in self._routes:
            merged.setdefault((move.start, move.end, frozenset(move.captured)), move)
        return tuple(merged.values())


def same_move(one: Move, two: Move) -> bool:
    """Whether two routes are one move to the player: the same start, end and captured pieces."""
    return one.start == two.start and one.end == two.end and set(one.captured) == set(two.captured)
