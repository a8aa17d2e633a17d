"""Where the arm waits: out of the camera's way, within reach, and near its work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.known_geometry import calibration_of
from calibration.parking import parking_height, parking_place
from hardware.clock import VirtualClock
from hardware.simulated.geometry import CAMERAS, TableGeometry
from vision.silhouette import silhouette

GEOMETRY = TableGeometry()


@pytest.mark.parametrize("name", sorted(CAMERAS))
def test_the_parked_arm_hides_neither_board_nor_tray(name: str) -> None:
    geometry = replace(GEOMETRY, camera=CAMERAS[name])
    calibration = calibration_of(geometry, VirtualClock().date())
    covered = silhouette(calibration.camera, calibration.arm_boxes(calibration.park_mm))
    height, width = covered.shape
    x, y = np.meshgrid(np.linspace(-105, 425, 60), np.linspace(0, 320, 40))
    points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.0)])
    for px, py in calibration.camera.project(points):
        if 0 <= px < width and 0 <= py < height:
            assert not covered[int(py), int(px)]


@pytest.mark.parametrize("name", sorted(CAMERAS))
def test_the_machine_reaches_it_on_the_robots_side(name: str) -> None:
    geometry = replace(GEOMETRY, camera=CAMERAS[name])
    calibration = calibration_of(geometry, VirtualClock().date())
    machine = calibration.to_machine(*calibration.park_mm)
    assert all(-travel < value < 0 for value, travel in zip(machine, GEOMETRY.travel_mm, strict=True))
    assert calibration.park_mm[1] >= 160
    assert calibration.park_mm[2] == parking_height(calibration) == 30.0


def test_it_is_nearer_to_the_squares_than_the_corner_of_the_travel() -> None:
    calibration = calibration_of(GEOMETRY, VirtualClock().date())
    squares = calibration.places_mm(human_is_white=True)[:32]
    mean = [float(np.abs(squares - place[:2]).max(axis=1).mean()) for place in (calibration.park_mm, (440.0, 440.0))]
    assert mean[0] < mean[1] - 40


def test_a_machine_that_reaches_nothing_beside_the_board_parks_where_it_was_told() -> None:
    calibration = replace(calibration_of(GEOMETRY, VirtualClock().date()), park_mm=(1.0, 2.0, 3.0))
    assert parking_place(calibration, (10.0, 10.0, 10.0)) == (1.0, 2.0, 3.0)
