"""The simulated camera's picture of the table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels
from hardware.simulated.discs import Disc
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.disc_drawing import DiscPainter
from hardware.simulated.drawing.gantry_drawing import GantryPainter
from hardware.simulated.drawing.hand_drawing import HandPainter
from hardware.simulated.drawing.scenery import draw_scenery, light_map
from hardware.simulated.drawing.sensor import FINE, Sensor
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import Floats, View
from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.scene import Scene

DEFAULT_STYLE = Style()


class Picture:
    """Draws scenes as one camera sees them. Table and discs that lie still are kept from picture to picture."""

    def __init__(self, geometry: TableGeometry, style: Style = DEFAULT_STYLE, seed: int = 0) -> None:
        self._view, self._light, self._scenery = _still_life(geometry, style, seed)
        self._discs = DiscPainter(self._view, style, self._light, geometry.disc_diameter_mm, geometry.disc_height_mm)
        self._gantry = GantryPainter(self._view, style, geometry.arm_parts)
        self._hand = HandPainter(self._view, style, self._light, seed)
        self._shadows = SoftShadows(self._view, style)
        self._sensor = Sensor(geometry.camera.size, style.noise, style.flicker, seed)
        self._lying: tuple[Disc, ...] | None = None
        self._still = self._scenery.copy()
        self._still_fine = _to_fine(self._scenery)
        self._canvas = Canvas(self._scenery.copy())

    def draw(self, scene: Scene) -> Pixels:
        """A fresh 8-bit picture (height, width, 3) with noise of its own."""
        if scene.discs != self._lying:
            np.copyto(self._still, self._scenery)
            self._discs.draw(Canvas(self._still), scene.discs)
            self._still_fine = _to_fine(self._still)
            np.copyto(self._canvas.pixels, self._still)
            self._lying = scene.discs
        self._draw_movers(self._canvas, scene)
        window, self._canvas.dirty = self._canvas.dirty, None
        if window is None:
            return self._sensor.expose(self._still_fine)
        fine = self._still_fine.copy()
        fine[window.slices] = _to_fine(self._canvas.pixels[window.slices])
        self._canvas.pixels[window.slices] = self._still[window.slices]
        return self._sensor.expose(fine)

    def _draw_movers(self, canvas: Canvas, scene: Scene) -> None:
        tip = scene.tip_mm if scene.tip_mm is not None and self._gantry.in_view(scene.tip_mm) else None
        hand = scene.hand
        if hand is not None:
            self._hand.cast_shadow(self._shadows, hand)
        if tip is not None:
            self._gantry.cast_shadows(self._shadows, tip)
        self._shadows.darken(canvas)
        self._discs.draw(canvas, scene.carried + (hand.held if hand is not None else ()))
        if hand is not None:
            self._hand.draw(canvas, hand)
        if tip is not None:
            self._gantry.draw(canvas, tip)


def _to_fine(picture: Floats) -> NDArray[np.int16]:
    """Sixteenths of a grey level."""
    return (picture * np.float32(FINE)).astype(np.int16)


@lru_cache(maxsize=4)
def _view(camera: SimulatedCamera) -> View:
    return View(camera)


@lru_cache(maxsize=4)
def _still_life(geometry: TableGeometry, style: Style, seed: int) -> tuple[View, Floats, Floats]:
    """The view, its light and the empty table under that light."""
    view = _view(geometry.camera)
    light = light_map(view, style, 8 * geometry.square_mm)
    return view, light, draw_scenery(view, geometry, style, seed) * light[..., None]
