"""A window with the camera's picture, and now and then what was read from it, while a game goes on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping

import cv2
import numpy as np

from controller.errors import ControllerError
from controller.eye import Eye, Look
from controller.seen_picture import seen_picture
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Camera, Pixels

Show = Callable[[Pixels], bool]
"""Puts a picture on the screen; False once the window has been closed."""
TITLE = "Crownhead: what the camera sees"
EVERY_S = 0.1
"""Time between two pictures."""
READING_S = 1.5
"""How long a new reading is shown."""
AFTER_FAILURE_S = 2.0
"""How long a camera that gave no picture is left alone."""
_SIZE = (960, 540)
_TRY_TO_OPEN = "import cv2; cv2.namedWindow('try'); cv2.destroyAllWindows()"
_TRIES_S = 20.0


class NoDisplayError(ControllerError):
    """There is no screen to open a window on."""


def open_screen(environment: Mapping[str, str]) -> Show:
    """A window on the screen, open from the first picture on. Raises NoDisplayError where there is no screen."""
    sentence = "there is no screen to show the camera's picture on: leave --show-camera out"
    if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        raise NoDisplayError(sentence)
    try:  # A window toolkit that finds no screen ends the process, so another one tries first.
        command = [sys.executable, "-c", _TRY_TO_OPEN]
        tried = subprocess.run(command, env=dict(environment), capture_output=True, timeout=_TRIES_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoDisplayError(sentence) from error
    if tried.returncode != 0:
        raise NoDisplayError(sentence)
    opened = False

    def show(picture: Pixels) -> bool:
        nonlocal opened
        if not opened:
            cv2.namedWindow(TITLE, cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL)
            cv2.resizeWindow(TITLE, *_SIZE)
            opened = True
        elif cv2.getWindowProperty(TITLE, cv2.WND_PROP_VISIBLE) < 1:  # Showing would open it again.
            return False
        cv2.imshow(TITLE, picture)
        cv2.waitKey(1)
        return True

    return show


class CameraWindow:
    """Shows a camera's picture as time goes by: attach `refresh` to whatever tells the time."""

    def __init__(self, camera: Camera, clock: Clock, show: Show) -> None:
        """`clock` is the real time, by which pictures are shown."""
        self.eye: Eye | None = None
        """Whose readings are shown."""
        self._camera = camera
        self._clock = clock
        self._show = show
        self._open = True
        self._due_s = clock.now()
        self._look: Look | None = None
        self._reading: Pixels | None = None
        self._reading_until_s = 0.0
        self._last: Pixels | None = None

    def refresh(self, _: float = 0.0) -> None:
        """Show a picture if one is due."""
        now = self._clock.now()
        if not self._open or now < self._due_s:
            return
        self._due_s = now + EVERY_S
        self._open = self._show(self._picture(now))

    def _picture(self, now: float) -> Pixels:
        """What there is to show: a new reading for a while, else a fresh frame, else the last one, darker."""
        if self.eye is not None and self.eye.last is not None and self.eye.last is not self._look:
            self._look = self.eye.last
            self._reading = seen_picture(self.eye)
            self._reading_until_s = now + READING_S
        if self._reading is not None and now < self._reading_until_s:
            return self._reading
        try:
            self._last = self._camera.frame().pixels
        except CameraError:
            self._due_s = now + AFTER_FAILURE_S
            return np.zeros((_SIZE[1], _SIZE[0], 3), np.uint8) if self._last is None else self._last // 3
        return self._last
