"""What the disc network looks at: each disc cut out of the picture, the way it leans turned upwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

CROP_SIZE = (60, 96)
"""Width and height of a crop."""
DISC_PX = 30.0
"""A disc's diameter in its crop."""
FOOT_AT = (29.5, 74.0)
"""Column and row of the crop that show the middle of the disc's base."""
CHANNELS = 3
LEANS_PX = 4 * np.sinh(np.linspace(0, np.arcsinh(16), 32))
"""How far above its foot the middle of the uppermost face shows in the crop: the values that the network weighs.
They lie the closer, the less it is."""
_LEAST_CONTRAST = 6.0
_NODES = (13, 20)
"""Points across and along a crop that are projected into the picture; between them that is linear enough."""

Floats = NDArray[np.float64]
Project = Callable[[Floats], Floats]
"""From points (N, 2) on the board, squares, to pixels (N, 2)."""


def leans(centres: Floats, camera: Floats) -> Floats:
    """(N, 2) the unit direction in which things at `centres` (N, 2) lean away from the camera (3,); in squares."""
    away = centres - camera[:2]
    return np.asarray(away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6))


def lean_px(centres: Floats, camera: Floats, diameter: float, heights: Floats) -> Floats:
    """(N, H) how far above their feet faces show that are `heights` (H,) above the board; squares but for the result.

    A point `h` above the board hides the point of the board that lies h / (z - h) times as far away from below the
    camera again.
    """
    away = np.linalg.norm(centres - camera[:2], axis=1)
    growth = heights / np.maximum(camera[2] - heights, 0.5)
    return np.asarray(away[:, None] * growth[None, :] * (DISC_PX / diameter))


def lean_weights(shown_px: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Which of LEANS_PX come next above some leans, and how much those count against the ones below."""
    place = np.arcsinh(np.clip(shown_px, 0, LEANS_PX[-1]) / 4) / np.arcsinh(16) * (len(LEANS_PX) - 1)
    above = np.clip(np.ceil(place).astype(np.int64), 1, len(LEANS_PX) - 1)
    return above, np.asarray(place - (above - 1))


@lru_cache(maxsize=2)
def _between(length: int, nodes: int) -> NDArray[np.float32]:
    """(length, nodes) weights of linear interpolation between evenly spaced nodes."""
    at = np.linspace(0, nodes - 1, length)
    return np.asarray(np.maximum(1 - np.abs(at[:, None] - np.arange(nodes)), 0), dtype=np.float32)


def disc_blocks(
    picture: NDArray[np.uint8], project: Project, centres: Floats, camera: Floats, diameter: float
) -> NDArray[np.float32]:
    """(N, 3, 96, 60): each disc's crop, laid flat and evened out.

    centres: (N, 2) of the discs' bases, camera: (3,), diameter of a disc, all in squares as in vision.square_input.
    """
    count = len(centres)
    width, height = CROP_SIZE
    along = leans(centres, camera)
    # The crop's rows run against the lean, its columns across it.
    across = np.column_stack([-along[:, 1], along[:, 0]])
    step = diameter / DISC_PX
    columns = (np.linspace(0, width - 1, _NODES[0]) - FOOT_AT[0]) * step
    rows = (np.linspace(0, height - 1, _NODES[1]) - FOOT_AT[1]) * step
    points = (
        centres[:, None, None, :]
        + columns[None, None, :, None] * across[:, None, None, :]
        - rows[None, :, None, None] * along[:, None, None, :]
    )
    nodes = project(points.reshape(-1, 2)).astype(np.float32).reshape(count, _NODES[1], _NODES[0], 2)
    pixels = _between(height, _NODES[1]) @ (nodes.transpose(3, 0, 1, 2) @ _between(width, _NODES[0]).T)
    at = pixels.reshape(2, count * height, width)
    shown = cv2.remap(picture, at[0], at[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    blocks = np.empty((count, CHANNELS, height, width), np.float32)
    for number, crop in enumerate(shown.reshape(count, height, width, 3)):
        middle, spread = cv2.meanStdDev(crop)
        contrast = np.float32(max(float(spread.mean()), _LEAST_CONTRAST))
        blocks[number] = (crop.transpose(2, 0, 1) - middle.reshape(3, 1, 1).astype(np.float32)) / contrast
    return blocks
