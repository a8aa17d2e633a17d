"""One camera image and the interface of whatever takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""An image as OpenCV has it: (height, width, 3), blue-green-red, origin top left."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One camera image, with the clock's time (s) at which it was exposed and a number that counts up."""

    pixels: Pixels
    time_s: float
    number: int


SMALLER = 4
"""How many times smaller a glimpse is than a frame, in width and height."""


@runtime_checkable
class GlimpsedCamera(Protocol):
    """A camera that pictures come from by themselves, so that each can be glanced at as soon as it is there."""

    def glimpse(self) -> Frame | None:
        """The newest picture, SMALLER than a frame, if it is newer than the last glimpse; never waits.

        Its time is when it was exposed or, if the camera does not tell, complete. A camera that nobody has glimpsed
        at for a second has nothing ready at first. Raises CameraError once the same has come for long.
        """
        ...


class Camera(Protocol):
    """Anything that gives frames."""

    def frame(self) -> Frame:
        """Take and return a fresh frame.

        Raises CameraError when there is none to be had.
        """
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...
