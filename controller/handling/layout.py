"""What lies where on the table: stacks of discs on squares and tray places, as the camera saw them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Colour, Piece, Position
from controller.handling.kings import Kings
from controller.handling.places import ALL_PLACES, BOARD, SQUARES, TRAY, Place, square
from vision.reading import Content, Reading

Centre = tuple[float, float]
"""A point on the table, board mm."""


@dataclass(frozen=True)
class Stack:
    """One disc or two of one colour, lying on a place; centres of the topmost and the lowest disc in board mm.

    crowned: whether the face with the crown is up, in a set whose kings are turned.
    """

    colour: Colour
    count: int
    centre: Centre
    base: Centre
    crowned: bool = False


@dataclass(frozen=True)
class Layout:
    """The stacks on the table by place; places that hold nothing are absent."""

    stacks: Mapping[Place, Stack]

    def count(self, place: Place) -> int:
        """How many discs lie on `place`."""
        stack = self.stacks.get(place)
        return stack.count if stack else 0

    def discs(self) -> dict[Colour, int]:
        """How many discs of each colour there are."""
        return {c: sum(stack.count for stack in self.stacks.values() if stack.colour is c) for c in Colour}

    def tray_of(self, colour: Colour) -> tuple[Place, ...]:
        """The tray places that hold discs of `colour`."""
        return tuple(place for place in TRAY if place in self.stacks and self.stacks[place].colour is colour)

    def take(self, place: Place, discs: int) -> Layout:
        """The layout after the top `discs` were lifted from `place`."""
        stack = self.stacks[place]
        stacks = dict(self.stacks)
        if stack.count > discs:
            stacks[place] = replace(stack, count=stack.count - discs, centre=stack.base)
        else:
            del stacks[place]
        return Layout(stacks)

    def put(self, place: Place, colour: Colour, discs: int, centre: Centre, crowned: bool = False) -> Layout:
        """The layout after `discs` were put down on `place` at `centre`, on top of what lies there."""
        below = self.stacks.get(place)
        if below and below.colour is not colour:
            raise ValueError(f"a disc cannot be put on one of the other colour ({place})")
        base = below.base if below else centre
        return Layout({**self.stacks, place: Stack(colour, self.count(place) + discs, centre, base, crowned)})


def content_of(piece: Piece | None) -> Content:
    """What vision calls a piece: Black's discs are the dark ones."""
    if piece is None:
        return Content.EMPTY
    if piece.colour is Colour.BLACK:
        return Content.DARK_KING if piece.king else Content.DARK_MAN
    return Content.LIGHT_KING if piece.king else Content.LIGHT_MAN


def contents_of(position: Position) -> NDArray[np.int64]:
    """(32,) the Content of each square of a position."""
    pieces = position.pieces()
    return np.array([content_of(pieces.get(place.number)) for place in BOARD], dtype=np.int64)


def layout_of_reading(
    reading: Reading,
    places_mm: NDArray[np.float64],
    known: Sequence[int] | None = None,
    kings: Kings = Kings.STACKED,
) -> Layout:
    """The likeliest layout of a reading of all places.

    `places_mm` (64, 2) are the places' centres in board mm. `known` (32,) is what the squares hold, where more than
    the reading tells it; a disc that the reading did not find is then taken to lie in the middle of its square.
    """
    contents = reading.contents
    if known is not None:
        contents = np.concatenate([np.asarray(known, dtype=np.int64), contents[SQUARES:]])
    stacks = {}
    for place, content in zip(ALL_PLACES, contents, strict=True):
        if content == Content.EMPTY:
            continue
        king = content in (Content.DARK_KING, Content.LIGHT_KING)
        stacks[place] = Stack(
            Colour.BLACK if content in (Content.DARK_MAN, Content.DARK_KING) else Colour.WHITE,
            kings.discs if king else 1,
            centre=_moved(places_mm[place.index], reading.tops_mm[place.index]),
            base=_moved(places_mm[place.index], reading.offsets_mm[place.index]),
            crowned=king and kings is Kings.TURNED,
        )
    return Layout(stacks)


def _moved(centre: NDArray[np.float64], offset: NDArray[np.float64]) -> Centre:
    x, y = centre + np.nan_to_num(offset)
    return float(x), float(y)


def wanted_on(position: Position, kings: Kings = Kings.STACKED) -> dict[Place, tuple[Colour, int]]:
    """Colour and number of discs that a position wants on each of its occupied squares."""
    return {
        square(number): (piece.colour, kings.discs if piece.king else 1)
        for number, piece in position.pieces().items()
    }


def to_be_turned(layout: Layout, position: Position, kings: Kings) -> tuple[int, ...]:
    """The squares whose disc is of the right colour and shows the wrong face: a crown, or none."""
    if kings is not Kings.TURNED:
        return ()
    return tuple(
        number
        for number, piece in sorted(position.pieces().items())
        if (stack := layout.stacks.get(square(number))) is not None
        and stack.colour is piece.colour
        and stack.crowned is not piece.king
    )
