"""What only all discs of a board together tell: how high one of them is, and how common stacks are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.disc_network import DiscEvidence

Floats = NDArray[np.float64]

_USUAL, _SPREAD = 0.25, 0.4
"""Median of discs' heights, as multiples of the diameter, and the standard deviation of the natural logarithm."""
_KNOWN_SPREAD = 0.05
"""The same deviation where the set's height is known."""
_STEPS = np.linspace(-2.4, 3.6, 48)
"""Heights that come into question, in standard deviations."""
_SHARES = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9])
_SHARES_COMMON = np.array([0.3, 0.1, 0.15, 0.17, 0.15, 0.08, 0.04, 0.008, 0.002])
"""Parts of a board's discs that are stacks, and how common such boards are."""
_WITNESS = 0.5
"""The discs of one picture are misjudged alike, so that each counts as a part of a witness."""


@dataclass(frozen=True)
class BoardStacks:
    """height: of one disc, squares. stacked: (N,) natural log odds of a stack against a single disc."""

    height: float
    stacked: Floats


def stacks_of_board(seen: DiscEvidence, others: Floats, known_height: float | None = None) -> BoardStacks:
    """The discs' common height, and which are stacks: by Bayes' rule over heights and shares of stacks.

    others: (N,) log odds of a stack by other evidence. known_height: of one disc, squares, if it is known.
    """
    usual, spread = (_USUAL * seen.diameter, _SPREAD) if known_height is None else (known_height, _KNOWN_SPREAD)
    heights = usual * np.exp(_STEPS * spread)
    fits = seen.by_height(heights)
    fits[:, :, 1] += others[:, None]
    with np.errstate(divide="ignore"):
        shares = np.log(np.stack([1 - _SHARES, _SHARES]))
    single = fits[:, :, 0, None] + shares[0]
    stack = fits[:, :, 1, None] + shares[1]
    evidence = _WITNESS * np.logaddexp(single, stack).sum(axis=0)
    evidence += np.log(_SHARES_COMMON) - 0.5 * _STEPS[:, None] ** 2
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    chances = (weights * np.exp(stack - np.logaddexp(single, stack))).sum(axis=(1, 2))
    chances = np.clip(chances, 1e-9, 1 - 1e-9)
    height = float(np.exp((weights.sum(axis=1) * np.log(heights)).sum()))
    return BoardStacks(height, np.asarray(np.log(chances / (1 - chances))))
