"""Who helps with calibrating: a person at a terminal or a page, or the simulated one."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol


class Wish(Enum):
    """What the calibration cannot do by itself."""

    CLEAR_BOARD = auto()
    """Everything off the board; discs may lie in the trays."""
    TILT_SHEET = auto()
    """The printed sheet held over the board, each time tilted otherwise."""
    LAY_SHEET = auto()
    """The sheet flat on the board."""
    TAKE_SHEET_AWAY = auto()
    TWO_DISCS = auto()
    """One dark and one light disc on two dark squares of the board, apart from each other."""
    DISC_UNDER_TIP = auto()
    """One light disc under the tip of the gripper, nothing else on the board."""
    FREE_TRAY_PLACES = auto()
    """T16 and T32, the far outer corner of each tray, are to be free, so that the tip can touch the tray there."""
    LIGHT_DISC = auto()
    """One light disc on a square in the middle of the board, nothing else on it."""


class Helper(Protocol):
    """Does what is asked, and answers."""

    def please(self, wish: Wish, sentence: str) -> None:
        """Ask for something, in a sentence; return when the person says that it is done."""
        ...

    def over_board(self) -> bool:
        """Whether the tip is over the board's squares."""
        ...

    def lower_by(self) -> float | None:
        """By how many mm the tip shall go down (up if negative); None: it touches what is under it."""
        ...

    def say(self, sentence: str) -> None:
        """Tell how things go on."""
        ...
