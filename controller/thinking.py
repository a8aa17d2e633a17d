"""Lets an engine choose a move, and gives the time it takes to the table's clock."""

from __future__ import annotations

from controller.draughts import Game, Move
from controller.engine.levels import Level
from controller.table_loop import Think
from hardware.clock import Clock


def thinker(level: Level, clock: Clock, seed: int, least_s: float = 0.0) -> Think:
    """Thinks at a level. A reply takes at least `least_s` on `clock`, which on virtual time is all it takes."""
    engine = level.engine(clock, seed)

    def think(game: Game) -> Move:
        began = clock.now()
        move = engine.choose(game, level.limits).move
        clock.sleep(least_s - (clock.now() - began))
        return move

    return think
