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


STEPS_AN_EDGE = 9


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
    for box in boxes:
        points = camera.project(_edge_points(box)) * scale
        outline = cv2.convexHull(points.astype(np.float32).reshape(-1, 1, 2))
        cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), 255)
    if margin_px:
        kernel = np.ones((2 * margin_px + 1, 2 * margin_px + 1), np.uint8)
        mask = np.asarray(cv2.dilate(mask, kernel), dtype=np.uint8)
    return mask > 0


def _edge_points(box: Box) -> NDArray[np.float64]:
    """(K, 3) points along the box's twelve edges, its corners among them."""
    lower, upper = np.asarray(box.lower_mm), np.asarray(box.upper_mm)
    steps = np.linspace(0.0, 1.0, STEPS_AN_EDGE)
    points = [
        np.insert(np.array([b, c], dtype=np.float64), axis, along)
        for axis in range(3)
        for b, c in product((0.0, 1.0), repeat=2)
        for along in steps
    ]
    return np.asarray(lower + np.array(points) * (upper - lower))
