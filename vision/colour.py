"""Colours as normal distributions: what material a pixel's colour speaks for."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.view import Floats

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
