"""The calibration file, and the maps that live in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.calibration import FORMAT_VERSION, load_calibration, save_calibration
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
INSIDE = st.tuples(st.floats(-110, 430), st.floats(0, 320), st.floats(0, 80))


@pytest.mark.parametrize(
    ("square", "human_is_white", "centre"),
    [(29, True, (20, 20)), (1, True, (60, 300)), (4, False, (20, 20)), (32, False, (60, 300)), (32, True, (260, 20))],
)
def test_square_centres_of_the_design(square: int, human_is_white: bool, centre: tuple[float, float]) -> None:
    assert CALIBRATION.square_mm_centre(square, human_is_white) == centre


def test_changing_colours_turns_the_numbering_by_half_a_turn() -> None:
    for square in range(1, 33):
        x, y = CALIBRATION.square_mm_centre(square, human_is_white=True)
        assert CALIBRATION.square_mm_centre(square, human_is_white=False) == (320 - x, 320 - y)


@pytest.mark.parametrize("square", [0, 33, -1])
def test_there_are_no_other_squares(square: int) -> None:
    with pytest.raises(ValueError, match="no square"):
        CALIBRATION.square_mm_centre(square, human_is_white=True)


@given(INSIDE)
def test_board_and_machine_coordinates_are_each_others_inverse(point: tuple[float, float, float]) -> None:
    assert np.allclose(CALIBRATION.to_board(*CALIBRATION.to_machine(*point)), point, atol=1e-9)


@given(INSIDE)
def test_pixels_and_the_plane_they_show_are_each_others_inverse(point: tuple[float, float, float]) -> None:
    pixels = CALIBRATION.camera.project([point])
    assert np.allclose(CALIBRATION.camera.to_plane(pixels, point[2]), [point[:2]], atol=1e-3)


def test_every_place_is_in_the_picture_and_within_the_arms_reach() -> None:
    geometry = TableGeometry()
    places = CALIBRATION.places_mm(human_is_white=True)
    pixels = CALIBRATION.camera.project(np.column_stack([places, np.zeros(len(places))]))
    assert (pixels >= 0).all()
    assert (pixels < CALIBRATION.camera.size).all()
    for x, y in places:
        for axis, travel in zip(CALIBRATION.to_machine(x, y, 8.0), geometry.travel_mm, strict=True):
            assert -travel <= axis <= 0


def test_the_parked_arm_is_outside_the_picture() -> None:
    for box in CALIBRATION.arm_boxes(CALIBRATION.park_mm):
        corners = [
            (x, y, z)
            for x in (box.lower_mm[0], box.upper_mm[0])
            for y in (box.lower_mm[1], box.upper_mm[1])
            for z in (box.lower_mm[2], box.upper_mm[2])
        ]
        outside = [not (0 <= x < 1280 and 0 <= y < 720) for x, y in CALIBRATION.camera.project(corners)]
        assert all(outside)


def test_a_saved_calibration_is_read_back_and_the_one_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "calibration.json"
    save_calibration(CALIBRATION, path)
    save_calibration(CALIBRATION, path)
    assert load_calibration(path) == CALIBRATION
    assert load_calibration(path.with_name("calibration.json.previous")) == CALIBRATION
    assert sorted(file.name for file in path.parent.iterdir()) == ["calibration.json", "calibration.json.previous"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot read"),
        ("", "is broken"),
        ("[]", "is broken"),
        ('{"version": 1}', "is broken"),
        (json.dumps({"version": FORMAT_VERSION + 1}), "update the program"),
    ],
)
def test_what_is_no_calibration_is_said_in_one_sentence(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "calibration.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CalibrationError, match=words) as caught:
        load_calibration(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
