"""The three-move ballots: openings drawn by lot, so that games between the strong are not all the same draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from controller.draughts import DrawRules, Game, parse_move
from controller.errors import ControllerError

_FILE = "three_move_ballots.txt"
_BARRED = "barred"


class BallotError(ControllerError, ValueError):
    """A number of a ballot that cannot be played."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """An opening: its number in the American Checker Federation's list and its three moves in PDN, Black's first.

    A `barred` ballot is listed but not played: one side comes out of it too badly.
    """

    number: int
    moves: tuple[str, str, str]
    barred: bool = False

    def game(self, rules: DrawRules | None = None) -> Game:
        """A game from the starting position in which the three moves have been played; White is to move."""
        game = Game(rules=rules)
        for move in self.moves:
            game.play(parse_move(game.position, move))
        return game

    def __str__(self) -> str:
        """Number and moves, such as `ballot 130 (11-15 24-20 8-11)`."""
        return f"ballot {self.number} ({' '.join(self.moves)})"


@cache
def all_ballots() -> tuple[Ballot, ...]:
    """Every ballot of the list, the barred ones too, in the list's order."""
    text = files(__package__).joinpath(_FILE).read_text("utf-8")
    return tuple(_ballot(line.split()) for line in text.splitlines() if line and not line.startswith("#"))


def ballots() -> tuple[Ballot, ...]:
    """The 156 ballots in play, in the list's order."""
    return tuple(one for one in all_ballots() if not one.barred)


def ballot(number: int) -> Ballot:
    """The ballot with a number of the list. Raises BallotError for a number that is none, or barred from play."""
    listed = all_ballots()
    if not 1 <= number <= len(listed):
        raise BallotError(f"there is no ballot {number}: the ballots are numbered from 1 to {len(listed)}")
    chosen = listed[number - 1]
    if chosen.barred:
        raise BallotError(f"{chosen} is barred from play: choose another")
    return chosen


def _ballot(words: list[str]) -> Ballot:
    number, first, second, third = words[:4]
    return Ballot(int(number), (first, second, third), words[4:] == [_BARRED])
