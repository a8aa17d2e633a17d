"""What the player wishes at its turn, by the turn button or by what is typed."""

from __future__ import annotations

from collections import deque
from enum import Enum

from controller.button_patterns import Pattern, PatternReader
from hardware.clock import Clock
from hardware.panel import Panel, TimedPanel


class Wish(Enum):
    """What a player can wish."""

    DONE = "done"
    """The move is made: look at it."""
    HINT = "hint"
    TAKE_BACK = "take back"
    DRAW = "draw"
    RESIGN = "resign"


MEANINGS = {
    Pattern.ONCE: Wish.DONE,
    Pattern.TWICE: Wish.HINT,
    Pattern.THRICE: Wish.TAKE_BACK,
    Pattern.FOUR_TIMES: Wish.DRAW,
    Pattern.LONG: Wish.RESIGN,
}


class Wishes:
    """The player's wishes in order: of the panel's turn button, and those that `ask` is told.

    Of a panel that tells no times every press means that the move is made.
    """

    def __init__(self, panel: Panel, clock: Clock) -> None:
        self._panel = panel
        self._clock = clock
        self._reader = PatternReader()
        self._waiting: deque[Wish] = deque()
        self._granting = False

    @property
    def pending(self) -> bool:
        """Whether something that was asked has not been answered yet."""
        return self._granting or bool(self._waiting)

    @property
    def more_may_come(self) -> bool:
        """Whether the press that said DONE may still become another wish."""
        return self._reader.more_may_come

    def ask(self, wish: Wish) -> None:
        """The player wishes something."""
        self._waiting.append(wish)

    def take(self) -> Wish | None:
        """The next wish, if there is one; what was taken before has been answered."""
        pressed = self._panel.turn_pressed()
        if isinstance(self._panel, TimedPanel):
            patterns = self._reader.read(self._panel.turn_edges(), self._clock.now())
            self._waiting += (MEANINGS[pattern] for pattern in patterns)
        elif pressed:
            self._waiting.append(Wish.DONE)
        self._granting = bool(self._waiting)
        return self._waiting.popleft() if self._waiting else None

    def forget(self) -> None:
        """What was pressed until now belongs to what was before; what was typed stays."""
        self._panel.turn_pressed()
        if isinstance(self._panel, TimedPanel):
            self._panel.turn_edges()
        self._reader = PatternReader()
        self._granting = False
