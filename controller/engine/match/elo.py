"""What the results of a match say about the difference in strength, and how sure that is.

Elo's formula: who is stronger by d points is expected to score 1 / (1 + 10^(−d/400)) of a game.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 1.959964
"""Standard errors to either side that hold 95 % of a normal distribution."""

_ALL_ALIKE = 3.0
"""Rule of three: of n trials that all went one way, with 95 % confidence less than 3/n of all go another."""
_NO_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference in strength, estimated from a match.

    `score` is the share of points (a draw is half a point) and `low` to `high` what it is in truth with 95 %
    confidence; `elo`, `elo_low` and `elo_high` are the same in Elo points, ±infinity where a share is 0 or 1.
    `error` is half the width of that interval in Elo. `superiority` is the likelihood that the one is stronger.
    """

    score: float
    low: float
    high: float
    superiority: float

    @property
    def elo(self) -> float:
        """The difference in Elo points."""
        return elo_of_score(self.score)

    @property
    def elo_low(self) -> float:
        """The least it is, with 95 % confidence."""
        return elo_of_score(self.low)

    @property
    def elo_high(self) -> float:
        """The most it is, with 95 % confidence."""
        return elo_of_score(self.high)

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval in Elo points."""
        return (self.elo_high - self.elo_low) / 2


def elo_of_score(score: float) -> float:
    """The Elo difference at which a share of points from 0 to 1 is expected; ±infinity for 1 and 0."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def expected_score(elo: float) -> float:
    """The share of points that a player stronger by `elo` is expected to score."""
    return 1 / (1 + 10 ** (-elo / 400))


def superiority(wins: int, losses: int) -> float:
    """The likelihood that the player with these wins and losses is the stronger one; draws say nothing about it.

    The normal approximation Φ((wins − losses) / √(wins + losses)); ½ when no game was decided.
    """
    decided = wins + losses
    return 0.5 * (1 + math.erf((wins - losses) / math.sqrt(2 * decided))) if decided else 0.5


def estimate(groups: Sequence[Sequence[float]]) -> Estimate:
    """What a match says, its points (1, ½ or 0 a game) grouped by opening.

    Games from one opening are not independent of each other: where it favours a colour, the pair with both colours
    comes out even, and that is no chance. So the variance of the mean is that of the groups' sums of deviations,
    Σ(Σ deviations)² / N² with N games, times g / (g − 1) for g groups; for groups of one it is the usual one. The
    interval is Wilson's, for as many games without draws as would have that variance: it stays between 0 and 1, and
    with many games it is the mean ± 1.96 standard errors. Where every group has come out the same, which a variance
    of 0 would call certain, the rule of three gives the interval. Raises ValueError without a game.
    """
    filled = [group for group in groups if group]
    games = [points for group in filled for points in group]
    if not games:
        raise ValueError("a match without a game says nothing")
    score = sum(games) / len(games)
    squares = sum(sum(points - score for points in group) ** 2 for group in filled)
    if len(filled) > 1 and squares > _NO_VARIANCE:
        variance = squares * len(filled) / (len(filled) - 1) / len(games) ** 2
        low, high = _wilson(score, score * (1 - score) / variance)
    else:
        others = min(_ALL_ALIKE / len(filled), 1.0)
        low, high = score - others * score, score + others * (1 - score)
    wins, losses = (sum(points == won for points in games) for won in (1, 0))
    return Estimate(score, low, high, superiority(wins, losses))


def _wilson(score: float, trials: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed in so many trials."""
    spread = CONFIDENCE**2 / trials
    middle = (score + spread / 2) / (1 + spread)
    margin = CONFIDENCE * math.sqrt(score * (1 - score) / trials + spread / trials / 4) / (1 + spread)
    return middle - margin, middle + margin
