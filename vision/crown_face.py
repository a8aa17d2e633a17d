"""Telling men from kings by the face that is up, in sets whose kings are turned over to show a crown.

Nothing is known of what a crown looks like. The men's faces are learnt where men are known to lie; whatever differs
from them more than they do among themselves is taken for the other face, and once that has been confirmed on some
disc it is known, too. Faces are compared by what does not change when a disc is turned round: how bright each ring
around the middle is, and how much the brightness changes along it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Content, Reading
from vision.view import Flags, Pixels, View

RADII, ANGLES = 14, 64
"""Points on a face at which it is sampled, from the middle outwards and round it."""
FACE_SHARE = 0.9
"""So much of the radius is looked at: beyond, a disc that was found a little off its place shows its wall."""
BANDS = 5
HARMONICS = ((2, 3), (3, 5), (5, 10))
"""Changes along a ring, in turns (from, up to and without): light from one side makes one turn and says nothing."""
CHANGE_WEIGHT = 0.15
LEAST_CHANGE = 2e-5
"""Squared change of brightness (natural logarithm) along a ring that is noise in any picture."""
DARKEST = 4.0
"""Grey levels added before the logarithm: what is darker is noise."""
BURNT_OUT = 250
BURNT_SHARE = 0.06
"""A face more of which shows nothing but a lamp's mirror image cannot be read."""
USUAL_SPREAD = 0.02
USUAL_COUNT = 2.0
"""How much men's faces differ, before any have been seen, and how many of them that is worth."""
MOST_APART = 5.0
RENEWED = 0.2
"""Weight of a new picture against what has been learnt before."""
NOT_KNOWN = -1
LEARNT_FROM = 1.0
"""Log odds from which a face that is said to be a king's looks so."""
FEW = 3.0
"""A spread measured on so few faces is worth half."""
MOST_LOG_ODDS = 6.0
ONE_KNOWN = (-7.0, 5.7)
BOTH_KNOWN = (0.0, 5.4, -3.7)
"""Log odds of a king: a constant, and the weights of the distances from the men's and from the kings' faces. Fitted
by logistic regression to twelve simulated styles in four lights at 46 and 31 px a square, and made a fifth flatter:
people's discs differ in more ways."""

Features = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CrownFaces:
    """What the faces of a set look like; index 0 dark, 1 light.

    men, kings: (2, F) mean features of the faces that men and kings show. men_seen, kings_seen: (2,) of how many.
    spread: (F,) standard deviation of the features of faces of one kind, measured on `compared` of them.
    """

    men: Features
    kings: Features
    men_seen: NDArray[np.float64]
    kings_seen: NDArray[np.float64]
    spread: Features
    compared: float


def learn_faces(pixels: Pixels, view: View, reading: Reading, contents: NDArray[np.int64]) -> CrownFaces:
    """What the faces look like, from a picture whose places hold `contents` (N,), Content or any other value for
    what is not known, and in which `reading` has found the discs.

    A king whose face is like the men's is not learnt from: its disc has not been turned yet.
    """
    learnt = _faces_in(pixels, view, reading, contents)
    features, readable = _features(pixels, view, reading)
    doubtful = np.zeros(len(contents), dtype=np.bool_)
    for colour, (_, king) in enumerate(_KINDS):
        if learnt.men_seen[colour]:
            odds = king_log_odds(_without_kings(learnt), features, colour)
            doubtful |= (contents == king) & ~(readable & (odds > LEARNT_FROM))
    if not doubtful.any():
        return learnt
    return _faces_in(pixels, view, reading, np.where(doubtful, NOT_KNOWN, contents))


def _faces_in(pixels: Pixels, view: View, reading: Reading, contents: NDArray[np.int64]) -> CrownFaces:
    features, readable = _features(pixels, view, reading)
    men, kings = np.zeros((2, 2, features.shape[1]))
    men_seen, kings_seen = np.zeros((2, 2))
    squares, count = np.zeros(features.shape[1]), 0.0
    for colour, (man, king) in enumerate(_KINDS):
        for kind, mean, seen in ((man, men, men_seen), (king, kings, kings_seen)):
            shown = features[readable & (contents == kind)]
            if len(shown):
                mean[colour], seen[colour] = shown.mean(axis=0), len(shown)
                squares += ((shown - mean[colour]) ** 2).sum(axis=0)
                count += len(shown) - 1
    spread = np.sqrt((squares + USUAL_COUNT * USUAL_SPREAD**2) / (count + USUAL_COUNT))
    return CrownFaces(men, kings, men_seen, kings_seen, spread, count)


