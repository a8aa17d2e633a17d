"""How brightly each part of the table is lit."""

from __future__ import annotations

import numpy as np

from hardware.simulated.drawing.illumination import MIDDLE_MM, Illumination
from hardware.simulated.drawing.view import Floats, View


def light_map(view: View, illumination: Illumination, board_mm: float) -> Floats:
    """(height, width, 3) how brightly each pixel's surroundings are lit: 1 at the board's middle in white daylight.

    A near lamp's light falls off with the third power of its distance: by its square, and as it comes in at a slant.
    """
    width, height = view.camera.size
    across = illumination.gradient[0] * (view.ground_x / board_mm - 0.5)
    along = illumination.gradient[1] * (view.ground_y / board_mm - 0.5)
    column = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
    row = (np.arange(height, dtype=np.float32) - height / 2) / (height / 2)
    corner = (column[None, :] ** 2 + row[:, None] ** 2) / 2
    lit = np.asarray((1 + across + along) * (1 - illumination.vignetting * corner), dtype=np.float32)
    lamp = illumination.lamp_at
    if lamp is not None:
        square = (view.ground_x - lamp[0]) ** 2 + (view.ground_y - lamp[1]) ** 2 + lamp[2] ** 2
        nearest = sum((a - b) ** 2 for a, b in zip(lamp, MIDDLE_MM, strict=True))
        lit *= 1 + illumination.shadow * ((nearest / square) ** 1.5 - 1)
    return np.ascontiguousarray(lit[..., None] * np.asarray(illumination.gain, dtype=np.float32))
