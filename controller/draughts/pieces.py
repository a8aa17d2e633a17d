"""The two colours and the pieces of the game."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Colour(Enum):
    """A side; the value is its letter in FEN."""

    BLACK = "B"
    WHITE = "W"

    @property
    def other(self) -> Colour:
        """The opponent."""
        return Colour.WHITE if self is Colour.BLACK else Colour.BLACK

    @property
    def title(self) -> str:
        """The name as it stands in a sentence: `Black` or `White`."""
        return "Black" if self is Colour.BLACK else "White"


@dataclass(frozen=True, slots=True)
class Piece:
    """A man or a king."""

    colour: Colour
    king: bool = False

    @property
    def title(self) -> str:
        """The piece in words, such as `black man`."""
        return f"{self.colour.title.lower()} {'king' if self.king else 'man'}"
