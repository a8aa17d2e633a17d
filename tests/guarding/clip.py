"""A clip of the simulated table drawn beforehand: the gantry along one way, with nobody there and with hands."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position
from controller.simulated_layout import starting_stacks
from hardware.clock import VirtualClock
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Point, Scene
from hardware.simulated.table import SimulatedTable, TableSetup

WAY_MM = (40.0, 340.0)
"""Where on the board's x axis the tip goes to and fro."""
WAY_Y_MM, WAY_Z_MM = 180.0, 55.0
STEP_MM = 15.0
"""Between the gantry's places in the clip."""
HANDS = (
    HandPose((160.0, 30.0, 35.0), 0.0),
    HandPose((60.0, 110.0, 20.0), -25.0),
    HandPose((280.0, 60.0, 60.0), 20.0),
)
"""Hands in the clip, each as it is in the first picture that shows it."""
JPEG_QUALITY = 90
TAKES = 3
"""How many pictures there are of each view, which differ by noise as a camera's do: it must not seem frozen."""


@dataclass(frozen=True)
class Clip:
    """JPEG pictures, `views[hand][place][take]`: hand 0 is nobody. `parked[take]` shows the gantry out of sight."""

    views: tuple[tuple[tuple[bytes, ...], ...], ...]
    parked: tuple[bytes, ...]

    def picture(self, tip_mm: Point, hand: int, number: int) -> bytes:
        """What frame `number` shows while the tip (board mm) is there and that hand, or nobody (0), is there."""
        take = random.Random(number).randrange(TAKES)  # In turn, every third frame would be the same.
        if tip_mm[1] > WAY_Y_MM + STEP_MM:
            return self.parked[take]
        place = round((tip_mm[0] - WAY_MM[0]) / STEP_MM)
        row = self.views[hand]
        return row[min(max(place, 0), len(row) - 1)][take]


def draw_clip(setup: TableSetup) -> Clip:
    """Draw all pictures of the clip, with the discs as a game begins; takes a minute or so."""
    clock = VirtualClock()
    calibration = calibration_of(setup.geometry, clock.date())
    table = SimulatedTable(clock, setup, starting_stacks(Position.start(), calibration, Colour.BLACK))
    picture = table.camera.picture
    discs = table.world.discs
    places = np.arange(WAY_MM[0], WAY_MM[1] + STEP_MM / 2, STEP_MM)
    tips = [(float(x), WAY_Y_MM, WAY_Z_MM) for x in places]
    views = tuple(tuple(_drawn(picture, Scene(discs, tip, (), hand)) for tip in tips) for hand in (None, *HANDS))
    return Clip(views, _drawn(picture, Scene(discs)))


def _drawn(picture: Picture, scene: Scene) -> tuple[bytes, ...]:
    pixels = picture.draw(scene)
    takes = []
    for take in range(TAKES):
        cv2.setRNGSeed(take)
        noise = cv2.randn(np.empty(pixels.shape, np.int16), 0.0, 1.5)
        noisy = np.clip(pixels + noise, 0, 255).astype(np.uint8)
        takes.append(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes())
    return tuple(takes)
