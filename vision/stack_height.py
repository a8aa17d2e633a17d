"""One disc or two: where a man would stand, where a king would, and which explains the picture better.

A man shows its face and, towards the camera, one disc's side wall; a king's face is shifted away from the camera by
a second disc's height, and between it and the ground lies a second wall. Both are fitted to the evidence of each
pixel by sliding their silhouettes over it; the lower disc of a king may lie aside from the upper one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.disc_masks import LEAN_MM, Circles, Windows, circles, correlation, face, peak, side, spectrum
from vision.view import REACH_MM, Floats, View

RIM_PX = 3.0
RIM_SHARE = 0.5
"""For finding the place (not for judging it), disc-like pixels in a rim of this width around the silhouette count
against it by this share."""
LEAN_DEVIATION_MM = 2.5
LEAN_COST = 12.0
"""Score a lean of one standard deviation costs."""


@dataclass(frozen=True, eq=False)
class Fits:
    """The best man and the best king for K places: scores (log likelihood against bare), positions in mm.

    men_mm (K, 2): a man's centre minus the place's; bases_mm, tops_mm (K, 2): a king's lower and upper disc's.
    """

    men: NDArray[np.float64]
    men_mm: NDArray[np.float64]
    kings: NDArray[np.float64]
    bases_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Silhouettes:
    """The silhouettes of discs at their places' centres, in each place's window, and their transforms."""

    view: View
    windows: Windows

    def _rims(self, height_mm: float, grow_px: float = 0.0) -> Circles:
        rims = circles(self.view, self.view.places_mm, height_mm)
        return Circles(rims.centres, rims.radii + grow_px)

    def _hull(self, low_mm: float, high_mm: float, grow_px: float = 0.0) -> Floats:
        low, high = self._rims(low_mm, grow_px), self._rims(high_mm, grow_px)
        return side(low, high, self.windows.corners, self.windows.size)

    @cached_property
    def lower(self) -> Floats:
        """(N, n, n) the silhouette of a disc on the ground."""
        return self._hull(0.0, self.view.disc.height_mm)

    @cached_property
    def upper(self) -> Floats:
        """(N, n, n) the silhouette of a disc that lies on another."""
        return self._hull(self.view.disc.height_mm, 2 * self.view.disc.height_mm)

    @cached_property
    def lower_spectrum(self) -> NDArray[np.complex64]:
        """Of `lower`."""
        return spectrum(self.lower)

    @cached_property
    def upper_spectrum(self) -> NDArray[np.complex64]:
        """Of `upper`."""
        return spectrum(self.upper)

    @cached_property
    def faces(self) -> tuple[NDArray[np.complex64], NDArray[np.complex64]]:
        """Transforms of the top face of a man and of a king."""
        size, corners, height = self.windows.size, self.windows.corners, self.view.disc.height_mm
        return (
            spectrum(face(self._rims(height), corners, size)),
            spectrum(face(self._rims(2 * height), corners, size)),
        )

    @cached_property
    def both_spectrum(self) -> NDArray[np.complex64]:
        """Of the silhouette of an upright stack of two."""
        return spectrum(self._hull(0.0, 2 * self.view.disc.height_mm))

    @cached_property
    def rims(self) -> tuple[NDArray[np.complex64], NDArray[np.complex64]]:
        """Transforms of the rim around a man's and around an upright king's silhouette."""
        height = self.view.disc.height_mm
        return (
            spectrum(self._hull(0.0, height, RIM_PX) - self.lower),
            spectrum(self._hull(0.0, 2 * height, RIM_PX) - self._hull(0.0, 2 * height)),
        )


def _moved(masks: Floats, shifts: NDArray[np.int64]) -> Floats:
    """Masks (K, n, n), each moved by whole (rows, columns) (K, 2); they wrap around, where they are empty."""
    size = masks.shape[1]
    steps = np.arange(size)
    rows = (steps - shifts[:, 0, None]) % size
    columns = (steps - shifts[:, 1, None]) % size
    each = np.arange(len(masks))[:, None, None]
    return np.asarray(masks[each, rows[:, :, None], columns[:, None, :]])


def fit(silhouettes: Silhouettes, places: NDArray[np.int64], faces: Floats, walls: Floats) -> Fits:
    """The best man and king at `places` (K,), from the evidence in their windows (K, n, n)."""
    view, size = silhouettes.view, silhouettes.windows.size
    reach = int(np.ceil(REACH_MM * view.scale))
    either = np.maximum(faces, walls)
    face_gain = spectrum(faces - walls)
    wall_spectrum, either_spectrum = spectrum(walls), spectrum(either)
    rim_man, rim_king = (rim[places] for rim in silhouettes.rims)
    face_man, face_king = (spectra[places] for spectra in silhouettes.faces)
    lower_spectrum, upper_spectrum = silhouettes.lower_spectrum[places], silhouettes.upper_spectrum[places]

    def correlate(images: NDArray[np.complex64], masks: NDArray[np.complex64]) -> Floats:
        return correlation(images, masks, size, reach)

    each = np.arange(len(places))
    rim = -RIM_SHARE * either_spectrum
    man_maps = np.fft.irfft2(
        face_gain * face_man.conj() + wall_spectrum * lower_spectrum.conj(), s=(size, size)
    )
    shifts = np.arange(-reach, reach + 1) % size
    man_maps = np.asarray(man_maps[:, shifts[:, None], shifts[None, :]], dtype=np.float32)
    at, men_fine = peak(man_maps + correlate(rim, rim_man))
    men = man_maps[each, at[:, 0] + reach, at[:, 1] + reach]

    face_king_map = correlate(face_gain, face_king)
    upright = face_king_map + correlate(wall_spectrum, silhouettes.both_spectrum[places]) + correlate(rim, rim_king)
    base, _ = peak(upright)
    upper_map = face_king_map + correlate(wall_spectrum, upper_spectrum)
    lower_map = correlate(either_spectrum, lower_spectrum)
    steps = np.arange(-reach, reach + 1) / view.scale
    lower, upper = silhouettes.lower[places], silhouettes.upper[places]
    scores = np.zeros(len(places))
    top, top_fine, base_fine = base, base.astype(float), base.astype(float)
    for _ in range(2):
        hidden = correlate(spectrum(either * _moved(lower, base)), upper_spectrum)
        top, top_fine = peak(upper_map - hidden - _lean_cost(steps, base, view.scale))
        hidden = correlate(spectrum(either * _moved(upper, top)), lower_spectrum)
        maps = lower_map - hidden - _lean_cost(steps, top, view.scale)
        base, base_fine = peak(maps)
        scores = (
            maps[each, base[:, 0] + reach, base[:, 1] + reach] + upper_map[each, top[:, 0] + reach, top[:, 1] + reach]
        )
    return Fits(
        men=np.asarray(men, dtype=np.float64),
        men_mm=men_fine / view.scale,
        kings=np.asarray(scores, dtype=np.float64),
        bases_mm=base_fine / view.scale,
        tops_mm=top_fine / view.scale,
    )


def _lean_cost(steps_mm: NDArray[np.float64], other: NDArray[np.int64], scale: float) -> Floats:
    """(K, m, m) what it costs to lie at each offset while the stack's other disc lies at (row, column) `other` px."""
    down = steps_mm[None, :, None] - other[:, 0, None, None] / scale
    across = steps_mm[None, None, :] - other[:, 1, None, None] / scale
    lean2 = down**2 + across**2
    cost = LEAN_COST * lean2 / LEAN_DEVIATION_MM**2
    return np.asarray(np.where(lean2 > LEAN_MM**2, 1e6, cost), dtype=np.float32)
