"""What speaks for a disc at each point of the ground image: log likelihood ratios against the bare surface."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.appearance import LEAST_DEVIATION, OUTLIER_DENSITY, Appearance
from vision.view import Flags, Floats, View

MOST_PER_PIXEL = 5.0
"""No single pixel says more than this (natural logarithm)."""
SHADOW_COST = 2.5
"""Log cost of explaining a pixel by a shadow on the bare surface, the darker the shadow the more."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """(2, height, width) each, for dark and light discs: log likelihood of a disc's face, or its wall, against bare."""

    face: Floats
    wall: Floats


def bare_log_density(image: Floats, surface: Floats, deviation: Floats) -> Floats:
    """(height, width) log density of each pixel if the surface lies bare there, perhaps in shadow.

    image and surface are (height, width, 3) in the same light. The pixel is split into the part along the surface's
    own colour (how brightly it is lit) and the rest, which light does not explain.
    """
    ones = np.ones((1, 3), np.float32)
    shape = image.shape[:2]
    strength = cv2.transform(surface * surface, ones).reshape(shape)
    strength = np.maximum(strength, np.float32(1e-3))
    lit = cv2.transform(image * surface, ones).reshape(shape) / strength
    lit = np.clip(lit, np.float32(0.25), np.float32(1.3))
    rest = image - surface * lit[..., None]
    rest = cv2.transform(rest * rest, ones).reshape(shape)
    length = np.sqrt(strength)
    tone = np.sqrt(deviation**2 + (np.float32(0.03) * length) ** 2)
    change = (lit - 1) * length / tone
    plain = np.float32(-0.5) * change * change
    shade = np.where(lit < 1, -np.float32(SHADOW_COST) - np.float32(2.0) * (1 - lit), np.float32(-9.0))
    colour_deviation = np.float32(0.7) * deviation
    density = (
        np.maximum(plain, shade)
        - np.log(tone)
        - 2 * np.log(colour_deviation)
        - np.float32(0.5) * rest / (colour_deviation**2)
        - np.float32(1.5 * np.log(2 * np.pi))
    )
    return np.asarray(np.maximum(density, np.float32(OUTLIER_DENSITY)), dtype=np.float32)


def evidence(image: Floats, view: View, appearance: Appearance, ignored: Flags | None = None) -> Evidence:
    """What speaks for discs in a ground image (BGR, 1 = white) whose light has been made that of the appearance.

    ignored: (height, width) pixels that say nothing.
    """
    bare = bare_log_density(image, appearance.surface, appearance.deviation)
    dumb = ~view.in_picture if ignored is None else ignored | ~view.in_picture
    faces, walls = [], []
    for look, field in ((appearance.dark, appearance.dark_field), (appearance.light, appearance.light_field)):
        evenly_lit = np.asarray(image / field[..., None], dtype=np.float32)
        for colour, maps in ((look.face, faces), (look.wall, walls)):
            ratio = np.clip(colour.log_density(evenly_lit) - bare, -MOST_PER_PIXEL, MOST_PER_PIXEL)
            ratio[dumb] = 0
            maps.append(ratio)
    return Evidence(np.stack(faces), np.stack(walls))


__all__ = ["LEAST_DEVIATION", "Evidence", "bare_log_density", "evidence"]
