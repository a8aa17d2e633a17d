"""The camera's pose and lens, from the board or from views of a flat pattern."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.camera_pose import HumanSide, PlaneView, board_moved_mm, camera_of_board, lens_of_views
from calibration.errors import CalibrationError
from calibration.king_sight import ENOUGH_PX, king_sight
from calibration.known_geometry import calibration_of
from hardware.clock import VirtualClock
from hardware.simulated.geometry import CAMERAS, SimulatedCamera, TableGeometry
from vision.camera_model import CameraModel
from vision.finder import FoundBoard
from vision.finder.board import oriented_board

SIDE = 320.0
CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())


def seen_by(camera: CameraModel, dark_parity: int = 1) -> FoundBoard:
    """The board as the finder would hand it over: the picture's top left first."""
    columns, rows = np.meshgrid(np.arange(9), np.arange(9))
    board = np.stack([columns * 40.0, (8 - rows) * 40.0, 0.0 * rows], axis=-1)
    return oriented_board(camera.project(board.reshape(-1, 3)).reshape(9, 9, 2), dark_parity, 1.0, 0.0)


@pytest.mark.parametrize("name", ["mast", "low", "side", "wide"])
def test_the_board_tells_where_the_camera_is(name: str) -> None:
    calibration = calibration_of(replace(TableGeometry(), camera=CAMERAS[name]), VirtualClock().date())
    camera = calibration.camera
    pose = camera_of_board(seen_by(camera), camera.size, 40.0, HumanSide.TOP)
    points = np.array([(x, y, z) for x in (0, 160, 320) for y in (0, 160, 320) for z in (0.0, 8.0, 16.0)])
    assert np.linalg.norm(pose.camera.project(points) - camera.project(points), axis=1).max() < 1.0
    assert pose.rms_px < 0.6


def test_a_camera_that_was_moved_is_noticed_in_millimetres() -> None:
    camera = CAMERAS["mast"]
    there = calibration_of(replace(TableGeometry(), camera=camera), VirtualClock().date()).camera
    pushed = camera.nudged((6.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    seen = calibration_of(replace(TableGeometry(), camera=pushed), VirtualClock().date()).camera
    assert board_moved_mm(seen_by(there), there, 40.0) < 0.1
    assert board_moved_mm(seen_by(seen), there, 40.0) == pytest.approx(6.0, abs=0.5)


def test_a_known_lens_makes_it_exact_beside_the_board_too() -> None:
    camera = CALIBRATION.camera
    views = [view_of(camera, tilt) for tilt in ((0, 0), (30, 0), (-25, 10), (5, 30), (5, -30))]
    lens = lens_of_views(views, camera.size)
    assert lens.rms_px < 0.05
    assert lens.matrix[0][0] == pytest.approx(camera.matrix[0][0], rel=0.002)
    pose = camera_of_board(seen_by(camera), camera.size, 40.0, HumanSide.TOP, lens)
    places = CALIBRATION.places_mm(human_is_white=True)
    pixels = camera.project(np.column_stack([places, np.zeros(len(places))]))
    assert np.linalg.norm(pose.camera.to_plane(pixels) - places, axis=1).max() < 0.1


def view_of(camera: CameraModel, tilt: tuple[float, float]) -> PlaneView:
    points = np.array([(x * 25.0, y * 25.0) for x in range(7) for y in range(10)])
    turn, _ = cv2.Rodrigues(np.radians((*tilt, 12.0)))
    spatial = np.column_stack([points - (75, 112), np.zeros(len(points))]) @ np.asarray(turn).T + (160.0, 160.0, 60.0)
    return PlaneView(points, camera.project(spatial))


def test_views_that_are_all_alike_tell_no_lens() -> None:
    camera = CALIBRATION.camera
    with pytest.raises(CalibrationError, match="tilt it to different sides"):
        lens_of_views([view_of(camera, (tilt, 0.0)) for tilt in (0.0, 1.0, 2.0)], camera.size)


def test_a_board_turned_by_a_quarter_is_said() -> None:
    camera = CALIBRATION.camera
    with pytest.raises(CalibrationError, match="turn the board by a quarter turn"):
        camera_of_board(seen_by(camera, dark_parity=0), camera.size, 40.0, HumanSide.TOP)


def test_from_the_humans_side_the_same_board_is_the_other_way_round() -> None:
    camera = CALIBRATION.camera
    near = camera_of_board(seen_by(camera), camera.size, 40.0, HumanSide.BOTTOM).camera
    far = camera_of_board(seen_by(camera), camera.size, 40.0, HumanSide.TOP).camera
    assert np.allclose(near.project([(0, 0, 0)]), far.project([(SIDE, SIDE, 0)]), atol=0.5)


def test_kings_show_from_the_mast_and_not_from_straight_above() -> None:
    mast = king_sight(CALIBRATION)
    assert mast.too_small == ()
    assert mast.further_mm == 0.0
    overhead = calibration_of(replace(TableGeometry(), camera=CAMERAS["overhead"]), VirtualClock().date())
    sight = king_sight(overhead)
    assert {14, 15, 18} <= set(sight.too_small)
    assert sight.further_mm is not None
    x, y, z = CAMERAS["overhead"].position_mm
    moved = replace(CAMERAS["overhead"], position_mm=(x, y + sight.further_mm, z), looks_at_mm=(160.0, 160.0, 0.0))
    again = king_sight(calibration_of(replace(TableGeometry(), camera=moved), VirtualClock().date()))
    assert min(again.shifts_px) > 0.9 * ENOUGH_PX


def test_a_camera_too_far_away_cannot_be_mended_by_moving() -> None:
    far = SimulatedCamera(position_mm=(163.0, 200.0, 4000.0), looks_at_mm=(160.0, 160.0, 0.0))
    sight = king_sight(calibration_of(replace(TableGeometry(), camera=far), VirtualClock().date()))
    assert sight.further_mm is None
