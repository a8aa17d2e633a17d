"""Telling that what stands on a board is no draughts set."""

from __future__ import annotations

from collections.abc import Sequence

from vision.errors import BoardNotFoundError

_FEWEST = 5
"""So many pieces on squares of the other colour are no mistakes of reading."""
_PART = 0.22


def refuse_chess(rows: Sequence[str]) -> None:
    """Raise BoardNotFoundError if a board was read as no draughts board can be: pieces on squares of both colours.

    rows: eight rows of eight letters, '.' for an empty square and '?' for one in doubt. Discs, tall ones and stacks
    too, lie on the squares of one colour; chessmen in most positions on both. Chessmen that happen to stand on one
    colour only are not told apart here.
    """
    counts = [0, 0]
    for row, letters in enumerate(rows):
        for column, letter in enumerate(letters):
            counts[(row + column) % 2] += letter not in ".?"
    if min(counts) >= _FEWEST and min(counts) >= _PART * sum(counts):
        raise BoardNotFoundError(
            f"the board is found, but pieces stand on its squares of both colours, {min(counts)} and {max(counts)}, "
            "as chessmen do: set up draughts discs, on the squares of one colour only"
        )
