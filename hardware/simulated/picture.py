"""The simulated camera's picture of the table."""

from __future__ import annotations

from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Pixels
from hardware.simulated.discs import Disc
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.disc_drawing import DiscPainter
from hardware.simulated.drawing.gantry_drawing import GantryPainter
from hardware.simulated.drawing.hand_drawing import HandPainter
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.light_map import light_map
from hardware.simulated.drawing.scenery import draw_scenery
from hardware.simulated.drawing.sensor import FINE, Sensor
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.view import Floats, View
from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.scene import HandPose, Point, Scene

DEFAULT_STYLE = Style()
DAYLIGHT = Illumination()
IN_VIEW_MM: Point = (160.0, 160.0, 40.0)
"""Somewhere over the board (board mm): to draw gantry and hand once before they are needed."""


class Picture:
    """Draws scenes as one camera sees them. Table and discs that lie still are kept from picture to picture.

    Making one costs nothing; its first picture takes up to a second more. Pictures of one table that follow one
    another, as the light changes or somebody pushes the camera, get a `take` of their own: the noise of each is
    another.
    """

    def __init__(
        self,
        geometry: TableGeometry,
        style: Style = DEFAULT_STYLE,
        illumination: Illumination = DAYLIGHT,
        seed: int = 0,
        take: int = 0,
    ) -> None:
        self._geometry, self._style, self._illumination = geometry, style, illumination
        self._seed, self._take = seed, take
        self._lying: tuple[Disc, ...] | None = None

    def draw(self, scene: Scene, time_s: float = 0.0, shift_px: tuple[float, float] = (0.0, 0.0)) -> Pixels:
        """A fresh 8-bit picture (height, width, 3) with noise of its own.

        time_s: when it is taken, for an exposure that drifts. shift_px: how far right and down everything is
        displaced because the camera shakes.
        """
        easel = self._easel
        if scene.discs != self._lying:
            easel.lay(scene.discs)
            self._lying = scene.discs
        easel.draw_movers(scene)
        fine = easel.taken_off()
        if any(shift_px):
            fine = _shifted(fine, shift_px)
        return easel.sensor.expose(fine, time_s)

    @property
    def ready(self) -> bool:
        """Whether the next picture takes no longer than those that follow."""
        return "_easel" in self.__dict__

    def prepare(self) -> None:
        """Do now what the first picture takes longer for, perhaps in a thread of its own."""
        self._easel.draw_movers(Scene((), tip_mm=IN_VIEW_MM, hand=HandPose(IN_VIEW_MM, 0.0)))
        self._easel.taken_off()

    @cached_property
    def _easel(self) -> _Easel:
        return _Easel(self._geometry, self._style, self._illumination, self._seed, self._take)


class _Easel:
    """The picture of what lies still, that of everything, and who draws them."""

    def __init__(
        self, geometry: TableGeometry, style: Style, illumination: Illumination, seed: int, take: int
    ) -> None:
        view = _view(geometry.camera)
        light = light_map(view, illumination, 8 * geometry.square_mm)
        self._scenery = draw_scenery(view, light, geometry, style, illumination, seed)
        sizes = geometry.disc_diameter_mm, geometry.disc_height_mm
        self._discs = DiscPainter(view, style, illumination, light, *sizes)
        self._gantry = GantryPainter(view, style, illumination, geometry.arm_parts)
        self._hand = HandPainter(view, illumination, light, seed)
        self._shadows = SoftShadows(view, illumination)
        self.sensor = Sensor(geometry.camera.size, illumination, seed, take)
        self._still = self._scenery.copy()
        self._still_fine = _to_fine(self._scenery)
        self._canvas = Canvas(self._scenery.copy())

    def lay(self, discs: tuple[Disc, ...]) -> None:
        """Draw what lies still."""
        np.copyto(self._still, self._scenery)
        self._discs.draw(Canvas(self._still), discs)
        self._still_fine = _to_fine(self._still)
        np.copyto(self._canvas.pixels, self._still)

    def draw_movers(self, scene: Scene) -> None:
        """Draw gantry, hand and what they hold, and their shadows."""
        canvas = self._canvas
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

    def taken_off(self) -> NDArray[np.int16]:
        """The picture in sixteenths of a grey level; what moves is wiped off afterwards."""
        window, self._canvas.dirty = self._canvas.dirty, None
        if window is None:
            return self._still_fine
        fine = self._still_fine.copy()
        fine[window.slices] = _to_fine(self._canvas.pixels[window.slices])
        self._canvas.pixels[window.slices] = self._still[window.slices]
        return fine


def _to_fine(picture: Floats) -> NDArray[np.int16]:
    """Sixteenths of a grey level."""
    return (picture * np.float32(FINE)).astype(np.int16)


def _shifted(fine: NDArray[np.int16], shift_px: tuple[float, float]) -> NDArray[np.int16]:
    """Everything displaced to the right and down."""
    move = np.array([[1.0, 0.0, shift_px[0]], [0.0, 1.0, shift_px[1]]])
    size = (fine.shape[1], fine.shape[0])
    return np.asarray(cv2.warpAffine(fine, move, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.int16)


@lru_cache(maxsize=4)
def _view(camera: SimulatedCamera) -> View:
    return View(camera)
