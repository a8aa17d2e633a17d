"""Which engine plays: the compiled one where it is there, else the one in plain Python."""

from __future__ import annotations

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.interface import Engine
from hardware.clock import Clock


def make_engine(clock: Clock, *, noise: float = 0.0, seed: int = 0, threads: int = 1) -> Engine:
    """An engine that misjudges positions by `noise` hundredths of a man (standard deviation), drawn from `seed`.

    More `threads` than one look further in the same time; which move they choose can differ from run to run.
    """
    del threads  # The compiled engine's.
    return AlphaBeta(clock, noise=noise, seed=seed)
