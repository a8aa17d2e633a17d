"""The table with nothing on it, pixel by pixel, and whether a pixel shows it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.colour import LEAST_DEVIATION, OUTLIER_DENSITY
from vision.view import Flags, Floats, View

TONE_DEVIATION = 0.03
"""By how much (relative) the brightness of a bare point may change with no shadow on it."""
NEWS_SHARE = 0.3
"""How much of what is learnt comes from the newest picture, where older ones have shown the same."""
SHADOW_COST = 2.5
"""Log cost of explaining a pixel by a shadow on the bare surface, the darker the shadow the more."""


@dataclass(frozen=True, eq=False)
class BareSurface:
    """What comparing a picture with the bare surface needs of it, pixel by pixel: (height, width) but for `colour`.

    `strength` is the squared length of `colour` (height, width, 3); `tone` and `tint` are the inverse deviations along
    it and across; `constant` is the log density where the picture equals the surface.
    """

    colour: Floats
    strength: Floats
    length: Floats
    tone: Floats
    tint: Floats
    constant: Floats

    @classmethod
    def of(cls, surface: Floats, deviation: Floats) -> BareSurface:
        """From the surface (height, width, 3) and its standard deviation (height, width)."""
        strength = np.maximum((surface**2).sum(axis=2), np.float32(1e-3))
        length = np.sqrt(strength)
        tone = 1 / np.sqrt(deviation**2 + (np.float32(TONE_DEVIATION) * length) ** 2)
        tint = 1 / (np.float32(0.7) * deviation)
        constant = np.log(tone) + 2 * np.log(tint) - np.float32(1.5 * np.log(2 * np.pi))
        return cls(surface, strength, length, tone, tint, constant)


def bare_log_density(image: Floats, bare: BareSurface) -> Floats:
    """(height, width) log density of each pixel if the surface lies bare there, perhaps in shadow.

    image is (height, width, 3), in the surface's light. The pixel is split into the part along the surface's own
    colour (how brightly it is lit) and the rest, which light does not explain.
    """
    shape = image.shape[:2]
    ones = np.ones((1, 3), np.float32)
    lit = cv2.transform(cv2.multiply(image, bare.colour), ones).reshape(shape)
    lit /= bare.strength
    np.clip(lit, np.float32(0.25), np.float32(1.3), out=lit)
    whole = cv2.transform(cv2.multiply(image, image), ones).reshape(shape)
    # |image - lit·surface|² = |image|² + lit (lit |surface|² - 2 image·surface); exact where lit was clipped, too
    along = cv2.transform(cv2.multiply(image, bare.colour), ones).reshape(shape)
    whole += lit * (lit * bare.strength - 2 * along)
    np.maximum(whole, 0, out=whole)
    lit -= 1
    change = lit * bare.length
    change *= bare.tone
    np.multiply(change, change, out=change)
    change *= np.float32(-0.5)
    shade = np.where(lit < 0, lit * np.float32(2) - np.float32(SHADOW_COST), np.float32(-9))
    np.maximum(change, shade, out=change)
    whole *= bare.tint
    whole *= bare.tint
    change -= np.float32(0.5) * whole
    change += bare.constant
    return np.asarray(np.maximum(change, np.float32(OUTLIER_DENSITY)), dtype=np.float32)


def complete_surface(
    image: Floats, bare: Flags, view: View, before: tuple[Floats, Flags] | None = None
) -> tuple[Floats, Floats, Flags]:
    """The bare surface, its standard deviation and where it has been seen, from what is bare in this picture.

    bare: (height, width) where nothing covers the ground image. before: the surface and where it had been seen when
    the last picture was learnt. Where it has never been seen, it is the mean of the same kind of surface nearby.
    """
    width, height = view.ground_size
    surface = np.empty((height, width, 3), np.float32)
    deviation = np.empty((height, width), np.float32)
    for kind in (0, 1, 2):
        of_kind = view.surfaces == kind
        known = (bare & of_kind & view.in_picture).astype(np.float32)
        if not known.any():
            known = (of_kind & view.in_picture).astype(np.float32)
        total, weight = image * 0, known * 0
        for reach, share in ((1.5, 1.0), (5.0, 0.02), (40.0, 1e-4)):
            sigma = reach * view.square_mm * view.scale / 3
            shrink = max(1, int(sigma / 4))
            small = (max(1, width // shrink), max(1, height // shrink))
            values = cv2.resize(image * known[..., None], small, interpolation=cv2.INTER_AREA)
            weights = cv2.resize(known, small, interpolation=cv2.INTER_AREA)
            values = cv2.GaussianBlur(values, (0, 0), sigma / shrink)
            weights = cv2.GaussianBlur(weights, (0, 0), sigma / shrink)
            total = total + share * cv2.resize(values, (width, height), interpolation=cv2.INTER_LINEAR)
            weight = weight + share * cv2.resize(weights, (width, height), interpolation=cv2.INTER_LINEAR)
        mean = total / np.maximum(weight, 1e-12)[..., None]
        spread = np.sqrt(np.mean(((image - mean)[known > 0]) ** 2)) if known.any() else 0.1
        surface[of_kind] = mean[of_kind]
        deviation[of_kind] = max(float(spread), 2 * LEAST_DEVIATION)
    seen = bare
    if before is not None:
        old, known_before = before
        earlier = known_before & ~bare
        surface[earlier] = old[earlier]
        both = known_before & bare
        image = image.copy()
        image[both] = (1 - NEWS_SHARE) * old[both] + NEWS_SHARE * image[both]
        seen = known_before | bare
    surface[bare] = image[bare]
    # an edge of the pattern that has moved by a third of a pixel is no disc; a Sobel mask sums eight slopes
    grey = surface.mean(axis=2)
    slope = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    deviation[seen] = np.sqrt(LEAST_DEVIATION**2 + (0.33 * slope[seen]) ** 2)
    return surface, deviation, seen
