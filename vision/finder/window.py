"""Which 8 × 8 squares of a lattice are the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.lattice import Ints, Lattice, project
from vision.finder.saddles import Floats, middle
from vision.finder.surface import Surface, fit_surface
from vision.sampling import Image, sample

_BELIEVED = 0.3
"""A corner counts in full when each of its four edges has this part of the usual contrast."""
_REACH = 7
"""How many steps beyond the lattice's points the board may extend."""
_FEWEST_CORNERS = 20
_FEWEST_FRAMED = 12
_SMALLEST_PART = 0.5
_MOST_OUTSIDE = 4
_SMALLEST_LEAD = 4.0
_RIM_WEIGHT = 1.0
"""What a corner on the outline, where two squares of the board meet its surroundings, counts against an inner one."""
_MISSING_WEIGHT = 0.25
_LARGEST_BOARD = 12
_PART_OF_LARGER = 0.86
_WIDEST_FRAME = 16.0
_FAINTEST = 0.04
"""The least contrast (logarithm) of squares that somebody else has not shown to be a board."""
_FADING = 8.0
"""Grey levels added before the logarithm: below them there is noise rather than contrast."""
_LOGARITHMS = np.log(np.arange(256) + _FADING).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Window:
    """A candidate board: its surface (places 0–8 are the squares' corners) and how well the picture bears it out.

    seen: (7, 7) [row, column], how much each inner corner looks like a checkerboard's, 0 to 1. visible: how many of
    them lie in the picture. outside: how many of the 32 squares' sides on the outline have corners at both ends that
    look like inner ones, which none should; single ones may be a frame's pattern. lead: by how much what was seen
    inside and on the rim less what was seen outside exceeds that of any other window on the lattice. dark_even:
    whether squares of even column + row are the dark ones. extent: how many squares wide and high the checkered area
    is at least, 0 to 12. framed: whether markers around the board say that it is this window.
    """

    surface: Surface
    seen: Floats
    visible: int
    outside: float
    lead: float
    dark_even: bool
    extent: int
    framed: bool

    @property
    def corners(self) -> float:
        """How many inner corners were seen, weak ones counted in part."""
        return float(self.seen.sum())

    @property
    def believable(self) -> bool:
        """Whether this is a board: enough of its corners, nothing like it around, no other window as good."""
        if self.framed:
            return self.corners >= _FEWEST_FRAMED and self.outside <= _MOST_OUTSIDE
        return (
            self.corners >= _FEWEST_CORNERS
            and self.corners >= _SMALLEST_PART * self.visible
            and self.visible >= 36
            and self.outside <= _MOST_OUTSIDE
            and self.lead >= _SMALLEST_LEAD
        )

    @property
    def score(self) -> float:
        """0 to 1: the part of the visible inner corners that were found, less what was found outside."""
        return float(np.clip((self.corners - self.outside) / max(self.visible, 1), 0, 1))


def logarithm(pixels: NDArray[np.uint8]) -> Image:
    """Grey levels or colours to a scale on which a contrast is the same in sun and shade."""
    return np.asarray(cv2.LUT(pixels, _LOGARITHMS), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class _Map:
    """What the picture shows at the places of a lattice, (rows, columns) each, 0 to 1.

    seen: how much the place looks like an inner corner. inside: whether it lies in the picture. halves: (4, …), how
    much the two squares below, left of, above and right of it differ as squares of the board do. low: the (column,
    row) of the first place.
    """

    seen: Floats
    inside: NDArray[np.bool_]
    halves: Floats
    low: Ints


def best_window(colours: Image, lattice: Lattice, frame: Floats | None = None) -> Window | None:
    """The 8 × 8 window that fits best; `colours` is the picture on the logarithmic scale, (height, width, 3).

    frame: (4, 2) px, markers around the board; given, only the window in their middle is considered, and that only on
    a lattice that lies as the markers do.
    """
    size = (colours.shape[1], colours.shape[0])
    try:
        surface, residuals = fit_surface(lattice.cells, lattice.points, size)
    except ValueError:
        return None
    step = _step(surface, lattice.cells)
    sound = residuals < 0.12 * step
    if sound.sum() < 9:
        return None
    middle_of_frame: tuple[int, int] | None = None
    if frame is not None:
        middle_of_frame = _origin_amid(surface, frame)
        if middle_of_frame is None:
            return None
    low = lattice.cells.min(axis=0) - _REACH
    high = lattice.cells.max(axis=0) + _REACH + 1
    places = np.stack(np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1])), axis=-1)
    quadrants, inside = _quadrants(colours, surface, places, float(middle(step)))
    sign = np.where(places.sum(axis=-1) % 2 == 0, 1.0, -1.0)
    differences = sign[..., None, None] * _adjacent_differences(quadrants)
    columns, rows = (lattice.cells[sound] - low).T
    contrast = middle(differences[rows, columns].mean(axis=1))
    power = float(contrast @ contrast)
    if power <= 0:
        return None
    like = np.clip(differences @ contrast / power / _BELIEVED, 0, 1)
    whole = np.asarray(inside.all(axis=-1), dtype=np.bool_)
    seen = np.where(whole, like.min(axis=-1), 0)
    # Glare weakens the contrast of corners that are plainly there.
    seen[rows, columns] = 1
    halves = np.where(inside & np.roll(inside, -1, axis=-1), like, 0)
    # In the order of the differences: below, left, above, right.
    shown = _Map(seen, whole, np.moveaxis(halves, -1, 0), low)
    return _choose(surface, lattice, shown, bool(contrast.sum() > 0), sound, middle_of_frame)


