"""What vision makes of a frame."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Content(IntEnum):
    """What a place can hold; the order of the last axis of all probability arrays."""

    EMPTY = 0
    DARK_MAN = 1
    DARK_KING = 2
    LIGHT_MAN = 3
    LIGHT_KING = 4


@dataclass(frozen=True, eq=False)
class Reading:
    """What N places (squares, tray places) hold, as one frame shows it.

    probabilities: (N, 5), each row sums to 1, columns as in Content.
    offsets_mm: (N, 2), the disc's centre minus the place's centre in board mm (of a stack: its lowest disc's base);
        NaN where the place is most likely empty or hidden.
    tops_mm: (N, 2), the same for the centre of the topmost disc, which is what a gripper picks.
    hidden: (N,), whether something hides the place; its row of probabilities then says nothing.
    """

    probabilities: NDArray[np.float64]
    offsets_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]
    hidden: NDArray[np.bool_]

    @property
    def contents(self) -> NDArray[np.int64]:
        """(N,) the likeliest Content of each place."""
        return np.asarray(self.probabilities.argmax(axis=1), dtype=np.int64)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(N,) the probability of the likeliest content."""
        return np.asarray(self.probabilities.max(axis=1), dtype=np.float64)
