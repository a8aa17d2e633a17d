"""The network in whole numbers: its file, and what it makes of positions, to the bit as core/network.c does."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from controller.engine.tuning.inputs import BLOCK_PATTERNS, BLOCKS, PARITIES, SQUARES, STAGES, Boards32
from controller.errors import ControllerError

HIDDEN = 32
ONE = 255
"""Where sums are cut off above; weights into the sums are in this unit."""
SQUARE_SHIFT = 6
SCORE_UNIT = 1 << 14
MOST_SCORE = 5000
SQUARED_ONE = ONE * ONE / (1 << SQUARE_SHIFT)
"""What a sum that is cut off comes to when it is squared: output weights are in SCORE_UNIT / SQUARED_ONE."""

_MAGIC, _VERSION = b"CHNN", 1
_HEADER = struct.Struct("<4sHHII")


class WeightsError(ControllerError, ValueError):
    """Bytes that are no weights of this version of the network."""


@dataclass(frozen=True)
class Weights:
    """All numbers of a network; which is how its file has them, little-endian, behind a header of 16 bytes.

    The header: `CHNN`, the version (2 bytes), HIDDEN (2 bytes), the length of what follows and its CRC-32 (4 each).
    """

    start: NDArray[np.int16]
    """Of shape (PARITIES, HIDDEN): where the sums begin, the pieces on second rows being even, odd."""
    blocks: NDArray[np.int16]
    """Of shape (blocks, BLOCK_PATTERNS, HIDDEN)."""
    kings: NDArray[np.int16]
    """Of shape (2, SQUARES, HIDDEN): own kings, the other's."""
    output: NDArray[np.int16]
    """Of shape (STAGES, 2, HIDDEN): as the side to move sees the board, as the other does."""
    base: NDArray[np.int32]
    man: NDArray[np.int32]
    king: NDArray[np.int32]
    """Of shape (STAGES,), in 1 / SCORE_UNIT of a hundredth of a man: what is always added, for each man and for each
    king more than the other side has."""

    def to_bytes(self) -> bytes:
        """The file."""
        body = b"".join(getattr(self, field.name).tobytes() for field in fields(self))
        return _HEADER.pack(_MAGIC, _VERSION, HIDDEN, len(body), zlib.crc32(body)) + body

    @staticmethod
    def from_bytes(content: bytes) -> Weights:
        """The weights of a file. Raises WeightsError when it is another kind of file, or damaged."""
        body = content[_HEADER.size :]
        if len(content) < _HEADER.size or content[:4] != _MAGIC:
            raise WeightsError("these are not the weights of an evaluation")
        _, version, hidden, length, checksum = _HEADER.unpack_from(content)
        if (version, hidden) != (_VERSION, HIDDEN):
            raise WeightsError("these weights are made for another version of the engine")
        arrays = []
        for kind, shape in _LAYOUT:
            size = np.dtype(kind).itemsize * int(np.prod(shape))
            arrays.append((kind, shape, size))
        if length != len(body) or length != sum(size for *_, size in arrays) or checksum != zlib.crc32(body):
            raise WeightsError("these weights are damaged")
        parts = []
        for kind, shape, size in arrays:
            parts.append(np.frombuffer(body[:size], kind).reshape(shape))
            body = body[size:]
        return Weights(*parts)

    def evaluate(self, boards: Boards32) -> NDArray[np.int64]:
        """The scores for the side to move, in hundredths of a man."""
        stages = boards.stages()
        leads = boards.leads()
        total = self.base[stages].astype(np.int64)
        total += leads[:, 0] * self.man[stages] + leads[:, 1] * self.king[stages]
        for side, view in enumerate((boards, boards.from_behind())):
            sums = self._sums(view)
            squares = np.clip(sums, 0, ONE) ** 2 >> SQUARE_SHIFT
            total += (squares * self.output[stages, side]).sum(axis=1)
        scores: NDArray[np.int64] = np.sign(total) * (np.abs(total) // SCORE_UNIT)  # Towards 0, as C divides.
        np.clip(scores, -MOST_SCORE, MOST_SCORE, out=scores)
        return scores

    def _sums(self, view: Boards32) -> NDArray[np.int64]:
        sums = self.start[view.parities()].astype(np.int64)
        for block, patterns in enumerate(view.patterns().T):
            sums += self.blocks[block, patterns]
        return sums + view.kings_by_square().astype(np.int64) @ self.kings.reshape(2 * SQUARES, HIDDEN)


_LAYOUT = (
    ("<i2", (PARITIES, HIDDEN)),
    ("<i2", (len(BLOCKS), BLOCK_PATTERNS, HIDDEN)),
    ("<i2", (2, SQUARES, HIDDEN)),
    ("<i2", (STAGES, 2, HIDDEN)),
    ("<i4", (STAGES,)),
    ("<i4", (STAGES,)),
    ("<i4", (STAGES,)),
)