def _origin_amid(surface: Surface, frame: Floats) -> tuple[int, int] | None:
    """The first place (column, row) of the window amid four markers; None if the lattice does not lie as they do."""
    try:
        back = np.linalg.inv(surface.homography)
    except np.linalg.LinAlgError:
        return None
    corners = project(np.asarray(back, dtype=np.float64), frame)
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*sides.T)
    slant = np.abs(np.sin(2 * np.arctan2(sides[:, 1], sides[:, 0])))
    if not 8 < lengths.min() <= lengths.max() < _WIDEST_FRAME or lengths.max() > 1.15 * lengths.min():
        return None
    origin = corners.mean(axis=0) - 4
    nearest = np.rint(origin)
    if slant.max() > 0.15 or np.abs(origin - nearest).max() > 0.25:
        return None
    return int(nearest[0]), int(nearest[1])


def inner_corners(colours: Image, surface: Surface) -> NDArray[np.bool_]:
    """(7, 7) [row, column]: which inner corners of the board at places 0 to 8 are plainly a checkerboard's.

    colours: the picture on the logarithmic scale, (height, width, 3).
    """
    places = np.stack(np.meshgrid(np.arange(1, 8), np.arange(1, 8)), axis=-1)
    step = float(middle(_step(surface, places.reshape(-1, 2))))
    quadrants, inside = _quadrants(colours, surface, places, step)
    sign = np.where(places.sum(axis=-1) % 2 == 0, 1.0, -1.0)
    differences = sign[..., None, None] * _adjacent_differences(quadrants)
    contrast = middle(differences.mean(axis=2).reshape(-1, 3))
    power = float(contrast @ contrast)
    if power < _FAINTEST**2:
        return np.zeros((7, 7), dtype=np.bool_)
    return np.asarray(inside.all(axis=-1) & ((differences @ contrast / power).min(axis=-1) > _BELIEVED))


