"""The simulated camera as a device: pictures of the scene on demand, and the ways in which a camera fails."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Scene


class CameraState(Enum):
    """How the camera is."""

    WORKING = "working"
    FROZEN = "frozen"
    """It gives its last picture over and over, with the time at which that was taken."""
    DEAD = "dead"


class SimulatedCameraDevice:
    """A camera that takes a picture of the scene whenever it is asked for a frame.

    `picture` draws what it sees and may be exchanged: another light, another place.
    """

    def __init__(self, clock: Clock, picture: Picture, scene: Callable[[], Scene]) -> None:
        self.picture = picture
        self.state = CameraState.WORKING
        self._clock, self._scene = clock, scene
        self._last: Frame | None = None
        self._number = 0

    def frame(self) -> Frame:
        """A fresh frame of the scene as it is now. CameraError while the camera is dead."""
        if self.state is CameraState.DEAD:
            raise CameraError("The camera gives no more frames: check its cable and power, then start again.")
        if self.state is CameraState.FROZEN and self._last is not None:
            return self._last
        self._number += 1
        self._last = Frame(self.picture.draw(self._scene()), self._clock.now(), self._number)
        return self._last

    def close(self) -> None:
        """Nothing to let go of."""
