"""Finding the discs: a coarse look for where they are, neighbours told apart, a fine look for how high they stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.appearance import TableLook
from vision.bare_surface import BareSurface, bare_log_density
from vision.disc_masks import Windows
from vision.features import Evidence, disc_evidence, evidence
from vision.lighting import lighting
from vision.stack_height import Fits, Silhouettes, fit, fit_upright, moved
from vision.view import REACH_MM, Flags, Floats, Pixels, View

FINE_REACH_MM = 4.0
"""How far from where the coarse look saw it the fine look still finds a disc."""
WORTH = 0.3
"""A place is looked at closely if its best disc's score is above minus this for each mm² of a disc."""
KING_BIAS = 72.0
"""How much better (log likelihood · mm²) a king must fit than a man to be tried first."""
SHRINK = 3
"""How many times smaller than the coarse ground image the very first look is."""
_RING = np.column_stack([np.cos(np.linspace(0, 2 * np.pi, 24)), np.sin(np.linspace(0, 2 * np.pi, 24))])


@dataclass(frozen=True, eq=False)
class Found:
    """The best man and king of both colours at all places, (2, N) and (2, N, 2).

    men, kings: log likelihood against the bare surface · mm². Positions in mm from the places' centres, NaN where no
    disc was worth looking for.
    unexplained: (2, N) how much is to be taken off both.
    """

    men: NDArray[np.float64]
    kings: NDArray[np.float64]
    men_mm: NDArray[np.float64]
    bases_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]
    unexplained: NDArray[np.float64]

    def put(
        self, colour: int, places: NDArray[np.int64], fits: Fits, centres_mm: NDArray[np.float64] | float
    ) -> None:
        """Write down the fits of some places, whose windows' middles lay at `centres_mm`."""
        self.men[colour, places] = fits.men
        self.kings[colour, places] = fits.kings
        self.men_mm[colour, places] = fits.men_mm + centres_mm
        self.bases_mm[colour, places] = fits.bases_mm + centres_mm
        self.tops_mm[colour, places] = fits.tops_mm + centres_mm
        self.unexplained[colour, places] = fits.unexplained

    def best(self) -> tuple[NDArray[np.float64], NDArray[np.int64], Flags]:
        """For each place (N,) the score of the best disc, its colour and whether it is a king."""
        kings = self.kings - KING_BIAS
        both = np.maximum(self.men, kings) - self.unexplained
        colour = np.asarray(both.argmax(axis=0), dtype=np.int64)
        each = np.arange(both.shape[1])
        return both[colour, each], colour, np.asarray(kings[colour, each] > self.men[colour, each])


@lru_cache(maxsize=4)
def windows(view: View, fine: bool) -> Windows:
    """The places' windows, in the view's coarse or its fine ground image."""
    return Windows(view, FINE_REACH_MM) if fine else Windows(view.coarse, REACH_MM)


@lru_cache(maxsize=12)
def _silhouettes(view: View, fine: bool, growth_mm: float) -> Silhouettes:
    return Silhouettes(view if fine else view.coarse, windows(view, fine), growth_mm)


def ground_image(pixels: Pixels, view: View) -> Floats:
    """The ground image of a picture, BGR, 1 = white."""
    return np.asarray(view.ground(pixels), dtype=np.float32) * np.float32(1 / 255)


def find(pixels: Pixels, view: View, appearance: TableLook, hidden: Flags | None) -> Found:
    """The discs that a picture shows. hidden: (height, width) of the coarse ground image, what says nothing."""
    coarse = view.coarse
    image = ground_image(pixels, coarse)
    relight = lighting(image, coarse, appearance.references, hidden)
    image = np.asarray(cv2.multiply(image, relight), dtype=np.float32)
    signs = evidence(image, coarse, appearance, hidden)
    found = _coarse_look(signs, view, appearance)
    owners = np.zeros(image.shape[:2], np.float32)
    for everyone in (False, True):
        owners, strengths = _owners(found, coarse)
        if not _look_again(found, view, appearance, signs, owners, strengths, everyone):
            break
    _fine_look(found, pixels, view, appearance, relight, hidden, owners)
    return found


