"""Who plays a match: a level, the first game's engine, or an engine in another program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.hub.client import HubClient, start_hub_engine
from controller.engine.interface import Engine, Limits
from controller.engine.levels import BEST, LEVEL_NAMES, Level, level_named
from controller.errors import ControllerError
from hardware.clock import Clock

PLAIN_NAMES = ("baseline", "python")
"""The engine in plain Python: the one of the first games, and what plays where there is no compiler."""
HUB_PREFIX = "hub:"
DEFAULT_LIMITS = Limits(seconds=0.1)
"""For a move of either player, when nothing is asked for and one of them has no limits of its own."""


class PlayerError(ControllerError, ValueError):
    """A text that names no player."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player as it was named. One of `level` and `command` is there, or neither: then it is plain Python."""

    name: str
    level: Level | None = None
    command: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def has_own_limits(self) -> bool:
        """Whether it is a numbered level: a number of positions to look at."""
        return self.level is not None and self.level.name != BEST

    def limits(self, asked: Limits | None) -> Limits:
        """What limits a move: what is asked for, and of a numbered level its own limits besides."""
        if self.level is None or not self.has_own_limits:
            return asked or DEFAULT_LIMITS
        return self.level.limits if asked is None else asked.and_at_most(self.level.limits)

    def seat(self, clock: Clock, told: Callable[[str], None] = lambda _: None) -> Seat:
        """Take a seat at the match; `told` is given a sentence when its program makes the match wait."""
        if self.command is not None:
            return _HubSeat(self, clock, told)
        return _OwnSeat(self.level, clock)


class Seat(Protocol):
    """A player at a match; a context manager, as it may hold another program."""

    def engine(self, seed: int) -> Engine:
        """The engine for a new game, which knows nothing of earlier ones. Raises HubError."""
        ...

    def close(self) -> None:
        """Leave. The next `engine` begins anew."""
        ...

    def __enter__(self) -> Seat: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class _OwnSeat:
    """A player within this program."""

    def __init__(self, level: Level | None, clock: Clock) -> None:
        self._level = level
        self._clock = clock

    def __enter__(self) -> _OwnSeat:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def engine(self, seed: int) -> Engine:
        return AlphaBeta(self._clock) if self._level is None else self._level.engine(self._clock, seed)

    def close(self) -> None:
        pass


class _HubSeat:
    """A player in another program, which is started for its first game, and again after it was closed."""

    def __init__(self, player: Player, clock: Clock, told: Callable[[str], None]) -> None:
        self._player = player
        self._clock = clock
        self._told = told
        self._client: HubClient | None = None

    def __enter__(self) -> _HubSeat:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def engine(self, seed: int) -> Engine:
        del seed  # It has its own.
        if self._client is None:
            command, parameters = self._player.command or "", dict(self._player.parameters)
            self._client = start_hub_engine(command, self._clock, self._player.name, parameters, self._told)
        self._client.new_game()
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def player_named(text: str, parameters: tuple[tuple[str, str], ...] = ()) -> Player:
    """The player that a text names: a level (`1` to `10`, `best`), `baseline`, `python`, or `hub:COMMAND`.

    `parameters` are set on an engine in another program; others have none. Raises PlayerError.
    """
    if text.startswith(HUB_PREFIX):
        command = text.removeprefix(HUB_PREFIX).strip()
        if not command:
            raise PlayerError("hub: must be followed by the command that starts the engine, as in 'hub:scan hub'")
        return Player(text, command=command, parameters=parameters)
    if parameters:
        raise PlayerError(f"{text} has no parameters to set: only an engine named as hub:COMMAND has")
    if text in PLAIN_NAMES:
        return Player(text)
    if text in LEVEL_NAMES:
        return Player(text, level_named(text))
    raise PlayerError(
        f"there is no player {text!r}: name a level (1 to 10, or best), {' or '.join(PLAIN_NAMES)}, or hub:COMMAND"
    )
