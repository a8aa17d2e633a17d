"""How the light has changed, judged by the squares that nothing stands on."""

from __future__ import annotations

import cv2
import numpy as np

from vision.view import Flags, Floats, View


def reference_colours(image: Floats, view: View, hidden: Flags | None = None) -> Floats:
    """(M, 3) the median colour of each reference square; NaN where it is hidden or outside the picture."""
    squares = view.reference_squares
    if not len(squares):
        return np.empty((0, 3), np.float32)
    steps = np.arange(0, squares[0, 2], 3)
    rows, columns = squares[:, 1, None] + steps, squares[:, 0, None] + steps
    samples = image[rows[:, :, None], columns[:, None, :]].reshape(len(squares), -1, 3)
    colours = np.median(samples, axis=1)
    unusable = ~view.in_picture if hidden is None else hidden | ~view.in_picture
    bad = unusable[rows[:, :, None], columns[:, None, :]].mean(axis=(1, 2)) > 0.3
    colours[bad] = np.nan
    return np.asarray(colours, dtype=np.float32)


def lighting(image: Floats, view: View, references: Floats, hidden: Flags | None = None) -> Floats:
    """(height, width, 3): by what the ground image is to be multiplied to be lit as when `references` were taken.

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
    step = max(1, round(view.square_mm * view.scale / 2))
    columns, rows = np.meshgrid(np.arange(step / 2, width + step, step), np.arange(step / 2, height + step, step))
    away2 = (columns[..., None] - centres[good, 0]) ** 2 + (rows[..., None] - centres[good, 1]) ** 2
    weight = np.exp(-0.5 * away2 / (view.square_mm * view.scale * 0.9) ** 2) + 1e-9
    coarse = ((weight * local[good]).sum(axis=2) + 0.05) / (weight.sum(axis=2) + 0.05)
    correction = (1 / (coarse[..., None] * overall)).astype(np.float32)
    full = (columns.shape[1] * step, columns.shape[0] * step)
    grown = cv2.resize(correction, full, interpolation=cv2.INTER_LINEAR)
    return np.asarray(grown[:height, :width], dtype=np.float32)
