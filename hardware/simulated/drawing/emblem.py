"""A crown in a ring, embossed on discs and printed on boards."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.view import Floats

CROWN = (
    (-0.50, -0.38), (0.50, -0.38), (0.50, -0.22), (-0.50, -0.22), (-0.50, -0.16), (-0.62, 0.36), (-0.30, 0.02),
    (0.0, 0.50), (0.30, 0.02), (0.62, 0.36), (0.50, -0.16), (-0.50, -0.16), (-0.50, -0.38),
)  # fmt: skip
"""The outline, y upwards, in a circle of radius 1."""
FINER = 4


def crown(size: int, ring: float | None = None) -> Floats:
    """(size, size) 0–1: the crown in a square picture that its circle fills, with a ring of that radius (0–1)."""
    side = size * FINER
    mask: NDArray[np.uint8] = np.zeros((side, side), dtype=np.uint8)
    points = (np.array(CROWN) * (0.62 if ring else 0.9) * (1, -1) + 1) * side / 2
    cv2.fillPoly(mask, [np.rint(points * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    for x, y in ((-0.62, 0.42), (0.0, 0.56), (0.62, 0.42)):
        scale = 0.62 if ring else 0.9
        middle = (round((x * scale + 1) * side / 2), round((1 - y * scale) * side / 2))
        cv2.circle(mask, middle, round(0.06 * side * scale / 0.9), 255, -1, cv2.LINE_AA)
    if ring:
        cv2.circle(mask, (side // 2, side // 2), round(ring * side / 2), 255, round(0.035 * side), cv2.LINE_AA)
    small = cv2.resize(mask, (size, size), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.float32) / np.float32(255)
