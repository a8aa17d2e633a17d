"""Lets an engine choose a move, and gives the time it takes to the table's clock."""

from __future__ import annotations

from dataclasses import replace

from controller.draughts import Game, Move
from controller.engine.interface import Limits
from controller.engine.levels import BEST, Level, level_named
from controller.settings import Settings
from controller.table_loop import Think
from hardware.clock import Clock

PATIENCE_S = 5.0
"""No reply of a numbered level takes longer, however slow the machine: people wait."""


def level_of(settings: Settings) -> Level:
    """The level that the settings ask for; for `best` they say how long it thinks."""
    level = level_named(str(settings.game.level))
    return replace(level, limits=Limits(seconds=settings.engine.thinking_s)) if level.name == BEST else level


def thinker(
    level: Level,
    clock: Clock,
    seed: int,
    least_s: float = 0.0,
    thinking_clock: Clock | None = None,
    threads: int = 1,
) -> Think:
    """Thinks at a level. A reply takes at least `least_s` on `clock`, which on virtual time is all it takes.

    `thinking_clock` is the one by which an engine ends its thinking: it has to go on meanwhile, as virtual time does
    not. Without it that is `clock`.
    """
    passing = thinking_clock or clock
    engine = level.engine(passing, seed, threads)
    patience_s = max(PATIENCE_S, level.limits.seconds or 0.0)

    def think(game: Game) -> Move:
        began, thinking_began = clock.now(), passing.now()
        move = engine.choose(game, level.limits, stop=lambda: passing.now() - thinking_began > patience_s).move
        clock.sleep(least_s - (clock.now() - began))
        return move

    return think
