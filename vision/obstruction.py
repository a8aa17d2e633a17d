"""What hides the table: hands, sleeves, an arm that is not where it should be, a cat."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.silhouette import Mask

SCALE = 4
"""Obstructions are sought in pictures this many times smaller."""
BRIGHTER, DARKER = 1.18, 0.42
"""Ratios of brightness beyond which something has come; soft and cast shadows lie between DARKER and 1."""
HUE_CHANGE = 0.085
"""Change of the colour's shares (sum over three channels) beyond which something has come."""
DIM = 24.0
"""Brightness (mean of the channels, 0–255) below which a colour's shares are mostly noise."""


@dataclass(frozen=True, eq=False)
class Obstruction:
    """What hides the table. `mask` is (height, width) of the picture divided by SCALE, True where it is hidden."""

    mask: Mask

    @property
    def present(self) -> bool:
        """Whether anything does."""
        return bool(self.mask.any())


def find_obstruction(
    pixels: NDArray[np.uint8],
    reference: NDArray[np.uint8],
    narrowest_px: float,
    region: Mask | None = None,
    ignore: Mask | None = None,
) -> Obstruction:
    """Compare a picture with one of the same still table that nothing hid.

    What has changed and is wider than `narrowest_px` everywhere it is thick counts, so discs that have come, gone or
    moved do not; nor do shadows, which darken without changing the hue, or a change of exposure. Only `region`
    (height, width of the picture) is looked at, without `ignore`, where the gantry is expected.
    """
    now, before = _small(pixels), _small(reference)
    changed = _changed(now, before)
    if region is not None:
        changed &= _small_mask(region)
    if ignore is not None:
        changed &= ~_small_mask(ignore)
    width = max(3, round(narrowest_px / SCALE))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    raw = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    # Beyond the picture's edge a hand goes on; without this margin an opening would nibble at it there.
    padded = cv2.copyMakeBorder(raw, width, width, width, width, cv2.BORDER_REPLICATE)
    thick = cv2.morphologyEx(padded, cv2.MORPH_OPEN, kernel)[width:-width, width:-width]
    count, labels = cv2.connectedComponents(raw, connectivity=8)
    if count <= 1 or not thick.any():
        return Obstruction(np.zeros(raw.shape, dtype=np.bool_))
    hidden = np.zeros(count, dtype=np.bool_)
    hidden[np.unique(labels[thick > 0])] = True
    hidden[0] = False
    return Obstruction(np.asarray(hidden[labels]))


def _small(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // SCALE, height // SCALE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32)


def _small_mask(mask: Mask) -> Mask:
    height, width = mask.shape
    small = cv2.resize(mask.astype(np.uint8), (width // SCALE, height // SCALE), interpolation=cv2.INTER_NEAREST)
    return np.asarray(small > 0)


def _changed(now: NDArray[np.float32], before: NDArray[np.float32]) -> Mask:
    ones = np.full((1, 3), 1.0, np.float32)
    sum_now = cv2.transform(now, ones) + 3.0
    sum_before = cv2.transform(before, ones) + 3.0
    ratio = sum_now / sum_before
    ratio /= np.float32(np.median(ratio[::4, ::4]))
    hue = np.abs(now / sum_now[..., None] - before / sum_before[..., None])
    shares = cv2.transform(hue, ones)
    coloured = (shares > HUE_CHANGE) & (np.minimum(sum_now, sum_before) > 3 * DIM)
    # Between two dark tones a ratio says little: a few levels of grey more are no hand.
    brighter = (ratio > BRIGHTER) & (sum_now - sum_before > 30.0)
    return np.asarray(coloured | brighter | (ratio < DARKER))
