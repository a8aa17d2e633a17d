"""Which endgame tables there are: one for every choice of men and kings on both sides."""

from __future__ import annotations

from dataclasses import dataclass

FEWEST_PIECES, MOST_PIECES = 2, 6
"""Pieces on the board, both sides together, for which there can be tables."""

MOST_PIECES_WITH_DISTANCES = 5
"""Up to so many pieces the tables say how far the end is; beyond, only who wins."""


@dataclass(frozen=True, slots=True, order=True)
class Material:
    """The pieces on the board as the side to move sees them: one table."""

    own_men: int
    own_kings: int
    other_men: int
    other_kings: int

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The four numbers, in the order in which the compiled part takes them."""
        return self.own_men, self.own_kings, self.other_men, self.other_kings

    @property
    def pieces(self) -> int:
        """How many pieces there are."""
        return sum(self.counts)

    @property
    def swapped(self) -> Material:
        """The same pieces seen from the other side."""
        return Material(self.other_men, self.other_kings, self.own_men, self.own_kings)

    @property
    def two_bits(self) -> bool:
        """Whether the table gives two bits a position, who wins, instead of a byte with the distance."""
        return self.pieces > MOST_PIECES_WITH_DISTANCES

    def __str__(self) -> str:
        return f"{self.own_men}m{self.own_kings}k-{self.other_men}m{self.other_kings}k"


def pairs(pieces: int) -> list[Material]:
    """The tables of so many pieces in the order in which they are built: those with fewer men first.

    A table and that of the same pieces swapped are built and kept together, as moves lead from one to the other; of
    the two (for some they are the same one) the first stands here.
    """
    found = [
        Material(own_men, own - own_men, other_men, pieces - own - other_men)
        for own in range(1, pieces)
        for own_men in range(own + 1)
        for other_men in range(pieces - own + 1)
    ]
    return sorted(
        (material for material in found if material >= material.swapped),
        key=lambda material: (material.own_men + material.other_men, material),
    )
