"""A pinhole camera with lens distortion, looking at the board: millimetres to pixels and back."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Points2 = NDArray[np.float64]
"""(N, 2) points: px in the image, or mm on the board."""
_AT_ONCE = 8192
"""Points projected together."""


@dataclass(frozen=True)
class CameraModel:
    """Where the camera is and how its lens draws, in OpenCV's conventions.

    A board point p (mm; x to the human's right, y away from the human, z up) lies at `rotation @ p + translation_mm`
    in the camera's frame (x right, y down, z into the scene). `matrix` is the 3 × 3 intrinsic matrix in px,
    `distortion` holds k1, k2, p1, p2, k3. `size` is (width, height) in px.
    """

    matrix: tuple[tuple[float, ...], ...]
    distortion: tuple[float, ...]
    rotation: tuple[tuple[float, ...], ...]
    translation_mm: tuple[float, float, float]
    size: tuple[int, int]

    def project(self, points_mm: ArrayLike) -> Points2:
        """Pixels (N, 2) of board points (N, 3) in mm."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3)
        if not len(points):
            return np.empty((0, 2))
        rotation_vector, _ = cv2.Rodrigues(np.asarray(self.rotation, dtype=np.float64))
        translation = np.asarray(self.translation_mm, dtype=np.float64)
        matrix = np.asarray(self.matrix, dtype=np.float64)
        distortion = np.asarray(self.distortion, dtype=np.float64)
        found = np.empty((len(points), 2))
        # projectPoints also makes the derivatives, 240 bytes a point, whether they are wanted or not.
        for first in range(0, len(points), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            pixels, _ = cv2.projectPoints(points[part], rotation_vector, translation, matrix, distortion)
            found[part] = pixels.reshape(-1, 2)
        return found

    def to_plane(self, pixels: ArrayLike, height_mm: float = 0.0) -> Points2:
        """Where the rays through `pixels` (N, 2) meet the plane z = `height_mm`: (N, 2) in mm."""
        points = np.asarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
        if not len(points):
            return np.empty((0, 2))
        normalised = cv2.undistortPoints(
            points, np.asarray(self.matrix, dtype=np.float64), np.asarray(self.distortion, dtype=np.float64)
        ).reshape(-1, 2)
        rotation = np.asarray(self.rotation, dtype=np.float64)
        rays = np.column_stack([normalised, np.ones(len(normalised))]) @ rotation
        centre = self.position_mm
        distance = (height_mm - centre[2]) / rays[:, 2]
        return np.asarray(centre[:2] + rays[:, :2] * distance[:, None], dtype=np.float64)

    @property
    def position_mm(self) -> NDArray[np.float64]:
        """The camera's centre in the board frame (3,), mm."""
        rotation = np.asarray(self.rotation, dtype=np.float64)
        return np.asarray(-rotation.T @ np.asarray(self.translation_mm, dtype=np.float64))
