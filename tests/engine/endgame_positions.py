"""Positions of few pieces, by lot."""

from __future__ import annotations

import random

from controller.draughts import Colour, Piece, Position


def random_ending(chance: random.Random, pieces: int) -> Position:
    """A position of so many pieces in which both sides have some and every man may stand where it does."""
    while True:
        squares = chance.sample(range(1, 33), pieces)
        kings_share = chance.choice((0.2, 0.5, 0.9))
        colours = [Colour.BLACK, Colour.WHITE, *chance.choices(list(Colour), k=pieces - 2)]
        placed = {
            square: Piece(colour, chance.random() < kings_share)
            for square, colour in zip(squares, colours, strict=True)
        }
        position = Position.of(placed, chance.choice(list(Colour)))
        if not position.contradictions():
            return position