def _choose(
    surface: Surface,
    lattice: Lattice,
    shown: _Map,
    bright_even: bool,
    sound: NDArray[np.bool_],
    framed: tuple[int, int] | None,
) -> Window | None:
    """Slide the window over the map of corners, or take the framed one."""
    seen, low = shown.seen, shown.low
    # Element [r, c] of each belongs to the window of places r to r + 8 and c to c + 8.
    count = (seen.shape[0] - 8, seen.shape[1] - 8)
    inner = _box_sums(seen, 7, 7)[1 : 1 + count[0], 1 : 1 + count[1]]
    visible = _box_sums(shown.inside.astype(np.float64), 7, 7)[1 : 1 + count[0], 1 : 1 + count[1]]
    beside, below = np.minimum(seen[:, 1:], seen[:, :-1]), np.minimum(seen[1:], seen[:-1])
    flat, upright = _box_sums(beside, 1, 8), _box_sums(below, 8, 1)
    outside = flat[: count[0]] + flat[8:] + upright[:, : count[1]] + upright[:, 8:]
    first, last = slice(0, None), slice(8, None)
    lower, left, upper, right = shown.halves
    rim = (
        _box_sums(lower[first], 1, 7)[: count[0], 1 : 1 + count[1]]
        + _box_sums(upper[last], 1, 7)[:, 1 : 1 + count[1]]
        + _box_sums(right[:, first], 7, 1)[1 : 1 + count[0], : count[1]]
        + _box_sums(left[:, last], 7, 1)[1 : 1 + count[0]]
    )
    # Of corners that are not seen, those outside the picture need no other explanation.
    total = inner - outside + _RIM_WEIGHT * rim - _MISSING_WEIGHT * (visible - inner)
    row, column = (int(index) for index in np.unravel_index(int(total.argmax()), total.shape))
    if framed is not None:
        row, column = framed[1] - int(low[1]), framed[0] - int(low[0])
        if not (0 <= row < count[0] and 0 <= column < count[1]):
            return None
    others = total.copy()
    others[row, column] = -100
    origin = (int(low[0] + column), int(low[1] + row))
    within = ((lattice.cells - origin >= 0) & (lattice.cells - origin <= 8)).all(axis=1) & sound
    if within.sum() < 12:
        return None
    try:
        fitted, _ = fit_surface(lattice.cells[within] - origin, lattice.points[within], surface.size)
    except ValueError:
        return None
    even_origin = sum(origin) % 2 == 0
    return Window(
        surface=fitted,
        seen=seen[row + 1 : row + 8, column + 1 : column + 8],
        visible=int(visible[row, column]),
        outside=float(outside[row, column]),
        lead=float(total[row, column] - others.max()),
        dark_even=bright_even != even_origin,
        extent=_extent(seen),
        framed=framed is not None,
    )


def _extent(seen: Floats) -> int:
    """How many squares a side the largest checkered area has, up to 12; 0 when there is none of 4."""
    for squares in range(_LARGEST_BOARD, 3, -1):
        corners = squares - 1
        if min(seen.shape) >= corners and _box_sums(seen, corners, corners).max() >= _PART_OF_LARGER * corners**2:
            return squares
    return 0


def _box_sums(values: Floats, height: int, width: int) -> Floats:
    """Sums over all boxes of this size; element [r, c] is that of the box whose first value is there."""
    total = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    total[1:, 1:] = values.cumsum(axis=0).cumsum(axis=1)
    return np.asarray(
        total[height:, width:] - total[:-height, width:] - total[height:, :-width] + total[:-height, :-width]
    )


def _step(surface: Surface, places: NDArray[np.generic]) -> Floats:
    """The shorter side (px) of a square at each of the places (N, 2)."""
    right = surface.project(places + np.array([0.5, 0])) - surface.project(places - np.array([0.5, 0]))
    down = surface.project(places + np.array([0, 0.5])) - surface.project(places - np.array([0, 0.5]))
    return np.asarray(np.minimum(np.hypot(*right.T), np.hypot(*down.T)))


def _quadrants(
    colours: Image, surface: Surface, places: NDArray[np.int64], step: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Colours (rows, columns, 4, 3) of the four squares close to each place, and which lie in the picture."""
    diagonals = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    offsets = diagonals[:, None, :] * np.array([0.11, 0.15, 0.19])[None, :, None]
    positions = surface.project(places[:, :, None, None, :] + offsets)
    height, width = colours.shape[:2]
    inside = np.asarray(
        ((positions >= 0) & (positions <= np.array([width - 1, height - 1]))).all(axis=(3, 4)), dtype=bool
    )
    smooth = np.asarray(cv2.GaussianBlur(colours, (0, 0), max(0.04 * step, 0.5)), dtype=np.float32)
    values = sample(smooth, np.where(np.isfinite(positions), np.clip(positions, -10, 1e5), -10))
    return values.mean(axis=3).astype(np.float64), inside


def _adjacent_differences(quadrants: Floats) -> Floats:
    """(rows, columns, 4, 3): each square's colour minus its neighbours', all positive at an even bright corner."""
    first, second, third, fourth = (quadrants[..., index, :] for index in range(4))
    return np.stack([first - second, third - second, third - fourth, first - fourth], axis=-2)
