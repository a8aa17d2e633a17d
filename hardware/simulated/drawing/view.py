"""The simulated camera's rays: where each pixel looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from hardware.simulated.geometry import SimulatedCamera

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Reals = NDArray[np.floating[Any]]

LENS_ERROR_PX = 0.001
"""How exactly a pixel's ray is found: OpenCV stops short of it for a lens that distorts strongly."""
LENS_STEPS = 60


@dataclass(frozen=True)
class Window:
    """A rectangle of pixels: columns left … right − 1 and rows top … bottom − 1."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """To index an image with."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def empty(self) -> bool:
        """Whether it holds no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    def joined(self, other: Window) -> Window:
        """The smallest window that holds both."""
        return Window(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )


class View:
    """Projection of board points to pixels and back, for every pixel at once.

    `ground_x` and `ground_y` (height, width) are the board coordinates (mm) where the ray through each pixel's
    centre, bent as the lens bends it, meets the playing surface.
    """

    def __init__(self, camera: SimulatedCamera) -> None:
        self.camera = camera
        self.position = np.asarray(camera.position_mm, dtype=np.float64)
        self._rotation, self._translation = camera.rotation, camera.translation_mm
        self._matrix, self._distortion = camera.matrix, np.asarray(camera.distortion, dtype=np.float64)
        self._rotation_vector, _ = cv2.Rodrigues(self._rotation)
        self.ground_x, self.ground_y = self._ground()

    @property
    def px_per_mm(self) -> float:
        """About how large a mm of the playing surface is in the picture."""
        return self.camera.focal_px / float(self.position[2])

    def ground(self, finer: int, window: Window | None = None) -> tuple[Floats, Floats]:
        """Like `ground_x` and `ground_y`, of a window of them, with `finer` × `finer` samples in each pixel.

        Between two pixels both are straight to 0.001 mm; the outermost samples are less exact.
        """
        part = np.s_[:, :] if window is None else window.slices
        size = finer * self.ground_x[part].shape[1], finer * self.ground_x[part].shape[0]
        x, y = (
            cv2.resize(ground[part], size, interpolation=cv2.INTER_LINEAR)
            for ground in (self.ground_x, self.ground_y)
        )
        return np.asarray(x, dtype=np.float32), np.asarray(y, dtype=np.float32)

    def _ground(self) -> tuple[Floats, Floats]:
        width, height = self.camera.size
        pixels = np.empty((height * width, 1, 2))
        pixels[:, 0, 0] = np.tile(np.arange(width), height)
        pixels[:, 0, 1] = np.repeat(np.arange(height), width)
        undistorted = self._refined(
            np.asarray(cv2.undistortPoints(pixels, self._matrix, self._distortion), dtype=np.float64).reshape(
                height, width, 2
            ),
            pixels.reshape(height, width, 2),
        )
        across, down = undistorted[..., 0], undistorted[..., 1]
        x, y, z = (self._rotation[:, axis] for axis in range(3))
        scale = -self.position[2] / (across * z[0] + down * z[1] + z[2])
        ground_x = self.position[0] + scale * (across * x[0] + down * x[1] + x[2])
        ground_y = self.position[1] + scale * (across * y[0] + down * y[1] + y[2])
        return ground_x.astype(np.float32), ground_y.astype(np.float32)

    def _refined(self, rays: NDArray[np.float64], pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rays (height, width, 2) moved until the lens bends each to its pixel."""
        middle = self._matrix[:2, 2]
        for _ in range(LENS_STEPS):
            bent = self._bend(rays) * self.camera.focal_px + middle
            error = bent - pixels
            if np.abs(error).max() < LENS_ERROR_PX:
                break
            rays = rays - error / self.camera.focal_px
        return rays

    def _bend(self, rays: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the lens makes of rays (…, 2): Brown's model, as OpenCV has it."""
        k1, k2, p1, p2, k3 = self.camera.distortion
        x, y = rays[..., 0], rays[..., 1]
        square = x**2 + y**2
        radial = 1 + square * (k1 + square * (k2 + square * k3))
        bent_x = x * radial + 2 * p1 * x * y + p2 * (square + 2 * x**2)
        bent_y = y * radial + p1 * (square + 2 * y**2) + 2 * p2 * x * y
        return np.stack([bent_x, bent_y], axis=-1)

    def project(self, points_mm: ArrayLike) -> NDArray[np.float64]:
        """Pixels (N, 2) of board points (N, 3)."""
        pixels, _ = cv2.projectPoints(
            np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3),
            self._rotation_vector,
            self._translation,
            self._matrix,
            self._distortion,
        )
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def window_around(self, points_mm: ArrayLike, margin_px: int = 2) -> Window:
        """The smallest window that shows all the points, grown by `margin_px`, cut to the picture."""
        pixels = self.project(points_mm)
        width, height = self.camera.size
        left, top = np.floor(pixels.min(axis=0)).astype(int) - margin_px
        right, bottom = np.ceil(pixels.max(axis=0)).astype(int) + margin_px + 1
        return Window(max(int(left), 0), max(int(top), 0), min(int(right), width), min(int(bottom), height))

    def at_height(self, window: Window, height_mm: float) -> tuple[Floats, Floats]:
        """Board coordinates x and y (mm) where the window's rays pass the plane z = `height_mm`."""
        part = float((self.position[2] - height_mm) / self.position[2])
        x, y = (float(value) * (1 - part) for value in self.position[:2])
        return self.ground_x[window.slices] * part + x, self.ground_y[window.slices] * part + y
