"""Places where discs can lie: the 32 squares of the board and the 32 numbered places of the tray."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

SQUARES = 32
TRAY_PLACES = 32
TRAY_SIDE = 16
"""Places on each side of the board: T1–T16 on the human's left, T17–T32 on the right."""


class Area(Enum):
    """Which of the two numberings a place belongs to."""

    BOARD = "board"
    TRAY = "tray"


@dataclass(frozen=True)
class Place:
    """A square (1–32) or a tray place (T1–T32)."""

    area: Area
    number: int

    def __str__(self) -> str:
        return str(self.number) if self.area is Area.BOARD else f"T{self.number}"

    @property
    def index(self) -> int:
        """Row of this place in the arrays of a reading of the whole table: squares first, then the tray."""
        return self.number - 1 + (SQUARES if self.area is Area.TRAY else 0)

    @property
    def is_left(self) -> bool:
        """Whether this is a tray place on the human's left, where discs of the human's colour lie."""
        return self.area is Area.TRAY and self.number <= TRAY_SIDE


def square(number: int) -> Place:
    """The square `number` (1–32)."""
    if not 1 <= number <= SQUARES:
        raise ValueError(f"there is no square {number}")
    return Place(Area.BOARD, number)


def tray_place(number: int) -> Place:
    """The tray place T`number` (1–32)."""
    if not 1 <= number <= TRAY_PLACES:
        raise ValueError(f"there is no tray place T{number}")
    return Place(Area.TRAY, number)


BOARD = tuple(square(number) for number in range(1, SQUARES + 1))
TRAY = tuple(tray_place(number) for number in range(1, TRAY_PLACES + 1))
ALL_PLACES = BOARD + TRAY
