"""Following a board that has been found: whether, and how, the picture has moved against an earlier one.

The corners of the squares are sought again where they were, by optical flow (Lucas and Kanade, pyramidal) between
pictures freed of their light; a camera's pose is then fitted to those that moved together. Discs and hands that have
moved make outliers, what is hidden is not found: neither moves the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel, Points2
from vision.view import BOARD_SQUARES, Floats

LONG_SIDE = 640
"""Pictures are compared at this size, px."""
WINDOW = 0.36
"""Side of the patch that is sought again, in squares."""
SMALLEST_WINDOW, LARGEST_WINDOW = 9, 21
"""The same in px of the small picture."""
LEVELS = 3
"""Halvings of the small picture: so the search begins at a sixteenth of a usual frame."""
LEAST_TEXTURE = 2e-3
"""Smallest eigenvalue of a patch's gradients (OpenCV's measure) below which it could slide anywhere."""
CONSISTENT_PX = 0.8
"""Corners that moved together agree with one pose to this, px of the small picture."""
ROUND_TRIP_PX = 0.5
"""A corner sought from the earlier picture to the later one and back comes to where it was, px of the small one."""
LEAST_CORNERS = 12
LEAST_SHARE = 0.4
"""So many corners, and such a part of those that were found again, have to agree before they are believed."""
LEAST_SPREAD = 0.3
"""The corners that agree span at least this part of the board's width and depth."""
MOVED_SQUARES = 0.012
"""From this displacement of the board's corners on, in squares, the picture has moved: half a millimetre at 40 mm."""
MOST_LANDMARKS, LANDMARK_QUALITY, LANDMARKS_APART_PX = 60, 0.1, 12
"""Points around the board that are remembered: how many, how distinct (OpenCV's measure), how far from each other."""
FEWEST_LANDMARKS = 6
"""So many of them have to be where they were before it is the board that has moved."""
FAINT_TEXTURE = 1e-4
"""The same as LEAST_TEXTURE for them: table tops show little, and many landmarks have to agree."""
TELLING_PX = 1.2
"""Where a nudge of the camera would move them by more than this, px of the small picture, they tell."""
LIGHT_BLUR = 0.45
"""Light changes little within this many squares."""
CONTRAST_LEVELS = 110.0
"""Grey levels that a factor of e in brightness is worth in pictures freed of their light."""


class Whereabouts(Enum):
    """What a picture tells about where the board is."""

    STILL = "still"
    """Where it was."""
    MOVED = "moved"
    """Elsewhere, and it is known where."""
    UNKNOWN = "unknown"
    """Too little of it is seen where it could be: covered, or moved far."""


@dataclass(frozen=True, eq=False)
class Tracked:
    """Where the board is in a picture.

    camera: the camera that sees the board where it is; the earlier one unless MOVED. displacement_px: how far the
    farthest corner of the playing area has moved. seen: (81,) which corners of squares agree, row by row from the
    board frame's origin. alone: whether the surroundings have stayed where they were, so that it is the board that
    has been moved and not the camera.
    """

    whereabouts: Whereabouts
    camera: CameraModel
    displacement_px: float
    seen: NDArray[np.bool_]
    alone: bool = False


@dataclass(frozen=True, eq=False)
class TrackedBoard:
    """A picture in which a camera sees the board, prepared for comparing others with it.

    corners_mm: (81, 3) the corners of the squares. points: (81, 2) where they are in the small picture.
    surroundings: (M, 2) points there of things around the board.
    """

    camera: CameraModel
    square_mm: float
    corners_mm: NDArray[np.float64]
    points: Floats
    surroundings: Floats
    small: NDArray[np.uint8]
    scale: float
    window: int
    blur: int


def start_tracking(
    pixels: NDArray[np.uint8], camera: CameraModel, square_mm: float, around: NDArray[np.bool_] | None = None
) -> TrackedBoard:
    """Remember how a BGR picture of the camera's size shows the 8 × 8 squares at the board frame's origin.

    around: (height, width) where it shows things that stay when the board is moved; nowhere if it is not given.
    """
    steps = np.arange(BOARD_SQUARES + 1) * square_mm
    x, y = np.meshgrid(steps, steps)
    corners = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    scale = min(1.0, LONG_SIDE / max(camera.size))
    seen = camera.project(corners)
    square_px = _square_px(seen) * scale
    window = int(np.clip(round(WINDOW * square_px), SMALLEST_WINDOW, LARGEST_WINDOW)) | 1
    blur = max(3, round(2 * LIGHT_BLUR * square_px)) | 1
    small = _without_light(pixels, scale, blur)
    points, surroundings = _scaled(seen, scale), _landmarks(small, around)
    return TrackedBoard(camera, square_mm, corners, points, surroundings, small, scale, window, blur)


