"""Frames in which nothing moves: what is measured in a picture is to lie where it will lie."""

from __future__ import annotations

from calibration.errors import CalibrationError
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Camera, Frame
from vision.silhouette import Mask
from vision.stillness import is_still

BETWEEN_S, PATIENCE_S = 0.15, 8.0


def still_frame(camera: Camera, clock: Clock, region: Mask | None = None) -> Frame:
    """A frame of which the one before shows the same, at least in `region` (height, width).

    A camera that misses frames is waited for, too. Raises CalibrationError when the picture does not come to rest,
    and CameraError when there is none.
    """
    before: Frame | None = None
    trouble: CameraError | None = None
    until = clock.now() + PATIENCE_S
    while clock.now() < until:
        try:
            frame, trouble = camera.frame(), None
        except CameraError as error:
            before, trouble = None, error
        else:
            if before is not None and is_still(before.pixels, frame.pixels, region):
                return frame
            before = frame
        clock.sleep(BETWEEN_S)
    raise trouble or CalibrationError(
        "the picture does not come to rest: see that nobody moves before the camera, and that it stands firm"
    )
