"""The mirror image of lamp or window on varnish, plastic and polished stone.

Each pixel's ray is mirrored at the surface, and compared with the lamp's outline as seen from there. A rough surface
spreads the image: it gets larger, softer, and as much fainter.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.illumination import MIDDLE_MM, Illumination
from hardware.simulated.drawing.style import Finish
from hardware.simulated.drawing.view import Floats, Reals
from hardware.simulated.drawing.wood import smooth_noise

BAR = 0.14
"""Width of a window's bars as a part of its half size."""
WHITE = 255.0


class Glare:
    """What a camera at one place sees of one lamp in level and nearly level surfaces."""

    def __init__(self, camera_mm: NDArray[np.float64], illumination: Illumination) -> None:
        self._camera = [float(value) for value in camera_mm]
        self._illumination = illumination
        self._colour = np.asarray(illumination.tint, dtype=np.float32)
        self._towards = np.asarray(illumination.direction)
        across = np.cross((0.0, 0.0, 1.0), self._towards)
        self._across = across / np.linalg.norm(across)
        self._up = np.cross(self._towards, self._across)

    @property
    def visible(self) -> bool:
        """Whether the lamp is bright enough to be mirrored at all."""
        return self._illumination.glare > 0

    def mirrored(
        self, x: Reals, y: Reals, z: float | Reals, tilt_x: float | Reals, tilt_y: float | Reals, finish: Finish
    ) -> Floats:
        """How many grey levels the mirror image adds at surface points (board mm).

        tilt_x, tilt_y: x and y of the surface's normal, whose z is 1.
        """
        view_x, view_y, view_z = x - self._camera[0], y - self._camera[1], z - self._camera[2]
        length = np.sqrt(view_x**2 + view_y**2 + view_z**2)
        normal = np.sqrt(1 + tilt_x * tilt_x + tilt_y * tilt_y)
        facing = -(view_x * tilt_x + view_y * tilt_y + view_z) / (length * normal)
        twice = 2 * facing / normal
        ray_x, ray_y, ray_z = (
            view_x / length + twice * tilt_x,
            view_y / length + twice * tilt_y,
            view_z / length + twice,
        )
        along = self._dot(self._towards, ray_x, ray_y, ray_z)
        across, up = self._dot(self._across, ray_x, ray_y, ray_z), self._dot(self._up, ray_x, ray_y, ray_z)
        forward = np.maximum(along, 0.02)
        slope_across, slope_up = across / forward, up / forward
        distance = self._illumination.lamp_mm
        if distance is not None:
            # The mirrored ray meets the lamp's plane so far from the lamp's middle, seen from the board's.
            away_x, away_y, away_z = x - MIDDLE_MM[0], y - MIDDLE_MM[1], z - MIDDLE_MM[2]
            left = distance - self._dot(self._towards, away_x, away_y, away_z)
            slope_across = (self._dot(self._across, away_x, away_y, away_z) + left * slope_across) / distance
            slope_up = (self._dot(self._up, away_x, away_y, away_z) + left * slope_up) / distance
        lamp_x, lamp_y = self._illumination.lamp_half
        columns, rows = self._illumination.panes
        image = _panes(slope_across, lamp_x, columns, finish.roughness) * _panes(
            slope_up, lamp_y, rows, finish.roughness
        )
        # Schlick's approximation of how much more is mirrored at a slant.
        mirrored = finish.reflectance + (1 - finish.reflectance) * (1 - np.clip(facing, 0, 1)) ** 5
        strength = self._illumination.glare * self._illumination.brightness
        return np.asarray(np.where(along > 0.02, strength * mirrored * image, 0.0), dtype=np.float32)

    def veil(self, picture: Floats, levels: Floats) -> Floats:
        """What mirrored light adds to a picture (height, width, 3): softly up to white, as a sensor does."""
        part = 1 - np.exp(levels[..., None] * self._colour * np.float32(-1 / WHITE))
        return np.asarray(part * np.maximum(WHITE - picture, 0), dtype=np.float32)

    @staticmethod
    def _dot(direction: NDArray[np.float64], x: Reals, y: Reals, z: float | Reals) -> Reals:
        return np.asarray(float(direction[0]) * x + float(direction[1]) * y + float(direction[2]) * z)


def waves(
    random: np.random.Generator, shape: tuple[int, int], px_per_mm: float, finish: Finish, fibres: bool
) -> Floats:
    """(2, height, width) x and y of the normals of a surface that is not quite even; wood's fibres lie along x."""
    cells = ((9.0, 24.0), (0.9, 14.0)) if fibres else ((8.0, 8.0), (1.5, 1.5))
    fields = []
    for _ in range(2):
        broad, fine = (
            smooth_noise(random, shape, (rows * px_per_mm, columns * px_per_mm)) for rows, columns in cells
        )
        fields.append(finish.waviness * (0.8 * broad + 0.5 * fine))
    return np.asarray(fields, dtype=np.float32)


def _panes(slope: Reals, half: float, count: int, roughness: float) -> Floats:
    """How much of the light along one axis of the lamp's area gets to the camera, 0–1."""
    soft = max(roughness, 0.004)
    edges = np.linspace(-half, half, count + 1)
    bar = BAR * half if count > 1 else 0.0
    lit: Floats = np.zeros_like(slope)
    for low, high in pairwise(edges):
        lit = lit + (_step((slope - low - bar / 2) / soft) - _step((slope - high + bar / 2) / soft))
    return np.asarray(lit, dtype=np.float32)


def _step(value: Reals) -> Floats:
    """A smooth step from 0 to 1, nearly the integral of the normal distribution."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.8 * value), dtype=np.float32)
