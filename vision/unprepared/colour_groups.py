"""Telling the two colours of a set of discs apart when neither is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SHARE_WEIGHT = 3.0
"""Differences of a colour's shares (0 to 1) against those of the logarithm of its brightness."""
_LEAST_DEVIATION = 0.07
_SLOPE_DEVIATION = 0.035
"""Standard deviation of how much the light's logarithm changes from one square to the next."""
_ROUNDS = 20
_FEWEST = 5
"""Fewer discs cannot be compared: the light's slope alone would explain them."""
_APART = 3.0
"""Two groups lie further apart than this many of their standard deviations."""
_MOST = 2.5
"""The comparison's log odds are believed no further than this."""
_NETWORK_MOST = 6.0
_SECOND = 4.0
"""So much more, natural logarithm, has to be explained for a second group to be believed."""


def regrouped(colours: Floats, places: Floats, log_odds: Floats) -> Floats:
    """(K,) log odds of light against dark, after comparing the discs of a board with each other.

    colours: (K, 3) of the faces, above 0. places: (K, 2) where they lie, in squares, as the light changes across the
    board. log_odds: (K,) as the network has them, disc by disc; they say which group is which, and they begin the
    search for two groups: expectation maximisation of two normal distributions of equal width, the light's slope
    taken off. A board whose discs are of one colour stays as the network has it.
    """
    if len(colours) < _FEWEST:
        return log_odds
    brightness = colours.mean(axis=1, keepdims=True)
    features = np.hstack([np.log(brightness), _SHARE_WEIGHT * colours / (3 * brightness)])
    prior = np.clip(log_odds, -_NETWORK_MOST, _NETWORK_MOST)
    best: tuple[float, Floats] | None = None
    for begin in (prior, _principal_split(features)):
        fitted = _fit(features, places - places.mean(axis=0), begin)
        if fitted is None:
            continue
        likelihood, odds = fitted
        agreed = float((np.tanh(odds / 2) * prior).sum())
        if agreed < 0:
            odds, agreed = -odds, -agreed
        if best is None or likelihood + agreed > best[0]:
            best = likelihood + agreed, odds
    if best is None or best[0] - _SECOND < _alone(features, prior):
        return log_odds
    return np.asarray(np.clip(best[1], -_MOST, _MOST) + prior)


def _fit(features: Floats, places: Floats, begin: Floats) -> tuple[float, Floats] | None:
    """(log likelihood, log odds of the second group), or None where there are no two groups."""
    second = 1 / (1 + np.exp(-np.clip(begin, -2, 2)))
    slope = np.zeros(2)
    variance = 0.3**2
    for _ in range(_ROUNDS):
        weights = np.stack([1 - second, second])
        totals = weights.sum(axis=1)
        if totals.min() < 0.7:
            return None
        even = features.copy()
        even[:, 0] -= places @ slope
        means = (weights @ even) / totals[:, None]
        left = features[:, 0] - weights.T @ means[:, 0]
        slope = np.linalg.solve(places.T @ places + variance / _SLOPE_DEVIATION**2 * np.eye(2), places.T @ left)
        squares = ((even[None] - means[:, None]) ** 2).sum(axis=2)
        variance = float((weights * squares).sum() / weights.sum() / features.shape[1])
        variance = max(variance, _LEAST_DEVIATION**2)
        shares = (totals + 2) / (totals.sum() + 4)
        logs = np.log(shares)[:, None] - squares / (2 * variance)
        odds = np.asarray(logs[1] - logs[0])
        second = 1 / (1 + np.exp(-np.clip(odds, -30, 30)))
    if np.linalg.norm(means[1] - means[0]) < _APART * np.sqrt(variance):
        return None
    each = np.logaddexp(logs[0], logs[1]) - features.shape[1] / 2 * np.log(variance)
    return float(each.sum()), odds


def _alone(features: Floats, prior: Floats) -> float:
    """How well one group explains the discs, to be compared with two."""
    squares = ((features - features.mean(axis=0)) ** 2).sum(axis=1)
    width = features.shape[1]
    variance = max(float(squares.mean() / width), _LEAST_DEVIATION**2)
    likelihood = -squares / (2 * variance) - width / 2 * np.log(variance)
    return float(likelihood.sum() + abs(prior.sum()))


def _principal_split(features: Floats) -> Floats:
    """Log odds by the side of the middle, along the direction in which the features vary most."""
    away = features - features.mean(axis=0)
    _, _, axes = np.linalg.svd(away, full_matrices=False)
    along = away @ axes[0]
    return np.asarray(2 * along / max(float(along.std()), 1e-6))
