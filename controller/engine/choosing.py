"""Which engine plays: the compiled one where it is there, else the one in plain Python."""

from __future__ import annotations

import warnings
from functools import cache

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.interface import Engine, Limits
from hardware.clock import Clock


class WeakerEngineWarning(UserWarning):
    """The engine plays on, but more weakly than it could; the message says why and what to do."""


def missing_core() -> ImportError | None:
    """Why the compiled part of the engine cannot be used; None where it can."""
    try:
        import controller.engine._core  # noqa: F401, PLC0415
    except ImportError as error:
        return error
    return None


@cache
def is_compiled() -> bool:
    """Whether the compiled engine is there; if not, a WeakerEngineWarning says so once."""
    if (missing := missing_core()) is not None:
        warnings.warn(
            f"the compiled engine is not there ({missing}), so a weaker one in plain Python plays; for full strength"
            " install a C compiler and Python's headers (gcc, python3-dev), then install Crownhead again",
            WeakerEngineWarning,
            stacklevel=2,
        )
        return False
    return True


@cache
def has_learnt() -> bool:
    """Have the compiled engine evaluate as it has learnt to; if it can't, a WeakerEngineWarning says so once."""
    from controller.engine.network import NetworkError, load_network  # noqa: PLC0415

    try:
        load_network()
    except NetworkError as error:
        warnings.warn(
            f"{error}; the engine judges positions by its hand-made evaluation instead, which is weaker: install"
            " Crownhead again",
            WeakerEngineWarning,
            stacklevel=2,
        )
        return False
    return True


def make_engine(
    clock: Clock,
    *,
    noise: float = 0.0,
    seed: int = 0,
    threads: int = 1,
    endings: bool = True,
    ready_for: Limits | None = None,
) -> Engine:
    """An engine that misjudges positions by `noise` hundredths of a man (standard deviation), drawn from `seed`.

    More `threads` than one look further in the same time; which move they choose can differ from run to run.
    `endings` says whether it looks up the endgame tables that are there. What a search within the limits `ready_for`
    needs is made at once, so that the first one does not spend its time on it.
    """
    if not is_compiled():
        return AlphaBeta(clock, noise=noise, seed=seed)
    has_learnt()
    from controller.engine.compiled import CompiledSearch  # noqa: PLC0415

    engine = CompiledSearch(clock, noise, seed, threads, endings)
    if ready_for is not None:
        engine.prepare(ready_for)
    return engine
