"""Frames of the running table as JPEG, drawn only while somebody looks and shared by all who do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

import cv2

from hardware.clock import Clock, RealClock
from hardware.errors import CameraError
from hardware.simulated.camera import Exposure, SimulatedCameraDevice
from hardware.simulated.picture import Picture

FRAMES_A_SECOND = 25.0
JPEG_QUALITY = 90
RESTS = 0.3
"""Rest after a picture, as a part of the time that it took: whoever reads it needs the processor, too."""


@dataclass(frozen=True)
class EncodedFrame:
    """A frame as JPEG, its number, and the table's time (s) at which it was taken."""

    jpeg: bytes
    number: int
    time_s: float


class FrameSource:
    """Takes a frame of `camera` every 1/25 s of real time, in a thread of its own, while there are viewers.

    `lock` is held while a frame is taken in, but not while it is drawn. If drawing takes longer there are fewer
    frames, each of the scene as it is then: nothing is made up for. A dead camera gives no frames. `on_failure`
    is told what has ended the thread, if anything but `stop` does.
    """

    def __init__(
        self,
        camera: SimulatedCameraDevice,
        lock: AbstractContextManager[object],
        on_failure: Callable[[Exception], None],
        real: Clock | None = None,
    ) -> None:
        self.drawn = 0
        """How many pictures have been drawn."""
        self._camera, self._lock, self._on_failure = camera, lock, on_failure
        self._real = real or RealClock()
        self._changed = threading.Condition()
        self._viewers = 0
        self._frame: EncodedFrame | None = None
        self._of: Exposure | None = None
        self._picture: Picture | None = None
        self._preparing: threading.Thread | None = None
        self._given = 0
        self._dead = False
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="camera frames", daemon=True)

    def start(self) -> None:
        """Begin to serve viewers."""
        self._thread.start()

    def stop(self) -> None:
        """Send every viewer away and end the thread."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While in it, frames are taken."""
        with self._changed:
            self._viewers += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._viewers -= 1

    def frames(self) -> Iterator[EncodedFrame]:
        """The frames that are taken from now on, each as soon as it is there; who is slow misses some.

        Ends when the camera is dead or this source is stopped. To be used while it is `watched`.
        """
        with self._changed:
            seen = self._given
        while True:
            with self._changed:
                while self._given == seen and not self._stopping:
                    self._changed.wait()
                if self._stopping or self._dead or self._frame is None:
                    return
                seen, frame = self._given, self._frame
            yield frame

    def _run(self) -> None:
        due = self._real.now()
        try:
            while self._wait_for_viewer():
                began = self._real.now()
                self._take()
                ended = self._real.now()
                due = max(due + 1 / FRAMES_A_SECOND, ended + RESTS * (ended - began))
                self._real.sleep(due - ended)
        except Exception as error:
            self._on_failure(error)

    def _wait_for_viewer(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._viewers > 0 or self._stopping)
            return not self._stopping

    def _take(self) -> None:
        """Take, draw and hand out one frame; a frozen camera's only picture is drawn once."""
        try:
            with self._lock:
                exposure = self._camera.expose()
        except CameraError:
            self._hand_out(None)
            return
        if exposure is not self._of or self._frame is None:
            frame = self._camera.develop(self._drawable(exposure))
            _, jpeg = cv2.imencode(".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            self.drawn += 1
            self._of = exposure
            self._hand_out(EncodedFrame(jpeg.tobytes(), frame.number, frame.time_s))
        else:
            self._hand_out(self._frame)

    def _drawable(self, exposure: Exposure) -> Exposure:
        """The exposure with a picture that is ready: under a new light the one of before, while that is made ready.

        So a lamp takes a moment to come on, but the camera does not stop.
        """
        if self._picture is None or exposure.picture.ready:
            self._picture = exposure.picture
            return exposure
        if self._preparing is None or not self._preparing.is_alive():
            self._preparing = threading.Thread(
                target=self._prepare, args=(exposure.picture,), name="camera light", daemon=True
            )
            self._preparing.start()
        return replace(exposure, picture=self._picture)

    def _prepare(self, picture: Picture) -> None:
        try:
            picture.prepare()
        except Exception as error:
            self._on_failure(error)

    def _hand_out(self, frame: EncodedFrame | None) -> None:
        with self._changed:
            self._dead = frame is None
            if frame is not None:
                self._frame = frame
            self._given += 1
            self._changed.notify_all()
