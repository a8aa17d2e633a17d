"""Any camera that OpenCV reads: a device, a network stream, or a recording."""

from __future__ import annotations

import math

import cv2
import numpy as np

from hardware.cameras.grabber import Grabber
from hardware.cameras.sameness import Sameness
from hardware.cameras.video_source import Size, SourceKind, kind_of, open_source
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame, Pixels

FIRST_FRAME_S = 5.0
"""How long a camera may take to wake up."""
FRAME_TIMEOUT_S = 0.4
"""How long a running camera may give nothing before it counts as dead: the arm moves unseen meanwhile."""
REVIVE_EVERY_S = 1.0
"""A camera that is dead or frozen is opened anew no more often than this."""
_STEP_S = 0.005


class OpenCvCamera:
    """A `Camera` over cv2.VideoCapture.

    `source` is a device path, a number, a URL or a video file; `size` (width, height) is asked of a device and
    demanded of every frame (None: whatever comes, but always the same), for a calibration holds for one size only
    and a picture cut or stretched to it would deceive it. A frame from a device or stream was begun after it was
    asked for: a thread at this edge keeps the driver's queue empty. A recording gives its frames one after the other.

    Raises CameraError if there is no such camera, here or at any frame. A device or stream that died, or that gives
    the same picture again and again, is opened anew in that thread whenever a frame is asked for: `frame` raises at
    once until frames come again.
    """

    def __init__(self, source: str, size: Size | None, clock: Clock) -> None:
        self._source = source
        self._size = size
        self._clock = clock
        self._number = 0
        self._kind = kind_of(source)
        self._trouble: str | None = None
        self._next_revival = -math.inf
        self._sameness = Sameness()
        capture = self._open()
        self._recording: cv2.VideoCapture | None = None
        self._grabber: Grabber | None = None
        if self._kind is SourceKind.RECORDING:
            self._recording = capture
        else:
            self._grabber = Grabber(capture, self._open, clock)

    def frame(self) -> Frame:
        """Take and return a fresh frame (for a recording: the next one)."""
        if self._grabber is not None:
            return self._live_frame(self._grabber)
        good, pixels = self._recording.read() if self._recording is not None else (False, None)
        if not good or pixels is None:
            raise CameraError(f"The recording {self._source} has ended: give one with more frames.")
        return self._checked(np.asarray(pixels, dtype=np.uint8), self._clock.now())

    def close(self) -> None:
        """Let go of the device."""
        if self._grabber is not None:
            self._grabber.stop()
        if self._recording is not None:
            self._recording.release()
            self._recording = None

    def _open(self) -> cv2.VideoCapture:
        return open_source(self._source, self._kind, self._size)

    def _live_frame(self, grabber: Grabber) -> Frame:
        if self._trouble is not None and grabber.taken() is None:
            # The frame that was wanted when the trouble began has still not come: there is nothing to wait for.
            raise self._troubled(grabber, self._trouble)
        pixels, time_s = self._fresh(grabber)
        if self._noise_is_kept and self._sameness.frozen(pixels, time_s):
            raise self._troubled(
                grabber,
                f"The camera {self._source} gives the same picture again and again: check that nothing covers its "
                "lens, then unplug it and plug it in again, or restart its stream.",
            )
        self._trouble = None
        return self._checked(pixels, time_s)

    def _fresh(self, grabber: Grabber) -> tuple[Pixels, float]:
        """A picture begun from now on and its time, if it comes in time."""
        grabber.want()
        give_up = self._clock.now() + (FRAME_TIMEOUT_S if self._number else FIRST_FRAME_S)
        while (taken := grabber.taken()) is None:
            if grabber.dead or self._clock.now() > give_up:
                raise self._troubled(
                    grabber,
                    self._trouble or f"The camera {self._source} gives no more frames: check its cable and power.",
                )
            self._clock.sleep(_STEP_S)
        return taken

    def _troubled(self, grabber: Grabber, trouble: str) -> CameraError:
        """The error to raise, after seeing to it that a camera which does not work is opened anew."""
        now = self._clock.now()
        silent = grabber.taken() is None and not grabber.dead
        if now >= self._next_revival and not silent:
            grabber.revive()
            self._next_revival = now + REVIVE_EVERY_S
        self._trouble = trouble
        return CameraError(trouble)

    @property
    def _noise_is_kept(self) -> bool:
        """Whether every picture has its sensor's noise: those of a video stream may repeat the one before."""
        return self._kind is SourceKind.DEVICE or self._source.startswith(("http://", "https://"))

    def _checked(self, pixels: Pixels, time_s: float) -> Frame:
        if pixels.ndim != 3 or pixels.shape[2] != 3:
            raise CameraError(f"The camera {self._source} gives no colour pictures: choose another video format.")
        size = (pixels.shape[1], pixels.shape[0])
        if self._size is None:
            self._size = size
        if size != self._size:
            raise CameraError(
                f"The camera {self._source} gives frames of {size[0]}×{size[1]}, not "
                f"{self._size[0]}×{self._size[1]}: set a size that it has, and calibrate anew."
            )
        self._number += 1
        return Frame(pixels, time_s, self._number)
