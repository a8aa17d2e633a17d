"""Plays a match, and adds its games up."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from itertools import groupby

from controller.engine.match.adjudication import adjudicator_for
from controller.engine.match.elo import Estimate, estimate
from controller.engine.match.one_game import MatchGame, Pace, play_one_game
from controller.engine.match.order import GAMES_AN_OPENING, MatchOrder
from controller.engine.match.workers import games_side_by_side
from hardware.clock import Clock, RealClock


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The games of a match that have been played, ordered by number; all figures are the first player's."""

    order: MatchOrder
    games: tuple[MatchGame, ...]

    @staticmethod
    def of(order: MatchOrder, games: Iterable[MatchGame]) -> MatchResult:
        """The result of games that may have ended in any order."""
        return MatchResult(order, tuple(sorted(games, key=lambda game: game.index)))

    @property
    def wins(self) -> int:
        """Games won."""
        return sum(game.points == 1 for game in self.games)

    @property
    def draws(self) -> int:
        """Games drawn."""
        return sum(game.points == 0.5 for game in self.games)

    @property
    def losses(self) -> int:
        """Games lost."""
        return sum(game.points == 0 for game in self.games)

    @property
    def estimate(self) -> Estimate:
        """The difference in strength. Raises ValueError when no game was played."""
        pairs = groupby(self.games, key=lambda game: game.index // GAMES_AN_OPENING)
        return estimate([[game.points for game in pair] for _, pair in pairs])

    @property
    def pace(self) -> tuple[Pace, Pace]:
        """How both players have moved."""
        first = sum((game.pace[0] for game in self.games), Pace())
        return first, sum((game.pace[1] for game in self.games), Pace())

    @property
    def failures(self) -> tuple[MatchGame, ...]:
        """The games that ended because a program failed."""
        return tuple(game for game in self.games if game.failed is not None)


def match_games(
    order: MatchOrder,
    concurrency: int = 1,
    clock: Clock | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Generator[MatchGame, None, None]:
    """Play the games of a match and give each as it ends; close the generator to break the match off.

    `told` is given a sentence when a program makes the match wait. With a `concurrency` above 1 that many are played
    side by side, each in a process with a real clock of its own. Raises the ControllerError that keeps the match from
    being played: a program that does not start, no tables.
    """
    if concurrency > 1:
        yield from games_side_by_side(order, concurrency, told)
        return
    clock = clock or RealClock()
    adjudicate = adjudicator_for(order)
    with order.first.seat(clock, told) as first, order.second.seat(clock, told) as second:
        for index in range(order.games):
            yield play_one_game(order, index, (first, second), clock, adjudicate)


def play_match(
    order: MatchOrder,
    concurrency: int = 1,
    on_game: Callable[[MatchGame], None] = lambda _: None,
    clock: Clock | None = None,
) -> MatchResult:
    """Play a whole match; `on_game` is told of each game as it ends. Raises what `match_games` raises."""
    games = []
    for game in match_games(order, concurrency, clock):
        games.append(game)
        on_game(game)
    return MatchResult.of(order, games)
