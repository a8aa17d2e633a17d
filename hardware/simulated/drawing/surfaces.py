"""Procedural patterns of what boards and tables are made of: brightness around 1."""

from __future__ import annotations

import numpy as np

from hardware.simulated.drawing.style import Surface
from hardware.simulated.drawing.view import Floats
from hardware.simulated.drawing.wood import grain, smooth_noise


def pattern(
    random: np.random.Generator, surface: Surface, shape: tuple[int, int], px_per_mm: float, contrast: float
) -> Floats:
    """A piece (height, width) of a surface; wood's fibres lie along x.

    A stone's veins are brighter than the stone, with a negative contrast darker.
    """
    if surface is Surface.WOOD:
        return grain(random, shape, px_per_mm, contrast)
    if surface is Surface.STONE:
        return _stone(random, shape, px_per_mm, contrast)
    if surface is Surface.CLOTH:
        return _cloth(random, shape, px_per_mm, contrast)
    if surface is Surface.VINYL:
        return _vinyl(random, shape, px_per_mm, contrast)
    if surface is Surface.CARDBOARD:
        return _paper(random, shape, px_per_mm, contrast)
    return _plain(random, shape, px_per_mm, contrast)


def _noise(random: np.random.Generator, shape: tuple[int, int], px_per_mm: float, *cell_mm: float) -> Floats:
    rows, columns = cell_mm if len(cell_mm) == 2 else (cell_mm[0], cell_mm[0])
    return smooth_noise(random, shape, (rows * px_per_mm, columns * px_per_mm))


def _stone(random: np.random.Generator, shape: tuple[int, int], scale: float, contrast: float) -> Floats:
    cloud = _noise(random, shape, scale, 26) + 0.5 * _noise(random, shape, scale, 9)
    veins: Floats = np.zeros(shape, dtype=np.float32)
    for cell, width, strength in ((38.0, 0.045, 1.0), (17.0, 0.055, 0.55), (8.0, 0.07, 0.22)):
        field = _noise(random, shape, scale, cell) + 0.28 * _noise(random, shape, scale, cell / 3.5)
        present = np.clip(0.6 + 0.7 * _noise(random, shape, scale, cell * 1.5), 0, 1)
        veins += strength * present * np.exp(-np.abs(field) / width)
    speckle = _noise(random, shape, scale, 0.8)
    return np.asarray(1 + contrast * (0.30 * cloud + 2.4 * veins + 0.10 * speckle), dtype=np.float32)


def _cloth(random: np.random.Generator, shape: tuple[int, int], scale: float, contrast: float) -> Floats:
    warp, weft = _noise(random, shape, scale, 26, 0.9), _noise(random, shape, scale, 0.9, 26)
    wrinkles = _noise(random, shape, scale, 150, 110)
    return np.asarray(1 + contrast * (0.45 * warp + 0.45 * weft + 0.35 * wrinkles), dtype=np.float32)


def _vinyl(random: np.random.Generator, shape: tuple[int, int], scale: float, contrast: float) -> Floats:
    grains = _noise(random, shape, scale, 0.7) + 0.7 * _noise(random, shape, scale, 1.6)
    curl = _noise(random, shape, scale, 400, 70)
    return np.asarray(1 + contrast * (0.6 * grains + 0.7 * curl), dtype=np.float32)


def _paper(random: np.random.Generator, shape: tuple[int, int], scale: float, contrast: float) -> Floats:
    fibres = _noise(random, shape, scale, 0.5, 1.5) + _noise(random, shape, scale, 1.5, 0.5)
    blotches = _noise(random, shape, scale, 5) + _noise(random, shape, scale, 60)
    return np.asarray(1 + contrast * (0.5 * fibres + 0.35 * blotches), dtype=np.float32)


def _plain(random: np.random.Generator, shape: tuple[int, int], scale: float, contrast: float) -> Floats:
    speckle, cloud = _noise(random, shape, scale, 0.6), _noise(random, shape, scale, 80)
    return np.asarray(1 + contrast * (0.6 * speckle + 0.5 * cloud), dtype=np.float32)
