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

from vision.disc_masks import LEAN_MM, Circles, Scalar, Windows, circles, face, peak, product, shifted, side, spectrum
from vision.view import Flags, Floats, View

GROWTHS_MM = np.round(np.arange(-0.3, 0.45, 0.1), 2)
RIM_MM = 2.0
RIM_SHARE = 0.5
"""For finding the spot, disc-like pixels in a rim of this width around the silhouette count against it so much."""
UNEXPLAINED_SHARE = 3.0
"""Where both the best man and the best king leave a rim that looks like disc on the whole, it is no disc that is seen
but a surface of that colour: then the rim counts against them by this share."""
ROUNDS = 3
"""How often, at most, upper and lower disc of a king are placed in turn, each with the other held."""
LEAN_DEVIATION_MM = 2.5
NEIGHBOUR_MM = 5.0
"""How near to a stack's silhouette other discs may mislead its fit: as far as a lean reaches, about."""
LEAN_COST = 12.0
"""Score a lean of one standard deviation costs."""


@dataclass(frozen=True, eq=False)
class Fits:
    """The best man and the best king for K places: scores (log likelihood against bare · mm²), positions in mm.

    unexplained (K,): how much of the scores is due to the disc's surroundings looking like disc, too.
    Positions count from where the places' centres lie in their windows.

    men_mm (K, 2): a man's centre; bases_mm, tops_mm (K, 2): a king's lower and upper disc's.
    """

    men: NDArray[np.float64]
    men_mm: NDArray[np.float64]
    kings: NDArray[np.float64]
    bases_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]
    unexplained: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Silhouettes:
    """The silhouettes of discs at their places' centres, in each place's window, and their transforms.

    growth_mm: how much larger in radius than they are they appear, because pixels on their edges look like disc (or,
    if it is negative, like ground).
    """

    view: View
    windows: Windows
    growth_mm: float

    def _rims(self, height_mm: float, grow_px: float = 0.0) -> Circles:
        rims = circles(self.view, self.view.places_mm, height_mm)
        # no stack may fit better for being larger: all faces are drawn as large as that of a single disc
        radii = np.minimum(rims.radii, circles(self.view, self.view.places_mm, self.view.disc.height_mm).radii)
        return Circles(rims.centres, radii + self.growth_mm * self.view.scale + grow_px)

    def _hull(self, low_mm: float, high_mm: float, grow_px: float = 0.0) -> Floats:
        low, high = self._rims(low_mm, grow_px), self._rims(high_mm, grow_px)
        return side(low, high, self.windows.corners, self.windows.size)

    @cached_property
    def lower(self) -> Floats:
        """(N, n, n) the silhouette of a disc on the ground."""
        return self._hull(0.0, self.view.disc.height_mm)

    @cached_property
    def neighbourhood(self) -> Flags:
        """(N, n, n) where pixels of another disc may mislead the fit."""
        grow = NEIGHBOUR_MM * self.view.scale
        return self._hull(0.0, 2 * self.view.disc.height_mm, grow) > 0

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
            spectrum(self._hull(0.0, height, RIM_MM * self.view.scale) - self.lower),
            spectrum(self._hull(0.0, 2 * height, RIM_MM * self.view.scale) - self._hull(0.0, 2 * height)),
        )


def growth(
    view: View,
    windows: Windows,
    places: NDArray[np.int64],
    offsets_mm: NDArray[np.float64],
    discs: Floats,
    faces: Floats,
) -> float:
    """How much larger in radius than they are single discs at places (K,), at offsets (K, 2), appear, mm.

    discs, faces: (K, n, n), the evidence in the places' windows.
    """
    bases = view.places_mm[places] + offsets_mm
    low, high = (circles(view, bases, height) for height in (0.0, view.disc.height_mm))
    corners, size = windows.corners[places], windows.size
    scores = []
    for grow in GROWTHS_MM:
        foot = Circles(low.centres, low.radii + grow * view.scale)
        rim = Circles(high.centres, high.radii + grow * view.scale)
        scores.append(float((side(foot, rim, corners, size) * discs + face(rim, corners, size) * faces).sum()))
    return float(GROWTHS_MM[int(np.argmax(scores))])


def moved(masks: NDArray[Scalar], shifts: NDArray[np.int64]) -> NDArray[Scalar]:
    """Masks (K, n, n), each moved by whole (rows, columns) (K, 2); they wrap around, where they are empty."""
    size = masks.shape[1]
    steps = np.arange(size)
    rows = (steps - shifts[:, 0, None]) % size
    columns = (steps - shifts[:, 1, None]) % size
    each = np.arange(len(masks))[:, None, None]
    return np.asarray(masks[each, rows[:, :, None], columns[:, None, :]], dtype=masks.dtype)


