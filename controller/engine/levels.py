"""Levels of play, from a child's to as strong as this engine goes."""

from __future__ import annotations

from dataclasses import dataclass

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.interface import Limits
from hardware.clock import Clock

WEAKEST, STRONGEST = 1, 10
_FEWEST_NODES, _MOST_NODES = 30, 200_000
_MOST_NOISE = 90.0
_NOISELESS_LEVEL = 8


@dataclass(frozen=True, slots=True)
class Level:
    """How far an engine looks, and how much it misjudges (hundredths of a man, standard deviation)."""

    limits: Limits
    noise: float

    def engine(self, clock: Clock, seed: int = 0) -> AlphaBeta:
        """An engine that plays at this level when it is given `limits`."""
        return AlphaBeta(clock, noise=self.noise, seed=seed)


def level_limits(level: int) -> Level:
    """The level 1 (weakest) to 10: nodes grow evenly by a factor, noise falls evenly to none at level 8.

    Raises ValueError for another number.
    """
    if not WEAKEST <= level <= STRONGEST:
        raise ValueError(f"there is no level {level}: levels run from {WEAKEST} to {STRONGEST}")
    share = (level - WEAKEST) / (STRONGEST - WEAKEST)
    nodes = round(_FEWEST_NODES * (_MOST_NODES / _FEWEST_NODES) ** share)
    noise = _MOST_NOISE * max(0, _NOISELESS_LEVEL - level) / (_NOISELESS_LEVEL - WEAKEST)
    return Level(Limits(nodes=nodes), noise)
