"""The hand guard: gives the gantry its permit while nothing but the gantry itself is over the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import cv2
import numpy as np

from calibration.calibration import Calibration
from controller.handling.layout import Centre
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Camera, Frame, Pixels
from vision.obstruction import Obstruction, find_obstruction
from vision.silhouette import Mask, silhouette

Tip = tuple[float, float, float]


class HandGuard:
    """Compares fresh frames with a reference frame of the still table; everything large and new is a hand.

    Where the gantry and what it carries must appear, and where discs are being taken away or put down, is foreseen
    and does not count.
    """

    def __init__(
        self, camera: Camera, clock: Clock, calibration: Calibration, interval_s: float, max_age_s: float
    ) -> None:
        """A look counts for `interval_s`; a frame older than `max_age_s` is not relied on."""
        self._interval_s = interval_s
        self._camera = camera
        self._clock = clock
        self._calibration = calibration
        self._max_age_s = max_age_s
        self._reference: Pixels | None = None
        self._tip: Callable[[], Tip | None] = lambda: None
        self._work: tuple[Centre, ...] = ()
        self._looked_at = -math.inf
        self._refusal: str | None = None

    def set_reference(self, frame: Frame) -> None:
        """Take `frame`, in which nothing hides the table, as what it should look like."""
        self._reference = frame.pixels

    def follow(self, tip: Callable[[], Tip | None]) -> None:
        """Ask `tip` where the gripper's tip is (board mm; None while the machine does not know)."""
        self._tip = tip

    def expect_work_at(self, centres: Iterable[Centre]) -> None:
        """Expect discs to come and go at these points (board mm) until told otherwise."""
        self._work = tuple(centres)

    def look(self, frame: Frame) -> Obstruction:
        """What hides the table in `frame`, the gantry apart.

        Raises RuntimeError if there is no reference yet.
        """
        if self._reference is None:
            raise RuntimeError("the hand guard has no reference frame")
        return find_obstruction(frame.pixels, self._reference, ignore=self._foreseen())

    def refusal(self) -> str | None:
        """None while the table is clear, else why there is no permit. Looks anew if the last look is too old."""
        now = self._clock.now()
        if now - self._looked_at >= self._interval_s:
            self._looked_at = now
            self._refusal = self._look_now()
        return self._refusal

    def _look_now(self) -> str | None:
        if self._reference is None:
            return "the table has not been seen clear yet"
        try:
            frame = self._camera.frame()
        except CameraError as error:
            return str(error)
        if self._clock.now() - frame.time_s > self._max_age_s:
            return "the camera's picture is too old"
        return "a hand is over the table" if self.look(frame).present else None

    def _foreseen(self) -> Mask | None:
        tip = self._tip()
        camera = self._calibration.camera
        if tip is None:
            return None
        mask = silhouette(camera, self._calibration.arm_boxes(tip), margin_px=12)
        discs = np.zeros(mask.shape, dtype=np.uint8)
        radius = self._calibration.disc.diameter_mm / 2
        height = self._calibration.disc.height_mm
        circles = [(x, y, 0.0, 2 * height) for x, y in self._work] + [(tip[0], tip[1], tip[2] - 2 * height, tip[2])]
        for x, y, low, high in circles:
            angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
            ring = np.column_stack([x + 1.3 * radius * np.cos(angles), y + 1.3 * radius * np.sin(angles)])
            points = np.vstack([np.column_stack([ring, np.full(16, z)]) for z in (low, high)])
            hull = cv2.convexHull(camera.project(points).astype(np.float32).reshape(-1, 1, 2))
            cv2.fillConvexPoly(discs, np.rint(hull).astype(np.int32), 1)
        return np.asarray(mask | (discs > 0))
