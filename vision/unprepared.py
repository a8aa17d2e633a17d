"""Reading a board of which nothing is known but the picture: neither the discs' size nor anyone's colours.

Round shapes of one size show where discs lie; the colours of their faces fall into two groups. With that the table's
appearance is learnt from the very picture, and the reader that plays (vision.reader) reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.errors import CannotLearnError
from vision.finder import FoundBoard
from vision.pose import camera_from_grid
from vision.reader import learn, read
from vision.reading import Content, Reading
from vision.round_shapes import edge_directions, roundness
from vision.view import View

SQUARE_MM = 40.0
"""The board's own unit is the square; only proportions matter here."""
LETTERS = ".dDlL"
"""One letter for each Content."""
UNSURE = "?"

_SQUARE_PX = 56.0
"""Squares in the picture that is read: larger ones show nothing more."""
_GUESSED_DISC = DiscSize(30.0, 8.0)
_HEIGHT_SHARE = 0.26
"""A disc's height as a part of its diameter: usual are 0.2 to 0.32."""
_RADII_MM = np.arange(8, 21)
_SEARCH_MM = 7
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
_COLOUR_DEVIATION = 0.06
"""By how much (natural logarithm) colours of like things differ at least."""
_SURE = 0.8
"""Readings less probable than this are called unsure."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoardReading:
    """What the 64 squares hold, row by row from the top left as seen.

    view: the squares in the same order as places, seen in a picture `scale` times the size of the one that was read.
    reading: 64 places. unsure: (64,) squares of which the picture does not tell enough.
    """

    view: View
    scale: float
    reading: Reading
    unsure: NDArray[np.bool_]

    @property
    def rows(self) -> list[str]:
        """Eight rows of eight letters: '.' empty, d D dark man and king, l L light man and king, '?' unsure."""
        letters = [
            UNSURE if doubt or hidden else LETTERS[content]
            for content, doubt, hidden in zip(self.reading.contents, self.unsure, self.reading.hidden, strict=True)
        ]
        return ["".join(letters[8 * row : 8 * row + 8]) for row in range(8)]


@dataclass(frozen=True, eq=False)
class _Guess:
    """First look: occupied (64,), light (64,) colour group, log odds of a disc (64,), the discs' radius in mm."""

    occupied: NDArray[np.bool_]
    light: NDArray[np.bool_]
    logit: Floats
    radius_mm: float
    two_colours: bool
    parity: int


def read_board(pixels: NDArray[np.uint8], board: FoundBoard) -> BoardReading:
    """Read the squares of a board found in a BGR picture."""
    small, grid, scale = _reduced(pixels, board)
    size = (small.shape[1], small.shape[0])
    camera = camera_from_grid(grid, size, SQUARE_MM, board.bend)
    view = View(camera, _centres(), SQUARE_MM, _GUESSED_DISC)
    guess = _first_look(small, view)
    return _read_with(small, camera, view, guess, scale)


def _centres() -> Floats:
    columns, rows = np.meshgrid(np.arange(8), np.arange(8))
    return np.column_stack([(columns.ravel() + 0.5) * SQUARE_MM, (7.5 - rows.ravel()) * SQUARE_MM])


def _reduced(pixels: NDArray[np.uint8], board: FoundBoard) -> tuple[NDArray[np.uint8], Floats, float]:
    """The picture made small enough, the grid in it, and its scale."""
    sides = np.hypot(*(board.corners - np.roll(board.corners, 1, axis=0)).T)
    scale = min(1.0, _SQUARE_PX / (float(sides.max()) / 8))
    if scale == 1:
        return pixels, board.grid, 1.0
    small = np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    ratio = np.array([small.shape[1] / pixels.shape[1], small.shape[0] / pixels.shape[0]])
    return small, (board.grid + 0.5) * ratio - 0.5, scale


