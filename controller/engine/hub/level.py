"""The `level` line of the Hub protocol: how long, how deep or how much to search."""

from __future__ import annotations

import math
from collections.abc import Mapping

from controller.engine.hub.errors import HubLineError
from controller.engine.interface import Limits

MOVES_LEFT = 30
"""Moves that a game is taken to last still where no time control says when more time comes."""
LEAST_S = 0.01
MOST_DEPTH = 1000
MOST_NODES = 1 << 62
_KINDS = frozenset({"depth", "nodes", "move-time", "time", "infinite"})
_WAY_S = 0.005
"""What a line takes from one program to the other: the search ends so much earlier, and the answer comes in time."""
_RESERVE_S = 0.05
_LARGEST_SHARE = 0.8
"""Of the time left, however few moves it is for: what is slow between two programs must not lose the game."""


def read_level(arguments: Mapping[str, str]) -> Limits:
    """The limits that a `level` line sets, all of those that it names at once; none for `level infinite`.

    `moves` of 0 are, as without it, the rest of the game.

    Raises HubLineError.
    """
    kinds = _KINDS & arguments.keys()
    if not kinds:
        raise HubLineError("level needs one of depth=…, nodes=…, move-time=…, time=… and infinite")
    if "infinite" in kinds and len(kinds) > 1:
        raise HubLineError(f"a level cannot be infinite and limited by {min(kinds - {'infinite'})} too")
    if "time" not in kinds and (aside := {"inc", "moves"} & arguments.keys()):
        raise HubLineError(f"{min(aside)} says something of time=…, which is missing")
    limits = Limits(
        seconds=_less_the_way(_move_time(arguments)) if "move-time" in arguments else None,
        depth=_whole(arguments, "depth", MOST_DEPTH) if "depth" in arguments else None,
        nodes=_whole(arguments, "nodes", MOST_NODES) if "nodes" in arguments else None,
    )
    if "time" not in arguments:
        return limits
    moves = _whole(arguments, "moves", MOST_DEPTH) if arguments.get("moves", "0") != "0" else None
    left, increment = _seconds(arguments, "time"), _seconds(arguments, "inc")
    if increment < 0:
        raise HubLineError(f"inc must be 0 or more, not {arguments['inc'][:40]!r}")
    # Who knows that the increment is added first may send less than nothing; nobody has less than that with it.
    if left + increment < 0:
        raise HubLineError(f"time must be 0 or more, the increment added, not {arguments['time'][:40]!r}")
    return limits.and_at_most(Limits(seconds=seconds_for_move(left, increment, moves)))


def seconds_for_move(time_s: float, increment_s: float = 0.0, moves: int | None = None) -> float:
    """The seconds for the next move, with `time_s` left for `moves` moves (None: for the rest of the game).

    As in the Hub protocol the increment is added before each move, so that it can be spent on it.
    """
    left = time_s + increment_s
    share = time_s / (moves or MOVES_LEFT) + increment_s
    return max(min(share, _LARGEST_SHARE * left, left - _RESERVE_S), LEAST_S)


def _move_time(arguments: Mapping[str, str]) -> float:
    seconds = _seconds(arguments, "move-time")
    if seconds <= 0:
        raise HubLineError(f"move-time must be more than 0, not {arguments['move-time'][:40]!r}")
    return seconds


def _less_the_way(seconds: float) -> float:
    return max(seconds - min(_WAY_S, seconds / 20), LEAST_S)


def _whole(arguments: Mapping[str, str], name: str, most: int) -> int:
    text = arguments[name]
    if text.isascii() and text.isdecimal() and int(text[:30]) > 0:
        return min(int(text[:30]), most)
    raise HubLineError(f"{name} must be a whole number from 1 on, not {text[:40]!r}")


def _seconds(arguments: Mapping[str, str], name: str) -> float:
    text = arguments.get(name, "0")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise HubLineError(f"{name} must be a number of seconds, not {text[:40]!r}")
    return seconds
