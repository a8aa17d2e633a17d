"""Levels of play, from a child's to as strong as this engine goes."""

from __future__ import annotations

from dataclasses import dataclass

from controller.engine.choosing import make_engine
from controller.engine.interface import Engine, Limits
from hardware.clock import Clock

WEAKEST, STRONGEST = 1, 10
BEST = "best"
"""The level beyond the numbered ones: all that the engine can do in the time it is given."""
LEVEL_NAMES = (*(str(level) for level in range(WEAKEST, STRONGEST + 1)), BEST)
BEST_SECONDS = 3.0
_FEWEST_NODES, _MOST_NODES = 30, 200_000
_MOST_NOISE = 90.0
_NOISELESS_LEVEL = 8


@dataclass(frozen=True, slots=True)
class Level:
    """How far an engine looks, and how much it misjudges (hundredths of a man, standard deviation)."""

    name: str
    limits: Limits
    noise: float

    def engine(self, clock: Clock, seed: int = 0) -> Engine:
        """An engine that plays at this level when it is given `limits`."""
        return make_engine(clock, noise=self.noise, seed=seed)


def level_limits(level: int) -> Level:
    """The level 1 (weakest) to 10: nodes grow evenly by a factor, noise falls evenly to none at level 8.

    Raises ValueError for another number.
    """
    if not WEAKEST <= level <= STRONGEST:
        raise ValueError(f"there is no level {level}: levels run from {WEAKEST} to {STRONGEST}")
    share = (level - WEAKEST) / (STRONGEST - WEAKEST)
    nodes = round(_FEWEST_NODES * (_MOST_NODES / _FEWEST_NODES) ** share)
    noise = _MOST_NOISE * max(0, _NOISELESS_LEVEL - level) / (_NOISELESS_LEVEL - WEAKEST)
    return Level(str(level), Limits(nodes=nodes), noise)


def level_named(name: str) -> Level:
    """The level of one of LEVEL_NAMES: a number, or `best`. Raises ValueError for another name."""
    if name == BEST:
        return Level(BEST, Limits(seconds=BEST_SECONDS), 0.0)
    if name not in LEVEL_NAMES:
        raise ValueError(f"there is no level {name}: levels are {', '.join(LEVEL_NAMES)}")
    return level_limits(int(name))
