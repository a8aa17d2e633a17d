"""What a player says with one button: pressed once, several times in a row, or held for long.

A first press counts as soon as the button goes down, for most presses are single ones and somebody waits for what
comes of them. Whatever more it turns out to be comes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from hardware.panel import Edge

GAP_S = 0.6
"""Presses with no longer a pause between them belong together; so long after the last one it is clear how many."""
LONG_S = 3.0
"""Who holds the button for so long means something else by it than who presses it."""


class Pattern(Enum):
    """A pattern of presses."""

    ONCE = "once"
    TWICE = "twice"
    THRICE = "three times"
    FOUR_TIMES = "four times"
    LONG = "held"


COUNTED = {2: Pattern.TWICE, 3: Pattern.THRICE, 4: Pattern.FOUR_TIMES}


class PatternReader:
    """Told of edges, with their times on the clock (s), says which patterns are complete."""

    def __init__(self) -> None:
        self._presses = 0
        self._down_since: float | None = None
        self._up_since = 0.0
        self._told_long = False

    @property
    def more_may_come(self) -> bool:
        """Whether a press may still turn out to be more than one, or a long one."""
        return self._presses > 0 or (self._down_since is not None and not self._told_long)

    def read(self, edges: Iterable[Edge], now: float) -> tuple[Pattern, ...]:
        """The patterns that have become complete by `now`, by these edges and those before them.

        A button that is pressed more often than any pattern has it says nothing more.
        """
        found: list[Pattern] = []
        for edge in edges:
            found += self._until(edge.time_s)
            if edge.pressed and self._down_since is None:
                self._down_since, self._told_long = edge.time_s, False
                found += [] if self._presses else [Pattern.ONCE]
            elif not edge.pressed and self._down_since is not None:
                self._down_since, self._up_since = None, edge.time_s
                self._presses = 0 if self._told_long else self._presses + 1
        found += self._until(now)
        return tuple(found)

    def _until(self, now: float) -> list[Pattern]:
        """What is complete because time has gone by."""
        if self._down_since is not None:
            if self._told_long or now - self._down_since < LONG_S:
                return []
            self._told_long, self._presses = True, 0
            return [Pattern.LONG]
        if not self._presses or now - self._up_since < GAP_S:
            return []
        presses, self._presses = self._presses, 0
        return [COUNTED[presses]] if presses in COUNTED else []
