"""Where the sequences' cameras stand."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np

from hardware.simulated.geometry import CAMERAS, SimulatedCamera
from tests.sequences.stage import BOARD_MM
from vision.camera_model import CameraModel

SIZES = ((960, 540), (960, 540), (1280, 720))
TILTS_DEG = {"overhead": (1.0, 7.0), "left": (18.0, 42.0), "right": (18.0, 42.0), "far": (20.0, 45.0)}
"""How far from straight above a camera looks down, on the players' left or right, or from the robot's side."""
AZIMUTHS_DEG = {"overhead": (70.0, 110.0), "left": (160.0, 200.0), "right": (-20.0, 20.0), "far": (65.0, 115.0)}
"""From where, counter-clockwise from the board's x axis."""
PLACES = ("mast", *TILTS_DEG)
FILLS = (0.62, 0.84)
"""The part of the picture's height or width that the board takes up."""


def camera_at(place: str, chance: random.Random, size: tuple[int, int] | None = None) -> SimulatedCamera:
    """A camera at one of PLACES: the reference mount, roughly, or one as people put it."""
    size = size or chance.choice(SIZES)
    if place == "mast":
        mast = CAMERAS["mast"]
        shift = (chance.uniform(-8, 8), chance.uniform(-12, 12), chance.uniform(-12, 12))
        turn = (chance.uniform(-0.5, 0.5), chance.uniform(-0.5, 0.5), chance.uniform(-2, 2))
        scaled = replace(mast, size=size, focal_px=mast.focal_px * size[0] / mast.size[0])
        return scaled.nudged(shift, turn)
    tilt = math.radians(chance.uniform(*TILTS_DEG[place]))
    azimuth = math.radians(chance.uniform(*AZIMUTHS_DEG[place]))
    away = chance.uniform(620.0, 900.0)
    middle = BOARD_MM / 2
    at = (
        middle + away * math.sin(tilt) * math.cos(azimuth),
        middle + away * math.sin(tilt) * math.sin(azimuth),
        away * math.cos(tilt),
    )
    looks_at = (middle + chance.uniform(-12, 12), middle + chance.uniform(-12, 12), 0.0)
    bend = chance.uniform(-0.09, 0.02)
    camera = SimulatedCamera(at, looks_at, size, float(size[0]), (bend, 0.015, 0.0003, -0.0002, 0.0))
    camera = replace(camera, turn_deg=(0.0, 0.0, chance.uniform(-4, 4)))
    return replace(camera, focal_px=camera.focal_px * chance.uniform(*FILLS) / _filled(camera))


def model_of(camera: SimulatedCamera) -> CameraModel:
    """The camera as vision has it."""
    x, y, z = (float(value) for value in camera.translation_mm)
    return CameraModel(
        matrix=tuple(tuple(float(value) for value in row) for row in camera.matrix),
        distortion=camera.distortion,
        rotation=tuple(tuple(float(value) for value in row) for row in camera.rotation),
        translation_mm=(x, y, z),
        size=camera.size,
    )


def _filled(camera: SimulatedCamera) -> float:
    """The part of the picture's width or height, whichever is more, that the board with a rim takes up."""
    rim = 12.0
    low, high = -rim, BOARD_MM + rim
    straight = replace(camera, distortion=(0.0,) * 5)
    corners = [(low, low, 0.0), (high, low, 0.0), (high, high, 0.0), (low, high, 0.0)]
    seen = model_of(straight).project(corners) - np.array(camera.size) / 2
    return float((2 * np.abs(seen).max(axis=0) / camera.size).max())
