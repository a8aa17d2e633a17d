"""A camera that runs: fresh frames of it, whether it still sees anything, and opening it anew when it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hardware.cameras.capture import Capture
from hardware.cameras.checked_frame import FrameCheck
from hardware.cameras.grabber import Grabber
from hardware.cameras.picture_lock import PictureLock
from hardware.cameras.sameness import Sameness
from hardware.cameras.video_source import Size
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


@dataclass(frozen=True)
class LiveSource:
    """Where frames come from: what people call it, how it is opened, and what is known of its pictures.

    `open` raises CameraError. keeps_noise: every picture has its sensor's noise, so that no two are the same; those
    of a video stream may repeat the one before. lock: what is kept of a camera that can be told to keep it.
    """

    name: str
    open: Callable[[], Capture]
    keeps_noise: bool
    lock: PictureLock | None = None


class LiveCamera:
    """A `Camera` over a device or stream.

    A frame was begun after it was asked for: a thread at this edge keeps the driver's queue empty, and decodes only
    what is asked for. `size` (width, height) is demanded of every frame (None: whatever comes, but always the same).

    Raises CameraError if there is no such camera, here or at any frame. A camera that died, or that gives the same
    picture again and again, is opened anew in that thread whenever a frame is asked for: `frame` raises at once until
    frames come again.
    """

    def __init__(self, source: LiveSource, size: Size | None, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._check = FrameCheck(source.name, size)
        self._trouble: str | None = None
        self._next_revival = -math.inf
        self._sameness = Sameness()
        self._glimpsed = Sameness()
        self._glimpses = 0
        self._began = False
        self._grabber = Grabber(source.open(), source.open, clock)

    def frame(self) -> Frame:
        """Take and return a fresh frame."""
        if self._trouble is not None and self._grabber.taken() is None:
            # The frame that was wanted when the trouble began has still not come: there is nothing to wait for.
            raise self._troubled(self._trouble)
        pixels, time_s = self._fresh()
        if self._source.keeps_noise and self._sameness.frozen(pixels, time_s):
            raise self._frozen()
        if self._source.lock is not None and self._source.lock.unfit(pixels, time_s):
            raise self._troubled(
                f"The light has changed so much that the camera {self._source.name} adjusts itself anew."
            )
        self._trouble = None
        return self._check.checked(pixels, time_s)

    def glimpse(self) -> Frame | None:
        """The newest picture, small, if there is a new one of the right size: see `hardware.frame.GlimpsedCamera`.

        A camera that is in trouble gives none: `frame` says what is wrong with it.
        """
        newest = self._grabber.newest_small()
        if newest is None or self._trouble is not None or not self._check.fits_smaller(newest[0]):
            return None
        if self._source.keeps_noise and self._glimpsed.frozen(*newest):
            raise self._frozen()
        self._glimpses += 1
        return Frame(*newest, self._glimpses)

    def close(self) -> None:
        """Let go of the device."""
        self._grabber.stop()

    def _frozen(self) -> CameraError:
        return self._troubled(
            f"The camera {self._source.name} gives the same picture again and again: check that nothing covers "
            "its lens, then unplug it and plug it in again, or restart its stream.",
        )

    def _fresh(self) -> tuple[Pixels, float]:
        """A picture begun from now on and its time, if it comes in time."""
        self._grabber.want()
        give_up = self._clock.now() + (FRAME_TIMEOUT_S if self._began else FIRST_FRAME_S)
        while (taken := self._grabber.taken()) is None:
            if self._grabber.dead or self._clock.now() > give_up:
                raise self._troubled(
                    self._trouble
                    or f"The camera {self._source.name} gives no more frames: check its cable and power.",
                )
            self._clock.sleep(_STEP_S)
        self._began = True
        return taken

    def _troubled(self, trouble: str) -> CameraError:
        """The error to raise, after seeing to it that a camera which does not work is opened anew."""
        now = self._clock.now()
        silent = self._grabber.taken() is None and not self._grabber.dead
        if now >= self._next_revival and not silent:
            self._grabber.revive()
            self._next_revival = now + REVIVE_EVERY_S
        self._trouble = trouble
        return CameraError(trouble)
