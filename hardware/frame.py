"""One camera image and the interface of whatever takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

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
