"""Games of the compiled engine against itself, from which the evaluation learns."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from controller.draughts import Colour, Position
from controller.draughts.bitboard import State, jumpers
from controller.draughts.game import QUIET_PLIES
from controller.engine import _core
from controller.engine.interface import SURE_WIN
from controller.engine.openings import ballots
from controller.engine.tuning.records import RECORD, UNKNOWN_RESULT, Records, packed_state

_TABLE_MEGABYTES = 1
_LONGEST_GAME = 240
_DECIDED_SCORE, _DECIDED_PLIES = 500, 6
"""Some five men ahead for six plies in a row is a win: nobody has ever come back from there."""


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """How games are played.

    Every search looks at `nodes` positions. A game begins with a ballot, or with none one time in four, and up to
    `random_plies` random moves; the opening is dropped when it is worth more than `uneven` to either side. With the
    chance `strays` a position two random moves off the game is scored as well: the search meets such all the time,
    games between equals do not. A game is called drawn after `quiet_plies` moves without a capture or a man's move.
    """

    nodes: int = 2000
    random_plies: int = 8
    uneven: int = 150
    strays: float = 0.3
    quiet_plies: int = 40
    seed: int = 1


@dataclass(frozen=True, slots=True)
class _Seen:
    """A quiet position that came up; `strayed` when it lies off the game."""

    state: State
    black: bool
    score: int
    ply: int
    strayed: bool = False


def play_games(settings: SelfPlay, first: int) -> Iterator[tuple[int, Records]]:
    """The records of game after game, without end, with the games' numbers from `first` on.

    A game depends on its number, the settings and the engine alone, so that a broken series can be taken up again.
    """
    table = _core.table_new(_TABLE_MEGABYTES)
    number = first
    while True:
        _core.table_clear(table)
        yield number, _play_game(settings, number, table)
        number += 1


def _play_game(settings: SelfPlay, number: int, table: object) -> Records:
    chance = random.Random(f"{settings.seed} {number}")
    opening = _opening(settings, chance)
    if opening is None:
        return np.empty(0, RECORD)
    state, black = opening
    past: list[State] = []
    seen: list[_Seen] = []
    decided = 0
    winner: Colour | None = None
    for ply in range(_LONGEST_GAME):
        choices = _core.successors(*state, black)
        if not choices:
            winner = Colour.WHITE if black else Colour.BLACK
            break
        if len(past) >= settings.quiet_plies or past.count(state) >= 2:
            break
        known = _core.endgame_value(*state, black)
        if known is not None:
            winner = _winner(known, black)
            break
        score, after = _searched(settings.nodes, table, state, black, past)
        if ply == 0 and abs(score) > settings.uneven:
            return np.empty(0, RECORD)
        if abs(score) >= SURE_WIN:
            winner = _winner(score, black)
            break
        decided = decided + 1 if abs(score) >= _DECIDED_SCORE else 0
        if decided >= _DECIDED_PLIES:
            winner = _winner(score, black)
            break
        if not jumpers(*state, black):
            seen.append(_Seen(state, black, score, ply))
        if chance.random() < settings.strays and (
            stray := _stray(settings.nodes, table, choices, not black, ply, chance)
        ):
            seen.append(stray)
        past = [*past, state] if _is_quiet(state, after) else []
        state, black = after, not black
    return _records(seen, number, winner)


def _opening(settings: SelfPlay, chance: random.Random) -> tuple[State, bool] | None:
    """Where a game begins; None when the random moves have ended it."""
    position = Position.start() if chance.random() < 0.25 else chance.choice(ballots()).game().position
    state, black = position.state, position.turn is Colour.BLACK
    for _ in range(chance.randint(0, settings.random_plies)):
        choices = _core.successors(*state, black)
        if not choices:
            return None
        state, black = chance.choice(choices), not black
    return state, black


def _stray(
    nodes: int, table: object, choices: list[State], black: bool, ply: int, chance: random.Random
) -> _Seen | None:
    """A position two random moves on, with its score; None unless it is quiet and open."""
    replies = _core.successors(*chance.choice(choices), black)
    if not replies:
        return None
    state, black = chance.choice(replies), not black
    if jumpers(*state, black) or not _core.successors(*state, black):
        return None
    if _core.endgame_value(*state, black) is not None:
        return None
    score, _ = _searched(nodes, table, state, black, [])
    return _Seen(state, black, score, ply + 2, strayed=True) if abs(score) < SURE_WIN else None


def _searched(nodes: int, table: object, state: State, black: bool, past: list[State]) -> tuple[int, State]:
    """The score of a position, and the one after the best move."""
    own, other, kings = state
    score, _, _, line = _core.search(
        table=table,
        own=own,
        other=other,
        kings=kings,
        black=black,
        depth=0,
        nodes=nodes,
        threads=1,
        quiet_plies=len(past),
        quiet_limit=QUIET_PLIES,
        past=past,
        noise=0.0,
        seed=0,
        endings=True,
        enough=lambda: False,
        deepened=lambda *found: False,
    )
    return score, line[0]


def _is_quiet(state: State, after: State) -> bool:
    """Whether a king has moved and nothing was captured."""
    own, other, kings = state
    return after[0] == other and bool(own & ~after[1] & kings)


def _winner(value: int, black: bool) -> Colour | None:
    if value == 0:
        return None
    return Colour.BLACK if (value > 0) == black else Colour.WHITE


def _records(seen: list[_Seen], number: int, winner: Colour | None) -> Records:
    records = np.empty(len(seen), RECORD)
    for index, one in enumerate(seen):
        result = 0 if winner is None else 1 if (winner is Colour.BLACK) == one.black else -1
        score = max(-SURE_WIN, min(SURE_WIN, one.score))
        records[index] = (
            *packed_state(one.state, one.black),
            number,
            score,
            UNKNOWN_RESULT if one.strayed else result,
            min(one.ply, 255),
        )
    return records
