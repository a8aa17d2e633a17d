"""What can be set on Crownhead as a Hub engine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controller.engine.choosing import make_engine
from controller.engine.hub.errors import HubLineError
from controller.engine.hub.lines import write_line
from controller.engine.interface import Engine, Limits
from controller.engine.levels import BEST, BEST_SECONDS, LEVEL_NAMES, level_named
from hardware.clock import Clock

VARIANT = "english"
MOST_THREADS = 16
MOST_SEED = 2**31 - 1
_TRUTH = {True: "true", False: "false"}


@dataclass(frozen=True, slots=True)
class Parameters:
    """How strong the engine plays, on how many processors, what its misjudgements are drawn from, and whether it
    looks up endgame tables. `seconds` is what the level `best` takes for a move when nothing else is asked for.
    """

    level: str = BEST
    threads: int = 1
    seed: int = 0
    tables: bool = True
    seconds: float = BEST_SECONDS

    def engine(self, clock: Clock, asked: Limits | None = None) -> Engine:
        """An engine that knows nothing of earlier games, ready for the limits that are asked for.

        It has no book: whoever asks wants it to think.
        """
        level = level_named(self.level)
        return make_engine(
            clock,
            noise=level.noise,
            seed=self.seed,
            threads=self.threads,
            endings=self.tables and level.endings,
            ready_for=self.limits(asked),
        )

    def limits(self, asked: Limits | None) -> Limits:
        """When to stop thinking: as asked for, and no later than the level does; without that as the level does."""
        if self.level == BEST:
            return asked or Limits(seconds=self.seconds)
        own = level_named(self.level).limits
        return own if asked is None else asked.and_at_most(own)


def declarations(parameters: Parameters) -> tuple[str, ...]:
    """The `param` lines."""
    whole = {"type": "int", "min": "1"}
    return tuple(
        write_line("param", {"name": name, "value": value, **kind})
        for name, value, kind in (
            ("variant", VARIANT, {"type": "enum", "values": VARIANT}),
            ("level", parameters.level, {"type": "enum", "values": " ".join(LEVEL_NAMES)}),
            ("threads", str(parameters.threads), {**whole, "max": str(MOST_THREADS)}),
            ("seed", str(parameters.seed), {"type": "int", "min": "0", "max": str(MOST_SEED)}),
            ("tables", _TRUTH[parameters.tables], {"type": "bool"}),
        )
    )


def with_parameter(parameters: Parameters, name: str, value: str) -> Parameters:
    """The parameters after a `set-param`. Raises HubLineError for a name or value that is none."""
    if name == "variant":
        if value != VARIANT:
            raise HubLineError(f"the variant must be {VARIANT}, not {value[:40]!r}: no other game is played")
        return parameters
    if name == "level":
        if value not in LEVEL_NAMES:
            raise HubLineError(f"the level must be one of {', '.join(LEVEL_NAMES)}, not {value[:40]!r}")
        return replace(parameters, level=value)
    if name == "threads":
        return replace(parameters, threads=_whole(name, value, 1, MOST_THREADS))
    if name == "seed":
        return replace(parameters, seed=_whole(name, value, 0, MOST_SEED))
    if name == "tables":
        if value not in _TRUTH.values():
            raise HubLineError(f"tables must be true or false, not {value[:40]!r}")
        return replace(parameters, tables=value == _TRUTH[True])
    raise HubLineError(f"there is no parameter {name[:40]!r}: there are variant, level, threads, seed and tables")


def _whole(name: str, text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdecimal() and least <= int(text[:12]) <= most:
        return int(text)
    raise HubLineError(f"{name} must be a whole number from {least} to {most}, not {text[:40]!r}")
