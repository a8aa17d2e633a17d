"""Frames in which nothing moves: what is measured in a picture is to lie where it will lie."""

from __future__ import annotations

from calibration.errors import CalibrationError
from hardware.clock import Clock
from hardware.frame import Camera, Frame
from vision.silhouette import Mask
from vision.stillness import is_still

BETWEEN_S = 0.15
TRIES = 40
"""Some six seconds."""


def still_frame(camera: Camera, clock: Clock, region: Mask | None = None) -> Frame:
    """A frame of which the one before shows the same, at least in `region` (height, width).

    Raises CalibrationError when the picture does not come to rest, and CameraError.
    """
    before = camera.frame()
    for _ in range(TRIES):
        clock.sleep(BETWEEN_S)
        frame = camera.frame()
        if is_still(before.pixels, frame.pixels, region):
            return frame
        before = frame
    raise CalibrationError(
        "the picture does not come to rest: see that nobody moves before the camera, and that it stands firm"
    )
