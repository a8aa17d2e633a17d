"""A move, whole or broken off."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """A step or a jump.

    `path` holds all squares visited, start first; `captured` the squares jumped, in that order; `crowns` says
    whether a man becomes a king at the end. Of several routes with the same start, end and captures, which are one
    move to the player, `path` is the one that is smallest as a tuple.
    """

    path: tuple[int, ...]
    captured: tuple[int, ...] = ()
    crowns: bool = False

    @property
    def start(self) -> int:
        """The square the piece leaves."""
        return self.path[0]

    @property
    def end(self) -> int:
        """The square the piece arrives on; a king's round trip ends where it started."""
        return self.path[-1]

    @property
    def is_capture(self) -> bool:
        """Whether anything is jumped."""
        return bool(self.captured)

    def __str__(self) -> str:
        """The move with all its squares: `11-15`, `11x18x25`."""
        return ("x" if self.captured else "-").join(map(str, self.path))
