"""How the book of openings grows: the engine looks at the positions that games are likeliest to come to.

A move is taken to be played the more rarely the lower the engine scores it; the positions looked at are those that
come about most often so, from the start of a game and from every ballot, whatever the order of moves.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from controller.draughts import (
    DraughtsError,
    Game,
    Move,
    Position,
    notation,
    parse_move,
    read_fen,
    write_fen,
)
from controller.engine.interface import WIN, Engine, Limits
from controller.engine.openings.ballots import ballots
from controller.engine.openings.book import MOST_SCORE, MOST_WEIGHT, Book, BookEntry, BookMove, book_key, write_book
from controller.errors import ControllerError

_FIRST_LOOK = 0.25
"""The share of the effort with which all moves are looked at; the rest goes to those that are not far behind."""

_FAR_BEHIND = 40
"""Hundredths of a man behind the best after the first look: such a move is not looked at again."""

_WORTH_FOLLOWING = 0.002
"""Moves played more rarely than this are not followed."""

Scores = Mapping[Move, int]
"""What each legal move of a position scores, as the side to move sees it."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How a book is to be.

    plies: the last of a game, counted from its start, with which the book helps. margin: hundredths of a man that a
    move of the book may be behind the best. spread: hundredths by which a move must be worse to be played e times
    more rarely, by whoever plays it. size: the most bytes.
    """

    plies: int = 12
    margin: int = 9
    spread: float = 8.0
    size: int = 200_000


def reach(known: Mapping[Position, Scores], growth: Growth) -> dict[Position, float]:
    """How often a game comes to each position that lies within what is known or one move beyond.

    Half of the games begin at the start, half with a ballot. Positions in which there is nothing to choose are
    passed through.
    """
    begun = [ballot.game().position for ballot in ballots()]
    layer: dict[Position, float] = {Position.start(): 0.5}
    reached: dict[Position, float] = defaultdict(float)
    for ply in range(growth.plies):
        if ply == 3:
            for position in begun:
                layer[position] = layer.get(position, 0.0) + 0.5 / len(begun)
        following: dict[Position, float] = defaultdict(float)
        for position, often in layer.items():
            if (only := _only_move(position)) is not None:
                following[position.after(only)] += often
            else:
                reached[position] += often
                for move, share in _shares(known.get(position, {}), growth.spread).items():
                    following[position.after(move)] += often * share
        layer = following
    return dict(reached)


def next_positions(known: Mapping[Position, Scores], growth: Growth, count: int) -> list[Position]:
    """The `count` positions not looked at yet that games come to most often, the likeliest first."""
    frontier = [
        (often, position)
        for position, often in reach(known, growth).items()
        if position not in known and position.legal_moves()
    ]
    frontier.sort(key=lambda entry: (-entry[0], write_fen(entry[1])))
    return [position for _, position in frontier[:count]]


def score_moves(position: Position, engine: Engine, limits: Limits) -> dict[Move, int]:
    """What each legal move scores; `limits` are those of the whole position, of which depth counts from here."""
    legal = position.legal_moves()
    scores = _scored(position, legal, engine, _part(limits, _FIRST_LOOK / len(legal)))
    best = max(scores.values())
    near = [move for move in legal if scores[move] >= best - _FAR_BEHIND]
    if len(near) > 1:
        again = _scored(position, near, engine, _part(limits, (1 - _FIRST_LOOK) / len(near)))
        # What was not looked at again may not come out as better for that.
        worst = min(again.values())
        scores = {move: again.get(move, min(score, worst)) for move, score in scores.items()}
    return scores


def book_of(known: Mapping[Position, Scores], growth: Growth) -> Book:
    """The book that follows from what is known; if it were too large, without the positions that are rarest."""
    often = reach(known, growth)
    entries: dict[int, BookEntry] = {}
    size = len(write_book(Book({})))
    for position in sorted(often, key=lambda position: (-often[position], write_fen(position))):
        entry = _entry(position, known.get(position, {}), growth)
        if entry is None:
            continue
        grown = len(write_book(Book({0: entry}))) - len(write_book(Book({})))
        if size + grown > growth.size:
            break
        size += grown
        entries[book_key(position)] = entry
    return Book(entries)


def note(position: Position, scores: Scores) -> str:
    """What is known of a position as a line of text: its FEN, then `move=score` for each move."""
    return " ".join([write_fen(position), *(f"{notation(position, move)}={score}" for move, score in scores.items())])


def read_notes(lines: Iterable[str]) -> dict[Position, Scores]:
    """What lines of `note` hold; the last may be broken off. Raises ControllerError for others that are."""
    return dict(_read_notes(list(lines)))


def _read_notes(lines: list[str]) -> Iterator[tuple[Position, Scores]]:
    for number, line in enumerate(lines, start=1):
        fen, *words = line.split()
        try:
            position = read_fen(fen)
            pairs = (word.split("=") for word in words)
            scores = {parse_move(position, text): int(score) for text, score in pairs}
        except (DraughtsError, ValueError) as error:
            if number == len(lines):
                return
            raise ControllerError(f"line {number} of the notes cannot be read ({error}): remove it") from error
        if scores.keys() == set(position.legal_moves()):
            yield position, scores
        elif number < len(lines):
            raise ControllerError(f"line {number} of the notes lacks moves: remove it")


@cache
def _only_move(position: Position) -> Move | None:
    """The move of a position in which there is no choice."""
    legal = position.legal_moves()
    return legal[0] if len(legal) == 1 else None


def _scored(position: Position, moves: Iterable[Move], engine: Engine, limits: Limits) -> dict[Move, int]:
    scores = {}
    for move in moves:
        after = position.after(move)
        scores[move] = -engine.choose(Game(after), limits).score if after.legal_moves() else WIN - 1
    return scores


def _part(limits: Limits, share: float) -> Limits:
    """A share of time and nodes, and one ply less, as a move has been made."""
    return replace(
        limits,
        seconds=None if limits.seconds is None else limits.seconds * share,
        nodes=None if limits.nodes is None else max(1, round(limits.nodes * share)),
        depth=None if limits.depth is None else max(1, limits.depth - 1),
    )


def _shares(scores: Scores, spread: float) -> dict[Move, float]:
    """How often each move is played that is played now and then."""
    if not scores:
        return {}
    best = max(scores.values())
    parts = {move: math.exp((score - best) / spread) for move, score in scores.items()}
    whole = sum(parts.values())
    return {move: part / whole for move, part in parts.items() if part / whole >= _WORTH_FOLLOWING}


def _entry(position: Position, scores: Scores, growth: Growth) -> BookEntry | None:
    """The book's entry for a position; None when nothing is known, or its good moves cannot be told by their ends."""
    if not scores:
        return None
    best = max(scores.values())
    good = {move: score for move, score in scores.items() if score >= best - growth.margin}
    ends = [(move.start, move.end) for move in position.legal_moves()]
    if any(ends.count((move.start, move.end)) > 1 for move in good):
        return None
    half = max(growth.margin / 2, 1.0)
    moves = (
        BookMove(move.start, move.end, max(1, round(MOST_WEIGHT * math.exp((score - best) / half))))
        for move, score in good.items()
    )
    return BookEntry(max(-MOST_SCORE, min(MOST_SCORE, best)), tuple(sorted(moves, key=lambda move: -move.weight)))