def _coarse_look(signs: Evidence, view: View, appearance: TableLook) -> Found:
    count = len(view.places_mm)
    first = _first_look(signs, view.coarse)
    nowhere = np.full((3, 2, count, 2), np.nan)
    found = Found(first.copy(), first.copy(), nowhere[0], nowhere[1], nowhere[2], np.zeros((2, count)))
    area = np.pi / 4 * view.disc.diameter_mm**2
    for colour, look in enumerate((appearance.dark, appearance.light)):
        worth = (first[colour] > -WORTH * area) & (first[colour] > first.max(axis=0) - 1.5 * area)
        places = np.flatnonzero(worth)
        if len(places):
            walls, faces = cut(signs, windows(view, False), colour, places)
            found.put(
                colour, places, fit_upright(_silhouettes(view, False, look.growth_mm), places, walls, faces), 0.0
            )
    return found


def cut(signs: Evidence, coarse: Windows, colour: int, places: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The evidence for discs and their faces in the coarse windows of some places, (K, n, n) each."""
    return coarse.cut(signs.disc[colour], places), coarse.cut(signs.face[colour], places)


def _first_look(signs: Evidence, view: View) -> NDArray[np.float64]:
    """(2, N) about the score of the best disc of each colour within each place's reach."""
    width, height = view.ground_size
    small = (width // SHRINK, height // SHRINK)
    radius = view.disc.diameter_mm / 2 * view.scale / SHRINK
    half = int(np.ceil(radius))
    steps = np.arange(-half, half + 1)
    disc = np.clip(radius + 0.5 - np.hypot(steps[:, None], steps[None, :]), 0, 1).astype(np.float32)
    reach = int(np.ceil(REACH_MM * view.scale / SHRINK)) + 1
    spots = np.rint(view.to_ground(view.places_mm, view.disc.height_mm) / SHRINK).astype(int)
    rows, columns = np.clip(spots[:, 1], 0, small[1] - 1), np.clip(spots[:, 0], 0, small[0] - 1)
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    scores = np.empty((2, len(view.places_mm)))
    for colour in (0, 1):
        either = signs.disc[colour] + np.maximum(signs.face[colour], 0)
        either = cv2.resize(either, small, interpolation=cv2.INTER_AREA)
        total = cv2.filter2D(either, -1, disc, borderType=cv2.BORDER_REPLICATE) * (SHRINK / view.scale) ** 2
        scores[colour] = np.asarray(cv2.dilate(total, around))[rows, columns]
    return scores


def _owners(found: Found, view: View) -> tuple[Floats, NDArray[np.float64]]:
    """(height, width) whose disc each ground pixel shows (1 + the place's number, 0: none), and each place's score.

    Where two want a pixel, it is the one's that would have it as a man, then the one's with the better score.
    """
    width, height = view.ground_size
    owners = np.zeros((height, width), np.float32)
    strengths, colours, is_king = found.best()
    real = np.flatnonzero((strengths > 0) & np.isfinite(found.men_mm[colours, np.arange(len(colours)), 0]))
    order = real[np.argsort(strengths[real])]
    for kings in (True, False):
        for place in order:
            if kings and not is_king[place]:
                continue
            cv2.fillConvexPoly(owners, _outline(view, int(place), found, int(colours[place]), kings), int(place) + 1)
    return owners, strengths


def _outline(view: View, place: int, found: Found, colour: int, is_king: bool) -> NDArray[np.int32]:
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


def _look_again(
    found: Found,
    view: View,
    appearance: TableLook,
    signs: Evidence,
    owners: Floats,
    strengths: NDArray[np.float64],
    everyone: bool,
) -> bool:
    """Fit again each disc that touches another, without the pixels of stronger ones, or of all others.

    False if no two touch.
    """
    tried = np.isfinite(found.men_mm[:, :, 0])
    places = np.flatnonzero(tried.any(axis=0))
    coarse = windows(view, False)
    owner = coarse.cut(owners, places).astype(np.int64)
    foreign = (owner > 0) & (owner != places[:, None, None] + 1)
    if not everyone:
        foreign &= np.append(-np.inf, strengths)[owner] > strengths[places][:, None, None]
    _, colours, _ = found.best()
    looks = (appearance.dark, appearance.light)
    near = _silhouettes(view, False, looks[0].growth_mm).neighbourhood[places]
    at = found.men_mm[colours[places], places]
    at = np.where(np.isfinite(at), at, found.men_mm[1 - colours[places], places]) * view.coarse.scale
    near = moved(near, np.rint(at[:, ::-1]).astype(np.int64))
    touched = (foreign & near).any(axis=(1, 2))
    for colour, look in enumerate(looks):
        again = touched & tried[colour, places]
        if again.any():
            walls, faces = cut(signs, coarse, colour, places[again])
            walls[foreign[again]] = 0
            faces[foreign[again]] = 0
            fits = fit_upright(_silhouettes(view, False, look.growth_mm), places[again], walls, faces)
            found.put(colour, places[again], fits, 0.0)
    return bool(touched.any())


def _fine_look(
    found: Found,
    pixels: Pixels,
    view: View,
    appearance: TableLook,
    relight: Floats,
    hidden: Flags | None,
    owners: Floats,
) -> None:
    """Fit men and kings, upright or leaning, to the fine picture of each disc found."""
    strengths, colours, is_king = found.best()
    area = np.pi / 4 * view.disc.diameter_mm**2
    fine, codes = windows(view, True), _codes(view, owners, hidden)
    for colour, look in enumerate((appearance.dark, appearance.light)):
        places = np.flatnonzero(
            (strengths > -WORTH * area) & (colours == colour) & np.isfinite(found.men_mm[colour, :, 0])
        )
        if not len(places):
            continue
        men, kings = found.men_mm[colour, places], found.bases_mm[colour, places]
        middle = np.where(is_king[places, None], kings, men)
        moves = np.rint(np.clip(middle, -REACH_MM, REACH_MM) * view.scale).astype(np.int64)
        centres_mm = moves / view.scale
        walls, faces = _fine_evidence(
            pixels, view, appearance, colour, places, moves, _light_at(relight, view, places)
        )
        shown = fine.cut(codes, places, moves)
        dumb = (shown != 0) & (shown != places[:, None, None] + 1)
        walls[dumb] = 0
        faces[dumb] = 0
        silhouettes = _silhouettes(view, True, look.growth_mm)
        found.put(
            colour,
            places,
            fit(silhouettes, places, walls, faces, kings - centres_mm, found.unexplained[colour, places]),
            centres_mm,
        )


def _light_at(relight: Floats, view: View, places: NDArray[np.int64]) -> Floats:
    """(K, 3) the change of light at some places."""
    width, height = view.coarse.ground_size
    spots = np.rint(view.coarse.to_ground(view.places_mm[places], view.disc.height_mm)).astype(int)
    light = relight[np.clip(spots[:, 1], 0, height - 1), np.clip(spots[:, 0], 0, width - 1)]
    return np.asarray(light, dtype=np.float32)


def _fine_evidence(
    pixels: Pixels,
    view: View,
    appearance: TableLook,
    colour: int,
    places: NDArray[np.int64],
    moves: NDArray[np.int64],
    light: Floats,
) -> tuple[Floats, Floats]:
    """The evidence for discs and their faces in the fine windows of some places, (K, n, n) each."""
    fine = windows(view, True)
    stacked = (len(places) * fine.size, fine.size)
    shape = (len(places), fine.size, fine.size)
    columns, rows = fine.cut(view.ground_pixels, places, moves).reshape(2, *stacked)
    sampled = cv2.remap(pixels, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    image = (sampled.reshape(*shape, 3) * (light / np.float32(255))[:, None, None, :]).reshape(*stacked, 3)
    surface = BareSurface.of_planes(fine.cut(appearance.fine.bare.planes, places, moves).reshape(-1, *stacked))
    spots = np.rint(view.to_ground(view.places_mm[places], view.disc.height_mm)).astype(int)
    tone = 1 / appearance.fine.fields[colour, spots[:, 1], spots[:, 0]]
    evenly_lit = np.asarray(image * np.repeat(tone, fine.size)[:, None, None], dtype=np.float32)
    look = (appearance.dark, appearance.light)[colour]
    discs, faces = disc_evidence(evenly_lit, bare_log_density(image, surface), look)
    return discs.reshape(shape), faces.reshape(shape)


def _codes(view: View, owners: Floats, hidden: Flags | None) -> Floats:
    """(height, width) of the fine ground image: 1 + the number of the place whose disc is there, 0 for none, -1 where
    something hides the table or the picture ends."""
    bad = view.coarse.out_of_picture if hidden is None else hidden | view.coarse.out_of_picture
    codes = np.where(bad, np.float32(-1), owners)
    # both ground images start at the same point: pixel i of the fine one is pixel i · ratio of the coarse one
    ratio = view.coarse.scale / view.scale
    shrink = np.array([[ratio, 0, 0], [0, ratio, 0]])
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
    fine = cv2.warpAffine(codes, shrink, view.ground_size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(fine, dtype=np.float32)
