"""A sheet of paper with a pattern that somebody holds before the simulated camera, or lays on the board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import SimulatedCamera

PAPER = 225
INK = 38
"""Grey levels of paper and print in ordinary light."""
MARGIN_MM = 12.0
SOFT_PX = 0.5
PIXEL = 1.6
"""How soft the pattern is, in eighths of a module: about a camera's pixel is averaged over."""
NOISE = 2.0


@dataclass(frozen=True)
class SheetPose:
    """Where the middle of the pattern is (board mm), how far its plane is tilted about the board's x and y, and
    turned in itself (degrees)."""

    middle_mm: tuple[float, float, float]
    tilt_deg: tuple[float, float] = (0.0, 0.0)
    turn_deg: float = 0.0


class PaperSheet:
    """Draws the sheet over a camera's pictures. `pattern` has one pixel a module, each `module_mm` wide as
    printed.
    """

    def __init__(self, pattern: NDArray[np.uint8], module_mm: float, camera: SimulatedCamera, seed: int) -> None:
        self._module_mm = module_mm
        self._half = np.array(pattern.shape[::-1]) * module_mm / 2
        fine = cv2.resize(pattern, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        self._fine = cv2.GaussianBlur(fine, (0, 0), PIXEL)
        self._camera = camera
        self._noise = np.random.default_rng((seed, 71))

    def over(self, pixels: Pixels, pose: SheetPose) -> Pixels:
        """A copy of a picture in which the sheet is held like that."""
        camera = self._camera
        tilt, _ = cv2.Rodrigues(np.radians((*pose.tilt_deg, 0.0)))
        turn, _ = cv2.Rodrigues(np.radians((0.0, 0.0, pose.turn_deg)))
        # The pattern's x runs along the sheet's first direction, its y against the second: face up.
        axes = np.asarray(tilt) @ np.asarray(turn)
        middle, eye = np.array(pose.middle_mm), np.array(camera.position_mm)
        rays = _rays(camera)
        towards = rays @ axes[:, 2]
        distance = float((middle - eye) @ axes[:, 2]) / np.where(np.abs(towards) < 1e-9, 1e-9, towards)
        offset = eye - middle + rays * distance[..., None]
        x, y = offset @ axes[:, 0], -(offset @ axes[:, 1])
        paper = (np.abs(x) < self._half[0] + MARGIN_MM) & (np.abs(y) < self._half[1] + MARGIN_MM) & (distance > 0)
        scale = 8 / self._module_mm
        across, along = ((part + half) * scale - 0.5 for part, half in zip((x, y), self._half, strict=True))
        printed = cv2.remap(
            self._fine, across.astype(np.float32), along.astype(np.float32), cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT, borderValue=255.0,
        )  # fmt: skip
        grey = INK + (PAPER - INK) * printed.astype(np.float32) / 255
        grey = cv2.GaussianBlur(grey, (0, 0), SOFT_PX) + self._noise.normal(0, NOISE, grey.shape)
        drawn = pixels.copy()
        drawn[paper] = np.clip(grey, 0, 255).astype(np.uint8)[paper][:, None]
        return drawn


@lru_cache(maxsize=1)
def _rays(camera: SimulatedCamera) -> NDArray[np.float64]:
    """(height, width, 3) the direction of each pixel's ray in the board frame."""
    view = View(camera)
    points = np.stack([view.ground_x, view.ground_y, np.zeros_like(view.ground_x)], axis=-1).astype(np.float64)
    rays = points - np.array(camera.position_mm)
    return np.asarray(rays / np.linalg.norm(rays, axis=2, keepdims=True))
