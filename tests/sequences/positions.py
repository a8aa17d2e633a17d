"""Positions in which a wanted thing can happen, found by chance: half from games played at random, half laid out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from controller.draughts import SQUARES, Colour, Move, Piece, Position, crowning_squares, unfinished_jumps

MOST_TRIES = 20_000
FORTY_PLIES = 70
Choice = TypeVar("Choice")


def find(chance: random.Random, choices: Callable[[Position], Sequence[Choice]]) -> tuple[Position, Choice]:
    """A position for which `choices` has something to offer, and one of these.

    Raises LookupError if there seems to be none.
    """
    for position in islice(_positions(chance), MOST_TRIES):
        if found := choices(position):
            return position, chance.choice(found)
    raise LookupError("no position was found in which that can happen")


def moves_where(holds: Callable[[Position, Move], bool]) -> Callable[[Position], list[Move]]:
    """What `find` asks for: the legal moves for which something holds."""
    return lambda position: [move for move in position.legal_moves() if holds(position, move)]


def allowed_boards(position: Position) -> set[tuple[int, int, int]]:
    """The boards (black, white, kings) that the rules let a player leave, finished or not, with and without crown."""
    boards = {(position.black, position.white, position.kings)}
    for move in (*position.legal_moves(), *unfinished_jumps(position)):
        for standing in _subsets(move.captured):
            taken = tuple(square for square in move.captured if square not in standing)
            for crowns in {move.crowns, False}:
                after = position.after(Move(move.path, taken, crowns))
                boards.add((after.black, after.white, after.kings))
    return boards


def is_wrong(position: Position, changed: dict[int, Piece | None]) -> bool:
    """Whether the board with these squares changed is none that the rules allow the player to leave."""
    pieces = {**position.pieces(), **changed}
    there = Position.of({square: piece for square, piece in pieces.items() if piece is not None}, position.turn)
    return (there.black, there.white, there.kings) not in allowed_boards(position)


def _subsets(squares: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for number in range(1 << len(squares)):
        yield tuple(square for bit, square in enumerate(squares) if number >> bit & 1)


def _positions(chance: random.Random) -> Iterator[Position]:
    while True:
        yield from _of_a_game(chance)
        for _ in range(12):
            laid = _laid_out(chance)
            if not laid.problems():
                yield laid


def _of_a_game(chance: random.Random) -> Iterator[Position]:
    position = Position.start()
    for _ in range(chance.randrange(FORTY_PLIES)):
        moves = position.legal_moves()
        if not moves:
            return
        position = position.after(chance.choice(moves))
    if not position.problems():
        yield position


def _laid_out(chance: random.Random) -> Position:
    squares = list(SQUARES)
    chance.shuffle(squares)
    pieces = {}
    kings = chance.choice((0.1, 0.35, 0.7))
    for colour in Colour:
        for _ in range(chance.randint(2, 9)):
            square = squares.pop()
            king = square in crowning_squares(colour) or chance.random() < kings
            pieces[square] = Piece(colour, king)
    return Position.of(pieces, chance.choice(list(Colour)))
