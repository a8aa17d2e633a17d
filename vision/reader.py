"""The learnt reader: from a frame with known contents to a table's appearance, and from frames to readings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance, Colour, DiscLook, complete_surface, lighting, reference_colours
from vision.disc_masks import Windows, circles
from vision.errors import CannotLearnError
from vision.features import Evidence, evidence
from vision.reading import Content, Reading
from vision.stack_height import Fits, Silhouettes, fit, growth, moved
from vision.view import REACH_MM, Flags, Floats, Pixels, View

Contents = NDArray[np.int64]

LEAST_PROBABILITY = 1e-6
COLOUR_TEMPERATURE = 60.0
HEIGHT_TEMPERATURE = 14.0
HEIGHT_BIAS = 12.0
"""Pixels of one disc are no independent witnesses: differences of log likelihood are divided by these to become
honest log odds, those between men and kings after the bias is taken off (a king has two more parameters to fit)."""
_RING = np.column_stack([np.cos(np.linspace(0, 2 * np.pi, 24)), np.sin(np.linspace(0, 2 * np.pi, 24))])
SHRINK = 4
"""How many times smaller the first look is."""


@dataclass(frozen=True, eq=False)
class _Optics:
    """What a view implies; built once a view."""

    windows: Windows
    silhouettes: tuple[Silhouettes, Silhouettes]
    """For dark and for light discs."""


@lru_cache(maxsize=4)
def _windows(view: View) -> Windows:
    return Windows(view)


@lru_cache(maxsize=6)
def _silhouettes(view: View, growth_px: float) -> Silhouettes:
    return Silhouettes(view, _windows(view), growth_px)


def _optics(view: View, appearance: Appearance) -> _Optics:
    looks = (appearance.dark, appearance.light)
    dark, light = (_silhouettes(view, look.growth_px) for look in looks)
    return _Optics(_windows(view), (dark, light))


@dataclass(frozen=True, eq=False)
class _Found:
    """The fits of all places (N,) for both colours (2, N): scores −inf and positions NaN where none was tried."""

    men: NDArray[np.float64]
    kings: NDArray[np.float64]
    men_mm: NDArray[np.float64]
    bases_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]


def learn(pixels: Pixels, view: View, contents: Contents) -> Appearance:
    """What the table looks like, from a picture whose places hold `contents` (N,), values of Content.

    The picture must show at least one disc of each colour and one empty place. Discs may lie off-centre.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    return _learn(pixels, view, np.asarray(contents, dtype=np.int64), None)


def update(appearance: Appearance, pixels: Pixels, view: View, contents: Contents) -> Appearance:
    """The appearance after one more picture with known contents: drifting light is followed, bare places are filled in.

    Raises:
        CannotLearnError: the picture does not show what was said.
    """
    return _learn(pixels, view, np.asarray(contents, dtype=np.int64), appearance)


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
    image = _image(pixels, view)
    image = _relit(image, view, appearance.references, hidden_points)
    found = _find(image, view, appearance, hidden_points)
    return _reading(found, view, priors, _hidden_places(hidden_points, view))


def _image(pixels: Pixels, view: View) -> Floats:
    return np.asarray(view.ground(pixels), dtype=np.float32) * np.float32(1 / 255)


def _relit(image: Floats, view: View, references: Floats, hidden: Flags | None = None) -> Floats:
    return np.asarray(cv2.multiply(image, lighting(image, view, references, hidden)), dtype=np.float32)


def _ground_mask(obstructed: Flags | None, view: View) -> Flags | None:
    if obstructed is None or not obstructed.any():
        return None
    width, height = view.camera.size
    full = cv2.resize(obstructed.astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_NEAREST)
    return np.asarray(view.ground(np.asarray(full, dtype=np.uint8)) > 0)


def _hidden_places(hidden_points: Flags | None, view: View) -> Flags:
    """(N,) whether a quarter of the place, or of a disc on it, is hidden or outside the picture."""
    bad = ~view.in_picture if hidden_points is None else hidden_points | ~view.in_picture
    if not bad.any():
        return np.zeros(len(view.places_mm), dtype=np.bool_)
    radius = round(view.disc.diameter_mm / 2 * view.scale)
    sums = cv2.blur(bad.astype(np.float32), (2 * radius + 1, 2 * radius + 1))
    share = np.zeros(len(view.places_mm))
    for height in (0.0, view.disc.height_mm):
        spots = np.rint(view.to_ground(view.places_mm, height)).astype(int)
        share = np.maximum(share, sums[spots[:, 1], spots[:, 0]])
    return np.asarray(share > 0.25)


