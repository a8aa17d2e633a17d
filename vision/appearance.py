"""How a table looks: its bare surface pixel by pixel, and the faces and walls of its discs."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.view import Flags, Floats, View

LEAST_DEVIATION = 0.014
"""Standard deviation of brightness (1 = white) below which no pixel is trusted: noise, steps of grey, rounding."""
OUTLIER_DENSITY = float(np.log(0.02 / 0.3))
"""Log density of a colour that nothing explains: 2 % spread over the part of the colour cube that pictures use."""


@dataclass(frozen=True, eq=False)
class Colour:
    """A normal distribution of colour (BGR, 1 = white): mean (3,) and covariance (3, 3)."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @classmethod
    def of(cls, samples: NDArray[np.float32], tone_deviation: float = 0.04) -> Colour:
        """The colour of the pixels (K, 3), with outliers left out and some play in brightness allowed for.

        `tone_deviation` is by how much (relative) the brightness of another disc of the set may differ.
        """
        values = np.asarray(samples, dtype=np.float64)
        middle = np.median(values, axis=0)
        away = np.abs(values - middle).sum(axis=1)
        kept = values[away <= max(4.0 * float(np.median(away)), 0.02)]
        mean = kept.mean(axis=0)
        covariance = np.cov(kept.T) if len(kept) > 3 else np.diag((0.1 * mean) ** 2)
        covariance = covariance + np.eye(3) * LEAST_DEVIATION**2 / 2 + np.outer(mean, mean) * tone_deviation**2
        return cls(mean, np.asarray(covariance))

    def log_density(self, image: Floats) -> Floats:
        """(height, width) log density of each pixel of (height, width, 3), not below that of an outlier."""
        whiten = np.linalg.inv(np.linalg.cholesky(self.covariance))
        shift = np.column_stack([whiten, -whiten @ self.mean]).astype(np.float32)
        white = cv2.transform(image, shift)
        cv2.multiply(white, white, dst=white)
        squares = cv2.transform(white, np.full((1, 3), -0.5, np.float32)).reshape(image.shape[:2])
        constant = np.log(np.linalg.det(whiten)) - 1.5 * np.log(2 * np.pi)
        return np.asarray(np.maximum(squares + np.float32(constant), np.float32(OUTLIER_DENSITY)), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class DiscLook:
    """How discs of one colour look where the light is as at the field's 1."""

    face: Colour
    wall: Colour
    tones: NDArray[np.float64]
    """(N,) log brightness of the disc last seen at each place, relative to the mean of its colour."""
    tone_weights: NDArray[np.float64]
    """(N,) how much each of the tones counts; 0 where no disc of the colour has been seen."""

    def field(self, view: View) -> Floats:
        """(height, width) of the ground image: how brightly a disc lying there is lit, from the tones seen nearby."""
        width, height = view.ground_size
        step = max(1, round(10 * view.scale))
        columns, rows = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
        points = np.column_stack([columns.ravel(), rows.ravel()]) / view.scale + view.origin_mm
        away = np.linalg.norm(points[:, None, :] - view.places_mm[None, :, :], axis=2)
        near = np.exp(-0.5 * (away / (2.0 * view.square_mm)) ** 2) * self.tone_weights
        tone = (near * self.tones).sum(axis=1) / (near.sum(axis=1) + 0.5)
        field = np.exp(tone).reshape(columns.shape).astype(np.float32)
        full = (columns.shape[1] * step, columns.shape[0] * step)
        shift = np.array([[1, 0, step / 2], [0, 1, step / 2]], np.float32)
        grown = cv2.resize(field, full, interpolation=cv2.INTER_LINEAR)
        # cv2.resize puts sample i at pixel (i + ½)·step; ours lie at i·step
        grown = cv2.warpAffine(grown, shift, full, flags=cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
        return np.ascontiguousarray(grown[:height, :width], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Appearance:
    """What a table looks like in the ground image of one view; learnt by `vision.reader.learn`.

    surface: (height, width, 3) the bare table, BGR, 1 = white. deviation: (height, width) its standard deviation:
    small where the bare surface has been seen, as large as the material's where it has been concluded from its
    surroundings. seen: (height, width). references: (M, 3) the mean colour of each reference square.
    dark, light: the discs; dark_field, light_field: (height, width) how brightly they are lit.
    """

    surface: Floats
    deviation: Floats
    seen: Flags
    references: Floats
    dark: DiscLook
    light: DiscLook
    dark_field: Floats
    light_field: Floats


def reference_colours(image: Floats, view: View, hidden: Flags | None = None) -> Floats:
    """(M, 3) the median colour of each reference square; NaN where it is hidden or outside the picture."""
    colours = np.full((len(view.reference_squares), 3), np.nan, np.float32)
    for index, (column, row, width, height) in enumerate(view.reference_squares):
        part = np.s_[row : row + height : 2, column : column + width : 2]
        usable = view.in_picture[part]
        if hidden is not None:
            usable = usable & ~hidden[part]
        if usable.mean() > 0.5:
            colours[index] = np.median(image[part][usable], axis=0)
    return colours


def lighting(image: Floats, view: View, references: Floats, hidden: Flags | None = None) -> Floats:
    """(height, width, 3) how much brighter each part of the ground image is now than when `references` were taken.

    Judged by the squares that nothing stands on: one gain for each channel, and a smooth change of brightness from
    square to square, so that a soft shadow or a lamp that was moved is followed.
    """
    width, height = view.ground_size
    now = reference_colours(image, view, hidden)
    ratio = now / np.maximum(references, 0.02)
    good = np.isfinite(ratio).all(axis=1)
    if good.sum() < 4:
        return np.ones((height, width, 3), np.float32)
    overall = np.median(ratio[good], axis=0)
    local = np.clip((ratio / overall).mean(axis=1), 0.4, 1.6)
    centres = view.reference_squares[:, :2] + view.reference_squares[:, 2:] / 2.0
    step = max(1, round(view.square_mm * view.scale / 4))
    columns, rows = np.meshgrid(np.arange(step / 2, width + step, step), np.arange(step / 2, height + step, step))
    away = np.hypot(columns[..., None] - centres[good, 0], rows[..., None] - centres[good, 1])
    weight = np.exp(-0.5 * (away / (view.square_mm * view.scale * 0.9)) ** 2) + 1e-9
    coarse = ((weight * local[good]).sum(axis=2) + 0.05) / (weight.sum(axis=2) + 0.05)
    full = (columns.shape[1] * step, columns.shape[0] * step)
    smooth = cv2.resize(coarse.astype(np.float32), full, interpolation=cv2.INTER_LINEAR)[:height, :width]
    return np.asarray(smooth[..., None] * overall.astype(np.float32), dtype=np.float32)


def complete_surface(
    image: Floats, bare: Flags, view: View, before: Appearance | None = None
) -> tuple[Floats, Floats, Flags]:
    """The bare surface, its standard deviation and where it has been seen, from what is bare in this picture.

    Where it has never been seen, it is the mean of the same kind of surface nearby.
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
        earlier = before.seen & ~bare
        surface[earlier] = before.surface[earlier]
        both = before.seen & bare
        image = image.copy()
        image[both] = 0.7 * before.surface[both] + 0.3 * image[both]
        seen = before.seen | bare
    surface[bare] = image[bare]
    # a moved edge of a pattern is no disc: allow for a third of a pixel
    slope = np.hypot(cv2.Sobel(surface.mean(axis=2), cv2.CV_32F, 1, 0), cv2.Sobel(surface.mean(axis=2), cv2.CV_32F, 0, 1))
    deviation[seen] = np.sqrt(LEAST_DEVIATION**2 + (0.33 / 8 * slope[seen]) ** 2)
    return surface, deviation, seen
