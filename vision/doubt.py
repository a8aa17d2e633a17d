"""Why a place of the table cannot be read well: something hides it, glare, darkness, a shadow's edge."""

from __future__ import annotations

from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.view import BOARD_SQUARES, Flags, Floats, Pixels, View

HIDDEN_SHARE = 0.25
"""A place of which more than this is hidden, or outside the picture, is not read."""
BURNT_OUT = 250
"""Grey level from which a channel shows nothing any more; glare burns out all three."""
BURNT_SHARE = 0.1
"""So much of a place burnt out is glare on it."""
WASHED_OUT = 0.55
"""The contrast (natural logarithm) of a dark square and its light neighbours, as a part of what is usual,
below which something is mirrored there: light that is added takes contrast away, a brighter lamp does not."""
LEAST_CONTRAST = 0.3
"""Contrast of a board (natural logarithm) from which it can be told that it is washed out somewhere."""
BRIGHT_AS = 1.4
"""Glare makes a dark square so many times brighter than they usually are, or more."""
DARKEST = 22.0
"""Grey level of the lightest things around a place below which it is too dark."""
LEAST_SIGNAL = 1.2
"""Difference of light and dark around a place, in standard deviations of one pixel's noise, below which it is."""
EDGE = 0.22
"""A step in a bare square (natural logarithm of brightness) from which a shadow ends there."""
GRAIN_MM = 5.0
"""Over so much a bare square is smoothed before it is searched for steps."""


class Doubt(Enum):
    """Why a place cannot be read well, the graver ones first; the values are words for people."""

    OUT_OF_PICTURE = "outside the picture"
    HIDDEN = "hidden"
    GLARE = "glare"
    TOO_DARK = "too dark"
    SHADOW_EDGE = "a shadow's edge"
    NONE = ""


def doubts(
    pixels: Pixels, view: View, obstructed: Flags | None = None, bare: Flags | None = None
) -> tuple[Doubt, ...]:
    """For each of the view's N places, what keeps it from being read well; Doubt.NONE where nothing is known to.

    It says nothing about whether a place could be read all the same: ask it about places that could not.

    pixels: (height, width, 3) BGR, of the view's camera. obstructed: (height, width) of the picture or any smaller
    size of the same shape: where something hides the table. bare: (N,) places known to be empty; with the squares
    that are no place they show where a shadow ends.
    """
    ground = view.coarse
    image = ground.ground(pixels)
    count = len(view.places_mm)
    found = np.full(count, Doubt.NONE, dtype=object)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    levels = _Levels(grey, ground)
    edges = levels.steps > EDGE
    known_bare = np.zeros(count, dtype=np.bool_) if bare is None else bare
    found[_shadow_edges(edges, known_bare, ground)] = Doubt.SHADOW_EDGE
    found[_too_dark(levels, _noise(pixels), ground, grey)] = Doubt.TOO_DARK
    found[_glare(image, levels, ground)] = Doubt.GLARE
    if obstructed is not None and obstructed.any():
        width, height = view.camera.size
        full = cv2.resize(obstructed.astype(np.uint8) * 255, (width, height), interpolation=cv2.INTER_NEAREST)
        hidden = ground.ground(np.asarray(full, dtype=np.uint8)) > 127
        found[_share(np.asarray(hidden), ground, BASE_AND_TOP) > HIDDEN_SHARE] = Doubt.HIDDEN
    found[_share(ground.out_of_picture, ground, BASE_AND_TOP) > HIDDEN_SHARE] = Doubt.OUT_OF_PICTURE
    return tuple(found)


BASE_AND_TOP = (0.0, 1.0)
"""Heights, in discs, at which a place is looked at."""


class _Levels:
    """How bright the 64 squares are, [row, column] from the board frame's origin, and how uneven; NaN where the
    picture does not show them.

    dark: what a twelfth of a square is darker than: the surface beside any lighter disc. light: what a fifth is
    lighter than. steps: how much brighter (natural logarithm) a sixth of it is than another.
    """

    def __init__(self, grey: Floats, view: View) -> None:
        side = view.square_mm * view.scale
        smooth = cv2.GaussianBlur(grey, (0, 0), max(0.8, GRAIN_MM * view.scale / 2))
        shape = (BOARD_SQUARES, BOARD_SQUARES)
        self.dark, self.light, self.steps = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape)
        shown = view.in_picture
        for row, column in np.ndindex(shape):
            corner = view.to_ground(np.array([column + 0.1, row + 0.1]) * view.square_mm)[0]
            left, top = (max(0, round(float(value))) for value in corner)
            cut = (slice(top, top + round(0.8 * side)), slice(left, left + round(0.8 * side)))
            if not shown[cut].size or shown[cut].mean() < 1 - HIDDEN_SHARE:
                continue
            values = np.sort(smooth[cut], axis=None)
            dim, low, bright, high = (float(values[int(part * len(values))]) for part in (0.08, 0.16, 0.8, 0.84))
            self.dark[row, column], self.light[row, column] = dim, bright
            self.steps[row, column] = np.log((high + 4) / (low + 4))


_PARITY = np.add.outer(np.arange(BOARD_SQUARES), np.arange(BOARD_SQUARES)) % 2


