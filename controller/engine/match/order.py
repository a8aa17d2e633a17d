"""What a match is to be."""

from __future__ import annotations

import random
from dataclasses import dataclass

from controller.draughts import Colour
from controller.engine.interface import Limits
from controller.engine.match.players import DEFAULT_LIMITS, Player
from controller.engine.openings import Ballot, ballots

GAMES_AN_OPENING = 2
"""Each opening is played with both colours, so that it favours nobody."""


@dataclass(frozen=True, slots=True)
class MatchOrder:
    """Who plays whom, from which openings, how many games, and what limits a move (None: see `move_limits`).

    Games 0 and 1 begin with the first opening, the first player having Black in game 0; then comes the next opening,
    and after the last one the first again. With `tables` the players within this program have the endgame tables at
    hand, and with `adjudicate` a game ends as soon as those tables know how.
    """

    first: Player
    second: Player
    openings: tuple[Ballot, ...]
    games: int
    limits: Limits | None = None
    seed: int = 0
    tables: bool = False
    adjudicate: bool = False

    def __post_init__(self) -> None:
        if self.games < 1 or not self.openings:
            raise ValueError("a match needs a game and an opening")
        if self.adjudicate and not self.tables:
            raise ValueError("games are adjudicated by the endgame tables, so these must be at hand")

    @property
    def move_limits(self) -> Limits | None:
        """What limits a move of either player: what is asked for, else DEFAULT_LIMITS, the same for both.

        None, when nothing is asked for and both are numbered levels, which have limits of their own.
        """
        if self.limits is not None:
            return self.limits
        return None if self.first.has_own_limits and self.second.has_own_limits else DEFAULT_LIMITS

    def opening(self, index: int) -> Ballot:
        """How a game begins."""
        return self.openings[index // GAMES_AN_OPENING % len(self.openings)]

    def first_colour(self, index: int) -> Colour:
        """The first player's colour in a game."""
        return Colour.WHITE if index % GAMES_AN_OPENING else Colour.BLACK

    def seeds(self, index: int) -> tuple[int, int]:
        """What the misjudgements of the first and the second player are drawn from in a game."""
        drawn = random.Random(f"{self.seed} {index}")
        return drawn.getrandbits(31), drawn.getrandbits(31)


def all_ballots_order(first: Player, second: Player, limits: Limits | None = None, seed: int = 0) -> MatchOrder:
    """Every ballot in play once with both colours."""
    openings = ballots()
    return MatchOrder(first, second, openings, GAMES_AN_OPENING * len(openings), limits, seed)


def drawn_ballots(seed: int) -> tuple[Ballot, ...]:
    """The ballots in play in an order drawn by lot from a seed."""
    openings = list(ballots())
    random.Random(seed).shuffle(openings)
    return tuple(openings)
