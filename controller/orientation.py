"""Which way a board lies in a picture, and whose the dark discs are, told by a position that it is known to show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Position
from controller.handling.layout import contents_of
from vision.reading import Content, Reading

SQUARES = 32
SIDE = 8
LEAST = 0.01
"""However surely a square was read otherwise, it may hold what it should with this probability."""
UNUSUAL_BOARD = 1.0
"""Log odds against a board that lies with a light square at the players' left, its numbering mirrored."""
UNUSUAL_COLOURS = 4.0
"""Log odds against light discs being Black's."""
_OTHER_COLOUR = np.array(
    [Content.EMPTY, Content.LIGHT_MAN, Content.LIGHT_KING, Content.DARK_MAN, Content.DARK_KING], dtype=np.int64
)


@dataclass(frozen=True)
class Orientation:
    """How the numbered squares lie in a picture.

    turns: by how many quarter turns, counter-clockwise as seen, the board is turned against White sitting at the
    picture's bottom. mirrored: whether the squares played on are those of the other parity, on which the numbers run
    from right to left. black_is_dark: whether Black's discs are the darker ones.
    """

    turns: int = 0
    mirrored: bool = False
    black_is_dark: bool = True

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """(32,) where square 1, 2, … lies: 8 × row + column as seen from the top left."""
        board = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
        upright = np.rot90(board, -self.turns)
        if self.mirrored:
            upright = upright[:, ::-1]
        rows, columns = np.divmod(np.arange(SQUARES), 4)
        return np.ascontiguousarray(upright[rows, 2 * columns + 1 - rows % 2])

    def places_mm(self, square_mm: float) -> NDArray[np.float64]:
        """(32, 2) the squares' centres in the board frame of `vision.pose`: origin at the bottom left as seen, mm."""
        rows, columns = np.divmod(self.cells, SIDE)
        return np.column_stack([columns + 0.5, SIDE - 0.5 - rows]) * square_mm

    def contents(self, position: Position) -> NDArray[np.int64]:
        """(32,) the Content of each square as vision sees it when `position` lies on the board."""
        contents = contents_of(position)[:SQUARES]
        return contents if self.black_is_dark else _OTHER_COLOUR[contents]

    def seen_as(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns (…, 5) of Contents, from the game's colours to those that vision sees, or the other way."""
        return probabilities if self.black_is_dark else probabilities[..., _OTHER_COLOUR]

    def turned_by(self, quarters: int) -> Orientation:
        """The same board in a picture in which it is turned by so many more quarter turns counter-clockwise."""
        return Orientation((self.turns + quarters) % 4, self.mirrored, self.black_is_dark)

    @property
    def unlikeliness(self) -> float:
        """Log odds against it before anything was seen."""
        return UNUSUAL_BOARD * self.mirrored + UNUSUAL_COLOURS * (not self.black_is_dark)


@dataclass(frozen=True, eq=False)
class Fit:
    """How a reading fits a position in an orientation.

    likelihood: its logarithm, the orientation's own likeliness included. differing: the squares that show something
    else than they should, kings and men of one colour taken as the same; 0 stands for those never played on.
    """

    orientation: Orientation
    likelihood: float
    differing: tuple[int, ...]


def best_fit(reading: Reading, position: Position, orientations: tuple[Orientation, ...] | None = None) -> Fit:
    """The orientation in which a reading of the 64 squares, row by row from the top left, fits a position best."""
    fits = (fit(reading, position, orientation) for orientation in orientations or all_orientations())
    return max(fits, key=lambda one: one.likelihood)


def fit(reading: Reading, position: Position, orientation: Orientation) -> Fit:
    """How a reading of the 64 squares fits a position in one orientation."""
    wanted = np.zeros(SIDE * SIDE, dtype=np.int64)
    wanted[orientation.cells] = orientation.contents(position)
    probabilities = reading.probabilities
    groups = np.column_stack(
        [
            probabilities[:, Content.EMPTY],
            probabilities[:, Content.DARK_MAN] + probabilities[:, Content.DARK_KING],
            probabilities[:, Content.LIGHT_MAN] + probabilities[:, Content.LIGHT_KING],
        ]
    )
    fitting = groups[np.arange(len(wanted)), (wanted + 1) // 2]
    logs = np.log(np.clip(fitting, LEAST, 1.0))
    logs[reading.hidden] = 0.0
    wrong = np.flatnonzero((fitting < 1 / 3) & ~reading.hidden)
    numbers = np.zeros(SIDE * SIDE, dtype=np.int64)
    numbers[orientation.cells] = np.arange(1, SQUARES + 1)
    differing = tuple(sorted(int(number) for number in numbers[wrong]))
    return Fit(orientation, float(logs.sum()) - orientation.unlikeliness, differing)


def all_orientations() -> tuple[Orientation, ...]:
    """Every way in which a board can lie."""
    return tuple(
        Orientation(turns, mirrored, dark)
        for turns in range(4)
        for mirrored in (False, True)
        for dark in (True, False)
    )
