"""What every engine takes and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from controller.draughts import Game, Move

WIN = 30_000
"""The score of a won game; a win that is forced in n plies scores WIN − n, a loss −(WIN − n)."""

SURE_WIN = WIN - 1_000
"""Scores from here on (or below the negative of it) are forced wins and losses, not estimates."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop thinking: whichever comes first. None does not limit.

    `seconds` count on the engine's clock, `depth` in plies, `nodes` in positions looked at. Only `nodes` and `depth`
    give the same reply on every machine, and on virtual time, which stands still while an engine thinks, `seconds`
    never pass.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "depth", "nodes"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"the limit of {name} must be above 0, not {value}")

    def and_at_most(self, other: Limits) -> Limits:
        """Both limits at once: of each kind the lower one."""

        def lower(name: str) -> Any:
            given = [value for value in (getattr(self, name), getattr(other, name)) if value is not None]
            return min(given, default=None)

        return Limits(lower("seconds"), lower("depth"), lower("nodes"))


@dataclass(frozen=True, slots=True)
class Reply:
    """A move and what the engine thinks of it.

    `score` is in hundredths of a man as the side to move sees it, from ±SURE_WIN on a forced result; `depth` the last
    depth in plies that was searched whole (0: none); `nodes` the positions looked at; `seconds` the time on the
    engine's clock; `pv` the expected continuation, `move` first.
    """

    move: Move
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: tuple[Move, ...]


class Engine(Protocol):
    """Picks replies."""

    def choose(
        self,
        game: Game,
        limits: Limits,
        stop: Callable[[], bool] | None = None,
        progress: Callable[[Reply], None] | None = None,
    ) -> Reply:
        """The best move found for the side to move, always a legal one.

        `game` is not changed. `stop` is asked now and then and ends the thinking early when it returns True.
        `progress` is told what is known after each depth that was searched whole. Raises GameOverError when the side
        to move has no move.
        """
        ...
