"""A board that is being watched: how a camera sees it, and pictures put straight when that was nudged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from controller.orientation import Orientation
from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.errors import BoardNotFoundError
from vision.finder import FoundBoard, find_board
from vision.pose import camera_from_grid
from vision.tracking import Tracked, TrackedBoard, Whereabouts, start_tracking, track
from vision.view import BOARD_SQUARES, View

Pixels = NDArray[np.uint8]

SQUARE_PX = 72.0
"""Squares larger than this in a picture show nothing more: such pictures are made smaller."""
SLIGHT = 0.06
"""A camera that has moved by less than this, as a part of its distance from the board, sees discs stand as before:
its pictures can be laid over the earlier ones."""
SAME_CORNERS = 0.25
"""Corners found anew are those that were tracked when they lie this near, in squares."""
FEW_CORNERS = 40
"""When fewer corners are found again than this, the board has changed so much that it is remembered anew."""
MOVED_SQUARES = 0.03
"""From this displacement on, in squares, a board that has moved before has moved again."""


@dataclass(frozen=True, eq=False)
class Pose:
    """How a camera sees the board in pictures of `size` (width, height), looked at in the size of `view.camera`.

    board: what was found. tracked: what later pictures are compared with.
    """

    size: tuple[int, int]
    board: FoundBoard
    orientation: Orientation
    view: View
    tracked: TrackedBoard

    @property
    def square_px(self) -> float:
        """Mean side of a square in the pictures that are looked at."""
        return square_px(self.board.corners)


@dataclass(frozen=True, eq=False)
class Whence:
    """A picture of the board in a pose, and how the camera got there.

    picture: as the pose's camera would have taken it. camera: the one that did. moved_squares: how far, in squares,
    the farthest corner of the board has moved in the picture since the one before; 0 if it has not.
    renewed: whether the pose is another than before.
    """

    pose: Pose
    picture: Pixels
    camera: CameraModel
    moved_squares: float
    renewed: bool


def square_px(corners: NDArray[np.float64]) -> float:
    """Mean side of a square (px) of a board with these outer corners (4, 2)."""
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()) / BOARD_SQUARES


def looked_at(pixels: Pixels, board: FoundBoard) -> tuple[Pixels, FoundBoard]:
    """The picture, made smaller where it shows more than is needed, and the board in it."""
    scale = min(1.0, SQUARE_PX / square_px(board.corners))
    if scale == 1:
        return pixels, board
    small = np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    ratio = np.array([small.shape[1] / pixels.shape[1], small.shape[0] / pixels.shape[0]])
    return small, replace(board, corners=(board.corners + 0.5) * ratio - 0.5, grid=(board.grid + 0.5) * ratio - 0.5)


def posed(
    size: tuple[int, int],
    picture: Pixels,
    board: FoundBoard,
    orientation: Orientation,
    disc: DiscSize,
    square_mm: float,
) -> Pose:
    """The pose of a camera that takes pictures of `size` and has taken `picture`, in which it sees `board`."""
    camera = camera_from_grid(board.grid, (picture.shape[1], picture.shape[0]), square_mm, board.bend)
    view = View(camera, orientation.places_mm(square_mm), square_mm, disc)
    return Pose(size, board, orientation, view, start_tracking(picture, camera, square_mm))


def followed(pose: Pose, camera: CameraModel, pixels: Pixels) -> Whence | None:
    """Where the board is in the next picture, which the `camera` seen last may not have taken; None if none is seen.

    A pose that is renewed takes the board for lying as little turned as it can against how it lay before.
    """
    size = (pixels.shape[1], pixels.shape[0])
    if size != pose.size:
        return _found_anew(pose, camera, pixels)
    width, height = pose.view.camera.size
    small = pixels
    if size != (width, height):
        small = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    tracked = track(pose.tracked, small)
    if tracked.whereabouts is Whereabouts.UNKNOWN or not _believed(pose, tracked, small):
        return _found_anew(pose, camera, pixels)
    moved = _displacement(camera, tracked.camera, pose)
    if tracked.whereabouts is Whereabouts.STILL:
        return Whence(pose, small, tracked.camera, moved, renewed=False)
    if _is_slight(tracked.camera, pose.view.camera):
        picture = _put_straight(small, tracked.camera, pose.view)
        return Whence(pose, picture, tracked.camera, moved, renewed=False)
    return _found_anew(pose, camera, pixels)


def remembered_anew(pose: Pose, picture: Pixels) -> Pose:
    """The pose, with `picture`, as its camera would have taken it, for comparing later ones with."""
    tracked = track(pose.tracked, picture)
    if tracked.whereabouts is not Whereabouts.STILL or tracked.seen.sum() >= FEW_CORNERS:
        return pose
    return replace(pose, tracked=start_tracking(picture, pose.view.camera, pose.view.square_mm))


def laid_over(picture: Pixels, before: Pose, after: Pose) -> Pixels:
    """A picture of the board in one pose as it looks in another; what stands on the board leans as before."""
    corners = _outer_mm(before.view)
    was, becomes = (pose.view.camera.project(corners).astype(np.float32) for pose in (before, after))
    matrix = cv2.getPerspectiveTransform(was, becomes)
    warped = cv2.warpPerspective(
        picture, matrix, after.view.camera.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(warped, dtype=np.uint8)


def _believed(pose: Pose, tracked: Tracked, picture: Pixels) -> bool:
    """Whether a board that is said to have moved is where a fresh look finds it, if that finds any."""
    if tracked.whereabouts is Whereabouts.STILL:
        return True
    try:
        found = find_board(picture).corners
    except BoardNotFoundError:
        return bool(tracked.seen.sum() >= FEW_CORNERS)
    expected = tracked.camera.project(_outer_mm(pose.view))
    gaps = np.linalg.norm(found[:, None] - expected[None], axis=2).min(axis=1)
    return bool(gaps.max() < SAME_CORNERS * square_px(found))


def _found_anew(pose: Pose, camera: CameraModel, pixels: Pixels) -> Whence | None:
    try:
        found = find_board(pixels)
    except BoardNotFoundError:
        return None
    size = (pixels.shape[1], pixels.shape[0])
    picture, board = looked_at(pixels, found)
    # In pictures of another size the board is compared as if they showed the same.
    ratio = np.array(camera.size) / np.array([picture.shape[1], picture.shape[0]])
    before = camera.project(_outer_mm(pose.view))
    ways = [np.roll(board.corners * ratio, turns, axis=0) - before for turns in range(4)]
    turns = int(np.argmin([np.linalg.norm(way - way.mean(axis=0), axis=1).sum() for way in ways]))
    moved = float(np.linalg.norm(ways[turns], axis=1).max()) / square_px(before)
    orientation = pose.orientation.turned_by(turns)
    view = pose.view
    renewed = posed(size, picture, board, orientation, view.disc, view.square_mm)
    return Whence(renewed, picture, renewed.view.camera, moved, renewed=True)


def _outer_mm(view: View) -> NDArray[np.float64]:
    """(4, 3) the playing area's corners, top left as seen first, clockwise, mm."""
    side = BOARD_SQUARES * view.square_mm
    return np.array([[0, side, 0], [side, side, 0], [side, 0, 0], [0, 0, 0]])


def _displacement(before: CameraModel, after: CameraModel, pose: Pose) -> float:
    """How far the farthest corner of the board has moved, in squares; 0 for what may be inexact."""
    if before.size != after.size:
        return 0.0
    corners = _outer_mm(pose.view)
    gap = float(np.linalg.norm(after.project(corners) - before.project(corners), axis=1).max()) / pose.square_px
    return gap if gap >= MOVED_SQUARES else 0.0


def _is_slight(now: CameraModel, before: CameraModel) -> bool:
    distance = float(np.linalg.norm(now.position_mm - before.position_mm))
    return distance < SLIGHT * float(before.position_mm[2])


def _put_straight(picture: Pixels, camera: CameraModel, view: View) -> Pixels:
    """A picture that `camera` took as the view's camera would have taken it."""
    corners = _outer_mm(view)
    seen, wanted = (one.project(corners).astype(np.float32) for one in (camera, view.camera))
    matrix = cv2.getPerspectiveTransform(seen, wanted)
    straight = cv2.warpPerspective(
        picture, matrix, view.camera.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(straight, dtype=np.uint8)
