"""Lines, shapes and words drawn over a picture, smoothly at any size."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Pixels = NDArray[np.uint8]
Tint = tuple[int, int, int]
"""Blue, green, red."""

FINE_BELOW_PX = 1500
"""Pictures narrower than this are drawn on in twice the size, so that small words can be read."""
_SHIFT = 4
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_CAPITALS_PX = 21.0
"""Height of the font's capitals at scale 1."""


class Ink:
    """A transparent sheet the size of a picture; all coordinates and widths are in the picture's pixels."""

    def __init__(self, size: tuple[int, int]) -> None:
        """`size` is (width, height), px."""
        self._size = size
        self._finer = 2 if size[0] < FINE_BELOW_PX else 1
        shape = (size[1] * self._finer, size[0] * self._finer)
        self._colour = np.zeros((*shape, 3), np.uint8)
        self._cover = np.zeros(shape, np.uint8)

    def line(self, points: ArrayLike, tint: Tint, width: float, opacity: float = 1.0, closed: bool = False) -> None:
        """A line through points (N, 2), px."""
        fixed = self._fixed(points)
        thickness = max(1, round(width * self._finer))
        for sheet, value in self._sheets(tint, opacity):
            cv2.polylines(sheet, [fixed], closed, value, thickness, cv2.LINE_AA, _SHIFT)

    def dashes(self, points: ArrayLike, tint: Tint, width: float, opacity: float = 1.0) -> None:
        """A closed line through points (N, 2), px, of which every other quarter is left out, in eight dashes."""
        ring = np.asarray(points, dtype=np.float64)
        step = max(len(ring) // 8, 2)
        for start in range(0, len(ring), step):
            part = np.arange(start, start + step // 2 + 1) % len(ring)
            self.line(ring[part], tint, width, opacity)

    def fill(self, points: ArrayLike, tint: Tint, opacity: float = 1.0) -> None:
        """A filled outline (N, 2), px."""
        fixed = self._fixed(points)
        for sheet, value in self._sheets(tint, opacity):
            cv2.fillPoly(sheet, [fixed], value, cv2.LINE_AA, _SHIFT)

    def words(self, text: str, centre: ArrayLike, height: float, tint: Tint, rim: Tint | None = None) -> None:
        """Words around `centre`, their capitals `height` px high, with a rim in which they can be read anywhere."""
        scale = height * self._finer / _CAPITALS_PX
        thickness = max(1, round(scale * 2.2))
        (across, down), below = cv2.getTextSize(text, _FONT, scale, thickness)
        edge = max(1, round(0.16 * height * self._finer)) if rim is not None else 0
        margin = edge + thickness + 1
        letters = np.zeros((down + below + 2 * margin, across + 2 * margin), np.uint8)
        cv2.putText(letters, text, (margin, margin + down), _FONT, scale, 255, thickness, cv2.LINE_AA)
        x, y = np.asarray(centre, dtype=np.float64) * self._finer
        at = (round(float(x) - across / 2) - margin, round(float(y) - down / 2) - margin)
        if rim is not None:
            around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * edge + 1, 2 * edge + 1))
            self._stamp(np.asarray(cv2.dilate(letters, around), dtype=np.uint8), at, rim, 0.85)
        self._stamp(letters, at, tint, 1.0)

    def _stamp(self, shape: Pixels, at: tuple[int, int], tint: Tint, opacity: float) -> None:
        """Lay a shape, 0–255 (height, width), in a tint on the sheet, its first pixel at (column, row) `at`."""
        rows, columns = self._cover.shape
        left, top = max(at[0], 0), max(at[1], 0)
        right, bottom = min(at[0] + shape.shape[1], columns), min(at[1] + shape.shape[0], rows)
        if left >= right or top >= bottom:
            return
        part = shape[top - at[1] : bottom - at[1], left - at[0] : right - at[0]].astype(np.float32) * (opacity / 255)
        window = np.s_[top:bottom, left:right]
        colour = self._colour[window] * (1 - part[..., None]) + part[..., None] * np.asarray(tint, dtype=np.float32)
        self._colour[window] = np.rint(colour).astype(np.uint8)
        self._cover[window] = np.rint(self._cover[window] * (1 - part) + 255 * part).astype(np.uint8)

    def width_of(self, text: str, height: float) -> float:
        """How wide words of that height are, px."""
        scale = height * self._finer / _CAPITALS_PX
        (across, _), _ = cv2.getTextSize(text, _FONT, scale, max(1, round(scale * 2.2)))
        return across / self._finer

    def on(self, picture: Pixels) -> Pixels:
        """A copy of the picture with the sheet laid over it."""
        colour, cover = self._colour, self._cover
        if self._finer > 1:
            colour = np.asarray(cv2.resize(colour, self._size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            cover = np.asarray(cv2.resize(cover, self._size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        through = cv2.merge([255 - cover] * 3)
        return np.asarray(cv2.add(cv2.multiply(picture, through, scale=1 / 255), colour), dtype=np.uint8)

    def _fixed(self, points: ArrayLike) -> NDArray[np.int32]:
        spots = (np.asarray(points, dtype=np.float64) + 0.5) * self._finer - 0.5
        return np.rint(np.clip(spots, -1e5, 1e5) * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2)

    def _sheets(self, tint: Tint, opacity: float) -> tuple[tuple[Pixels, Tint], tuple[Pixels, int]]:
        """Both sheets with what is drawn on each: the colour times its opacity, and the opacity."""
        blue, green, red = (round(part * opacity) for part in tint)
        return (self._colour, (blue, green, red)), (self._cover, round(255 * opacity))


def box(left: float, top: float, right: float, bottom: float, radius: float = 0.0) -> NDArray[np.float64]:
    """The outline (N, 2) of a rectangle with rounded corners, px."""
    if radius <= 0:
        return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)
    corners = ((right - radius, bottom - radius, 0), (left + radius, bottom - radius, 1),
               (left + radius, top + radius, 2), (right - radius, top + radius, 3))  # fmt: skip
    turns = np.linspace(0, math.pi / 2, 6)
    parts = [
        np.column_stack(
            [x + radius * np.cos(turns + quarter * math.pi / 2), y + radius * np.sin(turns + quarter * math.pi / 2)]
        )
        for x, y, quarter in corners
    ]
    return np.concatenate(parts)
