"""A camera that is followed when somebody nudges it: its frames come as if it still stood where it was calibrated."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum

import cv2
import numpy as np

from calibration.calibration import Calibration
from hardware.frame import SMALLER, Camera, Frame, GlimpsedCamera, Pixels
from hardware.permit import Permit
from vision.camera_model import CameraModel
from vision.errors import BoardNotFoundError
from vision.finder import find_board
from vision.silhouette import Box, silhouette
from vision.tracking import Tracked, TrackedBoard, Whereabouts, start_tracking, track

SLIGHT = 0.06
"""A camera is followed when it has moved by less than this, as a part of its height over the board: discs then stand
in its pictures as they did."""
SLIGHT_SQUARES = 1.2
"""And when the board's corners have moved by less than so many squares in the picture."""
SAME_PX = 1.0
"""Two pictures agree on where a camera has come to when the board's corners lie so near each other (px)."""
LOOK_ANEW_S = 1.5
"""While nothing is known, time between looks for the board in the whole picture."""
ELSEWHERE_SQUARES = 0.25
"""A board found anew lies elsewhere when a corner of it is so far from where it was."""
FEW_CORNERS = 40
"""When fewer corners are found again than this, the board has changed so much that it is remembered anew."""
DISCS_REACH_MM = 60.0
"""How far around playing area and tray nothing is taken for the fixed surroundings."""
ASTRAY = "the camera or the board has been moved too far: please put it back as it was, or calibrate again"
PUSHED = "the board has been pushed by about {:.0f} mm: please put it back as it was, or calibrate again"
NUDGED = (
    "the camera has been nudged, which moves the board by {:.1f} mm in its picture: I follow it, and calibrating "
    "again would make that exact"
)


class Standing(Enum):
    """Where the camera stands."""

    AS_CALIBRATED = "as calibrated"
    FOLLOWED = "followed"
    """Elsewhere, and its frames are put straight."""
    ASTRAY = "astray"
    """Too far away, or it is the board that has moved: what its frames show is not to be trusted."""


