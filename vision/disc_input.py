"""What the disc network looks at: each disc cut out of the picture, the way it leans turned upwards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_PX = 80
DISC_PX = 34.0
"""A disc's diameter in its crop."""
FOOT_AT = (40.0, 48.0)
"""Column and row of the crop that show the middle of the disc's base."""
CHANNELS = 7
LEAST_CONTRAST = 6.0
NEAR_PX = 8.0
"""Further from an outline than this, the network is not told how far."""

Floats = NDArray[np.float64]
Project = Callable[[Floats], Floats]
"""From points (N, 2) on the board, squares, to pixels (N, 2)."""


def leans(centres: Floats, camera: Floats) -> Floats:
    """(N, 2) the unit direction in which things at `centres` (N, 2) lean away from the camera (3,); in squares."""
    away = centres - camera[:2]
    return np.asarray(away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6))


def disc_blocks(
    picture: NDArray[np.uint8], project: Project, centres: Floats, camera: Floats, diameter: float, height: float
) -> NDArray[np.float32]:
    """(N, 7, 80, 80): each disc's crop evened out, and where the outlines of one disc and of a stack would be in it.

    centres: (N, 2) of the discs' bases, camera: (3,), diameter and height of a disc, all in squares as in
    vision.square_input. The outlines are told as distances, negative inside: of the whole of a single disc and of a
    stack of two, and of the upper faces of both.
    """
    count = len(centres)
    directions = leans(centres, camera)
    step = diameter / DISC_PX
    columns, rows = np.meshgrid(np.arange(CROP_PX) - FOOT_AT[0], np.arange(CROP_PX) - FOOT_AT[1])
    # The crop's rows run against the lean, its columns across it.
    across = np.column_stack([-directions[:, 1], directions[:, 0]])
    points = (
        centres[:, None, :]
        + columns.reshape(1, -1, 1) * step * across[:, None, :]
        - rows.reshape(1, -1, 1) * step * directions[:, None, :]
    )
    pixels = project(points.reshape(-1, 2)).astype(np.float32).T.reshape(2, count * CROP_PX, CROP_PX)
    shown = cv2.remap(picture, pixels[0].copy(), pixels[1].copy(), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    crops = shown.reshape(count, CROP_PX, CROP_PX, 3).astype(np.float32)
    middle = crops.mean(axis=(1, 2), keepdims=True)
    spread = np.maximum(crops.std(axis=(1, 2)).mean(axis=1), LEAST_CONTRAST)[:, None, None, None]
    blocks = np.empty((count, CHANNELS, CROP_PX, CROP_PX), np.float32)
    blocks[:, :3] = ((crops - middle) / spread).transpose(0, 3, 1, 2)
    distance = np.linalg.norm(centres - camera[:2], axis=1)
    u, up = columns.astype(np.float32)[None], -rows.astype(np.float32)[None]
    for level in (1, 2):
        lift = camera[2] / max(camera[2] - level * height, 0.5)
        lean = (distance * (lift - 1) / step).astype(np.float32)[:, None, None]
        radius = DISC_PX / 2 * lift
        whole = np.hypot(u, up - np.clip(up, 0, lean)) - np.float32(DISC_PX / 2)
        face = np.hypot(u, up - lean) - np.float32(radius)
        blocks[:, 2 + level] = np.clip(whole, -NEAR_PX, NEAR_PX) / NEAR_PX
        blocks[:, 4 + level] = np.clip(face, -NEAR_PX, NEAR_PX) / NEAR_PX
    return blocks
