"""Soft shadows of large things above the table: gantry, hand, sleeve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.view import Floats, View, Window
from hardware.simulated.scene import Point

COARSER = 8
"""These shadows have no sharp edges: they are drawn in a picture this many times smaller."""

VERY_SOFT_PX = 9.0
"""Standard deviation of a blur, in these smaller pixels, from which on it is done in a still smaller picture."""

VISIBLE = 0.997
"""Lighter shadows than this are not drawn."""


class SoftShadows:
    """Collects the shadows on the playing surface and darkens a picture by them."""

    def __init__(self, view: View, illumination: Illumination) -> None:
        self._view, self._illumination = view, illumination
        width, height = view.camera.size
        self._size = (width // COARSER, height // COARSER)
        self._lit: Floats | None = None

    def add_hull(self, points: Sequence[Point]) -> None:
        """The shadow of the convex body with these corners (board mm)."""
        pixels = self._cast(points)
        if not self._in_view(pixels):
            return
        mask: NDArray[np.uint8] = np.zeros(self._size[::-1], dtype=np.uint8)
        hull = cv2.convexHull(pixels.astype(np.float32).reshape(-1, 1, 2)).reshape(-1, 2)
        cv2.fillConvexPoly(mask, np.rint(hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        self._darken(mask, float(np.mean([z for _, _, z in points])))

    def add_limbs(self, limbs: Iterable[tuple[Point, Point, float]]) -> None:
        """The common shadow of round limbs, each from a point to a point (board mm) with a radius (mm)."""
        mask: NDArray[np.uint8] = np.zeros(self._size[::-1], dtype=np.uint8)
        heights = []
        for start, end, radius in limbs:
            pixels = self._cast([start, end, (start[0] + radius, start[1], start[2])])
            thickness = max(1, round(2 * float(np.linalg.norm(pixels[2] - pixels[0]))))
            ends = [(int(x), int(y)) for x, y in np.clip(np.rint(pixels[:2] * 16), -32000, 32000)]
            cv2.line(mask, ends[0], ends[1], 255, thickness, cv2.LINE_AA, 4)
            heights.append(start[2])
        self._darken(mask, float(np.mean(heights)))

    def darken(self, canvas: Canvas) -> None:
        """Apply and forget what was collected."""
        if self._lit is None:
            return
        lit, self._lit = self._lit, None
        rows, columns = (np.flatnonzero((lit < VISIBLE).any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return
        window = Window(*(int(edge) * COARSER for edge in (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)))
        shade = cv2.resize(lit, self._view.camera.size, interpolation=cv2.INTER_LINEAR)[window.slices]
        part = canvas.part(window)
        np.multiply(part, cv2.merge([shade, shade, shade]), out=part)

    def _cast(self, points: Sequence[Point]) -> NDArray[np.float64]:
        on_ground = [(*self._illumination.cast(point), 0.0) for point in points]
        return (self._view.project(on_ground) + 0.5) / COARSER - 0.5

    def _in_view(self, pixels: NDArray[np.float64]) -> bool:
        margin = 40
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        return bool((high > -margin).all() and (low < np.asarray(self._size) + margin).all())

    def _darken(self, mask: NDArray[np.uint8], height_mm: float) -> None:
        """Soften by the height of what casts the shadow, as a lamp of some size does."""
        px_per_mm = self._view.px_per_mm / COARSER
        soft = _blurred(mask, max(0.6, self._illumination.penumbra * height_mm * 0.6 * px_per_mm))
        lit = 1 - (self._illumination.shadow * 0.75 / 255) * np.asarray(soft, dtype=np.float32)
        self._lit = lit if self._lit is None else np.minimum(self._lit, lit) * np.sqrt(np.maximum(self._lit, lit))


def _blurred(mask: NDArray[np.uint8], sigma: float) -> NDArray[np.uint8]:
    """The mask softened; what gets very soft is blurred in a smaller picture, which shows no less."""
    if sigma <= VERY_SOFT_PX:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), dtype=np.uint8)
    width, height = mask.shape[1], mask.shape[0]
    small = cv2.resize(mask, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), sigma / 4)
    return np.asarray(cv2.resize(soft, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
