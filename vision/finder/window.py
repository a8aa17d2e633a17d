"""Which 8 × 8 squares of a lattice are the board."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.lattice import Lattice
from vision.finder.saddles import Floats
from vision.finder.surface import Surface, fit_surface
from vision.sampling import Image, sample

_BELIEVED = 0.3
"""A corner counts in full when each of its four edges has this part of the usual contrast."""
_REACH = 7
"""How many steps beyond the lattice's points the board may extend."""
_FEWEST_CORNERS = 20
_SMALLEST_PART = 0.5
_MOST_OUTSIDE = 4
_SMALLEST_LEAD = 2.5
_FADING = 8.0
"""Grey levels added before the logarithm: below them there is noise rather than contrast."""


@dataclass(frozen=True, eq=False)
class Window:
    """A candidate board: its surface (places 0–8 are the squares' corners) and how well the picture bears it out.

    seen: (7, 7) [row, column], how much each inner corner looks like a checkerboard's, 0 to 1. visible: how many of
    them lie in the picture. outside: how much in all the 32 corners on the outline look like inner ones, which none
    should. lead: by how much what was seen inside less what was seen outside exceeds that of any other window on the
    lattice. dark_even: whether squares of even column + row are the dark ones.
    """

    surface: Surface
    seen: Floats
    visible: int
    outside: float
    lead: float
    dark_even: bool

    @property
    def corners(self) -> float:
        """How many inner corners were seen, weak ones counted in part."""
        return float(self.seen.sum())

    @property
    def believable(self) -> bool:
        """Whether this is a board: enough of its corners, nothing like it around, no other window as good."""
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


def logarithm(pixels: NDArray[np.generic]) -> Image:
    """Grey levels or colours to a scale on which a contrast is the same in sun and shade."""
    return np.asarray(np.log(pixels.astype(np.float32) + np.float32(_FADING)), dtype=np.float32)


def best_window(colours: Image, lattice: Lattice) -> Window | None:
    """The 8 × 8 window that fits best; `colours` is the picture on the logarithmic scale, (height, width, 3)."""
    size = (colours.shape[1], colours.shape[0])
    surface, residuals = fit_surface(lattice.cells, lattice.points, size)
    step = _step(surface, lattice.cells)
    sound = residuals < 0.12 * step
    if sound.sum() < 9:
        return None
    low = lattice.cells.min(axis=0) - _REACH
    high = lattice.cells.max(axis=0) + _REACH + 1
    places = np.stack(np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1])), axis=-1)
    quadrants, inside = _quadrants(colours, surface, places, float(np.median(step)))
    sign = np.where(places.sum(axis=-1) % 2 == 0, 1.0, -1.0)
    differences = sign[..., None, None] * _adjacent_differences(quadrants)
    columns, rows = (lattice.cells[sound] - low).T
    contrast = np.median(differences[rows, columns].mean(axis=1), axis=0)
    power = float(contrast @ contrast)
    if power <= 0:
        return None
    like = (differences @ contrast / power).min(axis=-1)
    seen = np.where(inside, np.clip(like / _BELIEVED, 0, 1), 0)
    # Glare weakens the contrast of corners that are plainly there.
    seen[rows, columns] = 1
    return _choose(surface, lattice, seen, inside, low, bool(contrast.sum() > 0), sound)


def _choose(
    surface: Surface,
    lattice: Lattice,
    seen: Floats,
    inside: NDArray[np.bool_],
    low: NDArray[np.int64],
    bright_even: bool,
    sound: NDArray[np.bool_],
) -> Window | None:
    """Slide the window over the map of corners."""
    inner, outer = _box_sums(seen, 7), _box_sums(seen, 9)
    visible = _box_sums(inside.astype(np.float64), 7)
    # outer[r, c] covers places r..r+8; the inner corners of the same window begin one further.
    outer_inner = inner[1 : 1 + outer.shape[0], 1 : 1 + outer.shape[1]]
    outer_visible = visible[1 : 1 + outer.shape[0], 1 : 1 + outer.shape[1]]
    outside = outer - outer_inner
    total = outer_inner - outside
    row, column = np.unravel_index(int(total.argmax()), total.shape)
    others = total.copy()
    others[row, column] = -100
    origin = (int(low[0] + column), int(low[1] + row))
    within = ((lattice.cells - origin >= 0) & (lattice.cells - origin <= 8)).all(axis=1) & sound
    if within.sum() < 12:
        return None
    fitted, _ = fit_surface(lattice.cells[within] - origin, lattice.points[within], surface.size)
    even_origin = sum(origin) % 2 == 0
    return Window(
        surface=fitted,
        seen=seen[row + 1 : row + 8, column + 1 : column + 8],
        visible=int(outer_visible[row, column]),
        outside=float(outside[row, column]),
        lead=float(total[row, column] - others.max()),
        dark_even=bright_even != even_origin,
    )


def _box_sums(values: Floats, width: int) -> Floats:
    windows = np.lib.stride_tricks.sliding_window_view(values, (width, width))
    return np.asarray(windows.sum(axis=(2, 3)), dtype=np.float64)


def _step(surface: Surface, places: NDArray[np.generic]) -> Floats:
    """The shorter side (px) of a square at each of the places (N, 2)."""
    right = surface.project(places + np.array([0.5, 0])) - surface.project(places - np.array([0.5, 0]))
    down = surface.project(places + np.array([0, 0.5])) - surface.project(places - np.array([0, 0.5]))
    return np.asarray(np.minimum(np.hypot(*right.T), np.hypot(*down.T)))


def _quadrants(
    colours: Image, surface: Surface, places: NDArray[np.int64], step: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Colours (rows, columns, 4, 3) of the four squares close to each place, and which places lie in the picture."""
    diagonals = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    offsets = diagonals[:, None, :] * np.array([0.11, 0.15, 0.19])[None, :, None]
    positions = surface.project(places[:, :, None, None, :] + offsets)
    height, width = colours.shape[:2]
    inside = np.asarray(
        ((positions >= 0) & (positions <= np.array([width - 1, height - 1]))).all(axis=(2, 3, 4)), dtype=bool
    )
    smooth = np.asarray(cv2.GaussianBlur(colours, (0, 0), max(0.04 * step, 0.5)), dtype=np.float32)
    values = sample(smooth, np.where(np.isfinite(positions), np.clip(positions, -10, 1e5), -10))
    return values.mean(axis=3).astype(np.float64), inside


def _adjacent_differences(quadrants: Floats) -> Floats:
    """(rows, columns, 4, 3): each square's colour minus its neighbours', all positive at an even bright corner."""
    first, second, third, fourth = (quadrants[..., index, :] for index in range(4))
    return np.stack([first - second, third - second, third - fourth, first - fourth], axis=-2)
