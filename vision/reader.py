"""The learnt reader: from a frame with known contents to a table's appearance, and from frames to readings."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance
from vision.learnt_discs import KING_BIAS, Found, find
from vision.errors import CannotLearnError
from vision.learning import Contents, learn_from
from vision.reading import Content, Reading
from vision.view import Flags, Pixels, View

LEAST_PROBABILITY = 1e-6
DISC_TEMPERATURE = 60.0
HEIGHT_TEMPERATURE = 12.0
"""Pixels of one disc are no independent witnesses: log likelihoods · mm² are divided by these to become honest log
odds, of a disc against none or one of the other colour, and of a king against a man."""
HIDDEN_SHARE = 0.25
"""A place of which more than this is hidden is not read."""


def learn(pixels: Pixels, view: View, contents: Contents) -> Appearance:
    """What the table looks like, from a picture whose places hold `contents` (N,), values of Content.

    The picture must show at least one disc of each colour and one empty place. Discs may lie off-centre.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    return _checked(pixels, view, np.asarray(contents, dtype=np.int64), None)


def update(appearance: Appearance, pixels: Pixels, view: View, contents: Contents) -> Appearance:
    """The appearance after one more picture with known contents.

    So drifting light is followed, and what lay under discs gets known.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    return _checked(pixels, view, np.asarray(contents, dtype=np.int64), appearance)


def read(
    pixels: Pixels,
    view: View,
    appearance: Appearance,
    priors: NDArray[np.float64] | None = None,
    obstructed: Flags | None = None,
) -> Reading:
    """What the places hold.

    priors: (N, 5) how likely each Content is before looking, rows need not sum to 1; uniform if not given.
    obstructed: (height, width) of the picture or any smaller size of the same shape: where something hides the table.
    """
    hidden_points = _ground_mask(obstructed, view)
    found = find(pixels, view, appearance, hidden_points)
    return _reading(found, priors, _hidden_places(hidden_points, view.coarse))


def _ground_mask(obstructed: Flags | None, view: View) -> Flags | None:
    if obstructed is None or not obstructed.any():
        return None
    width, height = view.camera.size
    full = cv2.resize(obstructed.astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_NEAREST)
    return np.asarray(view.coarse.ground(np.asarray(full, dtype=np.uint8)) > 0)


def _hidden_places(hidden_points: Flags | None, view: View) -> Flags:
    """(N,) whether a quarter of the place, or of a disc on it, is hidden or outside the picture."""
    bad = view.out_of_picture if hidden_points is None else hidden_points | view.out_of_picture
    if not bad.any():
        return np.zeros(len(view.places_mm), dtype=np.bool_)
    radius = round(view.disc.diameter_mm / 2 * view.scale)
    sums = cv2.blur(bad.astype(np.float32), (2 * radius + 1, 2 * radius + 1))
    share = np.zeros(len(view.places_mm))
    for height in (0.0, view.disc.height_mm):
        spots = np.rint(view.to_ground(view.places_mm, height)).astype(int)
        share = np.maximum(share, sums[spots[:, 1], spots[:, 0]])
    return np.asarray(share > HIDDEN_SHARE)


def _reading(found: Found, priors: NDArray[np.float64] | None, hidden: Flags) -> Reading:
    count = found.men.shape[1]
    scores = np.zeros((count, len(Content)))
    for colour, (man, king) in enumerate(
        ((Content.DARK_MAN, Content.DARK_KING), (Content.LIGHT_MAN, Content.LIGHT_KING))
    ):
        men, kings = found.men[colour], found.kings[colour]
        disc = np.maximum(men, kings) / DISC_TEMPERATURE
        taller = np.clip(np.nan_to_num((kings - men - KING_BIAS) / HEIGHT_TEMPERATURE, nan=0.0), -30, 30)
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


def _checked(pixels: Pixels, view: View, contents: Contents, before: Appearance | None) -> Appearance:
    """The appearance learnt from a picture, if what it shows, as read with that appearance, is what was said."""
    if contents.shape != (len(view.places_mm),):
        raise CannotLearnError(
            f"{contents.size} contents were given for {len(view.places_mm)} places; give one for each place."
        )
    if before is not None:
        _check(read(pixels, view, before), contents)
    appearance = learn_from(pixels, view, contents, before)
    _check(read(pixels, view, appearance), contents)
    return appearance


def _check(reading: Reading, contents: Contents) -> None:
    """Raise CannotLearnError if the picture, as it has been learnt, contradicts what was said."""
    said = reading.probabilities[np.arange(len(contents)), contents]
    occupied = (contents != Content.EMPTY) != (reading.contents != Content.EMPTY)
    colour = (contents >= Content.LIGHT_MAN) != (reading.contents >= Content.LIGHT_MAN)
    wrong = np.flatnonzero((said < 0.02) & (occupied | colour) & ~reading.hidden)
    if len(wrong) > 1:
        raise CannotLearnError(
            f"The picture does not show what is said to be on the table ({len(wrong)} of {len(contents)} places look "
            "different); check the discs and which way the board is turned."
        )
