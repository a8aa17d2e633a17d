"""What the network sees of a position: a pattern of men for each block of squares, the kings, and the opposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from controller.engine.tuning.records import Boards, Records

SQUARES = 32
BLOCKS = tuple(
    tuple(8 * pair + 2 * half + square for square in (0, 1, 4, 5)) for pair in range(4) for half in range(2)
)
"""The squares, numbered from 0, of each block: two neighbours of one row and the two that touch them in the next."""
BLOCK_SQUARES = 4
BLOCK_PATTERNS = 3**BLOCK_SQUARES
"""Each square of a block is without a man (0), has one of the side that looks (1) or of the other (2): the digits of
a number of base 3, the block's first square the units."""
BLOCK_INPUTS = len(BLOCKS) * BLOCK_PATTERNS
PARITIES = 2
SECOND_ROWS = 0x0F0F0F0F
"""The rows 1, 3, 5 and 7 as the side that looks counts them. Whether the number of pieces there is even or odd tells,
when both have the same number, who has the opposition ("the move")."""
INPUTS = BLOCK_INPUTS + 2 * SQUARES + PARITIES
"""Every pattern of every block; the looking side's kings, then the other's, by square; an even or an odd number of
pieces on second rows."""

STAGES = 12
"""Of the game, by the number of pieces."""
MOST_PIECES = 24


@dataclass(frozen=True)
class Boards32:
    """Positions as one side sees them, its men going up: boards of 32 bits, one element a position."""

    own: Boards
    other: Boards
    kings: Boards

    @staticmethod
    def of(records: Records) -> Boards32:
        """What the side to move sees."""
        return Boards32(records["own"], records["other"], records["kings"])

    def from_behind(self) -> Boards32:
        """What the other side sees."""
        return Boards32(_turned(self.other), _turned(self.own), _turned(self.kings))

    def patterns(self) -> NDArray[np.intp]:
        """The pattern of each block, of shape (positions, blocks)."""
        own, other = self.own & ~self.kings, self.other & ~self.kings
        found = np.zeros((len(own), len(BLOCKS)), np.intp)
        for block, squares in enumerate(BLOCKS):
            for place, square in enumerate(squares):
                bit = np.uint32(square)
                digit = (own >> bit & 1).astype(np.intp) + 2 * (other >> bit & 1).astype(np.intp)
                found[:, block] += 3**place * digit
        return found

    def kings_by_square(self) -> NDArray[np.uint8]:
        """1 where a king stands, of shape (positions, 2 * SQUARES): own, then the other's."""
        boards = np.stack([self.own & self.kings, self.other & self.kings], axis=1).astype("<u4")
        return np.unpackbits(boards.view(np.uint8), axis=1, bitorder="little")

    def parities(self) -> NDArray[np.intp]:
        """1 where the number of pieces on second rows is odd, else 0."""
        odd: NDArray[np.intp] = np.bitwise_count((self.own | self.other) & np.uint32(SECOND_ROWS)).astype(np.intp) & 1
        return odd

    def stages(self) -> NDArray[np.intp]:
        """The stage of the game, by the number of pieces."""
        pieces = np.bitwise_count(self.own | self.other).astype(np.intp)
        stages: NDArray[np.intp] = np.clip((pieces - 1) * STAGES // MOST_PIECES, 0, STAGES - 1)
        return stages

    def leads(self) -> NDArray[np.int64]:
        """How many men, and how many kings, the side has more than the other, of shape (positions, 2)."""
        own_kings, other_kings = self.own & self.kings, self.other & self.kings
        kings = _count(own_kings) - _count(other_kings)
        return np.stack([_count(self.own) - _count(self.other) - kings, kings], axis=1)


def _count(boards: Boards) -> NDArray[np.int64]:
    return np.bitwise_count(boards).astype(np.int64)


def _turned(boards: Boards) -> Boards:
    reversed_bits = np.unpackbits(boards.astype("<u4").view(np.uint8).reshape(-1, 4), axis=1, bitorder="little")[
        :, ::-1
    ]
    turned: Boards = np.packbits(reversed_bits, axis=1, bitorder="little").view("<u4").reshape(-1).astype(np.uint32)
    return turned
