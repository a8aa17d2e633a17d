"""The gantry's own shadow: where a lamp throws it, found out from where it falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.silhouette import Box, Mask

SCALE = 4
AZIMUTHS_DEG = tuple(range(0, 360, 8))
SLOPES = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.1, 1.25, 1.4, 1.6, 1.85, 2.1, 2.4, 2.8, 3.2, 3.7)
"""Directions in which a lamp is looked for, and how far, for each mm of height, it throws a shadow. Between them the
margin helps."""
DISTANCES_MM = (1500.0, 800.0, 1e5)
"""How far from the board's middle the lamp may be: the rays of a near one spread."""
MARGIN_PX = 7
"""Of the smaller picture: how far a shadow may reach beyond where it is expected."""
WIDEST_LEFT_PX = 5
"""A shadow is the gantry's if nothing of it that is so wide (in the smaller picture) lies where it throws none."""
BRIGHTENED, MOST_BRIGHTENED = 1.05, 0.02
"""Under a shadow no more than this share becomes brighter by this ratio."""
FAR_PX = 1e4
"""Where points that are behind the camera, or nearly, are drawn."""

Lamp = tuple[float, float, float]
"""Distance (mm), slope and azimuth (degrees) of a lamp."""
LAMPS: tuple[Lamp, ...] = tuple(product(DISTANCES_MM, SLOPES, AZIMUTHS_DEG))


class ArmShadow:
    """Knows from where a lamp may throw the gantry's shadow: the better, the more shadows it has seen."""

    def __init__(self, camera: CameraModel, middle_mm: float) -> None:
        """`middle_mm` is the board's middle on x and on y, board mm."""
        self._camera = camera
        self._middle_mm = np.array([middle_mm, middle_mm, 0.0])
        self._lamps = list(LAMPS)

    def explains(
        self,
        bodies: Sequence[Sequence[Box]],
        mask: Mask,
        pixels: NDArray[np.uint8],
        reference: NDArray[np.uint8],
        thoroughly: bool,
    ) -> bool:
        """Whether what `mask` (any scale) shows is but darker, and lies where one lamp throws the bodies' shadow.

        Each body is somewhere on its way between its boxes (board mm). Only `thoroughly`, which takes a third of a
        second, are lamps looked for; else the likeliest of those that have thrown a shadow before is tried.
        """
        if not thoroughly and len(self._lamps) == len(LAMPS):
            return False
        corners = [np.concatenate([_corners(box) for box in boxes]) for boxes in bodies]
        if not corners or not _only_darker(mask, pixels, reference):
            return False
        width, height = (side // SCALE for side in self._camera.size)
        small = cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
        if self._fits(self._lamps[0], corners, small):
            return True
        if not thoroughly:
            return False
        # One lamp throws all shadows: what a hand looks like fits none of those that threw the earlier ones.
        fitting = [lamp for lamp in self._lamps if self._fits(lamp, corners, small)]
        if fitting:
            self._lamps = fitting
        return bool(fitting)

    def forget(self) -> None:
        """The light has changed: the lamp may be anywhere."""
        self._lamps = list(LAMPS)

    def _fits(self, lamp: Lamp, corners: list[NDArray[np.float64]], small: Mask) -> bool:
        left = (small & ~self._shadow(corners, self._lamp_at(*lamp), small.shape)).astype(np.uint8)
        return not cv2.erode(left, np.ones((WIDEST_LEFT_PX,) * 2, np.uint8)).any()

    def _lamp_at(self, distance_mm: float, slope: float, azimuth_deg: float) -> NDArray[np.float64]:
        """The lamp (board mm) whose light falls on the board's middle from there."""
        azimuth = np.deg2rad(azimuth_deg)
        towards = np.array([np.cos(azimuth) * slope, np.sin(azimuth) * slope, 1.0])
        return np.asarray(self._middle_mm + distance_mm * towards / np.linalg.norm(towards))

    def _shadow(self, corners: list[NDArray[np.float64]], lamp: NDArray[np.float64], shape: tuple[int, ...]) -> Mask:
        """Where bodies with these corners throw a shadow on the table; the lamp is a point (board mm)."""
        shadow = np.zeros(shape, np.uint8)
        for body in corners:
            below = np.minimum(body[:, 2:], 0.8 * lamp[2])  # What is as high as the lamp throws no end of a shadow.
            ground = lamp[:2] + (body[:, :2] - lamp[:2]) * (lamp[2] / (lamp[2] - below))
            flat = self._camera.project(np.column_stack([ground, np.zeros(len(ground))])) / SCALE
            flat = np.clip(np.nan_to_num(flat), -FAR_PX, FAR_PX)
            hull = cv2.convexHull(flat.astype(np.float32).reshape(-1, 1, 2))
            cv2.fillConvexPoly(shadow, np.rint(hull).astype(np.int32), 1)
        return cv2.dilate(shadow, np.ones((2 * MARGIN_PX + 1,) * 2, np.uint8)) > 0


def _corners(box: Box) -> NDArray[np.float64]:
    """(8, 3) the corners of a box."""
    return np.array(list(product(*zip(box.lower_mm, box.upper_mm, strict=True))))


def _only_darker(mask: Mask, pixels: NDArray[np.uint8], reference: NDArray[np.uint8]) -> bool:
    size = (mask.shape[1], mask.shape[0])
    now, before = (cv2.resize(picture, size, interpolation=cv2.INTER_AREA)[mask] for picture in (pixels, reference))
    if not len(now):
        return False
    brighter = now.mean(axis=1) + 2 > BRIGHTENED * (before.mean(axis=1) + 2)
    return float(brighter.mean()) <= MOST_BRIGHTENED
