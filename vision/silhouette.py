"""Where solid boxes appear in the image: the outline that the gantry is expected to show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel

Mask = NDArray[np.bool_]
"""(height, width), True where something is."""


def _unit_edges(steps: int) -> NDArray[np.float64]:
    """(12 * steps, 3) points along the twelve edges of the unit cube."""
    points = [
        np.insert(np.array(corner), axis, along)
        for axis in range(3)
        for corner in product((0.0, 1.0), repeat=2)
        for along in np.linspace(0.0, 1.0, steps)
    ]
    return np.array(points)


_UNIT_EDGES = _unit_edges(steps=7)


@dataclass(frozen=True)
class Box:
    """An axis-aligned box in the board frame, by two opposite corners in mm."""

    lower_mm: tuple[float, float, float]
    upper_mm: tuple[float, float, float]


def silhouette(camera: CameraModel, boxes: Iterable[Box], margin_px: int = 0, scale: float = 1.0) -> Mask:
    """The pixels that the boxes cover, grown by `margin_px`, in an image `scale` times the camera's size.

    Boxes must lie in front of the camera. Their edges are drawn in steps, so that they bend as the lens bends them.
    """
    width, height = (round(side * scale) for side in camera.size)
    mask: NDArray[np.uint8] = np.zeros((height, width), dtype=np.uint8)
    boxes = list(boxes)
    if not boxes:
        return np.asarray(mask > 0)
    corners = np.array([(box.lower_mm, box.upper_mm) for box in boxes]).reshape(-1, 2, 1, 3)
    points = corners[:, 0] + _UNIT_EDGES * (corners[:, 1] - corners[:, 0])
    pixels = (camera.project(points) * scale).astype(np.float32).reshape(len(corners), -1, 1, 2)
    for outline in pixels:
        cv2.fillConvexPoly(mask, np.rint(cv2.convexHull(outline)).astype(np.int32), 255)
    if margin_px:
        kernel = np.ones((2 * margin_px + 1, 2 * margin_px + 1), np.uint8)
        mask = np.asarray(cv2.dilate(mask, kernel), dtype=np.uint8)
    return mask > 0
