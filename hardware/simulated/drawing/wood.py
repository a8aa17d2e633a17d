"""Procedural wood, felt and cloth: brightness patterns around 1."""

from __future__ import annotations

import cv2
import numpy as np

from hardware.simulated.drawing.view import Floats


def smooth_noise(random: np.random.Generator, shape: tuple[int, int], cell: tuple[float, float]) -> Floats:
    """Noise of mean 0 and standard deviation about 1 whose features are `cell` (rows, columns) pixels in size."""
    height, width = shape
    rows, columns = max(2, round(height / cell[0]) + 1), max(2, round(width / cell[1]) + 1)
    coarse = random.standard_normal((rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def grain(random: np.random.Generator, shape: tuple[int, int], px_per_mm: float, contrast: float) -> Floats:
    """Wood with its fibres along the rows' direction (x); (height, width), mean about 1."""
    scale = px_per_mm
    across = np.arange(shape[0], dtype=np.float32)[:, None] / scale
    wander = smooth_noise(random, shape, (22 * scale, 110 * scale))
    phase = across / 5.5 + 1.1 * wander + 0.25 * smooth_noise(random, shape, (6 * scale, 60 * scale))
    rings = phase - np.floor(phase)
    late_wood = np.where(rings < 0.82, (rings / 0.82) ** 2.2, (1 - rings) / 0.18)
    fibres = smooth_noise(random, shape, (0.7 * scale, 26 * scale))
    pores = np.minimum(smooth_noise(random, shape, (0.5 * scale, 5 * scale)) + 1.3, 0)
    cloud = smooth_noise(random, shape, (40 * scale, 90 * scale))
    pattern = -0.55 * (late_wood - 0.35) + 0.30 * fibres + 0.45 * pores + 0.22 * cloud
    return np.asarray(1 + contrast * pattern, dtype=np.float32)


def felt(random: np.random.Generator, shape: tuple[int, int], px_per_mm: float) -> Floats:
    """Short fibres without direction; (height, width), mean 1."""
    fine = smooth_noise(random, shape, (0.5 * px_per_mm, 0.5 * px_per_mm))
    coarse = smooth_noise(random, shape, (3 * px_per_mm, 3 * px_per_mm))
    return np.asarray(1 + 0.05 * fine + 0.02 * coarse, dtype=np.float32)


def seamless(pattern: Floats, overlap: int) -> Floats:
    """The pattern with its last rows and columns faded into its first, for tiling; smaller by `overlap`."""
    fade = np.linspace(0, 1, overlap, dtype=np.float32)
    pattern = pattern.copy()
    pattern[:overlap] = pattern[:overlap] * fade[:, None] + pattern[-overlap:] * (1 - fade[:, None])
    pattern[:, :overlap] = pattern[:, :overlap] * fade + pattern[:, -overlap:] * (1 - fade)
    return pattern[:-overlap, :-overlap]