def renewed_faces(
    faces: CrownFaces, pixels: Pixels, view: View, reading: Reading, contents: NDArray[np.int64]
) -> CrownFaces:
    """The faces after one more picture with known contents; what has been learnt before counts most."""
    now = _faces_in(pixels, view, reading, contents)
    men, men_seen = _blend(faces.men, faces.men_seen, now.men, now.men_seen)
    kings, kings_seen = _blend(faces.kings, faces.kings_seen, now.kings, now.kings_seen)
    return CrownFaces(men, kings, men_seen, kings_seen, faces.spread, faces.compared)


def told_by_face(
    reading: Reading, faces: CrownFaces, pixels: Pixels, view: View, priors: NDArray[np.float64] | None
) -> Reading:
    """The reading with men told from kings by their faces, whatever it said of them before.

    priors: (N, 5) how likely each Content is before looking; uniform if not given. A disc that cannot be seen well
    enough, or of whose colour nothing has been learnt, stays as likely to be a king as the prior has it.
    """
    features, readable = _features(pixels, view, reading)
    probabilities = reading.probabilities.copy()
    for colour, (man, king) in enumerate(_KINDS):
        log_odds = np.where(readable, king_log_odds(faces, features, colour), 0.0)
        if priors is not None:
            log_odds = log_odds + np.log(np.maximum(priors[:, king], 1e-6) / np.maximum(priors[:, man], 1e-6))
        share = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
        disc = reading.probabilities[:, man] + reading.probabilities[:, king]
        probabilities[:, man], probabilities[:, king] = disc * (1 - share), disc * share
    return Reading(probabilities, reading.offsets_mm, reading.offsets_mm, reading.hidden)


