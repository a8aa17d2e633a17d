"""The table with nothing on it, pixel by pixel, and whether a pixel shows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.colour import LEAST_DEVIATION, OUTLIER_DENSITY
from vision.view import Flags, Floats, View

TINT_SHARE = 0.7
"""How much less the colour of a surface varies than its brightness."""
TONE_DEVIATION = 0.03
"""By how much (relative) the brightness of a bare point may change with no shadow on it."""
NEARBY = ((18.0, 1.0), (60.0, 0.02))
FAR_TRUST = 1e-3
"""How far (standard deviation, mm) surface is looked for that tells of covered surface, and how much it counts; and
how much all of it counts."""
NEWS_SHARE = 0.3
"""How much of what is learnt comes from the newest picture, where older ones have shown the same."""
SHADOW_COST = 2.5
"""Log cost of explaining a pixel by a shadow on the bare surface, the darker the shadow the more."""


@dataclass(frozen=True, eq=False)
class BareSurface:
    """What comparing a picture with the bare surface needs of it, pixel by pixel.

    colour: (height, width, 3), BGR, 1 = white. The others are (height, width). strength: the colour's squared length;
    sharpness: its length over the standard deviation along it; tint: half the inverse variance across it; constant:
    the log density where the picture equals the surface.
    """

    colour: Floats
    strength: Floats
    sharpness: Floats
    tint: Floats
    constant: Floats

    @classmethod
    def of(cls, surface: Floats, deviation: Floats) -> BareSurface:
        """From the surface (height, width, 3) and its standard deviation (height, width)."""
        strength = np.maximum((surface**2).sum(axis=2), np.float32(1e-3))
        variance = deviation**2
        tone = variance + np.float32(TONE_DEVIATION**2) * strength
        tint = TINT_SHARE**2 * variance
        constant = -0.5 * np.log(tone) - np.log(tint) - 1.5 * np.log(2 * np.pi)
        parts = (np.asarray(part, dtype=np.float32) for part in (np.sqrt(strength / tone), 0.5 / tint, constant))
        return cls(surface, strength, *parts)

    @cached_property
    def planes(self) -> Floats:
        """(7, height, width): all of it, each channel by itself."""
        rest = np.stack([self.strength, self.sharpness, self.tint, self.constant])
        return np.ascontiguousarray(np.concatenate([self.colour.transpose(2, 0, 1), rest]))

    @classmethod
    def of_planes(cls, planes: Floats) -> BareSurface:
        """The reverse of `planes`."""
        colour = np.asarray(cv2.merge([planes[0], planes[1], planes[2]]), dtype=np.float32)
        return cls(colour, planes[3], planes[4], planes[5], planes[6])


def bare_log_density(image: Floats, bare: BareSurface) -> Floats:
    """(height, width) log density of each pixel if the surface lies bare there, perhaps in shadow.

    image is (height, width, 3), in the surface's light. The pixel is split into the part along the surface's own
    colour (how brightly it is lit) and the rest, which light does not explain.
    """
    shape = image.shape[:2]
    ones = np.ones((1, 3), np.float32)
    along = cv2.transform(cv2.multiply(image, bare.colour), ones).reshape(shape)
    rest = cv2.transform(cv2.multiply(image, image), ones).reshape(shape)
    lit = along / bare.strength
    np.clip(lit, np.float32(0.25), np.float32(1.3), out=lit)
    # |image - lit · surface|² = |image|² + lit (lit |surface|² - 2 image · surface)
    along *= 2
    rest += lit * (lit * bare.strength - along)
    rest = rest * bare.tint
    lit -= 1
    density = lit * bare.sharpness
    density *= density
    density *= np.float32(-0.5)
    shade = np.where(lit < 0, lit * np.float32(2) - np.float32(SHADOW_COST), np.float32(-9))
    np.maximum(density, shade, out=density)
    density -= np.maximum(rest, 0)
    density += bare.constant
    return np.asarray(np.maximum(density, np.float32(OUTLIER_DENSITY)), dtype=np.float32)


def complete_surface(image: Floats, bare: Flags, view: View) -> tuple[Floats, Floats, Flags]:
    """The bare surface, its standard deviation and where it has been seen, from one ground image.

    bare: (height, width) where nothing covers it. Elsewhere the surface is taken to be the mean of the same kind of
    surface nearby.
    """
    width, height = view.ground_size
    surface, deviation = image.copy(), np.empty((height, width), np.float32)
    shrink = max(1, round(2 * view.scale))
    small = (max(1, width // shrink), max(1, height // shrink))
    for kind in (0, 1, 2):
        of_kind = view.surfaces == kind
        known = bare & of_kind
        if not known.any():
            known = of_kind & view.in_picture
        share = known.astype(np.float32)
        values = cv2.resize(image * share[..., None], small, interpolation=cv2.INTER_AREA)
        weights = cv2.resize(share, small, interpolation=cv2.INTER_AREA)
        total = FAR_TRUST * values.mean(axis=(0, 1))
        weight = np.float32(FAR_TRUST * weights.mean())
        for reach_mm, trust in NEARBY:
            sigma = reach_mm * view.scale / shrink
            total = total + trust * cv2.GaussianBlur(values, (0, 0), sigma)
            weight = weight + trust * cv2.GaussianBlur(weights, (0, 0), sigma)
        mean = cv2.resize(
            total / np.maximum(weight, 1e-12)[..., None], (width, height), interpolation=cv2.INTER_LINEAR
        )
        spread = float(np.sqrt(np.mean((image - mean)[known] ** 2))) if known.any() else 0.1
        unseen = of_kind & ~bare
        surface[unseen] = mean[unseen]
        deviation[unseen] = max(spread, 2 * LEAST_DEVIATION)
    deviation[bare] = _deviation(surface)[bare]
    return surface, deviation, bare


def renewed_surface(
    image: Floats, bare: Flags, surface: Floats, deviation: Floats, seen: Flags
) -> tuple[Floats, Floats, Flags]:
    """The bare surface, its standard deviation and where it has been seen, after one more picture of it.

    image and bare are as for `complete_surface`; surface, deviation and seen what was known before.
    """
    new = bare & ~seen
    share = np.where(new, np.float32(1), np.float32(NEWS_SHARE) * bare)
    surface = surface + share[..., None] * (image - surface)
    if new.any():
        deviation = np.where(new, _deviation(surface), deviation)
    return surface, deviation, seen | bare


def _deviation(surface: Floats) -> Floats:
    """(height, width) the standard deviation of a surface that has been seen."""
    # an edge of the pattern that has moved by a third of a pixel is no disc; a Sobel mask sums eight slopes
    grey = surface.mean(axis=2)
    slope = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    return np.asarray(np.sqrt(LEAST_DEVIATION**2 + (0.33 * slope) ** 2), dtype=np.float32)
