"""The camera's pose from the board's corners."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from vision.pose import camera_from_corners, camera_from_grid

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import SIZE, SQUARE_MM, camera, corners_mm


@pytest.mark.parametrize("focal", [650.0, 900.0, 1400.0])
def test_a_tilted_view_tells_the_focal_length(focal):
    view = camera(25, 40, distance_mm=0.75 * focal, focal=focal)
    found = camera_from_corners(view.project(corners_mm()), SIZE, SQUARE_MM)
    assert found.matrix[0][0] == pytest.approx(focal, rel=0.06)
    assert np.linalg.norm(found.position_mm - view.position_mm) < 0.06 * 0.75 * focal


@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (30, 25), (80, 50)])
def test_with_a_known_focal_length_the_pose_is_exact(turn, tilt):
    view = camera(turn, tilt)
    found = camera_from_corners(view.project(corners_mm()), SIZE, SQUARE_MM, known_focal=900.0)
    assert np.allclose(found.position_mm, view.position_mm, atol=0.5)
    assert np.allclose(found.project(corners_mm()), view.project(corners_mm()), atol=0.01)


def test_the_board_frame_is_right_handed_and_z_points_at_the_camera():
    view = camera(0, 30)
    found = camera_from_corners(view.project(corners_mm()), SIZE, SQUARE_MM)
    assert found.position_mm[2] > 0
    assert np.linalg.det(np.array(found.rotation)) == pytest.approx(1.0)
    near_left, near_right = found.project([[0, 0, 0], [8 * SQUARE_MM, 0, 0]])
    assert near_left[0] < near_right[0]
    assert near_left[1] > SIZE[1] / 2


def test_straight_from_above_a_usual_focal_length_is_taken():
    view = camera(0, 0, focal=900.0)
    found = camera_from_corners(view.project(corners_mm()), SIZE, SQUARE_MM)
    assert 0.6 * SIZE[0] < found.matrix[0][0] < 1.3 * SIZE[0]
    assert np.allclose(found.project(corners_mm()), view.project(corners_mm()), atol=0.5)


def test_a_whole_grid_with_a_curved_lens():
    straight = camera(15, 35)
    view = type(straight)(
        straight.matrix, (-0.12, 0.0, 0.0, 0.0, 0.0), straight.rotation, straight.translation_mm, straight.size
    )
    columns, rows = np.meshgrid(np.arange(9.0), np.arange(9.0))
    board = np.stack([columns * SQUARE_MM, (8 - rows) * SQUARE_MM, 0 * rows], axis=-1).reshape(-1, 3)
    bend = 0.12 * (np.hypot(*SIZE) / 2) ** 2 / 900.0**2
    found = camera_from_grid(view.project(board).reshape(9, 9, 2), SIZE, SQUARE_MM, bend)
    assert np.hypot(*(found.project(board) - view.project(board)).T).max() < 1.0
