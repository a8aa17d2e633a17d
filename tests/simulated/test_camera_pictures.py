"""The light changes, somebody pushes the camera, somebody knocks against its mast: what the camera sees of it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.known_geometry import calibration_of
from hardware.clock import VirtualClock
from hardware.errors import TableProgramError
from hardware.frame import Pixels
from hardware.simulated.camera_pictures import KEPT, CameraPictures
from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.names import LIGHTS
from hardware.simulated.scene import Scene
from hardware.simulated.table import SimulatedTable, TableSetup

NOW = datetime(2026, 1, 1)
GEOMETRY = TableGeometry(camera=replace(SimulatedCamera(), size=(640, 360), focal_px=540.0))


@pytest.fixture
def pictures() -> CameraPictures:
    return CameraPictures(GEOMETRY, "walnut", "window", seed=3)


def test_the_light_is_changed_by_name_and_pictures_of_the_last_ones_are_kept(pictures: CameraPictures) -> None:
    first = pictures.picture
    assert pictures.light == "window"
    pictures.set_light("lamp")
    assert pictures.light == "lamp"
    assert pictures.picture is not first
    pictures.set_light("window")
    assert pictures.picture is first
    for name in LIGHTS[1 : KEPT + 1]:
        pictures.set_light(name)
        assert pictures.picture is not first
    pictures.set_light("window")
    assert pictures.picture is not first


def test_a_picture_made_anew_has_other_noise(pictures: CameraPictures) -> None:
    frames = [pictures.picture.draw(Scene(()))]
    for name in itertools.islice(itertools.cycle(LIGHTS), 1, len(LIGHTS) + 1):
        pictures.set_light(name)
        _ = pictures.picture
    assert pictures.light == "window"
    frames.append(pictures.picture.draw(Scene(())))
    assert not np.array_equal(frames[0], frames[1])
    assert frames[1].mean() == pytest.approx(frames[0].mean(), rel=0.01)


@pytest.mark.parametrize("wrong", [("plush", "window"), ("walnut", "moonlight")])
def test_an_unknown_name_is_refused_with_those_that_there_are(wrong: tuple[str, str]) -> None:
    with pytest.raises(TableProgramError, match=r"walnut|lamp-off"):
        CameraPictures(GEOMETRY, *wrong, seed=1)


def table() -> tuple[SimulatedTable, VirtualClock]:
    clock = VirtualClock()
    return SimulatedTable(clock, TableSetup(GEOMETRY, seed=3), ()), clock


def test_a_table_changes_its_light() -> None:
    simulated, _ = table()
    before = simulated.camera.frame().pixels
    simulated.set_light("dim")
    assert simulated.light == "dim"
    assert simulated.camera.frame().pixels.mean() < 0.7 * before.mean()
    with pytest.raises(TableProgramError, match=r"lamp-off.*drifting"):
        simulated.set_light("disco")
    assert simulated.light == "dim"


def test_the_setup_names_style_and_light() -> None:
    clock = VirtualClock()
    plain, other = (
        SimulatedTable(clock, TableSetup(GEOMETRY, seed=3, style=style, light=light), ())
        for style, light in (("walnut", "window"), ("roll-up", "evening"))
    )
    assert other.light == "evening"
    frames = [simulated.camera.frame().pixels.astype(int) for simulated in (plain, other)]
    assert np.abs(frames[0] - frames[1]).mean() > 15
    with pytest.raises(TableProgramError, match="walnut"):
        SimulatedTable(clock, TableSetup(GEOMETRY, style="velvet"), ())


def corners(pixels: Pixels, camera: SimulatedCamera) -> NDArray[np.float64]:
    """Where the picture shows the inner corners of the squares, looked for where this camera would see them."""
    points = np.array([(40.0 * a, 40.0 * b, 0.0) for a in range(1, 8) for b in range(1, 8)])
    rotation, _ = cv2.Rodrigues(camera.rotation)
    expected, _ = cv2.projectPoints(
        points.reshape(-1, 1, 3), rotation, camera.translation_mm, camera.matrix, np.asarray(camera.distortion)
    )
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    window, stop = (4, 4), (cv2.TERM_CRITERIA_COUNT, 40, 0.001)
    return cv2.cornerSubPix(grey, expected.astype(np.float32), window, (-1, -1), stop).reshape(-1, 2)


def test_a_nudge_shifts_the_picture_by_the_projected_amount_and_zeros_put_it_back() -> None:
    simulated, _ = table()
    truth = calibration_of(simulated.geometry, made_at=NOW)
    before = corners(simulated.camera.frame().pixels, GEOMETRY.camera)
    for shift, turn in (((6.0, -4.0, 3.0), (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.4, -0.3, 0.8))):
        simulated.nudge_camera(shift, turn)
        moved = GEOMETRY.camera.nudged(shift, turn)
        after = corners(simulated.camera.frame().pixels, moved)
        assert np.linalg.norm(after - before, axis=1).max() > 2
        expected = camera_points(moved) - camera_points(GEOMETRY.camera)
        assert np.abs((after - before) - expected).max() < 0.5
        assert calibration_of(simulated.geometry, made_at=NOW) == truth
    simulated.straighten_camera()
    assert np.abs(corners(simulated.camera.frame().pixels, GEOMETRY.camera) - before).max() < 0.3


def camera_points(camera: SimulatedCamera) -> NDArray[np.float64]:
    points = np.array([(40.0 * a, 40.0 * b, 0.0) for a in range(1, 8) for b in range(1, 8)])
    rotation, _ = cv2.Rodrigues(camera.rotation)
    pixels, _ = cv2.projectPoints(
        points.reshape(-1, 1, 3), rotation, camera.translation_mm, camera.matrix, np.asarray(camera.distortion)
    )
    return np.asarray(pixels).reshape(-1, 2)


def test_an_unsaid_nudge_is_a_few_mm_and_tenths_of_a_degree_and_each_is_another() -> None:
    simulated, _ = table()
    seen = []
    for _ in range(2):
        simulated.nudge_camera()
        seen.append(simulated.camera.frame().pixels)
    assert np.abs(seen[0].astype(int) - seen[1]).mean() > 1
    simulated.nudge_camera((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    straight = simulated.camera.frame().pixels
    assert np.abs(seen[1].astype(int) - straight).mean() > 1


def test_a_mast_that_was_knocked_against_swings_less_and_less() -> None:
    simulated, clock = table()
    still = simulated.camera.frame().pixels
    base = corners(still, GEOMETRY.camera).mean(axis=0)
    simulated.shake_camera(1.0)
    away = []
    for _ in range(24):
        clock.sleep(0.05)
        found = corners(simulated.camera.frame().pixels, GEOMETRY.camera)
        away.append(float(np.linalg.norm(found.mean(axis=0) - base)))
    assert max(away[:6]) > 1.0
    assert max(away[:6]) < 6.0
    assert max(away[14:19]) < 0.5 * max(away[:6])
    assert max(away[20:]) < 0.1
