"""The simulated camera as a device: pictures of the scene on demand, and the ways in which a camera fails."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Scene

SWINGS_PX, SWINGS_HZ = 4.0, (7.3, 9.7)
"""How far a mast that was knocked against swings in the picture at first, and how fast, across and along."""


class CameraState(Enum):
    """How the camera is."""

    WORKING = "working"
    FROZEN = "frozen"
    """It gives its last picture over and over, with the time at which that was taken."""
    DEAD = "dead"


@dataclass(frozen=True, eq=False)
class Exposure:
    """What the camera took in at one moment (s), not drawn yet: frame number `number`."""

    picture: Picture
    scene: Scene
    time_s: float
    number: int
    shift_px: tuple[float, float] = (0.0, 0.0)
    """How far right and down everything is displaced because the camera shakes."""


class SimulatedCameraDevice:
    """A camera that takes a picture of the scene whenever it is asked for a frame.

    `picture` draws what it sees and may be exchanged: another light, another place. Taking a frame is quick
    (`expose`), drawing it is not (`develop`): a program that serves a table in real time does the second in another
    thread, one frame after the other.
    """

    def __init__(self, clock: Clock, picture: Picture, scene: Callable[[], Scene]) -> None:
        self.picture = picture
        self.state = CameraState.WORKING
        self._clock, self._scene = clock, scene
        self._exposure: Exposure | None = None
        self._developed: tuple[Exposure, Frame] | None = None
        self._number = 0
        self._shakes = (0.0, 0.0)

    def shake(self, seconds: float) -> None:
        """Something knocks against the camera's mast: it swings, less and less, for that long."""
        now = self._clock.now()
        self._shakes = (now, now + seconds)

    def _shift_px(self, time_s: float) -> tuple[float, float]:
        start, end = self._shakes
        if not start <= time_s < end:
            return 0.0, 0.0
        part = (end - time_s) / (end - start)
        across, down = (math.sin(2 * math.pi * hertz * (time_s - start) + 1) for hertz in SWINGS_HZ)
        return SWINGS_PX * part**2 * across, SWINGS_PX * part**2 * down

    def expose(self) -> Exposure:
        """Take in the scene as it is now. CameraError while the camera is dead."""
        if self.state is CameraState.DEAD:
            raise CameraError("The camera gives no more frames: check its cable and power.")
        if self.state is not CameraState.FROZEN or self._exposure is None:
            self._number += 1
            now = self._clock.now()
            self._exposure = Exposure(self.picture, self._scene(), now, self._number, self._shift_px(now))
        return self._exposure

    def develop(self, exposure: Exposure) -> Frame:
        """Draw what was taken in; the last exposure is drawn only once."""
        if self._developed is None or self._developed[0] is not exposure:
            pixels = exposure.picture.draw(exposure.scene, exposure.time_s, exposure.shift_px)
            frame = Frame(pixels, exposure.time_s, exposure.number)
            self._developed = (exposure, frame)
        return self._developed[1]

    def frame(self) -> Frame:
        """A fresh frame of the scene as it is now. CameraError while the camera is dead."""
        return self.develop(self.expose())

    def close(self) -> None:
        """Nothing to let go of."""
