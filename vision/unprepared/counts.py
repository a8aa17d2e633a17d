"""What a set's size tells of squares that were read one by one: no colour has more than so many pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.reading import Content

Floats = NDArray[np.float64]

_FAR_BEYOND = 2
"""A board on which so many more of a colour seem to lie is no board of that game: then nothing is concluded."""
_COLOURS = ([Content.EMPTY], [Content.DARK_MAN, Content.DARK_KING], [Content.LIGHT_MAN, Content.LIGHT_KING])


def with_at_most(probabilities: Floats, most: int) -> Floats:
    """(N, 5) the squares' probabilities (columns as in Content), given that no colour has more than `most` pieces.

    Exact for squares that are misread independently: the sums over all boards are built up square by square, from
    the first on and from the last, over how many dark and light pieces there have been (forward and backward).
    """
    groups = np.stack([probabilities[:, group].sum(axis=1) for group in _COLOURS], axis=1)
    likeliest = np.bincount(groups.argmax(axis=1), minlength=3)
    if likeliest[1:].max() > most + _FAR_BEYOND:
        return probabilities
    before = _running(groups, most)
    after = _running(groups[::-1], most)[::-1]
    # Of what follows a square, all boards count on which enough room is left.
    room = after.cumsum(axis=1).cumsum(axis=2)[:, ::-1, ::-1]
    weights = np.empty_like(groups)
    for column, (dark, light) in enumerate(((0, 0), (1, 0), (0, 1))):
        fits = before[:, : most + 1 - dark, : most + 1 - light] * room[:, dark:, light:]
        weights[:, column] = groups[:, column] * fits.sum(axis=(1, 2))
    weights /= weights.sum(axis=1, keepdims=True)
    given = probabilities.copy()
    for column, group in enumerate(_COLOURS):
        given[:, group] *= (weights[:, column] / np.maximum(groups[:, column], 1e-300))[:, None]
    return given


def _running(groups: Floats, most: int) -> Floats:
    """(N, most + 1, most + 1) for each square, how probable each count of dark and light pieces before it is.

    Each is scaled to a sum of 1, which leaves the comparisons at one square as they are.
    """
    counts = np.zeros((most + 1, most + 1))
    counts[0, 0] = 1.0
    running = np.empty((len(groups), most + 1, most + 1))
    for number, (empty, dark, light) in enumerate(groups):
        running[number] = counts
        after = empty * counts
        after[1:] += dark * counts[:-1]
        after[:, 1:] += light * counts[:, :-1]
        counts = after / after.sum()
    return running
