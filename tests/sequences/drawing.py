"""Draws shots, and says which squares of each something hides."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.draughts import SQUARES
from hardware.frame import Pixels
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.gantry_drawing import GantryPainter
from hardware.simulated.drawing.hand_drawing import HandPainter
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import View
from hardware.simulated.geometry import SimulatedCamera
from hardware.simulated.picture import Picture
from tests.sequences.cameras import model_of
from tests.sequences.stage import DISC_MM, GEOMETRY, HIGH_MM, Shot, Stage

KEPT = 3
HIDDEN_SHARE = 0.08
"""A square counts as hidden when so much of where a disc on it may be seen is covered."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A frame with what it shows: hidden squares, the part of the picture that is covered, the corners (4, 2; px)."""

    pixels: Pixels
    hidden: tuple[int, ...]
    covered: float
    corners: NDArray[np.float64]


class Artist:
    """Draws the shots of one stage, kept pictures and all."""

    def __init__(self, stage: Stage, style: Style, seed: int) -> None:
        self._stage, self._style, self._seed = stage, style, seed
        self._pictures: OrderedDict[tuple[SimulatedCamera, Illumination], Picture] = OrderedDict()
        self._painters: dict[SimulatedCamera, tuple[HandPainter, GantryPainter]] = {}
        self._taken = 0

    def draw(self, shot: Shot) -> Drawn:
        """The frame."""
        pixels = self._picture(shot).draw(shot.scene, shot.time_s)
        covered = self._covered(shot)
        model = model_of(shot.camera)
        hidden = tuple(square for square in SQUARES if self._share(covered, shot.camera, square) > HIDDEN_SHARE)
        return Drawn(pixels, hidden, float(covered.mean()), model.project(self._stage.corners_mm))

    def _picture(self, shot: Shot) -> Picture:
        key = shot.camera, shot.light
        if key not in self._pictures:
            geometry = replace(GEOMETRY, camera=shot.camera)
            self._pictures[key] = Picture(geometry, self._style, shot.light, self._seed, take=self._taken)
            self._taken += 1
        self._pictures.move_to_end(key)
        while len(self._pictures) > KEPT:
            self._pictures.popitem(last=False)
        return self._pictures[key]

    def _covered(self, shot: Shot) -> NDArray[np.bool_]:
        """(height, width) where hand or arm are in front of the table."""
        width, height = shot.camera.size
        scene = shot.scene
        if scene.hand is None and scene.tip_mm is None:
            return np.zeros((height, width), dtype=np.bool_)
        if shot.camera not in self._painters:
            view = View(shot.camera)
            even = np.ones((height, width, 3), dtype=np.float32)
            self._painters[shot.camera] = (
                HandPainter(view, Illumination(), even, self._seed),
                GantryPainter(view, self._style, Illumination(), GEOMETRY.arm_parts),
            )
        hand, gantry = self._painters[shot.camera]
        shown = [np.full((height, width, 3), grey, dtype=np.float32) for grey in (0.0, 1000.0)]
        for pixels in shown:
            canvas = Canvas(pixels)
            if scene.hand is not None:
                hand.draw(canvas, scene.hand)
            if scene.tip_mm is not None:
                gantry.draw(canvas, scene.tip_mm)
        return np.asarray((shown[1] - shown[0])[..., 0] < 500.0)

    def _share(self, covered: NDArray[np.bool_], camera: SimulatedCamera, square: int) -> float:
        """The part of a stack in the middle of a square that is covered."""
        if not covered.any():
            return 0.0
        x, y = self._stage.centre(square)
        turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        ring = np.column_stack([x + DISC_MM / 2 * np.cos(turn), y + DISC_MM / 2 * np.sin(turn)])
        points = np.vstack([np.column_stack([ring, np.full(16, z)]) for z in (0.0, 2 * HIGH_MM)])
        hull = cv2.convexHull(model_of(camera).project(points).astype(np.float32).reshape(-1, 1, 2))
        mask = np.zeros(covered.shape, dtype=np.uint8)
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
        return float(covered[mask > 0].mean())