def flat_contents(contents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Contents (N,) with single discs for kings, as all discs of such a set lie."""
    return np.asarray(contents - np.isin(contents, [king for _, king in _KINDS]), dtype=np.int64)


def flat_priors(priors: NDArray[np.float64] | None, count: int) -> NDArray[np.float64]:
    """(count, 5) priors under which every disc lies single, man or king; `priors` are (count, 5), uniform if None."""
    flat = np.full((count, len(Content)), 1.0) if priors is None else np.array(priors, dtype=np.float64)
    for man, king in _KINDS:
        flat[:, man] += flat[:, king]
        flat[:, king] = 0.0
    return flat


def king_log_odds(faces: CrownFaces, features: Features, colour: int) -> NDArray[np.float64]:
    """(K,) log of how much likelier faces with these features (K, F) are those of kings than of men, for discs of one
    colour (0 dark, 1 light)."""
    from_men = _distance(features, faces.men[colour], faces.spread)
    from_kings = _distance(features, faces.kings[colour], faces.spread)
    if faces.men_seen[colour] and faces.kings_seen[colour]:
        odds = BOTH_KNOWN[0] + BOTH_KNOWN[1] * from_men + BOTH_KNOWN[2] * from_kings
    elif faces.men_seen[colour]:
        odds = ONE_KNOWN[0] + ONE_KNOWN[1] * from_men
    elif faces.kings_seen[colour]:
        odds = -ONE_KNOWN[0] - ONE_KNOWN[1] * from_kings
    else:
        odds = np.zeros(len(features))
    trust = faces.compared / (faces.compared + FEW)
    return np.asarray(np.clip(trust * odds, -MOST_LOG_ODDS, MOST_LOG_ODDS))


def _without_kings(faces: CrownFaces) -> CrownFaces:
    return replace(faces, kings_seen=np.zeros(2))


_KINDS = ((Content.DARK_MAN, Content.DARK_KING), (Content.LIGHT_MAN, Content.LIGHT_KING))


def _distance(features: Features, mean: Features, spread: Features) -> NDArray[np.float64]:
    """(K,) log of the mean squared difference of features (K, F) from a mean, in standard deviations; no single
    feature says more than `MOST_APART` of them."""
    apart = np.minimum((features - mean) ** 2 / spread**2, MOST_APART**2)
    return np.asarray(np.log(apart.mean(axis=1) + 1e-6))


def _blend(
    before: Features, seen_before: NDArray[np.float64], now: Features, seen_now: NDArray[np.float64]
) -> tuple[Features, NDArray[np.float64]]:
    weight = np.where(seen_before == 0, 1.0, RENEWED) * (seen_now > 0)
    mean = before + weight[:, None] * (now - before)
    return mean, np.maximum(seen_before, seen_now)


def _features(pixels: Pixels, view: View, reading: Reading) -> tuple[Features, Flags]:
    """(N, F) the features of the face on each place, and (N,) whether there is one that can be read."""
    places = np.flatnonzero(~np.isnan(reading.offsets_mm[:, 0]) & ~reading.hidden)
    features = np.zeros((len(view.places_mm), BANDS * (3 + len(HARMONICS))))
    readable = np.zeros(len(view.places_mm), dtype=np.bool_)
    if len(places):
        patches, whole = _polar(pixels, view, view.places_mm[places] + reading.offsets_mm[places])
        features[places] = _described(patches)
        burnt = (patches.min(axis=3) >= BURNT_OUT).mean(axis=(1, 2))
        readable[places] = whole & (burnt <= BURNT_SHARE)
    return features, readable


def _polar(pixels: Pixels, view: View, centres_mm: NDArray[np.float64]) -> tuple[NDArray[np.float32], Flags]:
    """(K, RADII, ANGLES, 3) the faces around these points (K, 2; mm), and (K,) whether the picture has them whole."""
    radius = FACE_SHARE * view.disc.diameter_mm / 2
    out = (np.arange(RADII) + 0.5) / RADII * radius
    turn = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    steps = np.stack([out[:, None] * np.cos(turn), out[:, None] * np.sin(turn)], axis=-1)
    points = (centres_mm[:, None, None, :] + steps).reshape(-1, 2)
    height = np.full((len(points), 1), view.disc.height_mm)
    seen = view.camera.project(np.hstack([points, height])).reshape(len(centres_mm), RADII, ANGLES, 2)
    apart = np.linalg.norm(seen[:, 1:] - seen[:, :-1], axis=-1)
    scale = min(1.0, 1.5 / max(float(np.median(apart)), 1e-6))
    if scale < 1:  # Points far apart would miss what lies between them.
        pixels = np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        seen = (seen + 0.5) * scale - 0.5
    rows, columns = pixels.shape[:2]
    inside = (seen >= 0).all(axis=-1) & (seen[..., 0] <= columns - 1) & (seen[..., 1] <= rows - 1)
    where = seen.astype(np.float32).reshape(len(centres_mm) * RADII, ANGLES, 2)
    patches = cv2.remap(pixels, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    patches = np.asarray(patches, dtype=np.float32).reshape(len(centres_mm), RADII, ANGLES, 3)
    return patches, np.asarray(inside.all(axis=(1, 2)))


def _described(patches: NDArray[np.float32]) -> Features:
    """(K, F) the features of faces (K, RADII, ANGLES, 3)."""
    tones = np.log(patches.astype(np.float64) + DARKEST)
    out = (np.arange(RADII) + 0.5) / RADII
    share = (out / out.sum())[None, :, None, None] / ANGLES
    tones -= (tones * share).sum(axis=(1, 2), keepdims=True)
    grey = tones.mean(axis=3)
    turn = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    for slope in (out[:, None] * np.cos(turn), out[:, None] * np.sin(turn)):
        weighed = slope * out[:, None]
        along = (grey * weighed).sum(axis=(1, 2)) / (slope * weighed).sum()
        grey -= along[:, None, None] * slope
    rings = tones.mean(axis=2)
    changes = np.abs(np.fft.rfft(grey, axis=2)) ** 2 / ANGLES**2
    described = []
    for band in np.array_split(np.arange(RADII), BANDS):
        described.append(rings[:, band].mean(axis=1))
        power = [changes[:, band, low:high].sum(axis=2).mean(axis=1) for low, high in HARMONICS]
        described.append(CHANGE_WEIGHT * np.log(np.stack(power, axis=1) + LEAST_CHANGE))
    return np.concatenate(described, axis=1)
