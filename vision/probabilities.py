"""From how well discs fit to honest probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance
from vision.learnt_discs import Found
from vision.reading import Content, Reading
from vision.view import Flags, View

USUAL_KING_BIAS = 72.0
"""Where men look more like kings than in good light, the bias against kings is larger and so is every doubt."""
REFERENCE_MM = 30.0
"""Diameter of the disc for which the numbers below hold; they grow with a disc's area."""
LEAST_PROBABILITY = 1e-6
DISC_TEMPERATURE = 60.0
HEIGHT_TEMPERATURE = 12.0
"""Pixels of one disc are no independent witnesses: log likelihoods · mm² are divided by these to become honest log
odds, of a disc against none or one of the other colour, and of a king against a man."""
DISC_BIAS = 400.0
"""How much better than the bare surface a disc must fit, being sought in many spots, to be as likely as none."""


def reading_of(
    found: Found,
    view: View,
    appearance: Appearance,
    priors: NDArray[np.float64] | None,
    hidden: Flags,
) -> Reading:
    """The reading of what was found.

    priors: (N, 5) how likely each Content is before looking; uniform if not given. hidden: (N,) not to be read.
    """
    area = (view.disc.diameter_mm / REFERENCE_MM) ** 2
    count = found.men.shape[1]
    scores = np.zeros((count, len(Content)))
    for colour, (look, man, king) in enumerate(
        (
            (appearance.dark, Content.DARK_MAN, Content.DARK_KING),
            (appearance.light, Content.LIGHT_MAN, Content.LIGHT_KING),
        )
    ):
        men, kings = found.men[colour], found.kings[colour]
        disc = ((np.maximum(men, kings) - found.unexplained[colour]) / area - DISC_BIAS) / DISC_TEMPERATURE
        margin = np.where(np.isfinite(found.men_mm[colour, :, 0]), kings - men - look.king_bias, 0.0)
        temperature = HEIGHT_TEMPERATURE * look.king_bias / USUAL_KING_BIAS
        taller = np.clip(margin / area / temperature, -30, 30)
        scores[:, man] = disc - np.log1p(np.exp(taller))
        scores[:, king] = disc - np.log1p(np.exp(-taller))
    if priors is not None:
        scores = scores + np.log(np.maximum(priors, LEAST_PROBABILITY))
    scores[hidden] = 0
    scores -= scores.max(axis=1, keepdims=True)
    probabilities = np.exp(scores) + LEAST_PROBABILITY
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    best = probabilities.argmax(axis=1)
    colour = (best >= Content.LIGHT_MAN).astype(int)
    king = (best == Content.DARK_KING) | (best == Content.LIGHT_KING)
    each = np.arange(count)
    bases = np.where(king[:, None], found.bases_mm[colour, each], found.men_mm[colour, each])
    tops = np.where(king[:, None], found.tops_mm[colour, each], found.men_mm[colour, each])
    none = (best == Content.EMPTY) | hidden
    bases[none] = np.nan
    tops[none] = np.nan
    return Reading(probabilities, bases, tops, hidden)
