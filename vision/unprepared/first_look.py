"""Where discs lie on a board of which nothing is known: round shapes of one size, and what colour their faces are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.sampling import Image
from vision.unprepared.colour_groups import two_groups
from vision.unprepared.round_shapes import edge_directions, roundness
from vision.view import View

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SQUARES = 64
FADING = 8.0
"""Grey levels added before the logarithm: below them there is noise rather than contrast."""

_RADII_MM = np.arange(8, 21)
_REACH_MM = 7.0
_ROUND = 0.51
"""Roundness at which disc and no disc are equally likely, where empty squares have the usual one."""
_USUAL = 0.35
_OFF_COLOUR_MARGIN = 0.2
"""How much rounder it must look on a square of the colour that is not played on."""
_CLEARLY = 0.08
_CLEAR_LOGIT = 2.0
_ROUND_WEIGHT = 25.0
"""Log odds a unit of roundness."""
_MOST_BY_COLOUR = 4.0
_MOST_BY_UNLIKENESS = 2.5
_ANY_COLOUR = -0.5
"""Log density of a colour of which nothing is known."""
_COLOUR_DEVIATION = 0.06
"""By how much (natural logarithm) colours of like things differ at least."""


@dataclass(frozen=True, eq=False)
class Discs:
    """What was found on the 64 squares, row by row from the top left as seen.

    log_odds: (64,) that a disc lies there. light: (64,) whether it is of the lighter colour. faces: (64, 2) px of the
    ground image, the likeliest centre of a face. radius_mm: of the faces. two_colours: whether there are two.
    parity: (row + column) % 2 of the squares that are played on.
    """

    log_odds: Floats
    light: Flags
    faces: Floats
    radius_mm: float
    two_colours: bool
    parity: int

    @property
    def occupied(self) -> Flags:
        """(64,) whether a disc lies there rather than not."""
        return np.asarray(self.log_odds > 0)


def parities() -> NDArray[np.int64]:
    """(64,) (row + column) % 2 of each square."""
    index = np.arange(SQUARES)
    return np.asarray((index // 8 + index % 8) % 2)


def logarithmic(ground: NDArray[np.uint8]) -> Image:
    """A ground image on the scale on which shade and light change all contrasts alike."""
    return np.asarray(np.log(ground.astype(np.float32) + np.float32(FADING)), dtype=np.float32)


def find_discs(image: Image, view: View, heights_mm: tuple[float, float]) -> Discs:
    """Discs on the squares of a ground image (logarithmic) whose faces may lie between two heights."""
    maps = roundness(edge_directions(image), _RADII_MM * view.scale)
    radius, round_by, centres = _roundest(maps, view, heights_mm)
    parity_of = parities()
    excess = np.clip(round_by - _ROUND, 0, None)
    parity = int(excess[parity_of == 1].sum() > excess[parity_of == 0].sum())
    colours = face_colours(image, centres, 0.6 * radius * view.scale)
    expected = np.where(parity_of == parity, _ROUND, _ROUND + _OFF_COLOUR_MARGIN)
    by_shape = (round_by - expected) * _ROUND_WEIGHT
    certain, bare = round_by > expected + _CLEARLY, round_by < expected - _CLEARLY
    odds = by_shape
    for _ in range(3):
        relative = colours - lighting_of_squares(image, view, odds > 0)
        odds = by_shape + _colour_evidence(relative, certain, bare)
        certain, bare = odds > _CLEAR_LOGIT, odds < -_CLEAR_LOGIT
    places = np.flatnonzero(odds > 0)
    groups, two = two_groups((colours - lighting_of_squares(image, view, odds > 0))[places])
    light = np.zeros(SQUARES, dtype=bool)
    light[places] = groups
    return Discs(odds, light, centres, radius, two, parity)


def refined_faces(
    directions: tuple[Image, Image], view: View, discs: Discs, heights_mm: tuple[float, float]
) -> tuple[float, Floats]:
    """The faces' radius (mm) to half a mm or so, and their centres (64, 2), by the edges of a finer ground image."""
    radii = np.arange(max(6.0, discs.radius_mm - 1.5), discs.radius_mm + 1.6, 0.5)
    best, centres = _best_around(roundness(directions, radii * view.scale), view, heights_mm)
    curve = best[:, discs.occupied].mean(axis=1) if discs.occupied.any() else best.mean(axis=1)
    padded = np.concatenate([[-np.inf], curve, [-np.inf]])
    peaks = (curve >= padded[:-2]) & (curve >= padded[2:])
    # Ridges on the faces are circles too: the rim is the outermost that is as plain as the plainest.
    chosen = int(np.flatnonzero(peaks & (curve >= 0.965 * curve.max())).max())
    return float(radii[chosen]), centres[chosen]


def bare_board(image: Image, view: View, occupied: Flags) -> Image:
    """The ground image as it would be without discs, from the colours of the empty squares and the light on them."""
    tones = lighting_of_squares(image, view, occupied).reshape(8, 8, 3)[::-1]
    colours = face_colours(image, view.to_ground(view.places_mm), 0.3 * view.square_mm * view.scale)
    parity_of = parities()
    bases = np.zeros((2, 3))
    for parity in (0, 1):
        chosen = (parity_of == parity) & ~occupied
        bases[parity] = np.median(colours[chosen if chosen.any() else parity_of == parity], axis=0)
    height, width = image.shape[:2]
    across = (np.arange(width) / view.scale + view.origin_mm[0]) / view.square_mm
    up = (np.arange(height) / view.scale + view.origin_mm[1]) / view.square_mm
    column, row = np.floor(across).astype(int), np.floor(up).astype(int)
    pattern = ((7 - row)[:, None] + column[None, :]) % 2
    return np.asarray(_spread(tones, across, up) + bases[pattern], dtype=np.float32)