def track(board: TrackedBoard, pixels: NDArray[np.uint8]) -> Tracked:
    """Where the board is in a later BGR picture of the same size, by at most about two squares from where it was.

    Raises ValueError for a picture of another size.
    """
    if (pixels.shape[1], pixels.shape[0]) != board.camera.size:
        raise ValueError("the picture is not of the camera's size")
    now = _without_light(pixels, board.scale, board.blur)
    points, found = _sought_again(board, now, board.points, LEAST_TEXTURE)
    fitted = _fitted(board, points, found)
    if fitted is None:
        return Tracked(Whereabouts.UNKNOWN, board.camera, 0.0, np.zeros(len(points), dtype=np.bool_))
    camera, seen = fitted
    outer = board.corners_mm[[0, 8, 72, 80]]
    gaps = np.linalg.norm(camera.project(outer) - board.camera.project(outer), axis=1)
    displacement = float(gaps.max())
    if displacement < MOVED_SQUARES * _square_px(board.points / board.scale):
        return Tracked(Whereabouts.STILL, board.camera, displacement, seen)
    alone = _surroundings_stayed(board, now, camera)
    return Tracked(Whereabouts.MOVED, camera, displacement, seen, alone)


def _sought_again(
    board: TrackedBoard, now: NDArray[np.uint8], before: Floats, least_texture: float
) -> tuple[Points2, NDArray[np.bool_]]:
    """Where points (N, 2) of the earlier small picture are in this one (N, 2), and which were found (N,)."""
    there, status = _flow(board, board.small, now, before, least_texture)
    back, status_back = _flow(board, now, board.small, there, least_texture)
    away = np.linalg.norm(back - before, axis=1)
    points = np.asarray(there, dtype=np.float64)
    height, width = now.shape
    inside = (points >= 0).all(axis=1) & (points[:, 0] < width) & (points[:, 1] < height)
    return points, np.asarray(status & status_back & (away < ROUND_TRIP_PX) & inside)


