"""The thread at the edge that keeps a camera's queue empty, decodes what is wanted, and opens a dead one anew."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

from hardware.cameras.capture import Capture
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Pixels

_STEP_S = 0.005
_IDLE_S = 0.2
"""How soon the end is noticed while nobody wants a picture."""
_FAILURES_IN_A_ROW = 10
_LONGEST_SILENCE_S = 5.0
"""After a failed grab that took so long, or so long a row of them, nothing more is hoped for."""
_STOP_S = 0.4
_WATCHED_S = 1.0
"""Small pictures are made of all frames until so long after somebody has looked at one."""

_log = logging.getLogger(__name__)


class Grabber:
    """Takes every frame off the driver's queue, and decodes one when it is wanted.

    `capture` is open; `reopen` opens another one in its place, raising CameraError if it cannot. Once the capture
    gives no more frames it is let go and the grabber is `dead` until `revive`, which returns at once, has led to an
    open one again.
    """

    def __init__(self, capture: Capture, reopen: Callable[[], Capture], clock: Clock) -> None:
        self.dead = False
        self._reopen = reopen
        self._clock = clock
        self._wanted = threading.Event()
        self._wanted_at = 0.0
        self._reviving = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._taken: tuple[Pixels, float] | None = None
        self._small: tuple[Pixels, float] | None = None
        self._watched_until = -math.inf
        self._thread = threading.Thread(target=self._run, args=(capture,), name="camera", daemon=True)
        self._thread.start()

    def want(self) -> None:
        """Have the next frame that begins from now on decoded."""
        with self._lock:
            self._taken = None
            self._wanted_at = self._clock.now()
            self._wanted.set()

    def taken(self) -> tuple[Pixels, float] | None:
        """The frame that was wanted, once it is there, and when (s) it was exposed, or, if the camera does not tell,
        when it was complete."""
        with self._lock:
            return self._taken

    def newest_small(self) -> tuple[Pixels, float] | None:
        """The newest frame, small, once, and when (s) it was exposed as in `taken`; None if it was given already."""
        with self._lock:
            self._watched_until = self._clock.now() + _WATCHED_S
            small, self._small = self._small, None
            return small

    def revive(self) -> None:
        """Have the camera opened anew, also one that still gives frames; while that goes on it changes nothing."""
        self._reviving.set()

    def stop(self) -> None:
        """End the thread and let go of the camera; if the driver keeps it waiting, as soon as the driver does not."""
        self._stopping.set()
        self._reviving.set()
        self._thread.join(timeout=_STOP_S)

    def _run(self, capture: Capture) -> None:
        following: Capture | None = capture
        while following is not None:
            self.dead = False
            try:
                self._grab_from(following)
            except Exception:  # Whatever a driver comes up with: a camera that is dead is opened anew.
                _log.exception("the camera's driver has failed")
            self.dead = True
            following.release()
            following = self._next_capture()

    def _next_capture(self) -> Capture | None:
        """An open capture, tried for whenever somebody asks; None when the thread shall end."""
        capture = None
        while capture is None and not self._stopping.is_set():
            self._reviving.wait()
            if self._stopping.is_set():
                break
            try:
                capture = self._reopen()
            except CameraError as error:
                _log.info("the camera is not back yet: %s", error)
            except Exception:
                _log.exception("the camera's driver has failed")
            # Whoever asked meanwhile has been served as well.
            self._reviving.clear()
        return capture

    def _grab_from(self, capture: Capture) -> None:
        """Grab until the capture gives no more, or is to be opened anew or let go."""
        failures = 0
        good_at = self._clock.now()
        grabs_since_wanted = 0
        while not (self._reviving.is_set() or self._stopping.is_set()):
            watched = self._clock.now() < self._watched_until
            if not (capture.queues or watched) and not self._wanted.wait(_IDLE_S):
                good_at = self._clock.now()
                continue
            wanted = self._wanted.is_set()
            good = capture.grab()
            if good:
                if watched:  # First: somebody's fingers may depend on it.
                    good = self._decode_small(capture)
                grabs_since_wanted = grabs_since_wanted + 1 if wanted else 0
                if good and wanted and self._is_fresh(capture, grabs_since_wanted):
                    good = self._decode(capture)
            if good:
                failures = 0
                good_at = self._clock.now()
                continue
            failures += 1
            if failures >= _FAILURES_IN_A_ROW or self._clock.now() - good_at > _LONGEST_SILENCE_S:
                return
            self._clock.sleep(_STEP_S)

    def _is_fresh(self, capture: Capture, grabs_since_wanted: int) -> bool:
        """Whether what was grabbed was begun after it was wanted.

        If the camera does not tell: a grab that began before may return what was exposed earlier, and so may the
        next one, from a queue.
        """
        age = capture.age_s()
        if age is None:
            return grabs_since_wanted >= 2 or not capture.queues
        return self._clock.now() - age >= self._wanted_at

    def _decode_small(self, capture: Capture) -> bool:
        """Keep what was grabbed, small, for whoever watches; False if it is spoilt."""
        grabbed_at = self._clock.now()
        pixels = capture.retrieve_small()
        if pixels is None:
            return False
        with self._lock:
            self._small = pixels, grabbed_at - (capture.age_s() or 0.0)
        return True

    def _decode(self, capture: Capture) -> bool:
        """Hand out what was grabbed; False if it is spoilt."""
        pixels = capture.retrieve()
        if pixels is None:
            return False
        with self._lock:
            self._taken = pixels, self._clock.now() - (capture.age_s() or 0.0)
            self._wanted.clear()
        return True