def face_colours(image: Image, centres: Floats, radius: float) -> Floats:
    """(K, 3) the median colour within circles around the centres (K, 2) px."""
    half = int(np.ceil(radius))
    row, column = np.mgrid[-half : half + 1, -half : half + 1]
    inside = np.hypot(row, column) <= radius
    middle = np.rint(centres).astype(int)
    rows = np.clip(row[inside] + middle[:, 1, None], 0, image.shape[0] - 1)
    columns = np.clip(column[inside] + middle[:, 0, None], 0, image.shape[1] - 1)
    return np.asarray(np.median(image[rows, columns], axis=1), dtype=np.float64)


def lighting_of_squares(image: Image, view: View, occupied: Flags) -> Floats:
    """(64, 3) how each square is lit (logarithm), from the empty squares around it."""
    tones = face_colours(image, view.to_ground(view.places_mm), 0.3 * view.square_mm * view.scale)
    parity_of = parities()
    relative = np.zeros_like(tones)
    for parity in (0, 1):
        same = (parity_of == parity) & ~occupied
        if same.any():
            relative[parity_of == parity] = tones[parity_of == parity] - np.median(tones[same], axis=0)
    away = np.linalg.norm(view.places_mm[:, None] - view.places_mm[None], axis=2) / view.square_mm
    weight = np.exp(-0.5 * (away / 1.2) ** 2) * ~occupied
    return np.asarray(weight @ relative / (weight.sum(axis=1, keepdims=True) + 0.3))


def _spread(values: Floats, across: Floats, up: Floats) -> Floats:
    """Values (8, 8, 3) at the squares' centres, linear between them and constant beyond; (height, width, 3)."""

    def weights(positions: Floats) -> Floats:
        place = np.clip(positions - 0.5, 0, 7)
        return np.asarray(np.clip(1 - np.abs(place[:, None] - np.arange(8)), 0, 1), dtype=np.float64)

    return np.asarray(np.einsum("yr,xc,rcb->yxb", weights(up), weights(across), values, optimize=True))


def _roundest(maps: NDArray[np.float32], view: View, heights_mm: tuple[float, float]) -> tuple[float, Floats, Floats]:
    """The discs' radius (mm), how round each square (64,) looks at that size, and where roundest (64, 2) px."""
    best, centres = _best_around(maps, view, heights_mm)
    # Most squares are empty; large circles run along the squares' own edges for a part of their way.
    usual = np.median(best, axis=1, keepdims=True)
    best = best - np.maximum(usual - _USUAL, 0)
    votes = np.clip(best - _ROUND, 0, None).sum(axis=1)
    chosen = int(np.flatnonzero(votes >= 0.97 * votes.max()).max())
    near = slice(max(0, chosen - 2), chosen + 2)
    which = best[near].argmax(axis=0) + near.start
    each = np.arange(best.shape[1])
    return float(_RADII_MM[chosen]), best[which, each], centres[which, each]


def _best_around(maps: NDArray[np.float32], view: View, heights_mm: tuple[float, float]) -> tuple[Floats, Floats]:
    """(R, 64) the roundest spot within reach of each square for each radius, and where it is: (R, 64, 2) px."""
    low_end, high_end = (view.to_ground(view.places_mm, height) for height in heights_mm)
    reach = round(_REACH_MM * view.scale)
    height, width = maps.shape[1:]
    low = np.clip(np.rint(np.minimum(low_end, high_end)).astype(int) - reach, 0, [width - 1, height - 1])
    high = np.rint(np.maximum(low_end, high_end)).astype(int) + reach + 1
    best = np.zeros((len(maps), len(low)))
    where = np.zeros((len(maps), len(low), 2))
    for place in range(len(low)):
        part = maps[:, low[place, 1] : high[place, 1], low[place, 0] : high[place, 0]]
        flat = part.reshape(len(maps), -1)
        index = flat.argmax(axis=1)
        best[:, place] = flat[np.arange(len(maps)), index]
        row, column = np.unravel_index(index, part.shape[1:])
        where[:, place] = np.column_stack([column, row]) + low[place]
    return best, where


def _colour_evidence(colours: Floats, certain: Flags, bare: Flags) -> Floats:
    """(64,) log odds for a disc from the colour in the middle, by the squares that are certain."""
    groups, two = two_groups(colours[certain])
    discs = [colours[certain][groups == group] for group in ((False, True) if two else (False,))]
    with_disc = np.full(SQUARES, -np.inf)
    for samples in discs:
        if len(samples) >= 2:
            with_disc = np.maximum(with_disc, _log_density(colours, samples))
    odds = np.zeros(SQUARES)
    parity_of = parities()
    for parity in (0, 1):
        samples = colours[bare & (parity_of == parity)]
        if len(samples) >= 3:
            mine = parity_of == parity
            without = _log_density(colours, samples)[mine]
            known = np.clip(with_disc[mine] - without, -_MOST_BY_COLOUR, _MOST_BY_COLOUR)
            # What is like nothing known may be a disc of a colour not met yet, or glare.
            other = np.clip(_ANY_COLOUR - without, -_MOST_BY_COLOUR, _MOST_BY_UNLIKENESS)
            odds[mine] = np.maximum(known, other)
    return odds


def _log_density(colours: Floats, samples: Floats) -> Floats:
    """(N,) log density of colours under the normal distribution of some samples, with room for unlike ones."""
    spread = np.cov(samples.T) if len(samples) > 3 else np.zeros((3, 3))
    covariance = spread + np.eye(3) * _COLOUR_DEVIATION**2
    away = colours - samples.mean(axis=0)
    squares = np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away)
    return np.asarray(-0.5 * np.minimum(squares, 40) - 0.5 * np.log(np.linalg.det(covariance)))
