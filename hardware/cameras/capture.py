"""What a running camera can do, whoever drives it."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from hardware.frame import SMALLER, Pixels


class Capture(Protocol):
    """A camera that is open and runs. Used by one thread only (`hardware.cameras.grabber`)."""

    @property
    def queues(self) -> bool:
        """Whether pictures come by themselves and wait in a queue, which has to be kept empty.

        Else each is taken when it is grabbed.
        """
        ...

    def grab(self) -> bool:
        """Wait for the next picture and keep it; False if none has come."""
        ...

    def age_s(self) -> float | None:
        """How long ago what was grabbed was exposed; None for a camera that does not tell."""
        ...

    def retrieve(self) -> Pixels | None:
        """Decode what was grabbed; None if it is spoilt."""
        ...

    def retrieve_small(self) -> Pixels | None:
        """Decode it SMALLER (`hardware.frame`) times smaller, in less time where that can be; None if spoilt."""
        ...

    def release(self) -> None:
        """Let go of the camera."""
        ...


def smaller(pixels: Pixels | None) -> Pixels | None:
    """A picture SMALLER times smaller; None of none."""
    if pixels is None:
        return None
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // SMALLER, height // SMALLER), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8)
