"""Whether a camera, where it is mounted, can tell kings from men by their height, and how to move it if not.

A second disc shows as far as the stack's top appears away from the camera's foot, and larger: in pixels that is
little where the camera looks straight down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.values import SQUARES, Calibration
from vision.camera_model import CameraModel

ENOUGH_PX = 2.6
"""By how much the second disc has to move the outline of a stack: the readings need some two pixels."""
STEP_MM, FARTHEST_MM = 10.0, 400.0


@dataclass(frozen=True)
class KingSight:
    """For squares 1–32 by how many pixels a king's top is moved, and how far to move the camera if that is too
    little.

    further_mm: away from the board, towards the robot's side, at the same height; 0 if all is well, None if no
    distance would do.
    """

    shifts_px: tuple[float, ...]
    further_mm: float | None

    @property
    def too_small(self) -> tuple[int, ...]:
        """The squares on which kings cannot be told for sure."""
        return tuple(number for number, shift in enumerate(self.shifts_px, 1) if shift < ENOUGH_PX)


def king_sight(calibration: Calibration) -> KingSight:
    """How well kings show on all squares."""
    squares = np.array(
        [calibration.square_mm_centre(number, human_is_white=True) for number in range(1, SQUARES + 1)]
    )
    height = calibration.disc.height_mm
    shifts = _shifts(calibration.camera, squares, height)
    further: float | None = 0.0
    if shifts.min() < ENOUGH_PX:
        further = next(
            (
                float(by)
                for by in np.arange(STEP_MM, FARTHEST_MM + STEP_MM, STEP_MM)
                if _shifts(
                    _moved_back(calibration.camera, float(by), 4 * calibration.square_mm), squares, height
                ).min()
                >= ENOUGH_PX
            ),
            None,
        )
    return KingSight(tuple(float(shift) for shift in shifts), further)


def _shifts(camera: CameraModel, squares: NDArray[np.float64], height_mm: float) -> NDArray[np.float64]:
    low, high = (
        camera.project(np.column_stack([squares, np.full(len(squares), level * height_mm)])) for level in (1, 2)
    )
    return np.asarray(np.linalg.norm(high - low, axis=1))


def _moved_back(camera: CameraModel, by_mm: float, middle_mm: float) -> CameraModel:
    """The camera moved away from the board, still looking at its middle."""
    position = camera.position_mm
    away = position[:2] - middle_mm
    length = float(np.linalg.norm(away))
    direction = away / length if length > 1 else np.array([0.0, 1.0])
    there = position + (*(direction * by_mm), 0.0)
    forward = np.array([middle_mm, middle_mm, 0.0]) - there
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(forward, right), forward])
    x, y, z = (float(value) for value in -rotation @ there)
    rows = tuple(tuple(float(value) for value in row) for row in rotation)
    return CameraModel(camera.matrix, camera.distortion, rows, (x, y, z), camera.size)
