"""A capture of OpenCV's: a Linux video device, or a stream that FFmpeg reads."""

from __future__ import annotations

import contextlib
import time

import cv2
import numpy as np

from hardware.cameras.capture import smaller
from hardware.cameras.device_lock import lock_picture
from hardware.cameras.picture_lock import PictureLock
from hardware.cameras.v4l2_controls import V4l2Controls
from hardware.cameras.video_source import Size, SourceKind, device_path, open_source
from hardware.clock import Clock
from hardware.frame import Pixels

OLDEST_S = 2.0
"""A device that says its picture is older than this, or from the future, has another clock than ours."""


class OpenCvCapture:
    """A `Capture` over cv2.VideoCapture."""

    def __init__(self, capture: cv2.VideoCapture, tells_time: bool) -> None:
        """`tells_time`: it says when a picture was exposed, by the system's monotonic clock, as V4L2 does."""
        self._capture = capture
        self._tells_time = tells_time

    @property
    def queues(self) -> bool:
        """A driver keeps some pictures, FFmpeg a few more."""
        return True

    def grab(self) -> bool:
        """Wait for the next picture and keep it, undecoded if it comes from a device."""
        return self._capture.grab()

    def age_s(self) -> float | None:
        """How long ago it was exposed, if a device says so and that can be."""
        if not self._tells_time:
            return None
        # The driver's time is the system's monotonic one, whatever clock the program runs on.
        age = time.clock_gettime(time.CLOCK_MONOTONIC) - self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        return age if 0 <= age <= OLDEST_S else None

    def retrieve(self) -> Pixels | None:
        """Decode it; None if it is spoilt."""
        try:
            good, pixels = self._capture.retrieve()
        except cv2.error:
            return None
        return np.asarray(pixels, dtype=np.uint8) if good else None

    def retrieve_small(self) -> Pixels | None:
        """Decode it, which OpenCV does only as a whole, and make it smaller."""
        return smaller(self.retrieve())

    def release(self) -> None:
        """Let go of the device or stream."""
        self._capture.release()


def open_opencv_capture(
    source: str, kind: SourceKind, size: Size | None, lock: PictureLock | None, clock: Clock
) -> OpenCvCapture:
    """Open a device or stream; a device settles and is kept so if there is a `lock`. CameraError if it cannot be."""
    device = kind is SourceKind.DEVICE
    capture = OpenCvCapture(open_source(source, kind, size), tells_time=device)
    if device and lock is not None:
        with contextlib.suppress(OSError):  # Whatever has no controls takes its pictures as it likes.
            controls = V4l2Controls(str(device_path(source)))
            try:
                lock_picture(capture, controls, lock, clock)
            finally:
                controls.close()
    return capture
