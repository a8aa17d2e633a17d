"""Where the faces of discs appear exactly, and what the board would look like without them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.sampling import Image
from vision.unprepared.round_shapes import roundness
from vision.view import View

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SQUARES = 64
FADING = 8.0
"""Grey levels added before the logarithm: below them there is noise rather than contrast."""
_REACH_MM = 7.0


def parities() -> NDArray[np.int64]:
    """(64,) (row + column) % 2 of each square."""
    index = np.arange(SQUARES)
    return np.asarray((index // 8 + index % 8) % 2)


def logarithmic(ground: NDArray[np.uint8]) -> Image:
    """A ground image on the scale on which shade and light change all contrasts alike."""
    return np.asarray(np.log(ground.astype(np.float32) + np.float32(FADING)), dtype=np.float32)


def refined_faces(
    directions: tuple[Image, Image], view: View, occupied: Flags, about_mm: float, heights_mm: tuple[float, float]
) -> tuple[float, Floats]:
    """The faces' radius (mm) to half a mm or so, and their centres (64, 2), by the edges of a finer ground image."""
    radii = np.arange(max(6.0, about_mm - 1.5), about_mm + 1.6, 0.5)
    best, centres = _best_around(roundness(directions, radii * view.scale), view, heights_mm)
    curve = best[:, occupied].mean(axis=1) if occupied.any() else best.mean(axis=1)
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
