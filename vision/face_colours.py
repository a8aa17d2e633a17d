"""The colours of discs' faces."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.view import Pixels, View

DARKEST = 3.0
"""Grey levels added: what is darker is noise."""
_TURNS = np.linspace(0, 2 * np.pi, 12, endpoint=False)
_SPOTS = np.concatenate(
    [reach * np.column_stack([np.cos(_TURNS), np.sin(_TURNS)]) / 2 for reach in (0.15, 0.35, 0.55, 0.7)]
)
"""(48, 2) where a face is looked at, in diameters."""

Floats = NDArray[np.float64]


def face_colours(pixels: Pixels, view: View, tops_mm: Floats, stacked: NDArray[np.bool_]) -> Floats:
    """(K, 3) the faces' colours, BGR, above 0: medians over spots all over them.

    tops_mm: (K, 2) the topmost discs' centres, on the board. stacked: (K,).
    """
    points = tops_mm[:, None, :] + _SPOTS * view.disc.diameter_mm
    heights = np.where(stacked, 2, 1) * view.disc.height_mm
    high = np.broadcast_to(heights[:, None, None], (*points.shape[:2], 1))
    seen = view.camera.project(np.concatenate([points, high], axis=-1).reshape(-1, 3)).astype(np.float32)
    at = seen.reshape(len(tops_mm), len(_SPOTS), 2)
    shown = cv2.remap(pixels, at[..., 0].copy(), at[..., 1].copy(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(shown.reshape(*at.shape[:2], 3), axis=1) + DARKEST)
