"""What the network sees of a position: one pattern of men for each row, and the kings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from controller.engine.tuning.records import Boards, Records

ROWS, ROW_SQUARES, SQUARES = 8, 4, 32
ROW_PATTERNS = 3**ROW_SQUARES
"""Each square of a row is without a man (0), has one of the side that looks (1) or of the other (2): the digits of a
number of base 3, the row's lowest square the units."""
ROW_INPUTS = ROWS * ROW_PATTERNS
INPUTS = ROW_INPUTS + 2 * SQUARES
"""Every pattern of every row, then the looking side's kings, then the other's, by square."""

STAGES = 6
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
        """The pattern of each row, of shape (positions, ROWS)."""
        own, other = self.own & ~self.kings, self.other & ~self.kings
        found = np.zeros((len(own), ROWS), np.intp)
        for square in range(SQUARES):
            bit = np.uint32(square)
            digit = (own >> bit & 1).astype(np.intp) + 2 * (other >> bit & 1).astype(np.intp)
            found[:, square // ROW_SQUARES] += 3 ** (square % ROW_SQUARES) * digit
        return found

    def kings_by_square(self) -> NDArray[np.uint8]:
        """1 where a king stands, of shape (positions, 2 * SQUARES): own, then the other's."""
        boards = np.stack([self.own & self.kings, self.other & self.kings], axis=1).astype("<u4")
        return np.unpackbits(boards.view(np.uint8), axis=1, bitorder="little")

    def dense(self) -> NDArray[np.float32]:
        """All inputs as 0 and 1, of shape (positions, INPUTS)."""
        inputs = np.zeros((len(self.own), INPUTS), np.float32)
        columns = self.patterns() + np.arange(ROWS) * ROW_PATTERNS
        np.put_along_axis(inputs, columns, 1, axis=1)
        inputs[:, ROW_INPUTS:] = self.kings_by_square()
        return inputs

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