def _find(image: Floats, view: View, appearance: Appearance, ignored: Flags | None) -> _Found:
    optics = _optics(view, appearance)
    signs = evidence(image, view, appearance, optics.windows, ignored)
    count = len(view.places_mm)
    found = _Found(
        men=np.full((2, count), -np.inf),
        kings=np.full((2, count), -np.inf),
        men_mm=np.full((2, count, 2), np.nan),
        bases_mm=np.full((2, count, 2), np.nan),
        tops_mm=np.full((2, count, 2), np.nan),
    )
    first = _first_look(signs, optics.windows, view)
    area = np.pi / 4 * (view.disc.diameter_mm * view.scale) ** 2
    best = first.max(axis=0)
    for colour in (0, 1):
        worth = (first[colour] > -0.3 * area) & (first[colour] > best - 1.5 * area)
        found.men[colour] = np.where(worth, -np.inf, first[colour])
        found.kings[colour] = found.men[colour]
        _fit_into(found, optics, signs, colour, np.flatnonzero(worth), None)
    for everyone in (False, True):
        owners, strengths = _owners(found, view)
        if not _refit_neighbours(found, optics, signs, owners, strengths, everyone):
            break
    return found


def _fit_into(
    found: _Found,
    optics: _Optics,
    signs: Evidence,
    colour: int,
    places: NDArray[np.int64],
    foreign: Flags | None,
) -> None:
    if not len(places):
        return
    walls, faces = _cut(signs, optics.windows, colour, places)
    if foreign is not None:
        faces[foreign] = 0
        walls[foreign] = 0
    fits: Fits = fit(optics.silhouettes[colour], places, walls, faces)
    found.men[colour, places] = fits.men
    found.kings[colour, places] = fits.kings
    found.men_mm[colour, places] = fits.men_mm
    found.bases_mm[colour, places] = fits.bases_mm
    found.tops_mm[colour, places] = fits.tops_mm


