"""Any camera that OpenCV reads: a device, a network stream, or a recording."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np

from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Frame, Pixels

Size: TypeAlias = tuple[int, int]

FIRST_FRAME_S = 5.0
"""How long a camera may take to wake up."""
FRAME_TIMEOUT_S = 0.4
"""How long a running camera may give nothing before it counts as dead: the arm moves unseen meanwhile."""
_STEP_S = 0.005
_FAILURES_IN_A_ROW = 10


class SourceKind(Enum):
    """What a source's name says it is."""

    DEVICE = "device"
    STREAM = "stream"
    RECORDING = "recording"


def kind_of(source: str) -> SourceKind:
    """Tell a number or device path from a URL from a file."""
    if "://" in source:
        return SourceKind.STREAM
    if source.isdecimal() or Path(source).is_char_device():
        return SourceKind.DEVICE
    if Path(source).is_file():
        return SourceKind.RECORDING
    return SourceKind.DEVICE


class OpenCvCamera:
    """A `Camera` over cv2.VideoCapture.

    `source` is a device path, a number, a URL or a video file; `size` (width, height) is asked of a device and
    demanded of every frame (None: whatever comes, but always the same), for a calibration holds for one size only
    and a picture cut or stretched to it would deceive it. A frame from a device or stream was begun after it was
    asked for: a thread at this edge keeps the driver's queue empty. A recording gives its frames one after the other.

    Raises CameraError if there is no such camera, here or at any frame.
    """

    def __init__(self, source: str, size: Size | None, clock: Clock) -> None:
        self._source = source
        self._size = size
        self._clock = clock
        self._number = 0
        self._kind = kind_of(source)
        self._capture = self._open()
        self._grabber: _Grabber | None = None
        if self._kind is not SourceKind.RECORDING:
            self._grabber = _Grabber(self._capture, clock)

    def frame(self) -> Frame:
        """Take and return a fresh frame (for a recording: the next one)."""
        if self._grabber is None:
            good, pixels = self._capture.read()
            if not good:
                raise CameraError(f"The recording {self._source} has ended: give one with more frames.")
            return self._checked(np.asarray(pixels, dtype=np.uint8), self._clock.now())
        self._grabber.want()
        give_up = self._clock.now() + (FRAME_TIMEOUT_S if self._number else FIRST_FRAME_S)
        while True:
            taken = self._grabber.taken()
            if taken is not None:
                return self._checked(*taken)
            if self._grabber.failed or self._clock.now() > give_up:
                raise CameraError(
                    f"The camera {self._source} gives no more frames: check its cable and power, then start again."
                )
            self._clock.sleep(_STEP_S)

    def close(self) -> None:
        """Let go of the device."""
        if self._grabber is None or self._grabber.stop():
            self._capture.release()

    def _open(self) -> cv2.VideoCapture:
        source: str | int = self._source
        if self._kind is SourceKind.DEVICE:
            if self._source.isdecimal():
                source = int(self._source)
            path = Path(f"/dev/video{source}" if isinstance(source, int) else source)
            if not path.exists():
                raise CameraError(f"No camera at {path}: {_devices_there()}.")
        with _quiet():
            backend = {
                SourceKind.DEVICE: cv2.CAP_V4L2,
                SourceKind.STREAM: cv2.CAP_FFMPEG,
                SourceKind.RECORDING: cv2.CAP_ANY,
            }[self._kind]
            capture = cv2.VideoCapture(source, backend)
            if capture.isOpened() and self._kind is SourceKind.DEVICE:
                # Uncompressed frames of this size are slow over USB.
                capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
                if self._size is not None:
                    capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
                    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
                capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if not capture.isOpened():
            capture.release()
            raise CameraError(self._why_not_opened())
        return capture

    def _why_not_opened(self) -> str:
        if self._kind is SourceKind.STREAM:
            return f"No camera answers at {self._source}: check the address and that the stream is running."
        if self._kind is SourceKind.RECORDING:
            return f"{self._source} is no video that OpenCV can read: give a camera's device, a URL or a video file."
        path = Path(f"/dev/video{self._source}" if self._source.isdecimal() else self._source)
        if not os.access(path, os.R_OK | os.W_OK):
            return (
                f"You are not allowed to use {path}: run 'sudo usermod -aG video $USER', then log out and in again."
            )
        return (
            f"No camera at {path}: it gives no pictures, or another program is using it ('fuser -v {path}' names it)."
        )

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


class _Grabber:
    """Takes every frame off the driver's queue, and decodes one when it is wanted."""

    def __init__(self, capture: cv2.VideoCapture, clock: Clock) -> None:
        self.failed = False
        self._capture = capture
        self._clock = clock
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._taken: tuple[Pixels, float] | None = None
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def want(self) -> None:
        """Have the next frame that begins from now on decoded."""
        with self._lock:
            self._taken = None
        self._wanted.set()

    def taken(self) -> tuple[Pixels, float] | None:
        """The frame that was wanted and the time (s) at which it was complete, once it is there."""
        with self._lock:
            return self._taken

    def stop(self) -> bool:
        """End the thread; False if the driver keeps it waiting for a frame, when the device must not be touched."""
        self._stopping.set()
        self._thread.join(timeout=FRAME_TIMEOUT_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        failures = 0
        # A grab that began before the frame was wanted may return one exposed earlier, and so may the next, from the
        # driver's queue.
        grabs_since_wanted = 0
        while not self._stopping.is_set():
            wanted = self._wanted.is_set()
            if not self._capture.grab():
                failures += 1
                if failures >= _FAILURES_IN_A_ROW:
                    self.failed = True
                    return
                self._clock.sleep(_STEP_S)
                continue
            failures = 0
            grabs_since_wanted = grabs_since_wanted + 1 if wanted else 0
            if grabs_since_wanted < 2:
                continue
            good, pixels = self._capture.retrieve()
            if good:
                with self._lock:
                    self._taken = (np.asarray(pixels, dtype=np.uint8), self._clock.now())
                self._wanted.clear()
                grabs_since_wanted = 0


def _devices_there() -> str:
    found = sorted(str(path) for path in Path("/dev").glob("video*"))
    return f"connected are {', '.join(found)}" if found else "no camera is connected"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep OpenCV and FFmpeg from writing to stderr what we say in one sentence ourselves."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    before = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        cv2.utils.logging.setLogLevel(before)
