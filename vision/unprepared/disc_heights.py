"""What only all discs of a board together tell: how high one of them is, and how common stacks are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_SPREAD = 0.3
"""Standard deviation of the natural logarithm of the square network's guess of a disc's height."""
_HEIGHTS = np.geomspace(0.35, 2.8, 100)
_TALLER = float(np.log(2))
_KINGS = 0.25
"""The part of discs that are stacks, before looking: so it was among those that the network was trained on."""
_WITNESS = 0.35
"""The discs of one picture are misjudged alike, so that each counts as a part of a witness."""
_SEEN_STACKS, _SEEN_SINGLE = 0.1, 3.0
"""What is known of a board's share of stacks before looking, as so many discs: most boards have few or none."""


def disc_height(heights: Floats, spreads: Floats, stacked: Floats) -> float:
    """The height of one disc that best explains what stands there, as a multiple of what was guessed.

    heights, spreads: (N,) natural logarithms of what stands there against the guess and their standard deviations.
    stacked: (N,) log odds of a stack, as its seam and its shadow tell, too.
    """
    chance = 1 / (1 + np.exp(-np.clip(0.3 * stacked, -0.8, 0.8)))
    chance = chance * _KINGS / (chance * _KINGS + (1 - chance) * (1 - _KINGS))
    spread = np.maximum(spreads, 0.08)[None, :]
    single = np.log(_HEIGHTS)[:, None]
    man = np.log(1 - chance) - 0.5 * ((heights[None, :] - single) / spread) ** 2
    king = np.log(chance) - 0.5 * ((heights[None, :] - single - _TALLER) / spread) ** 2
    # What is neither is a misread disc, not proof.
    likelihood = np.maximum(np.logaddexp(man, king), -4.5).sum(axis=1)
    return float(_HEIGHTS[int(np.argmax(likelihood - 0.5 * (np.log(_HEIGHTS) / _SPREAD) ** 2))])


def stacks_by_share(stacked: Floats) -> Floats:
    """(N,) log odds of a stack with how common stacks are on this board taken into account.

    stacked: (N,) log odds that take every board's share of stacks for _KINGS. Where nothing stands out, single discs
    in doubt are no stacks; where some clearly are, others may well be. The share is the most probable one, with a
    Beta distribution before looking.
    """
    if not len(stacked):
        return stacked
    alone = stacked - np.log(_KINGS / (1 - _KINGS))
    share = _KINGS
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(alone + np.log(share / (1 - share)), -30, 30)))
        seen, of = _WITNESS * chance.sum(), _WITNESS * len(stacked)
        share = float((seen + _SEEN_STACKS) / (of + _SEEN_STACKS + _SEEN_SINGLE))
    return np.asarray(alone + np.log(share / (1 - share)))