def _first_look(pixels: NDArray[np.uint8], view: View) -> _Guess:
    ground = view.ground(pixels).astype(np.float32)
    image = np.log(ground + 8)
    maps = roundness(edge_directions(image), _RADII_MM * view.scale)
    radius, round_by, centres = _roundest(maps, view)
    parities = (np.arange(64) // 8 + np.arange(64) % 8) % 2
    excess = np.clip(round_by - _ROUND, 0, None)
    parity = int(excess[parities == 1].sum() > excess[parities == 0].sum())
    colours = _face_colours(image, centres, 0.6 * radius * view.scale)
    expected = np.where(parities == parity, _ROUND, _ROUND + _OFF_COLOUR_MARGIN)
    certain = round_by > expected + _CLEARLY
    bare = round_by < expected - _CLEARLY
    logit = (round_by - expected) * _ROUND_WEIGHT
    occupied = logit > 0
    if certain.sum() >= 2:
        for _ in range(2):
            relative = colours - _bare_tone(image, view, occupied)
            logit = (round_by - expected) * _ROUND_WEIGHT + _colour_evidence(relative, certain, bare, parities)
            occupied = logit > 0
            certain, bare = logit > _CLEAR_LOGIT, logit < -_CLEAR_LOGIT
    places = np.flatnonzero(occupied)
    groups, two = _two_groups(colours[places] - _bare_tone(image, view, occupied)[places])
    light = np.zeros(64, dtype=bool)
    light[places] = groups
    return _Guess(occupied, light, logit, radius, two, parity)


def _roundest(maps: NDArray[np.float32], view: View) -> tuple[float, Floats, Floats]:
    """The discs' radius (mm), how round each square (64,) looks at that size, and where roundest (64, 2) px."""
    best, centres = _best_around(maps, view)
    # Most squares are empty; large circles run along the squares' own edges for a part of their way.
    usual = np.median(best, axis=1, keepdims=True)
    best = best - np.maximum(usual - _USUAL, 0)
    votes = np.clip(best - _ROUND, 0, None).sum(axis=1)
    chosen = int(np.flatnonzero(votes >= 0.97 * votes.max()).max())
    near = slice(max(0, chosen - 2), chosen + 2)
    which = best[near].argmax(axis=0) + near.start
    each = np.arange(best.shape[1])
    return float(_RADII_MM[chosen]), best[which, each], centres[which, each]


def _colour_evidence(
    colours: Floats, certain: NDArray[np.bool_], bare: NDArray[np.bool_], parities: NDArray[np.int64]
) -> Floats:
    """(64,) log odds for a disc from the colour in the middle, by the squares that are certain."""
    groups, two = _two_groups(colours[certain])
    discs = [colours[certain][groups == group] for group in ((False, True) if two else (False,))]
    with_disc = np.stack([_log_density(colours, samples) for samples in discs]).max(axis=0)
    odds = np.zeros(64)
    for parity in (0, 1):
        samples = colours[bare & (parities == parity)]
        if len(samples) >= 3:
            mine = parities == parity
            odds[mine] = with_disc[mine] - _log_density(colours, samples)[mine]
    return np.clip(odds, -_MOST_BY_COLOUR, _MOST_BY_COLOUR)


def _log_density(colours: Floats, samples: Floats) -> Floats:
    """(N,) log density of colours under the normal distribution of some samples, with room for unlike ones."""
    spread = np.cov(samples.T) if len(samples) > 3 else np.zeros((3, 3))
    covariance = spread + np.eye(3) * _COLOUR_DEVIATION**2
    away = colours - samples.mean(axis=0)
    squares = np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away)
    return np.asarray(-0.5 * np.minimum(squares, 40) - 0.5 * np.log(np.linalg.det(covariance)))


def _best_around(maps: NDArray[np.float32], view: View) -> tuple[Floats, Floats]:
    """(R, 64) the roundest spot within reach of each square for each radius, and where it is: (R, 64, 2) px."""
    base = view.to_ground(view.places_mm)
    top = view.to_ground(view.places_mm, 1.5 * view.disc.height_mm)
    reach = round(_SEARCH_MM * view.scale)
    low = np.maximum(np.rint(np.minimum(base, top)).astype(int) - reach, 0)
    high = np.rint(np.maximum(base, top)).astype(int) + reach + 1
    best = np.zeros((len(maps), len(base)))
    where = np.zeros((len(maps), len(base), 2))
    for place in range(len(base)):
        part = maps[:, low[place, 1] : high[place, 1], low[place, 0] : high[place, 0]]
        flat = part.reshape(len(maps), -1)
        index = flat.argmax(axis=1)
        best[:, place] = flat[np.arange(len(maps)), index]
        row, column = np.unravel_index(index, part.shape[1:])
        where[:, place] = np.column_stack([column, row]) + low[place]
    return best, where