class SteadyCamera:
    """A `Camera` over another one.

    Before `remember` is called frames go through as they are. From then on the board is tracked in each. A nudge on
    which two frames agree is followed and told to `on_nudge`, once, in a sentence; frames in which nothing can be
    told are put straight as the ones before.
    """

    def __init__(self, camera: Camera, calibration: Calibration) -> None:
        self._camera = camera
        self._calibration = calibration
        self._board: TrackedBoard | None = None
        self._now = calibration.camera
        self._candidate: Tracked | None = None
        self._looked_anew_s = -math.inf
        self._few_corners = False
        self._seen_elsewhere = False
        """Whether the board was found in another place when it was looked for last."""
        self.on_nudge: Callable[[str], None] = lambda sentence: None
        self.on_frame: Callable[[Frame], None] = lambda frame: None
        """Told of every frame, as the camera gave it."""
        self.standing = Standing.AS_CALIBRATED
        self.trouble: str | None = None
        """One sentence for the player while the camera is astray."""

    def frame(self) -> Frame:
        """Take a fresh frame, put straight. Raises CameraError when there is none to be had."""
        frame = self._camera.frame()
        self.on_frame(frame)
        if self._board is None or (frame.pixels.shape[1], frame.pixels.shape[0]) != self._calibration.camera.size:
            return frame
        tracked = track(self._board, frame.pixels)
        if tracked.whereabouts is Whereabouts.UNKNOWN:
            self._candidate = None
            self._look_anew(frame)
        else:
            self._seen_elsewhere = False
            self._few_corners = bool(tracked.seen.sum() < FEW_CORNERS)
            if self._agreed(tracked):
                self._settle(tracked)
        if self.standing is not Standing.FOLLOWED:
            return frame
        return Frame(self._put_straight(frame.pixels), frame.time_s, frame.number)

    def glimpse(self) -> Frame | None:
        """The newest picture as `GlimpsedCamera` has it, put straight as the frames are; None of other cameras."""
        seen = self._camera.glimpse() if isinstance(self._camera, GlimpsedCamera) else None
        if seen is None or self.standing is not Standing.FOLLOWED:
            return seen
        return Frame(self._put_straight(seen.pixels, 1 / SMALLER), seen.time_s, seen.number)

    def close(self) -> None:
        """Let go of the camera."""
        self._camera.close()

    def remember(self, frame: Frame) -> None:
        """Track the board from now on as this frame, which `frame` gave, shows it where it was calibrated."""
        if self._board is not None and not self._few_corners:
            return
        if self.standing is Standing.ASTRAY:
            return
        calibration = self._calibration
        self._board = start_tracking(
            frame.pixels, calibration.camera, calibration.square_mm, _surroundings(calibration)
        )
        self._few_corners = False

    def _agreed(self, tracked: Tracked) -> bool:
        """Whether a frame shows the camera where the one before has shown it."""
        before, self._candidate = self._candidate, tracked
        if self._apart_px(tracked.camera, self._now) < SAME_PX and self.standing is not Standing.ASTRAY:
            return False
        return before is not None and self._apart_px(before.camera, tracked.camera) < SAME_PX

    def _settle(self, tracked: Tracked) -> None:
        """Take the camera for standing where two frames have shown it."""
        calibrated = self._calibration.camera
        if tracked.whereabouts is Whereabouts.STILL:
            self.standing, self.trouble, self._now = Standing.AS_CALIBRATED, None, calibrated
            return
        moved_mm = self._moved_mm(tracked.camera)
        distance = float(np.linalg.norm(tracked.camera.position_mm - calibrated.position_mm))
        near = distance < SLIGHT * float(calibrated.position_mm[2])
        if tracked.alone:
            self._go_astray(PUSHED.format(max(moved_mm, 1.0)))
        elif not near or moved_mm > SLIGHT_SQUARES * self._calibration.square_mm:
            self._go_astray(ASTRAY)
        else:
            self.standing, self.trouble, self._now = Standing.FOLLOWED, None, tracked.camera
            self.on_nudge(NUDGED.format(moved_mm))

    def _look_anew(self, frame: Frame) -> None:
        """Look for the board in the whole picture, from time to time: whether it is covered or somewhere else."""
        if self.standing is Standing.ASTRAY or frame.time_s - self._looked_anew_s < LOOK_ANEW_S:
            return
        self._looked_anew_s = frame.time_s
        try:
            found = find_board(frame.pixels).corners
        except BoardNotFoundError:
            return
        expected = self._now.project(self._outer_mm)
        gaps = np.linalg.norm(found[:, None] - expected[None], axis=2).min(axis=1)
        square_px = float(np.linalg.norm(expected - np.roll(expected, 1, axis=0), axis=1).mean()) / 8
        elsewhere = bool(gaps.max() > ELSEWHERE_SQUARES * square_px)
        if elsewhere and self._seen_elsewhere:
            self._go_astray(ASTRAY)
        self._seen_elsewhere = elsewhere

    def _go_astray(self, sentence: str) -> None:
        self.standing, self.trouble = Standing.ASTRAY, sentence
        self._now = self._calibration.camera

    def _put_straight(self, pixels: Pixels, scale: float = 1.0) -> Pixels:
        """The picture, `scale` times the camera's size, as it would have been taken where that was calibrated."""
        seen, wanted = (
            (scale * camera.project(self._outer_mm)).astype(np.float32)
            for camera in (self._now, self._calibration.camera)
        )
        matrix = cv2.getPerspectiveTransform(seen, wanted)
        size = (pixels.shape[1], pixels.shape[0])
        straight = cv2.warpPerspective(pixels, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(straight, dtype=np.uint8)

    def _apart_px(self, one: CameraModel, other: CameraModel) -> float:
        return float(np.linalg.norm(one.project(self._outer_mm) - other.project(self._outer_mm), axis=1).max())

    def _moved_mm(self, camera: CameraModel) -> float:
        """How far the board's farthest corner seems to have moved if the camera is thought not to have."""
        corners = self._outer_mm
        seen = self._calibration.camera.to_plane(camera.project(corners))
        return float(np.linalg.norm(seen - corners[:, :2], axis=1).max())

    @property
    def _outer_mm(self) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        side = 8 * self._calibration.square_mm
        return np.array([[0, 0, 0], [side, 0, 0], [side, side, 0], [0, side, 0]], dtype=np.float64)


class SteadyPermit:
    """Another permit, whose refusal is explained by a camera that is astray: then every frame seems full of hands."""

    def __init__(self, camera: SteadyCamera, permit: Permit) -> None:
        self._camera = camera
        self._permit = permit

    def refusal(self) -> str | None:
        """None while motion is allowed, else the reason it is not."""
        refusal = self._permit.refusal()
        return self._camera.trouble or refusal


def _surroundings(calibration: Calibration) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """(height, width) of the picture: what is neither the board nor where its discs lie."""
    side = 8 * calibration.square_mm
    points = np.array([(0.0, 0.0), (side, side), *calibration.tray_mm])
    x0, y0 = (float(value) for value in points.min(axis=0) - DISCS_REACH_MM)
    x1, y1 = (float(value) for value in points.max(axis=0) + DISCS_REACH_MM)
    return np.asarray(~silhouette(calibration.camera, [Box((x0, y0, 0.0), (x1, y1, 0.0))]))
