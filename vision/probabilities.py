"""From what speaks for discs to honest probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.appearance import TableLook
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


def scores_of(found: Found, view: View, appearance: TableLook) -> NDArray[np.float64]:
    """(N, 5) log likelihoods of the contents, up to a constant for each place, from what was found there."""
    area = (view.disc.diameter_mm / REFERENCE_MM) ** 2
    scores = np.zeros((found.men.shape[1], len(Content)))
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
    return scores


def reading_of(
    scores: NDArray[np.float64],
    priors: NDArray[np.float64] | None,
    bases_mm: NDArray[np.float64],
    tops_mm: NDArray[np.float64],
    hidden: Flags,
) -> Reading:
    """The reading of places whose contents have these log likelihoods (N, 5).

    priors: (N, 5) how likely each Content is before looking; uniform if not given. bases_mm, tops_mm: (N, 2) where a
    disc lies, if there is one. hidden: (N,) not to be read.
    """
    if priors is not None:
        scores = scores + np.log(np.maximum(priors, LEAST_PROBABILITY))
    scores = np.where(hidden[:, None], 0.0, scores)
    scores -= scores.max(axis=1, keepdims=True)
    probabilities = np.exp(scores) + LEAST_PROBABILITY
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    none = (probabilities.argmax(axis=1) == Content.EMPTY) | hidden
    bases, tops = bases_mm.copy(), tops_mm.copy()
    bases[none] = np.nan
    tops[none] = np.nan
    return Reading(probabilities, bases, tops, hidden)