def fit_upright(silhouettes: Silhouettes, places: NDArray[np.int64], discs: Floats, faces: Floats) -> Fits:
    """The best man and the best upright king at `places` (K,), from the evidence in their windows (K, n, n)."""
    size, reach, scale = silhouettes.windows.size, silhouettes.windows.reach, silhouettes.view.scale
    face, disc, either = spectrum(faces), spectrum(discs), spectrum(discs + np.maximum(faces, 0))
    scores, positions, unexplained = [], [], []
    each = np.arange(len(places))
    bodies = (silhouettes.lower_spectrum[places], silhouettes.both_spectrum[places])
    for top, body, rim in zip(silhouettes.faces, bodies, silhouettes.rims, strict=True):
        maps = shifted(product(face, top[places]) + product(disc, body), size, reach)
        rims = shifted(product(either, rim[places]), size, reach)
        _, fine = peak(maps - RIM_SHARE * rims)
        at = np.clip(np.rint(fine).astype(int) + reach, 0, 2 * reach)
        scores.append(maps[each, at[:, 1], at[:, 0]].astype(np.float64) / scale**2)
        unexplained.append(rims[each, at[:, 1], at[:, 0]].astype(np.float64) / scale**2)
        positions.append(fine / scale)
    surplus = UNEXPLAINED_SHARE * np.maximum(np.minimum(*unexplained), 0)
    return Fits(scores[0], positions[0], scores[1], positions[1], positions[1], surplus)


def fit(
    silhouettes: Silhouettes,
    places: NDArray[np.int64],
    discs: Floats,
    faces: Floats,
    starts_mm: NDArray[np.float64],
    unexplained: NDArray[np.float64],
) -> Fits:
    """The best man and the best king, upright or leaning, at `places` (K,), from the evidence in their windows.

    starts_mm: (K, 2) about where a king's lower disc would lie in the window. unexplained: (K,) of the coarse fits.
    """
    size, reach, scale = silhouettes.windows.size, silhouettes.windows.reach, silhouettes.view.scale
    either = discs + np.maximum(faces, 0)
    face_gain, disc, whole = spectrum(faces), spectrum(discs), spectrum(either)
    lower_spectrum, upper_spectrum = silhouettes.lower_spectrum[places], silhouettes.upper_spectrum[places]
    face_man, face_king = (spectra[places] for spectra in silhouettes.faces)
    each = np.arange(len(places))

    as_man = product(face_gain, face_man) + product(disc, lower_spectrum)
    _, men_fine = peak(shifted(as_man - RIM_SHARE * product(whole, silhouettes.rims[0][places]), size, reach))
    at = np.clip(np.rint(men_fine).astype(int) + reach, 0, 2 * reach)
    men = shifted(as_man, size, reach)[each, at[:, 1], at[:, 0]]

    base = np.clip(np.rint(starts_mm[:, ::-1] * scale).astype(np.int64), -reach, reach)
    upper_map = shifted(product(face_gain, face_king) + product(disc, upper_spectrum), size, reach)
    lower_map = shifted(product(whole, lower_spectrum), size, reach)
    kings = np.zeros(len(places))
    top = np.zeros_like(base)
    base_fine, top_fine = np.zeros((len(places), 2)), np.zeros((len(places), 2))
    steps = np.arange(-reach, reach + 1) / scale
    open_ = np.arange(len(places))
    for _ in range(ROUNDS):
        lower, upper = silhouettes.lower[places[open_]], silhouettes.upper[places[open_]]
        shared = product(spectrum(either[open_] * moved(lower, base[open_])), upper_spectrum[open_])
        maps = upper_map[open_] - shifted(shared, size, reach) - _lean_cost(steps, base[open_], scale)
        top[open_], top_fine[open_] = peak(maps)
        shared = product(spectrum(either[open_] * moved(upper, top[open_])), lower_spectrum[open_])
        maps = lower_map[open_] - shifted(shared, size, reach) - _lean_cost(steps, top[open_], scale)
        before = base[open_]
        base[open_], base_fine[open_] = peak(maps)
        where = base[open_] + reach
        kings[open_] = maps[np.arange(len(open_)), where[:, 0], where[:, 1]]
        open_ = open_[np.abs(base[open_] - before).max(axis=1) > 1]
        if not len(open_):
            break
    kings += upper_map[each, top[:, 0] + reach, top[:, 1] + reach]
    return Fits(
        men=np.asarray(men, dtype=np.float64) / scale**2,
        men_mm=men_fine / scale,
        kings=kings / scale**2,
        bases_mm=base_fine / scale,
        tops_mm=top_fine / scale,
        unexplained=unexplained,
    )


def _lean_cost(steps_mm: NDArray[np.float64], other: NDArray[np.int64], scale: float) -> Floats:
    """(K, m, m) what it costs to lie at each offset while the stack's other disc lies at (row, column) `other` px."""
    down = steps_mm[None, :, None] - other[:, 0, None, None] / scale
    across = steps_mm[None, None, :] - other[:, 1, None, None] / scale
    lean2 = down**2 + across**2
    cost = LEAN_COST * scale**2 * lean2 / LEAN_DEVIATION_MM**2
    return np.asarray(np.where(lean2 > LEAN_MM**2, 1e6, cost), dtype=np.float32)
