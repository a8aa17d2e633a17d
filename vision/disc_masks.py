"""How discs and stacks cover the ground image around each place: masks, and their correlation with evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.view import Floats, View

Scalar = TypeVar("Scalar", bound=np.generic)

LEAN_MM = 6.0
"""How far the upper disc of a stack may lie off the lower one."""


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles in the ground image: centres (K, 2) px and radii (K,) px."""

    centres: NDArray[np.float64]
    radii: NDArray[np.float64]


def circles(view: View, bases_mm: NDArray[np.float64], height_mm: float) -> Circles:
    """The ground image of discs' rims at a height, above the points (K, 2) mm."""
    radius = view.disc.diameter_mm / 2 * view.lift(height_mm) * view.scale
    return Circles(view.to_ground(bases_mm, height_mm), np.full(len(bases_mm), radius))


def side(low: Circles, high: Circles, corners: NDArray[np.int64], size: int) -> Floats:
    """(K, size, size) how far each pixel lies in the hull of two circles: 1 inside, 0 outside, between on the rim.

    corners: (K, 2) the ground pixel (column, row) of each window's first pixel.
    """
    steps = np.arange(size, dtype=np.float32)
    start = (low.centres - corners).astype(np.float32)
    axis = (high.centres - low.centres).astype(np.float32)
    across = steps[None, None, :] - start[:, None, None, 0]
    down = steps[None, :, None] - start[:, None, None, 1]
    length2 = np.maximum((axis**2).sum(axis=1), np.float32(1e-6))
    along = (across * axis[:, None, None, 0] + down * axis[:, None, None, 1]) / length2[:, None, None]
    along = np.clip(along, 0.0, 1.0)
    radius = low.radii.astype(np.float32)[:, None, None]
    radius = radius + along * (high.radii - low.radii).astype(np.float32)[:, None, None]
    distance = np.hypot(across - along * axis[:, None, None, 0], down - along * axis[:, None, None, 1])
    return np.asarray(np.clip(0.5 + radius - distance, 0.0, 1.0), dtype=np.float32)


def face(rim: Circles, corners: NDArray[np.int64], size: int) -> Floats:
    """(K, size, size) how far each pixel lies in the circle."""
    return side(rim, rim, corners, size)


@dataclass(frozen=True, eq=False)
class Windows:
    """A square window of the ground image around each place, with room for any stack within `reach_mm` of it."""

    view: View
    reach_mm: float

    @cached_property
    def reach(self) -> int:
        """The reach in px."""
        return int(np.ceil(self.reach_mm * self.view.scale))

    @cached_property
    def size(self) -> int:
        """The windows' side, px: a length that Fourier transforms quickly."""
        view = self.view
        lean = np.abs(self._tops - self._bases).max()
        radius = view.disc.diameter_mm / 2 * view.lift(2 * view.disc.height_mm)
        needed = 2 * (radius + self.reach_mm) * view.scale + lean + 2
        return next(
            size
            for size in (32, 36, 40, 45, 48, 54, 60, 64, 72, 75, 80, 90, 96, 108, 120, 128, 144, 160, 200)
            if size >= needed
        )

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """(N, 2) the ground pixel (column, row) of each window's first pixel."""
        middle = (self._bases + self._tops) / 2
        return np.asarray(np.rint(middle - self.size / 2), dtype=np.int64)

    def cut(
        self, image: NDArray[Scalar], places: NDArray[np.int64], moves: NDArray[np.int64] | None = None
    ) -> NDArray[Scalar]:
        """(…, K, n, n) the windows of some places, cut from ground images (…, height, width).

        moves: (K, 2) by how many (columns, rows) each window is moved; the ground image's margin has room for as much
        as a disc may lie off its place's centre.
        """
        every = np.lib.stride_tricks.sliding_window_view(image, (self.size, self.size), axis=(-2, -1))
        corners = self.corners[places] if moves is None else self.corners[places] + moves
        return np.ascontiguousarray(every[..., corners[:, 1], corners[:, 0], :, :])

    @cached_property
    def _bases(self) -> NDArray[np.float64]:
        return self.view.to_ground(self.view.places_mm)

    @cached_property
    def _tops(self) -> NDArray[np.float64]:
        return self.view.to_ground(self.view.places_mm, 2 * self.view.disc.height_mm)


def spectrum(images: Floats) -> NDArray[np.complex64]:
    """The Fourier transform of each (K, n, n) image."""
    return np.asarray(np.fft.rfft2(images), dtype=np.complex64)


def product(images: NDArray[np.complex64], masks: NDArray[np.complex64]) -> NDArray[np.complex64]:
    """The transform of the correlation of images with masks, from their transforms."""
    return np.asarray(images * masks.conj(), dtype=np.complex64)


def shifted(correlations: NDArray[np.complex64], size: int, reach: int) -> Floats:
    """(K, 2 reach + 1, 2 reach + 1): the sums of image times mask, moved by -reach … reach rows and columns."""
    shifts = np.arange(-reach, reach + 1) % size
    rows = np.fft.ifft(correlations, axis=1)[:, shifts]
    return np.asarray(np.fft.irfft(rows, n=size, axis=2)[:, :, shifts], dtype=np.float32)


def peak(maps: Floats) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The place of the maximum of each (K, m, m) map, m odd, counted from the map's middle.

    Returns whole (row, column) (K, 2) and the same refined by a parabola on each axis, as (column, row) (K, 2).
    """
    count, side_length, _ = maps.shape
    flat = maps.reshape(count, -1).argmax(axis=1)
    rows, columns = flat // side_length, flat % side_length
    each = np.arange(count)

    def refine(before: ArrayLike, here: ArrayLike, after: ArrayLike) -> NDArray[np.float64]:
        bend = np.asarray(before, dtype=np.float64) - 2 * np.asarray(here) + np.asarray(after)
        slope = (np.asarray(before, dtype=np.float64) - np.asarray(after)) / 2
        return np.asarray(np.clip(np.divide(slope, bend, out=np.zeros(count), where=bend < 0), -0.5, 0.5))

    last = side_length - 1
    at = maps[each, rows, columns]
    up, down = maps[each, np.maximum(rows - 1, 0), columns], maps[each, np.minimum(rows + 1, last), columns]
    left, right = maps[each, rows, np.maximum(columns - 1, 0)], maps[each, rows, np.minimum(columns + 1, last)]
    middle = side_length // 2
    fine = np.column_stack([columns - middle + refine(left, at, right), rows - middle + refine(up, at, down)])
    return np.column_stack([rows - middle, columns - middle]), fine
