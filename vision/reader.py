"""The learnt reader: from a frame with known contents to a table's appearance, and from frames to readings."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance
from vision.crown_face import flat_contents, flat_priors, learn_faces, renewed_faces, told_by_face
from vision.errors import CannotLearnError
from vision.joined_reading import HIDDEN, joined_reading
from vision.kings import KingsBy
from vision.learning import UNKNOWN, Contents, first_look, next_look
from vision.learnt_squares import SquareSigns, square_scores, square_signs, used_to
from vision.reading import Content, Reading
from vision.view import Flags, Pixels, View

HIDDEN_SHARE = 0.25
"""A place of which more than this is hidden is not read."""
SURE = 0.9
"""At first sight what is at least so likely is taken for certain."""
UNLIKELY = 0.02
"""What is said of a place and looks less likely than this is contradicted by the picture."""


def learn(pixels: Pixels, view: View, contents: Contents, kings_by: KingsBy = KingsBy.HEIGHT) -> Appearance:
    """What the table looks like, from a picture whose places hold `contents` (N,), values of Content or UNKNOWN.

    The picture must show discs of both colours and some empty squares. Discs may lie off-centre. What kings are told
    by here, `update` and `read` tell them by.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    known = _checked(pixels, contents, view)
    by_face = kings_by is KingsBy.FACE
    flat = flat_contents(known) if by_face else known
    signs = square_signs(pixels, view)
    _compare_squares(signs, flat)
    appearance = Appearance(used_to(signs, flat, None), first_look(pixels, view, flat))
    reading = _joined(pixels, view, appearance, flat_priors(None, len(known)) if by_face else None, None)
    _compare(reading, flat)
    return replace(appearance, faces=learn_faces(pixels, view, reading, known)) if by_face else appearance


def first_sight(pixels: Pixels, view: View) -> Contents:
    """(N,) what the network sees of a table about which nothing has been learnt: EMPTY, DARK_MAN or LIGHT_MAN, whose
    discs may be kings, and UNKNOWN where it is not sure."""
    signs = square_signs(pixels, view)
    scores = square_scores(signs, None)
    chances = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    groups = np.array([Content.EMPTY, Content.DARK_MAN, Content.LIGHT_MAN])
    seen = np.full(len(view.places_mm), UNKNOWN, dtype=np.int64)
    sure = (chances.max(axis=1) > SURE) & (signs.hidden < HIDDEN)
    seen[signs.places] = np.where(sure, groups[chances.argmax(axis=1)], UNKNOWN)
    return seen


def update(appearance: Appearance, pixels: Pixels, view: View, contents: Contents) -> Appearance:
    """The appearance after one more picture with known contents (N,), values of Content or UNKNOWN.

    So drifting light is followed, and what lay under discs gets known.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    known = _checked(pixels, contents, view)
    faces = appearance.faces
    flat = known if faces is None else flat_contents(known)
    signs = square_signs(pixels, view)
    reading = _joined(pixels, view, appearance, None if faces is None else flat_priors(None, len(known)), None)
    _compare(reading, flat)
    return Appearance(
        used_to(signs, flat, appearance.squares),
        next_look(pixels, view, flat, appearance.look, reading),
        None if faces is None else renewed_faces(faces, pixels, view, reading, known),
    )


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
    if appearance.faces is None:
        return _joined(pixels, view, appearance, priors, hidden_points)
    flat = _joined(pixels, view, appearance, flat_priors(priors, len(view.places_mm)), hidden_points)
    return told_by_face(flat, appearance.faces, pixels, view, priors)


def _joined(
    pixels: Pixels,
    view: View,
    appearance: Appearance,
    priors: NDArray[np.float64] | None,
    hidden_points: Flags | None,
) -> Reading:
    hidden = _hidden_places(hidden_points, view.coarse)
    return joined_reading(pixels, view, appearance, priors, hidden_points, hidden)


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


def _checked(pixels: Pixels, contents: Contents, view: View) -> Contents:
    width, height = view.camera.size
    if pixels.shape[:2] != (height, width):
        raise CannotLearnError(
            f"The picture is {pixels.shape[1]} × {pixels.shape[0]}, but the camera was calibrated at "
            f"{width} × {height}; set the camera to that size or calibrate it again."
        )
    known = np.asarray(contents, dtype=np.int64)
    if known.shape != (len(view.places_mm),):
        raise CannotLearnError(
            f"{known.size} contents were given for {len(view.places_mm)} places; give one for each place."
        )
    return known


def _compare(reading: Reading, contents: Contents) -> None:
    """Raise CannotLearnError if the picture, as it has been learnt, contradicts what was said."""
    known = (contents != UNKNOWN) & ~reading.hidden
    said = np.where(known, reading.probabilities[np.arange(len(contents)), np.maximum(contents, 0)], 1.0)
    seen = reading.contents
    other = ((contents != Content.EMPTY) != (seen != Content.EMPTY)) | (
        (contents >= Content.LIGHT_MAN) != (seen >= Content.LIGHT_MAN)
    )
    _refuse((said < UNLIKELY) & other, known)


def _compare_squares(signs: SquareSigns, contents: Contents) -> None:
    """The same by what the network sees before it has been told anything about this table."""
    groups = np.searchsorted((Content.DARK_MAN, Content.LIGHT_MAN), contents[signs.places], side="right")
    known = (contents[signs.places] != UNKNOWN) & (signs.hidden < HIDDEN)
    scores = square_scores(signs, None)
    chances = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    _refuse(known & (chances[np.arange(len(groups)), groups] < UNLIKELY), known)


def _refuse(wrong: Flags, known: Flags) -> None:
    if wrong.sum() > 1:
        raise CannotLearnError(
            f"The picture does not show what is said to be on the table ({int(wrong.sum())} of {int(known.sum())} "
            "places look different); check the discs and which way the board is turned."
        )


__all__ = [
    "UNKNOWN",
    "Appearance",
    "CannotLearnError",
    "Contents",
    "KingsBy",
    "first_sight",
    "learn",
    "read",
    "update",
]
