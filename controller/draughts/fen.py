"""Positions as text: the FEN of PDN 3.0, such as `B:W18,K22:B1,K9`."""

from __future__ import annotations

import re

from controller.draughts.errors import FenError
from controller.draughts.pieces import Colour, Piece
from controller.draughts.position import Position
from controller.draughts.squares import SQUARES

_TAG = re.compile(r"^\[\s*FEN\s*(.*?)\s*\]$", re.IGNORECASE)
_ENTRY = re.compile(r"(K?)(\d+)(?:-(\d+))?")
_COUNT = re.compile(r"[HF]\d+")
"""The counts of quiet moves and of moves that PDN 3.0 allows behind the sides; they are passed over."""
_COLOURS = {colour.value: colour for colour in Colour}


def write_fen(position: Position) -> str:
    """The FEN of a position: whose turn it is, White's squares, Black's squares, in ascending order."""
    sides = []
    for colour in (Colour.WHITE, Colour.BLACK):
        squares = [
            f"{'K' if piece.king else ''}{square}"
            for square, piece in position.pieces().items()
            if piece.colour is colour
        ]
        sides.append(colour.value + ",".join(squares))
    return ":".join([position.turn.value, *sides])


def read_fen(text: str) -> Position:
    """The position that a FEN describes.

    The sides may come in either order; ranges (`1-12`), spaces, small letters, a trailing dot, quotes and a whole PDN
    tag are understood, and counts of moves (`:H0:F1`) passed over. A side may be empty, as after the end of a game.
    Raises FenError.
    """
    body = text.strip()
    if tag := _TAG.match(body):
        body = tag[1]
    body = re.sub(r"\s+", "", body.strip("\"' ").upper()).rstrip(".")
    turn, *sides = body.split(":")
    while len(sides) > 2 and _COUNT.fullmatch(sides[-1]):
        sides.pop()
    if turn not in _COLOURS:
        raise FenError(f"The FEN “{_short(text)}” does not say whose turn it is: it must begin with B: or W:.")
    if len(sides) != 2:
        raise FenError(
            f"The FEN “{_short(text)}” must list both sides after the turn, like B:W18,K22:B1,K9, but it lists"
            f" {len(sides)}."
        )
    pieces: dict[int, Piece] = {}
    seen: set[Colour] = set()
    for side in sides:
        colour = _COLOURS.get(side[:1])
        if colour is None:
            raise FenError(f"The FEN's side “{_short(side)}” does not say its colour: it must begin with B or W.")
        if colour in seen:
            raise FenError(f"The FEN lists {colour.title} twice.")
        seen.add(colour)
        _read_side(side[1:], colour, pieces)
    position = Position.of(pieces, _COLOURS[turn])
    if not pieces:
        raise FenError("The FEN has no pieces at all.")
    if wrong := position.contradictions():
        raise FenError(f"The FEN is wrong: {wrong[0]}")
    return position


def _read_side(text: str, colour: Colour, pieces: dict[int, Piece]) -> None:
    """Put one side's pieces, listed in `text` without the colour's letter, into `pieces`."""
    for entry in text.split(",") if text else ():
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise FenError(f"The FEN's entry “{_short(entry)}” for {colour.title} is no square: write 18 or K18.")
        first, last = int(match[2]), int(match[3] or match[2])
        for square in (first, last):
            if square not in SQUARES:
                raise FenError(f"The FEN names square {square}: the squares are numbered from 1 to 32.")
        if last < first:
            raise FenError(f"The FEN's range {entry} runs backwards: write {last}-{first}.")
        for square in range(first, last + 1):
            if square in pieces:
                raise FenError(f"The FEN puts two pieces on square {square}.")
            pieces[square] = Piece(colour, king=bool(match[1]))


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 40 else text[:39] + "…"
