"""The camera's pose, and how its lens draws, from the board or from views of a printed sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from vision.camera_model import CameraModel
from vision.finder import FoundBoard
from vision.pose import camera_from_grid

LARGEST_RMS_PX = 0.8
"""Corners that fit worse than this are not those of a flat board seen through an ordinary lens."""


class HumanSide(Enum):
    """Where in the picture the human sits; the value is the number of quarter turns that bring that to the bottom."""

    TOP = 2
    BOTTOM = 0
    LEFT = 1
    RIGHT = 3


@dataclass(frozen=True)
class Lens:
    """How a camera's lens draws: `matrix` (3 × 3, px) and `distortion` (k1, k2, p1, p2, k3), and the residual."""

    matrix: tuple[tuple[float, ...], ...]
    distortion: tuple[float, ...]
    rms_px: float
    views: int


@dataclass(frozen=True)
class PlaneView:
    """Points of a flat pattern (N, 2) mm and where a picture shows them (N, 2) px."""

    points_mm: NDArray[np.float64]
    pixels: NDArray[np.float64]


@dataclass(frozen=True)
class SeenPose:
    """A camera, by how much the board's corners miss where it expects them, px, and whether its lens was known."""

    camera: CameraModel
    rms_px: float


def camera_of_board(
    board: FoundBoard, size: tuple[int, int], square_mm: float, human: HumanSide, lens: Lens | None = None
) -> SeenPose:
    """The camera that sees the board where it is, in the board's frame.

    Without a `lens` its focal length and curvature are found from the one view, which is exact on the board and less
    so beside it. Raises CalibrationError if the human's near left square would be a light one, or the corners are not
    those of a board.
    """
    grid = np.rot90(board.grid, human.value)
    parity = (board.dark_parity + human.value) % 2
    if parity != 1:
        raise CalibrationError(
            "the square at the human's left is a light one: turn the board by a quarter turn, or say with "
            "--human-side at which side of the picture the human sits"
        )
    # Where four squares meet is seen exactly; what the outer squares end at is another thing on every board. The lens
    # shows most at the outer corners, so they are not done without if it is to be found, too.
    used = np.s_[:, :] if lens is None else np.s_[1:8, 1:8]
    columns, rows = np.meshgrid(np.arange(9), np.arange(9))
    corners = np.stack([columns * square_mm, (8 - rows) * square_mm], axis=-1).astype(np.float64)
    points = corners[used].reshape(-1, 2)
    view = PlaneView(points, np.asarray(grid, dtype=np.float64)[used].reshape(-1, 2))
    first = camera_from_grid(grid, size, square_mm, board.bend)
    if lens is None:
        guess = np.asarray(first.matrix)
        flags = (
            cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_ASPECT_RATIO
            | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3
        )  # fmt: skip
        lens = _lens([view], size, guess, flags)
    camera = pose_of_view(view, lens, size)
    if camera.position_mm[2] <= 0:
        raise CalibrationError("the board is seen mirrored: switch the camera's mirroring off")
    missed = camera.project(np.column_stack([points, np.zeros(len(points))])) - view.pixels
    rms = float(np.sqrt((missed**2).sum(axis=1).mean()))
    if rms > LARGEST_RMS_PX:
        raise CalibrationError(
            f"the board's corners miss a flat board's by {rms:.1f} px: see that the board lies flat and the picture "
            "is sharp"
        )
    return SeenPose(camera, rms)


def board_moved_mm(board: FoundBoard, camera: CameraModel, square_mm: float) -> float:
    """How far (mm on the board) a board that has been found lies from where a calibrated camera had it."""
    columns, rows = np.meshgrid(np.arange(1, 8), np.arange(1, 8))
    expected = np.stack([columns * square_mm, (8 - rows) * square_mm], axis=-1).reshape(-1, 2)
    found = (np.rot90(board.grid, turns)[1:8, 1:8].reshape(-1, 2) for turns in range(4))
    gaps = (np.linalg.norm(camera.to_plane(grid, 0.0)[:, :2] - expected, axis=1) for grid in found)
    return min(float(np.median(gap)) for gap in gaps)


def lens_of_views(views: Sequence[PlaneView], size: tuple[int, int]) -> Lens:
    """How the lens draws, from several views of a flat pattern at different tilts.

    Raises CalibrationError if they are too much alike to tell.
    """
    normals = []
    guess = cv2.initCameraMatrix2D([_spatial(view) for view in views], [_flat(view) for view in views], size, 1.0)
    flags = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3
    lens = _lens(views, size, np.asarray(guess), flags)
    if lens.rms_px > LARGEST_RMS_PX:
        raise CalibrationError(
            f"the sheet's corners miss a flat sheet's by {lens.rms_px:.1f} px: fix it on something stiff, keep it "
            "still each time, and see that the picture is sharp"
        )
    for view in views:
        normals.append(np.asarray(pose_of_view(view, lens, size).rotation)[:, 2])
    tilts = np.degrees(np.arccos(np.clip(np.array(normals) @ np.array(normals).T, -1, 1)))
    if tilts.max() < 15.0:
        raise CalibrationError("the sheet was always held the same way: tilt it to different sides, by some 30°")
    return lens


def _lens(views: Sequence[PlaneView], size: tuple[int, int], guess: NDArray[np.float64], flags: int) -> Lens:
    points, pixels = [_spatial(view) for view in views], [_flat(view) for view in views]
    rms, matrix, distortion, *_ = cv2.calibrateCamera(points, pixels, size, guess.copy(), np.zeros(5), flags=flags)
    values = np.zeros(5)
    values[: min(5, distortion.size)] = distortion.ravel()[:5]
    rows = tuple(tuple(float(value) for value in row) for row in matrix)
    return Lens(rows, tuple(float(value) for value in values), float(rms), len(views))


def pose_of_view(view: PlaneView, lens: Lens, size: tuple[int, int]) -> CameraModel:
    """The camera that sees a flat pattern where it is, in the pattern's frame (z = 0, towards the camera or away).

    Raises CalibrationError if no place of the camera fits.
    """
    matrix, distortion = np.asarray(lens.matrix), np.asarray(lens.distortion)
    points = np.column_stack([view.points_mm, np.zeros(len(view.points_mm))])
    best: tuple[float, CameraModel] | None = None
    for method in (cv2.SOLVEPNP_IPPE, cv2.SOLVEPNP_ITERATIVE):
        good, turn, shift = cv2.solvePnP(points, view.pixels, matrix, distortion, flags=method)
        if not good:
            continue
        turn, shift = cv2.solvePnPRefineLM(points, view.pixels, matrix, distortion, turn, shift)
        rotation, _ = cv2.Rodrigues(turn)
        x, y, z = (float(value) for value in np.asarray(shift).reshape(3))
        rows = tuple(tuple(float(value) for value in row) for row in np.asarray(rotation))
        camera = CameraModel(lens.matrix, lens.distortion, rows, (x, y, z), size)
        missed = float(((camera.project(points) - view.pixels) ** 2).sum(axis=1).mean())
        if np.isfinite(missed) and (best is None or missed < best[0]):
            best = (missed, camera)
    if best is None:
        raise CalibrationError("no place of the camera fits what it sees: see that the board lies flat")
    return best[1]


def _spatial(view: PlaneView) -> NDArray[np.float32]:
    return np.column_stack([view.points_mm, np.zeros(len(view.points_mm))]).astype(np.float32)


def _flat(view: PlaneView) -> NDArray[np.float32]:
    return view.pixels.astype(np.float32).reshape(-1, 1, 2)
