"""Levels of play, from a child's to as strong as this engine goes.

A level is a number of positions to look at and an error of judgement: weak players see less far, and misjudge what
they see, but never move at random. How the levels score against each other is in docs/levels.md, with the command
that measures it.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.engine.choosing import is_compiled, make_engine
from controller.engine.interface import Engine, Limits
from controller.engine.openings import WithBook, standard_book
from hardware.clock import Clock

BEST = "best"
"""The level beyond the numbered ones: all that the engine can do in the time it is given."""

BEST_SECONDS = 3.0
MOST_NODES_IN_PYTHON = 200_000
"""The engine in plain Python looks at no more for a move, which takes it two seconds or so."""

_FIRST_LEVEL_WITH_BOOK = 5
_FIRST_LEVEL_WITH_ENDINGS = 7

# Positions looked at for a move, and the misjudgement of a middle game in hundredths of a man (standard deviation).
_LADDER = (
    (56, 53.5),
    (87, 45.7),
    (131, 39.0),
    (196, 33.0),
    (300, 27.7),
    (500, 21.8),
    (730, 18.2),
    (1_230, 13.8),
    (2_150, 9.8),
    (4_800, 5.5),
)
WEAKEST, STRONGEST = 1, len(_LADDER)
LEVEL_NAMES = (*(str(level) for level in range(WEAKEST, STRONGEST + 1)), BEST)


@dataclass(frozen=True, slots=True)
class Level:
    """How far an engine looks, and how much it misjudges (hundredths of a man, standard deviation).

    `book` and `endings` say whether it knows the opening book and the endgame tables.
    """

    name: str
    limits: Limits
    noise: float
    book: bool
    endings: bool

    def engine(self, clock: Clock, seed: int = 0, threads: int = 1) -> Engine:
        """An engine that plays at this level when it is given `limits`."""
        engine = make_engine(
            clock, noise=self.noise, seed=seed, threads=threads, endings=self.endings, ready_for=self.limits
        )
        return WithBook(engine, standard_book(), seed) if self.book else engine


def level_limits(level: int) -> Level:
    """The level 1 (weakest) to 10. Raises ValueError for another number."""
    if not WEAKEST <= level <= STRONGEST:
        raise ValueError(f"there is no level {level}: levels run from {WEAKEST} to {STRONGEST}")
    nodes, noise = _LADDER[level - WEAKEST]
    if not is_compiled():
        nodes = min(nodes, MOST_NODES_IN_PYTHON)
    return Level(
        name=str(level),
        limits=Limits(nodes=nodes),
        noise=noise,
        book=level >= _FIRST_LEVEL_WITH_BOOK,
        endings=level >= _FIRST_LEVEL_WITH_ENDINGS,
    )


def level_named(name: str) -> Level:
    """The level of one of LEVEL_NAMES: a number, or `best`. Raises ValueError for another name."""
    if name == BEST:
        return Level(BEST, Limits(seconds=BEST_SECONDS), noise=0.0, book=True, endings=True)
    if name not in LEVEL_NAMES:
        raise ValueError(f"there is no level {name}: levels are {', '.join(LEVEL_NAMES)}")
    return level_limits(int(name))
