"""Circles in a picture laid flat, found by the direction of its edges alone: whatever colour is in or around them."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_FAINTEST_EDGE = 0.01
"""Edges weaker than this (change of the image's value a pixel) count in part."""


def edge_directions(image: Floats) -> tuple[Floats, Floats]:
    """The cosine and sine of twice each edge's normal direction, (height, width), shortened where the edge is faint.

    image: (height, width, channels), on a logarithmic scale so that edges in shade count as those in light do; the
    channel with the strongest edge is taken.
    """
    smooth = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), dtype=np.float32)
    across = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), dtype=np.float32) / 8
    down = np.asarray(cv2.Sobel(smooth, cv2.CV_32F, 0, 1), dtype=np.float32) / 8
    strongest = (across**2 + down**2).argmax(axis=2)[..., None]
    across = np.take_along_axis(across, strongest, axis=2)[..., 0]
    down = np.take_along_axis(down, strongest, axis=2)[..., 0]
    size = np.hypot(across, down)
    weight = 1 / ((size + 1e-9) * (size + _FAINTEST_EDGE))
    cosine, sine = (across**2 - down**2) * weight, 2 * across * down * weight
    return cosine.astype(np.float32), sine.astype(np.float32)


def roundness(directions: tuple[Floats, Floats], radii: Iterable[float]) -> Floats:
    """(R, height, width): how well the edges on a circle of each radius (px) around each pixel run along the circle.

    1 where all do, about 0 where they run at random, -1 where all cross it.
    """
    cosine, sine = directions
    maps = []
    for radius in radii:
        half = int(np.ceil(radius + 2))
        row, column = np.mgrid[-half : half + 1, -half : half + 1]
        ring = np.clip(1.5 - np.abs(np.hypot(row, column) - radius), 0, 1)
        ring /= ring.sum()
        turn = 2 * np.arctan2(row, column)
        maps.append(
            cv2.filter2D(cosine, cv2.CV_32F, ring * np.cos(turn), borderType=cv2.BORDER_CONSTANT)
            + cv2.filter2D(sine, cv2.CV_32F, ring * np.sin(turn), borderType=cv2.BORDER_CONSTANT)
        )
    return np.stack(maps).astype(np.float32)
