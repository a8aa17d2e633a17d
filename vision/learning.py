"""Learning how a table looks from a picture whose contents are known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import DiscLook, GroundLook, TableLook
from vision.bare_surface import complete_surface, renewed_surface
from vision.colour import Colour
from vision.disc_masks import circles
from vision.errors import CannotLearnError
from vision.features import evidence
from vision.learnt_discs import Found, cut, find, ground_image, windows
from vision.lighting import lighting, reference_colours
from vision.probabilities import reading_of, scores_of
from vision.reading import Content, Reading
from vision.stack_height import growth
from vision.view import REACH_MM, Flags, Floats, Pixels, View

Contents = NDArray[np.int64]
UNKNOWN = -1
"""In place of a Content: nobody knows what the place holds."""

SURE = 0.95
"""What places of unknown content are read to hold with at least this probability is learnt from, too."""
KING_BIAS_STEP = 60.0
KING_BIAS_RANGE = (72.0, 600.0)
"""The bias against kings is so much above what the second best king among known men gains, within these bounds."""
BARE_MARGIN_MM = 2.0
"""How far around a disc the surface is not taken for bare: its contact shadow lies there."""


def first_look(pixels: Pixels, view: View, contents: Contents) -> TableLook:
    """The look from one picture whose contents (N,) are known.

    Learnt roughly from the middles of the discs' faces, then twice from where the discs were found.

    Raises:
        CannotLearnError: discs of one colour are lacking.
    """
    if not all(which.any() for which in _colours(contents)):
        raise CannotLearnError(
            "The looks of the discs cannot be learnt from a board without discs of both colours; "
            "set up the starting position."
        )
    coarse, fine = ground_image(pixels, view.coarse), ground_image(pixels, view)
    references = reference_colours(coarse, view.coarse)
    offsets = tops = np.zeros_like(view.places_mm)
    for step in range(3):
        rough = step == 0
        looks = [_look(fine, view, contents, which, tops, offsets, rough, None) for which in _colours(contents)]
        grounds = []
        for image, scaled in ((coarse, view.coarse), (fine, view)):
            bare = _bare(scaled, contents, offsets, tops, REACH_MM if rough else BARE_MARGIN_MM)
            fields = np.stack([look.field(scaled) for look in looks])
            grounds.append(GroundLook(*complete_surface(image, bare, scaled), fields))
        appearance = TableLook(references, grounds[0], grounds[1], looks[0], looks[1])
        if not rough:
            appearance = _measured_growth(coarse, view, appearance, contents, offsets)
        found = find(pixels, view, appearance, None)
        nowhere = np.full_like(view.places_mm, np.nan)
        none_hidden = np.zeros(len(contents), dtype=np.bool_)
        reading = reading_of(scores_of(found, view, appearance), None, nowhere, nowhere, none_hidden)
        contents = np.where((contents == UNKNOWN) & (reading.confidence > SURE), reading.contents, contents)
        offsets, tops = positions(found, contents)
    return _measured_bias(appearance, found, contents)


def next_look(pixels: Pixels, view: View, contents: Contents, before: TableLook, reading: Reading) -> TableLook:
    """The look after one more picture in which discs were read where they lie; what has been learnt counts most."""
    offsets, tops = np.nan_to_num(reading.offsets_mm), np.nan_to_num(reading.tops_mm)
    images = []
    for scaled in (view.coarse, view):
        image = ground_image(pixels, scaled)
        light = lighting(image, scaled, before.references)
        images.append(np.asarray(cv2.multiply(image, light), dtype=np.float32))
    looks = [
        _look(images[1], view, contents, which, tops, offsets, False, earlier)
        for which, earlier in zip(_colours(contents), (before.dark, before.light), strict=True)
    ]
    grounds = []
    for image, scaled, old in zip(images, (view.coarse, view), (before.coarse, before.fine), strict=True):
        bare = _bare(scaled, contents, offsets, tops, BARE_MARGIN_MM)
        surface = renewed_surface(image, bare, old.surface, old.deviation, old.seen)
        grounds.append(GroundLook(*surface, np.stack([look.field(scaled) for look in looks])))
    return TableLook(before.references, grounds[0], grounds[1], looks[0], looks[1])


def _colours(contents: Contents) -> tuple[Flags, Flags]:
    """(N,) each: where dark, and where light discs lie."""
    dark = (contents == Content.DARK_MAN) | (contents == Content.DARK_KING)
    return np.asarray(dark), np.asarray((contents == Content.LIGHT_MAN) | (contents == Content.LIGHT_KING))


def _measured_bias(appearance: TableLook, found: Found, contents: Contents) -> TableLook:
    """The appearance with the bias against kings set by how well kings fit those known to be men."""
    looks = []
    for colour, (look, man) in enumerate(
        ((appearance.dark, Content.DARK_MAN), (appearance.light, Content.LIGHT_MAN))
    ):
        margins = (found.kings - found.men)[colour, contents == man]
        margins = np.sort(margins[np.isfinite(margins)])
        usual = float(margins[-2]) if len(margins) > 2 else look.king_bias - KING_BIAS_STEP
        looks.append(replace(look, king_bias=float(np.clip(usual + KING_BIAS_STEP, *KING_BIAS_RANGE))))
    return replace(appearance, dark=looks[0], light=looks[1])


def _measured_growth(
    image: Floats, view: View, appearance: TableLook, contents: Contents, offsets: NDArray[np.float64]
) -> TableLook:
    """The appearance with the discs' apparent growth measured on those known to lie single in the picture."""
    coarse = windows(view, False)
    signs = evidence(image, view.coarse, appearance)
    looks = []
    for colour, (look, man) in enumerate(
        ((appearance.dark, Content.DARK_MAN), (appearance.light, Content.LIGHT_MAN))
    ):
        places = np.flatnonzero(contents == man)
        grown = look.growth_mm
        if len(places):
            grown = growth(view.coarse, coarse, places, offsets[places], *cut(signs, coarse, colour, places))
        looks.append(replace(look, growth_mm=grown))
    return replace(appearance, dark=looks[0], light=looks[1])


def _is_king(contents: Contents) -> Flags:
    return np.asarray((contents == Content.DARK_KING) | (contents == Content.LIGHT_KING))


def positions(found: Found, contents: Contents) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the discs known to be there lie: offsets of bases and tops (N, 2), mm; 0 where none was found."""
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
    wall_samples = [
        samples / np.exp(tones[place]) for place, samples in zip(places, walls, strict=True) if len(samples)
    ]
    enough = sum(len(samples) for samples in wall_samples) >= 60
    if enough:
        wall = Colour.of(np.concatenate(wall_samples).astype(np.float32), 0.1)
    elif before is not None:
        wall = before.wall
    else:
        wall = Colour(0.75 * face.mean, face.covariance + np.outer(face.mean, face.mean) * 0.15**2)
    if before is None:
        return DiscLook(face, wall, tones, weights)
    return DiscLook(
        _blend(before.face, face), _blend(before.wall, wall), tones, weights, before.growth_mm, before.king_bias
    )


def _blend(before: Colour, now: Colour, share: float = 0.3) -> Colour:
    return Colour(
        (1 - share) * before.mean + share * now.mean, (1 - share) * before.covariance + share * now.covariance
    )
