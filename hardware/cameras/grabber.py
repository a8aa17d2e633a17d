"""The thread at the edge that keeps a camera's queue empty, decodes what is wanted, and opens a dead one anew."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import cv2
import numpy as np

from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Pixels

_STEP_S = 0.005
_FAILURES_IN_A_ROW = 10
_LONGEST_SILENCE_S = 5.0
"""After a failed grab that took so long, or so long a row of them, nothing more is hoped for."""
_STOP_S = 0.4


class Grabber:
    """Takes every frame off the driver's queue, and decodes one when it is wanted.

    `capture` is open; `reopen` opens another one in its place, raising CameraError if it cannot. Once the capture
    gives no more frames it is let go and the grabber is `dead` until `revive`, which returns at once, has led to an
    open one again.
    """

    def __init__(self, capture: cv2.VideoCapture, reopen: Callable[[], cv2.VideoCapture], clock: Clock) -> None:
        self.dead = False
        self._reopen = reopen
        self._clock = clock
        self._wanted = threading.Event()
        self._reviving = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._taken: tuple[Pixels, float] | None = None
        self._thread = threading.Thread(target=self._run, args=(capture,), name="camera", daemon=True)
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

    def revive(self) -> None:
        """Have the camera opened anew, also one that still gives frames; while that goes on it changes nothing."""
        self._reviving.set()

    def stop(self) -> None:
        """End the thread and let go of the camera; if the driver keeps it waiting, as soon as the driver does not."""
        self._stopping.set()
        self._reviving.set()
        self._thread.join(timeout=_STOP_S)

    def _run(self, capture: cv2.VideoCapture) -> None:
        following: cv2.VideoCapture | None = capture
        while following is not None:
            self.dead = False
            self._grab_from(following)
            self.dead = True
            following.release()
            following = self._next_capture()

    def _next_capture(self) -> cv2.VideoCapture | None:
        """An open capture, tried for whenever somebody asks; None when the thread shall end."""
        capture = None
        while capture is None and not self._stopping.is_set():
            self._reviving.wait()
            if self._stopping.is_set():
                break
            with contextlib.suppress(CameraError, cv2.error):
                capture = self._reopen()
            # Whoever asked meanwhile has been served as well.
            self._reviving.clear()
        return capture

    def _grab_from(self, capture: cv2.VideoCapture) -> None:
        """Grab until the capture gives no more, or is to be opened anew or let go."""
        failures = 0
        good_at = self._clock.now()
        # A grab that began before the frame was wanted may return one exposed earlier, and so may the next, from the
        # driver's queue.
        grabs_since_wanted = 0
        while not (self._reviving.is_set() or self._stopping.is_set()):
            wanted = self._wanted.is_set()
            good = capture.grab()
            if good:
                grabs_since_wanted = grabs_since_wanted + 1 if wanted else 0
                if grabs_since_wanted >= 2:
                    good = self._decode(capture)
            if good:
                failures = 0
                good_at = self._clock.now()
                continue
            failures += 1
            if failures >= _FAILURES_IN_A_ROW or self._clock.now() - good_at > _LONGEST_SILENCE_S:
                return
            self._clock.sleep(_STEP_S)

    def _decode(self, capture: cv2.VideoCapture) -> bool:
        """Hand out what was grabbed; False if it is spoilt."""
        try:
            good, pixels = capture.retrieve()
        except cv2.error:
            return False
        if good:
            with self._lock:
                self._taken = (np.asarray(pixels, dtype=np.uint8), self._clock.now())
                self._wanted.clear()
        return good