def _cut(signs: Evidence, windows: Windows, colour: int, places: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The evidence for wall and face in the windows of some places, (K, n, n) each."""
    return windows.cut(signs.wall[colour], places), windows.cut(signs.face[colour], places)


def _first_look(signs: Evidence, windows: Windows, view: View) -> NDArray[np.float64]:
    """(2, N) a coarse score of the best disc of each colour within each place's reach."""
    width, height = view.ground_size
    small = (width // SHRINK, height // SHRINK)
    radius = view.disc.diameter_mm / 2 * view.scale / SHRINK
    half = int(np.ceil(radius))
    steps = np.arange(-half, half + 1)
    disc = np.clip(radius + 0.5 - np.hypot(steps[:, None], steps[None, :]), 0, 1).astype(np.float32)
    reach = int(np.ceil(REACH_MM * view.scale / SHRINK)) + 1
    spots = np.rint(view.to_ground(view.places_mm, view.disc.height_mm) / SHRINK).astype(int)
    scores = np.empty((2, len(view.places_mm)))
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    for colour in (0, 1):
        face, wall = windows.inner(signs.face[colour]), windows.inner(signs.wall[colour])
        either = cv2.resize(wall + np.maximum(face, 0), small, interpolation=cv2.INTER_AREA)
        total = cv2.filter2D(either, -1, disc, borderType=cv2.BORDER_REPLICATE) * SHRINK**2
        best = np.asarray(cv2.dilate(total, around))
        rows = np.clip(spots[:, 1], 0, small[1] - 1)
        columns = np.clip(spots[:, 0], 0, small[0] - 1)
        scores[colour] = best[rows, columns]
    return scores


def _best(found: _Found) -> tuple[NDArray[np.float64], NDArray[np.int64], Flags]:
    """For each place (N,) the score of the best disc, its colour and whether it is a king."""
    kings = found.kings - HEIGHT_BIAS
    both = np.maximum(found.men, kings)
    colour = np.asarray(both.argmax(axis=0), dtype=np.int64)
    each = np.arange(both.shape[1])
    return both[colour, each], colour, np.asarray(kings[colour, each] > found.men[colour, each])


def _owners(found: _Found, view: View) -> tuple[Floats, NDArray[np.float64]]:
    """(height, width) which place's disc each ground pixel shows (1 + its number, 0 for none), and each place's score.

    Where two want a pixel, it is the one's that would have it as a man, then the one's with the better score.
    """
    width, height = view.ground_size
    owners = np.zeros((height, width), np.float32)
    strengths, colours, is_king = _best(found)
    real = np.flatnonzero((strengths > 0) & np.isfinite(found.men_mm[colours, np.arange(len(colours)), 0]))
    order = real[np.argsort(strengths[real])]
    for kings in (True, False):
        for place in order:
            if kings and not is_king[place]:
                continue
            cv2.fillConvexPoly(owners, _outline(view, int(place), found, int(colours[place]), kings), int(place) + 1)
    return owners, strengths


def _outline(view: View, place: int, found: _Found, colour: int, is_king: bool) -> NDArray[np.int32]:
    """The outline (K, 1, 2) in the ground image of what was found at a place."""
    centre, height = view.places_mm[place], view.disc.height_mm
    base = centre + (found.bases_mm if is_king else found.men_mm)[colour, place]
    levels = [(base, 0.0), (base, height)]
    if is_king:
        levels += [(centre + found.tops_mm[colour, place], level) for level in (height, 2 * height)]
    radius = view.disc.diameter_mm / 2 * view.scale
    rims = [view.to_ground(where, level)[0] + _RING * (radius * view.lift(level)) for where, level in levels]
    hull = cv2.convexHull(np.concatenate(rims).astype(np.float32))
    return np.asarray(np.rint(hull), dtype=np.int32).reshape(-1, 1, 2)


def _refit_neighbours(
    found: _Found,
    optics: _Optics,
    signs: Evidence,
    owners: Floats,
    strengths: NDArray[np.float64],
    everyone: bool,
) -> bool:
    """Fit again each disc that touches another, without the pixels of stronger ones, or of all others.

    False if no two touch.
    """
    count = len(strengths)
    tried = np.isfinite(found.men_mm[:, :, 0])
    places = np.flatnonzero(tried.any(axis=0))
    whole, inner = optics.windows.padded(owners.shape)
    inner[:] = owners
    cut = optics.windows.cut(whole, places).astype(np.int64)
    foreign = (cut > 0) & (cut != places[:, None, None] + 1)
    if not everyone:
        order = np.append(-np.inf, strengths)
        foreign &= order[cut] > strengths[places][:, None, None]
    touched = np.zeros(count, dtype=np.bool_)
    touched[places] = (foreign & _moved_to(found, optics, places)).any(axis=(1, 2))
    where = np.full(count, -1)
    where[places] = np.arange(len(places))
    for colour in (0, 1):
        again = np.flatnonzero(touched & tried[colour])
        _fit_into(found, optics, signs, colour, again, foreign[where[again]])
    return bool(touched.any())


def _moved_to(found: _Found, optics: _Optics, places: NDArray[np.int64]) -> Flags:
    """(K, n, n) where pixels of another disc may mislead the fits of some places."""
    _, colours, _ = _best(found)
    at = found.men_mm[colours[places], places]
    other = found.men_mm[1 - colours[places], places]
    at = np.where(np.isfinite(at), at, other) * optics.windows.view.scale
    return moved(optics.silhouettes[0].neighbourhood[places], np.rint(at[:, ::-1]).astype(np.int64))


def _reading(found: _Found, view: View, priors: NDArray[np.float64] | None, hidden: Flags) -> Reading:
    count = len(view.places_mm)
    scores = np.zeros((count, len(Content)))
    for colour, (man, king) in enumerate(
        ((Content.DARK_MAN, Content.DARK_KING), (Content.LIGHT_MAN, Content.LIGHT_KING))
    ):
        men, kings = found.men[colour], found.kings[colour]
        disc = np.maximum(men, kings) / COLOUR_TEMPERATURE
        taller = np.clip(
            np.nan_to_num((kings - men - HEIGHT_BIAS) / HEIGHT_TEMPERATURE, nan=0.0), -30, 30
        )
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


def _learn(pixels: Pixels, view: View, contents: Contents, before: Appearance | None) -> Appearance:
    if len(contents) != len(view.places_mm):
        raise CannotLearnError(
            f"{len(contents)} contents were given for {len(view.places_mm)} places; give one for each place."
        )
    dark = (contents == Content.DARK_MAN) | (contents == Content.DARK_KING)
    light = (contents == Content.LIGHT_MAN) | (contents == Content.LIGHT_KING)
    if before is None and not (dark.any() and light.any()):
        raise CannotLearnError(
            "The looks of the discs cannot be learnt from a board without discs of both colours; "
            "set up the starting position."
        )
    image = _image(pixels, view)
    if before is None:
        references = reference_colours(image, view)
    else:
        image = _relit(image, view, before.references)
        references = before.references
    offsets = np.zeros_like(view.places_mm)
    tops = offsets
    appearance = before
    if before is not None:
        found = _find(image, view, before, None)
        _check(found, view, contents)
        offsets, tops = _positions(found, contents)
    for rough in (True, False, False) if before is None else (False,):
        bare = _bare(view, contents, offsets, tops, REACH_MM if rough else 2.0)
        surface, deviation, seen = complete_surface(image, bare, view, before)
        looks = [
            _look(image, view, contents, which, tops, offsets, rough, earlier)
            for which, earlier in ((dark, before and before.dark), (light, before and before.light))
        ]
        appearance = Appearance(
            surface=surface,
            deviation=deviation,
            seen=seen,
            references=references,
            dark=looks[0],
            light=looks[1],
            dark_field=looks[0].field(view),
            light_field=looks[1].field(view),
        )
        if not rough:
            appearance = _measured_growth(image, view, appearance, contents, offsets)
        found = _find(image, view, appearance, None)
        offsets, tops = _positions(found, contents)
    assert appearance is not None
    _check(found, view, contents)
    return appearance


def _measured_growth(
    image: Floats, view: View, appearance: Appearance, contents: Contents, offsets: NDArray[np.float64]
) -> Appearance:
    """The appearance with the discs' apparent growth measured on those known to lie single in the picture."""
    windows = _windows(view)
    signs = evidence(image, view, appearance, windows)
    looks = []
    for colour, (look, man) in enumerate(
        ((appearance.dark, Content.DARK_MAN), (appearance.light, Content.LIGHT_MAN))
    ):
        places = np.flatnonzero(contents == man)
        if len(places):
            cuts = _cut(signs, windows, colour, places)
            look = replace(look, growth_px=growth(view, windows, places, offsets[places], *cuts))  # noqa: PLW2901
        looks.append(look)
    return replace(appearance, dark=looks[0], light=looks[1])


def _is_king(contents: Contents) -> Flags:
    return np.asarray((contents == Content.DARK_KING) | (contents == Content.LIGHT_KING))


def _positions(found: _Found, contents: Contents) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the discs that are known to be there lie: offsets of bases and tops (N, 2), mm; 0 where none was found."""
    colour = (contents >= Content.LIGHT_MAN).astype(int)
    each = np.arange(len(contents))
    king = _is_king(contents)[:, None]
    bases = np.where(king, found.bases_mm[colour, each], found.men_mm[colour, each])
    tops = np.where(king, found.tops_mm[colour, each], found.men_mm[colour, each])
    return np.nan_to_num(bases), np.nan_to_num(tops)


def _bare(
    view: View, contents: Contents, offsets: NDArray[np.float64], tops: NDArray[np.float64], margin_mm: float
) -> Flags:
    """(height, width) of the ground image: where no disc is, nor its contact shadow."""
    width, height = view.ground_size
    covered = np.zeros((height, width), np.uint8)
    for place in np.flatnonzero(contents != Content.EMPTY):
        levels = (0.0, (2 if _is_king(contents[place : place + 1])[0] else 1) * view.disc.height_mm)
        for where, level in zip((offsets[place], tops[place]), levels, strict=True):
            rim = circles(view, (view.places_mm[place] + where)[None, :], level)
            radius = rim.radii[0] + margin_mm * view.scale
            centre = np.rint(rim.centres[0]).astype(int)
            cv2.circle(covered, (int(centre[0]), int(centre[1])), int(np.ceil(radius)), 1, -1)
    return np.asarray((covered == 0) & view.in_picture)


def _look(
    image: Floats,
    view: View,
    contents: Contents,
    which: Flags,
    tops: NDArray[np.float64],
    offsets: NDArray[np.float64],
    rough: bool,
    before: DiscLook | None,
) -> DiscLook:
    """The looks of the discs of one colour; while rough, from the middles of their faces only."""
    radius_share = 0.3 if rough else 0.93
    tones = np.zeros(len(contents))
    faces: list[NDArray[np.float32]] = []
    walls: list[NDArray[np.float32]] = []
    places = np.flatnonzero(which)
    height = view.disc.height_mm
    king = _is_king(contents)
    rows, columns = np.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    for place in places:
        level = (2 if king[place] else 1) * height
        rim = circles(view, (view.places_mm[place] + tops[place])[None, :], level)
        foot = circles(view, (view.places_mm[place] + offsets[place])[None, :], 0.0)
        middle, reach = rim.centres[0], int(rim.radii[0] * 2) + 4
        low = np.maximum(np.floor(middle).astype(int) - reach, 0)
        part = np.s_[low[1] : low[1] + 2 * reach, low[0] : low[0] + 2 * reach]
        away = np.hypot(columns[part] - middle[0], rows[part] - middle[1])
        inside = (away <= radius_share * rim.radii[0]) & view.in_picture[part]
        faces.append(image[part][inside])
        base = np.hypot(columns[part] - foot.centres[0][0], rows[part] - foot.centres[0][1])
        wall = (base < foot.radii[0] - 0.8) & (away > rim.radii[0] + 0.8) & view.in_picture[part]
        walls.append(image[part][wall & (not rough)])
    if not faces:
        assert before is not None
        return before
    means = np.array([np.median(samples, axis=0).mean() if len(samples) else np.nan for samples in faces])
    overall = float(np.nanmedian(means)) if before is None else float(before.face.mean.mean())
    logs = np.nan_to_num(np.log(np.maximum(means, 0.01) / max(overall, 0.01)))
    weights = np.zeros(len(contents))
    tones[places] = np.clip(logs, -0.7, 0.7)
    weights[places] = 1.0
    if before is not None:
        kept = ~which & (before.tone_weights > 0)
        tones[kept] = before.tones[kept]
        weights[kept] = 0.8 * before.tone_weights[kept]
    even = [samples / np.exp(tones[place]) for place, samples in zip(places, faces, strict=True)]
    face = Colour.of(np.concatenate(even).astype(np.float32))
    wall_samples = [samples / np.exp(tones[place]) for place, samples in zip(places, walls, strict=True) if len(samples)]
    enough = sum(len(samples) for samples in wall_samples) >= 60
    if enough:
        wall = Colour.of(np.concatenate(wall_samples).astype(np.float32), 0.1)
    elif before is not None:
        wall = before.wall
    else:
        wall = Colour(0.75 * face.mean, face.covariance + np.outer(face.mean, face.mean) * 0.15**2)
    if before is not None:
        face, wall = _blend(before.face, face), _blend(before.wall, wall)
    return DiscLook(face, wall, tones, weights, before.growth_px if before is not None else 0.0)


def _blend(before: Colour, now: Colour, share: float = 0.3) -> Colour:
    return Colour(
        (1 - share) * before.mean + share * now.mean, (1 - share) * before.covariance + share * now.covariance
    )


def _check(found: _Found, view: View, contents: Contents) -> None:
    """Raise CannotLearnError if the picture, as it has been learnt, contradicts what was said."""
    reading = _reading(found, view, None, _hidden_places(None, view))
    said = reading.probabilities[np.arange(len(contents)), contents]
    occupied = (contents != Content.EMPTY) != (reading.contents != Content.EMPTY)
    colour = (contents >= Content.LIGHT_MAN) != (reading.contents >= Content.LIGHT_MAN)
    wrong = np.flatnonzero((said < 0.02) & (occupied | colour) & ~reading.hidden)
    if len(wrong) > 1:
        raise CannotLearnError(
            f"The picture does not show what is said to be on the table ({len(wrong)} of {len(contents)} places look "
            "different); check the discs and which way the board is turned."
        )
