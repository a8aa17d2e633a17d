"""What lies on the board, as far as the journal knows, after the program was cut off in the middle of something.

The transfers that were under way may have been carried out, or not, or have gone wrong; and while nobody looked the
human may have moved. Of the squares that this is about nothing is known; all others hold what they held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Colour, Game, Position
from controller.handling.layout import contents_of, wanted_on
from controller.handling.places import ALL_PLACES, SQUARES, Area, Place, square
from controller.journal import IntentRecord, Journal, Outcome
from vision.learning import UNKNOWN
from vision.reading import Content

Contents = NDArray[np.int64]
_Held = dict[Place, tuple[Colour, int]]


def place_named(name: str) -> Place | None:
    """The place that the journal calls so."""
    return next((place for place in ALL_PLACES if str(place) == name), None)


def last_open_intent(journal: Journal, number: int) -> IntentRecord | None:
    """The transfer that was under way when the program was cut off; None if none was."""
    intents = journal.intents(number)
    return intents[-1] if intents and intents[-1].outcome is None else None


def close_open_intents(journal: Journal, number: int) -> None:
    """Write down that nothing more will come of the transfers that were cut off."""
    for intent in journal.open_intents(number):
        journal.finish(intent.id, Outcome.STOPPED, "cut off; the board was looked at anew")


def contents_in_game(game: Game, intents: Iterable[IntentRecord], human: Colour) -> Contents:
    """(32,) what each square holds after `game` was broken off, UNKNOWN where its last move may still be under way.

    `intents` are the game's transfers. On the human's turn any legal move may have been made meanwhile.
    """
    now = game.position
    contents = contents_of(now)
    unknown = _squares_of(intent for intent in intents if intent.ply == game.plies)
    others = list(game.positions[-2:-1])
    if now.turn is human:
        others += [now.after(move) for move in now.legal_moves()]
    for other in others:
        unknown |= {int(i) for i in np.flatnonzero(contents_of(other) != contents)}
    contents[sorted(unknown)] = UNKNOWN
    return contents


def contents_while_setting_up(
    before: Position, turned: bool, wanted: Position, intents: Sequence[IntentRecord]
) -> Contents:
    """(32,) the same when the discs were being brought from `before` to `wanted`, by `intents` in their order.

    `turned`: the squares of `before` were counted from the other side, by a human who played the other colour.
    """
    held: _Held = {
        square(SQUARES + 1 - place.number) if turned else place: goal for place, goal in wanted_on(before).items()
    }
    goal = wanted_on(wanted)
    unknown: set[int] = set()
    for intent in intents:
        if intent.outcome is Outcome.DONE:
            _carry(held, goal, intent)
        else:
            unknown |= _squares_of([intent])
    contents = np.full(len(contents_of(wanted)), Content.EMPTY, dtype=np.int64)
    for place, (colour, count) in held.items():
        contents[place.index] = _CONTENT[colour][count > 1]
    contents[sorted(unknown)] = UNKNOWN
    return contents


_CONTENT = {
    Colour.BLACK: (Content.DARK_MAN, Content.DARK_KING),
    Colour.WHITE: (Content.LIGHT_MAN, Content.LIGHT_KING),
}


def _carry(held: _Held, goal: Mapping[Place, tuple[Colour, int]], intent: IntentRecord) -> None:
    source, target = place_named(intent.from_place), place_named(intent.to_place)
    colour: Colour | None = None
    if source is not None and source in held:
        colour, count = held.pop(source)
        if count > intent.discs:
            held[source] = colour, count - intent.discs
    if target is not None and target.area is Area.BOARD:
        below = held.get(target, (colour, 0))
        colour = colour or (goal[target][0] if target in goal else below[0])
        if colour is not None:
            held[target] = colour, below[1] + intent.discs


def _squares_of(intents: Iterable[IntentRecord]) -> set[int]:
    """The indices of the squares that these transfers are about."""
    places = {place_named(name) for intent in intents for name in (intent.from_place, intent.to_place)}
    return {place.index for place in places if place is not None and place.area is Area.BOARD}