def _flow(
    board: TrackedBoard, start: NDArray[np.uint8], end: NDArray[np.uint8], points: Floats, least_texture: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Where points (N, 2) of one small picture are in another, and whether they were found (N,)."""
    nowhere = np.zeros_like(points).reshape(-1, 1, 2)
    there, status, _ = cv2.calcOpticalFlowPyrLK(
        start,
        end,
        points.reshape(-1, 1, 2),
        nowhere,
        winSize=(board.window, board.window),
        maxLevel=LEVELS,
        criteria=(cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 20, 0.02),
        minEigThreshold=least_texture,
    )
    return np.asarray(there, dtype=np.float32).reshape(-1, 2), np.asarray(status).ravel() > 0


def _fitted(
    board: TrackedBoard, points: Points2, found: NDArray[np.bool_]
) -> tuple[CameraModel, NDArray[np.bool_]] | None:
    """The pose with which most of the corners that were found agree, and which they are; None if too few do."""
    if found.sum() < LEAST_CORNERS:
        return None
    camera = board.camera
    pixels = _unscaled(points, board.scale)
    matrix, distortion = np.array(camera.matrix), np.array(camera.distortion)
    straight = cv2.undistortPoints(pixels.reshape(-1, 1, 2), matrix, distortion).reshape(-1, 2)
    tolerance = CONSISTENT_PX / board.scale
    plane = board.corners_mm[:, :2]
    homography, inliers = cv2.findHomography(
        plane[found], straight[found], cv2.RANSAC, tolerance / float(matrix[0, 0]), maxIters=400, confidence=0.999
    )
    if homography is None:
        return None
    agree = np.zeros(len(points), dtype=np.bool_)
    agree[np.flatnonzero(found)[inliers.ravel() > 0]] = True
    if agree.sum() < max(LEAST_CORNERS, LEAST_SHARE * found.sum()):
        return None
    span = np.ptp(plane[agree], axis=0) / (BOARD_SQUARES * board.square_mm)
    if span.min() < LEAST_SPREAD:
        return None
    turn, shift = cv2.Rodrigues(np.array(camera.rotation))[0], np.array(camera.translation_mm).reshape(3, 1)
    _, turn, shift = cv2.solvePnP(
        board.corners_mm[agree], pixels[agree], matrix, distortion, turn, shift, True, cv2.SOLVEPNP_ITERATIVE
    )
    rotation, _ = cv2.Rodrigues(turn)
    x, y, z = (float(value) for value in np.asarray(shift).reshape(3))
    moved = replace(
        camera,
        rotation=tuple(tuple(float(value) for value in row) for row in np.asarray(rotation)),
        translation_mm=(x, y, z),
    )
    gaps = np.linalg.norm(moved.project(board.corners_mm) - pixels, axis=1)
    agree &= gaps < 2 * tolerance
    if agree.sum() < LEAST_CORNERS or moved.position_mm[2] <= 0:
        return None
    return moved, agree


def _landmarks(small: NDArray[np.uint8], around: NDArray[np.bool_] | None) -> Floats:
    """(M, 2) points of a small picture that can be found again, where something stays around the board."""
    if around is None or not around.any():
        return np.empty((0, 2), np.float32)
    mask = cv2.resize(around.astype(np.uint8), small.shape[::-1], interpolation=cv2.INTER_NEAREST)
    found = cv2.goodFeaturesToTrack(small, MOST_LANDMARKS, LANDMARK_QUALITY, LANDMARKS_APART_PX, mask=mask)
    return np.empty((0, 2), np.float32) if found is None else np.asarray(found, dtype=np.float32).reshape(-1, 2)


def _surroundings_stayed(board: TrackedBoard, now: NDArray[np.uint8], camera: CameraModel) -> bool:
    """Whether what is around the board is where it was, rather than where `camera` would see it."""
    before = board.surroundings
    if len(before) < FEWEST_LANDMARKS:
        return False
    points, found = _sought_again(board, now, before, FAINT_TEXTURE)
    ground = board.camera.to_plane(_unscaled(np.asarray(before, dtype=np.float64), board.scale))
    expected = _scaled(camera.project(np.column_stack([ground, np.zeros(len(ground))])), board.scale)
    stayed = np.linalg.norm(points - before, axis=1)
    moved = np.linalg.norm(points - expected, axis=1)
    telling = found & (np.linalg.norm(expected - before, axis=1) > TELLING_PX)
    still, along = (telling & (gap < TELLING_PX / 2) for gap in (stayed, moved))
    return bool(still.sum() >= FEWEST_LANDMARKS and still.sum() > 2 * along.sum())


def _without_light(pixels: NDArray[np.uint8], scale: float, blur: int) -> NDArray[np.uint8]:
    """A small grey picture of the logarithm of brightness, without what changes slowly from place to place."""
    small = pixels
    if scale < 1:
        size = (round(pixels.shape[1] * scale), round(pixels.shape[0] * scale))
        small = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    bright = cv2.LUT(grey, _LOGARITHM)
    return np.asarray(cv2.convertScaleAbs(bright - cv2.blur(bright, (blur, blur)) + np.float32(128)), dtype=np.uint8)


_LOGARITHM = np.asarray(CONTRAST_LEVELS * np.log(np.arange(256) + 8.0), dtype=np.float32)
"""Brightness 0–255 to its logarithm; what is so dark that it is mostly noise is flattened."""


def _scaled(points: Points2, scale: float) -> Floats:
    return np.asarray((points + 0.5) * scale - 0.5, dtype=np.float32)


def _unscaled(points: Points2, scale: float) -> Points2:
    return np.asarray((points + 0.5) / scale - 0.5)


def _square_px(corners: NDArray[np.floating]) -> float:
    """Mean side of a square (px) that corners (81, 2) of squares show."""
    grid = corners.reshape(BOARD_SQUARES + 1, BOARD_SQUARES + 1, 2)
    along = np.linalg.norm(np.diff(grid, axis=0), axis=2).mean()
    across = np.linalg.norm(np.diff(grid, axis=1), axis=2).mean()
    return float((along + across) / 2)