def _face_colours(image: NDArray[np.float32], centres: Floats, radius: float) -> Floats:
    """(K, 3) the median colour within circles around the centres (K, 2) px."""
    half = int(np.ceil(radius))
    row, column = np.mgrid[-half : half + 1, -half : half + 1]
    inside = np.hypot(row, column) <= radius
    offsets = np.column_stack([row[inside], column[inside]])
    found = []
    for x, y in np.rint(centres).astype(int):
        rows = np.clip(offsets[:, 0] + y, 0, image.shape[0] - 1)
        columns = np.clip(offsets[:, 1] + x, 0, image.shape[1] - 1)
        found.append(np.median(image[rows, columns], axis=0))
    return np.asarray(found, dtype=np.float64).reshape(-1, 3)


def _bare_tone(image: NDArray[np.float32], view: View, occupied: NDArray[np.bool_]) -> Floats:
    """(64, 3) how each square is lit (logarithm), from the empty squares around it."""
    centres = view.to_ground(view.places_mm)
    tones = _face_colours(image, centres, 0.3 * SQUARE_MM * view.scale)
    parities = (np.arange(64) // 8 + np.arange(64) % 8) % 2
    usable = ~occupied
    relative = np.zeros_like(tones)
    for parity in (0, 1):
        same = (parities == parity) & usable
        if same.any():
            relative[parities == parity] = tones[parities == parity] - np.median(tones[same], axis=0)
    away = np.linalg.norm(view.places_mm[:, None] - view.places_mm[None], axis=2) / SQUARE_MM
    weight = np.exp(-0.5 * (away / 1.2) ** 2) * usable
    return np.asarray(weight @ relative / (weight.sum(axis=1, keepdims=True) + 0.3))


def _two_groups(colours: Floats) -> tuple[NDArray[np.bool_], bool]:
    """Which of the colours (K, 3) belong to the lighter of two groups, and whether there are two."""
    count = len(colours)
    if count == 0:
        return np.zeros(0, dtype=bool), False
    if count == 1:
        return np.zeros(1, dtype=bool), False
    # Differences of hue tell discs apart more surely than those of brightness, which light makes too.
    brightness = colours.mean(axis=1, keepdims=True)
    features = np.hstack([brightness, 2.0 * (colours - brightness)])
    middle = features.mean(axis=0)
    _, _, axes = np.linalg.svd(features - middle, full_matrices=False)
    along = np.sort((features - middle) @ axes[0])
    spread = [along[:cut].var() * cut + along[cut:].var() * (count - cut) for cut in range(1, count)]
    cut = int(np.argmin(spread)) + 1
    second = (features - middle) @ axes[0] > (along[cut - 1] + along[cut]) / 2
    for _ in range(10):
        centres = np.stack([features[~second].mean(axis=0), features[second].mean(axis=0)])
        distance = np.linalg.norm(features[:, None] - centres[None], axis=2)
        moved = distance[:, 1] < distance[:, 0]
        if moved.all() or not moved.any() or np.array_equal(moved, second):
            break
        second = moved
    apart = np.linalg.norm(features[second].mean(axis=0) - features[~second].mean(axis=0))
    within = np.sqrt(
        (features[second].var(axis=0).sum() * second.sum() + features[~second].var(axis=0).sum() * (~second).sum())
        / count
    )
    if apart < 0.25 or apart < 2.0 * within:
        return np.zeros(count, dtype=bool), False
    lighter = colours[second].mean() > colours[~second].mean()
    return second if lighter else ~second, True


def _read_with(
    pixels: NDArray[np.uint8], camera: CameraModel, view: View, guess: _Guess, scale: float
) -> BoardReading:
    parities = (np.arange(64) // 8 + np.arange(64) % 8) % 2
    played = np.flatnonzero(parities == guess.parity)
    disc = DiscSize(2 * guess.radius_mm, 2 * guess.radius_mm * _HEIGHT_SHARE)
    playing = View(camera, view.places_mm[played], SQUARE_MM, disc)
    contents = np.where(guess.occupied, np.where(guess.light, Content.LIGHT_MAN, Content.DARK_MAN), Content.EMPTY)
    probabilities = np.full((64, len(Content)), 0.001)
    probabilities[np.arange(64), contents] = 1.0
    offsets = np.full((64, 2), np.nan)
    tops = np.full((64, 2), np.nan)
    hidden = np.zeros(64, dtype=bool)
    if guess.two_colours:
        try:
            appearance = learn(pixels, playing, contents[played])
            found = read(pixels, playing, appearance)
            probabilities[played] = found.probabilities
            offsets[played], tops[played], hidden[played] = found.offsets_mm, found.tops_mm, found.hidden
        except CannotLearnError:
            pass
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    reading = Reading(probabilities, offsets, tops, hidden)
    return BoardReading(view, scale, reading, reading.confidence < _SURE)
