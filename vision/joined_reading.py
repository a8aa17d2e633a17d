"""What the network sees on the squares, joined with how well discs of the known look fit there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance
from vision.learning import positions
from vision.learnt_discs import find
from vision.learnt_squares import look_closely, square_scores, square_signs
from vision.probabilities import LEAST_PROBABILITY, reading_of, scores_of
from vision.reading import Content, Reading
from vision.view import Flags, Pixels, View

WORTH = 0.02
"""Squares on which a disc is at least so likely are looked at closely, where the look does not help."""
MOST_APART = 1
"""Squares about which the look may contradict the network before none of what it says is believed."""
HIDDEN = 0.7
"""Probability that something hides a square from which it counts as hidden."""
_BY_DISC, _BY_BOARD = 0.95, 2.0
"""How much the log odds of a stack count that the disc network and the square network have where the discs' height is
known: fitted to simulated tables of all styles and lights."""
PIECES = ((Content.DARK_MAN, Content.DARK_KING), (Content.LIGHT_MAN, Content.LIGHT_KING))

Floats = NDArray[np.float64]


def joined_reading(
    pixels: Pixels,
    view: View,
    appearance: Appearance,
    priors: Floats | None,
    hidden_points: Flags | None,
    hidden: Flags,
) -> Reading:
    """The reading of a picture.

    Which squares hold dark and light discs is for the network to say, which is used to this table. Off the board, and
    for the discs' height and place, the look is the better judge, as long as it sees the same squares occupied as the
    network does. Where it does not, the light has changed too much for it, or discs and squares are too alike: then
    heights and places on the board are what the disc network says.

    priors: (N, 5) how likely each Content is before looking; uniform if not given. hidden_points: (height, width) of
    the coarse ground image, what says nothing. hidden: (N,) places of which too much is hidden.
    """
    signs = square_signs(pixels, view)
    places = signs.places
    hidden = hidden.copy()
    hidden[places] |= signs.hidden > HIDDEN
    found = find(pixels, view, appearance.look, hidden_points)
    scores = scores_of(found, view, appearance.look)
    fits = scores[places]
    seen = square_scores(signs, appearance.squares)
    taller = np.stack([fits[:, king] - fits[:, man] for man, king in PIECES], axis=1)
    fitted = np.stack([fits[:, 0], *(np.logaddexp(fits[:, man], fits[:, king]) for man, king in PIECES)], axis=1)
    alike = seen.argmax(axis=1) == fitted.argmax(axis=1)
    if (~alike & ~hidden[places]).sum() > MOST_APART:
        alike[:] = False
    there = seen[:, 1:].max(axis=1) - seen[:, 0] > np.log(WORTH)
    closer = there & ~alike & ~hidden[places]
    look = look_closely(pixels, view, places[closer], signs.bases_mm[closer]) if closer.any() else None
    if look is not None:
        taller[closer] = (_BY_DISC * look.stacked + _BY_BOARD * signs.stacked[closer])[:, None]
    scores[places, Content.EMPTY] = seen[:, 0]
    for group, (man, king) in enumerate(PIECES):
        scores[places, man] = seen[:, 1 + group] - np.logaddexp(0, taller[:, group])
        scores[places, king] = seen[:, 1 + group] - np.logaddexp(0, -taller[:, group])
    weighed = scores if priors is None else scores + np.log(np.maximum(priors, LEAST_PROBABILITY))
    bases, tops = positions(found, weighed.argmax(axis=1))
    if look is not None:
        bases[places[closer]], tops[places[closer]] = look.bases_mm, look.tops_mm
    return reading_of(scores, priors, bases, tops, hidden)
