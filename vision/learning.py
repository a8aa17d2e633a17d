"""Learning how a table looks from a picture whose contents are known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import Appearance, DiscLook, GroundLook
from vision.bare_surface import complete_surface
from vision.colour import Colour
from vision.disc_masks import circles
from vision.learnt_discs import Found, cut, find, ground_image, windows
from vision.errors import CannotLearnError
from vision.features import evidence
from vision.lighting import lighting, reference_colours
from vision.reading import Content
from vision.stack_height import growth
from vision.view import REACH_MM, Flags, Floats, Pixels, View

Contents = NDArray[np.int64]

BARE_MARGIN_MM = 2.0
"""How far around a disc the surface is not taken for bare: its contact shadow lies there."""


def learn_from(pixels: Pixels, view: View, contents: Contents, before: Appearance | None) -> Appearance:
    """The appearance after a picture with known contents (N,); from that picture alone if there is none before.

    Raises:
        CannotLearnError: neither the picture nor `before` shows discs of both colours.
    """
    dark = (contents == Content.DARK_MAN) | (contents == Content.DARK_KING)
    light = (contents == Content.LIGHT_MAN) | (contents == Content.LIGHT_KING)
    if before is None and not (dark.any() and light.any()):
        raise CannotLearnError(
            "The looks of the discs cannot be learnt from a board without discs of both colours; "
            "set up the starting position."
        )
    images = [ground_image(pixels, view.coarse), ground_image(pixels, view)]
    if before is None:
        references = reference_colours(images[0], view.coarse)
        offsets = tops = np.zeros_like(view.places_mm)
    else:
        references = before.references
        images = [
            np.asarray(cv2.multiply(image, lighting(image, scaled, references)), dtype=np.float32)
            for image, scaled in zip(images, (view.coarse, view), strict=True)
        ]
        offsets, tops = positions(find(pixels, view, before, None), contents)
    appearance = before
    for rough in (True, False, False) if before is None else (False,):
        looks = [
            _look(images[1], view, contents, which, tops, offsets, rough, earlier)
            for which, earlier in ((dark, before.dark if before else None), (light, before.light if before else None))
        ]
        grounds = []
        for image, scaled, old in zip(
            images, (view.coarse, view), (before.coarse, before.fine) if before else (None, None), strict=True
        ):
            bare = _bare(scaled, contents, offsets, tops, REACH_MM if rough else BARE_MARGIN_MM)
            surface = complete_surface(image, bare, scaled, (old.surface, old.seen) if old else None)
            grounds.append(GroundLook(*surface, np.stack([look.field(scaled) for look in looks])))
        appearance = Appearance(references, grounds[0], grounds[1], looks[0], looks[1])
        if not rough:
            appearance = _measured_growth(images[0], view, appearance, contents, offsets)
        if before is None:
            offsets, tops = positions(find(pixels, view, appearance, None), contents)
    assert appearance is not None
    return appearance


def _measured_growth(
    image: Floats, view: View, appearance: Appearance, contents: Contents, offsets: NDArray[np.float64]
) -> Appearance:
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
    if before is not None:
        face, wall = _blend(before.face, face), _blend(before.wall, wall)
    return DiscLook(face, wall, tones, weights, before.growth_mm if before is not None else 0.0)


def _blend(before: Colour, now: Colour, share: float = 0.3) -> Colour:
    return Colour(
        (1 - share) * before.mean + share * now.mean, (1 - share) * before.covariance + share * now.covariance
    )