def _median(values: NDArray[np.float64]) -> float:
    finite = np.asarray(values)[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else float("nan")


def _square_of(view: View) -> NDArray[np.int64]:
    """(N, 2) row and column of the square that each place is on; -1 beside the board."""
    cells = np.floor(view.places_mm[:, ::-1] / view.square_mm).astype(np.int64)
    cells[~np.all((cells >= 0) & (cells < BOARD_SQUARES), axis=1)] = -1
    return cells


def _shadow_edges(edges: Flags, bare: Flags, view: View) -> Flags:
    """(N,) a bare place crossed by an edge, or one between two bare squares that are."""
    squares = _square_of(view)
    visible = np.ones((BOARD_SQUARES, BOARD_SQUARES), dtype=np.bool_)
    for (row, column), empty in zip(squares, bare, strict=True):
        if row >= 0:
            visible[row, column] = empty
    crossed = np.pad(edges & visible, 1)
    found = np.zeros(len(squares), dtype=np.bool_)
    for place, (row, column) in enumerate(squares):
        if row < 0:
            continue
        near = crossed[row : row + 3, column : column + 3]
        beside = int(near[0, 1]) + int(near[1, 0]) + int(near[1, 2]) + int(near[2, 1])
        found[place] = bool(near[1, 1]) or beside >= 2
    return found


def _too_dark(levels: _Levels, noise: float, view: View, grey: Floats) -> Flags:
    found = np.zeros(len(view.places_mm), dtype=np.bool_)
    spots = np.rint(view.to_ground(view.places_mm)).astype(int)
    reach = round(view.square_mm / 2 * view.scale)
    for place, (row, column) in enumerate(_square_of(view)):
        if row < 0:
            x, y = spots[place]
            around = grey[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach]
            found[place] = around.size > 0 and float(np.percentile(around, 95)) < DARKEST
            continue
        near = (slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2))
        if np.isfinite(levels.light[near]).any():
            light, dark = float(np.nanmax(levels.light[near])), float(np.nanmin(levels.dark[near]))
            found[place] = light < DARKEST or light - dark < LEAST_SIGNAL * noise
    return found


def _glare(image: Pixels, levels: _Levels, view: View) -> Flags:
    burnt = np.asarray(image.min(axis=2) >= BURNT_OUT)
    found = _share(burnt, view, BASE_AND_TOP) > BURNT_SHARE
    washed = np.pad(_washed_out(levels), 1)
    for place, (row, column) in enumerate(_square_of(view)):
        if row >= 0:
            near = washed[row : row + 3, column : column + 3]
            beside = int(near[0, 1]) + int(near[1, 0]) + int(near[1, 2]) + int(near[2, 1])
            found[place] |= bool(near[1, 1]) or beside >= 2
    return found


def _washed_out(levels: _Levels) -> Flags:
    """(8, 8) which dark squares something bright is mirrored in."""
    tones = [_median(levels.light[kind == _PARITY]) for kind in (0, 1)]
    dark_ones = int(tones[1] < tones[0]) == _PARITY
    lights = np.pad(np.where(dark_ones, np.nan, levels.light), 1, constant_values=np.nan)
    beside = np.stack([lights[:-2, 1:-1], lights[2:, 1:-1], lights[1:-1, :-2], lights[1:-1, 2:]])
    known = np.isfinite(beside)
    light = np.where(known, beside, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    contrast = np.where(dark_ones & known.any(axis=0), np.log((light + 2) / (levels.dark + 2)), np.nan)
    usual, usual_dark = _median(contrast), _median(np.where(dark_ones, levels.dark, np.nan))
    if not usual > LEAST_CONTRAST:
        return np.zeros_like(dark_ones)
    with np.errstate(invalid="ignore"):
        return np.asarray((contrast < WASHED_OUT * usual) & (levels.dark > BRIGHT_AS * usual_dark))


def _share(points: Flags, view: View, heights: tuple[float, ...]) -> NDArray[np.float64]:
    """(N,) the largest share of a disc on each place, of one of these heights, that shows such ground points."""
    share = np.zeros(len(view.places_mm))
    if not points.any():
        return share
    radius = max(1, round(view.disc.diameter_mm / 2 * view.scale))
    sums = cv2.blur(points.astype(np.float32), (2 * radius + 1, 2 * radius + 1))
    rows, columns = sums.shape
    for height in heights:
        spots = np.rint(view.to_ground(view.places_mm, height * view.disc.height_mm)).astype(int)
        x, y = np.clip(spots[:, 0], 0, columns - 1), np.clip(spots[:, 1], 0, rows - 1)
        share = np.maximum(share, sums[y, x])
    return share


def _noise(pixels: Pixels) -> float:
    """Standard deviation of a pixel's noise, grey levels, from what neither edges nor slopes explain.

    After J. Immerkær, Fast Noise Variance Estimation (1996), with the median for the mean, which edges would raise.
    """
    green = np.asarray(pixels[::4, :, 1], dtype=np.float32)
    across = np.array([[1.0, -2.0, 1.0]], np.float32)
    rough = cv2.filter2D(green, -1, across)
    return float(np.median(np.abs(rough))) / (0.6745 * float(np.sqrt(6.0)))
