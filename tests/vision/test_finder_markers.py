"""Printed markers: read in every dictionary, a help where the squares do not suffice, and never a harm."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import BoardNotFoundError
from vision.finder import find_board
from vision.markers import find_markers, marker_frames

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import Style, camera, corners_mm, picture

ROWS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
DICTIONARIES = {
    "ArUco 4×4": cv2.aruco.DICT_4X4_50,
    "ArUco 5×5": cv2.aruco.DICT_5X5_100,
    "ArUco 6×6": cv2.aruco.DICT_6X6_250,
    "ArUco original": cv2.aruco.DICT_ARUCO_ORIGINAL,
    "AprilTag 16h5": cv2.aruco.DICT_APRILTAG_16h5,
    "AprilTag 25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "AprilTag 36h11": cv2.aruco.DICT_APRILTAG_36h11,
}
AROUND = [(-40.0, -40.0), (360.0, -40.0), (360.0, 360.0), (-40.0, 360.0)]


def lay(drawn, view, family: str, number: int, centre_mm, side_mm: float = 40.0) -> None:
    """Print a marker on white paper and lay it on the table."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARIES[family])
    side = 20 * (dictionary.markerSize + 2)
    paper = np.full((side + 40, side + 40), 255, np.uint8)
    paper[20:-20, 20:-20] = cv2.aruco.generateImageMarker(dictionary, number, side)
    half = side_mm / 2 * paper.shape[0] / side
    x, y = centre_mm
    place = [(x - half, y + half, 0), (x + half, y + half, 0), (x + half, y - half, 0), (x - half, y - half, 0)]
    shown = view.project(np.array(place)).astype(np.float32)
    far = paper.shape[0] - 0.5
    corners = np.array([[-0.5, -0.5], [far, -0.5], [far, far], [-0.5, far]], np.float32)
    warp = cv2.getPerspectiveTransform(corners, shown)
    size = (drawn.shape[1], drawn.shape[0])
    # Smaller steps, so that the print's edges are as soft as a lens makes them.
    printed = cv2.warpPerspective(cv2.GaussianBlur(paper, (0, 0), 3), warp, size)
    on = cv2.warpPerspective(np.full_like(paper, 255), warp, size)
    drawn[on > 127] = printed[on > 127][:, None]


def with_markers(drawn, view, family="ArUco 4×4", numbers=(3, 5, 7, 9)):
    for number, centre in zip(numbers, AROUND, strict=True):
        lay(drawn, view, family, number, centre)
    return drawn


def error_in_squares(corners, true) -> float:
    side = np.hypot(*(true - np.roll(true, 1, axis=0)).T).mean() / 8
    return min(np.hypot(*(np.roll(corners, turn, axis=0) - true).T).max() for turn in range(4)) / side


def all_but_a_few_squares(drawn, view):
    """Cover the board so that no side of it shows: what is left could be anywhere on it."""
    keep = view.project([[70, 90, 0], [290, 90, 0], [290, 250, 0], [70, 250, 0]])
    board = view.project([[-5, -5, 0], [325, -5, 0], [325, 325, 0], [-5, 325, 0]])
    cover = np.zeros(drawn.shape[:2], np.uint8)
    cv2.fillPoly(cover, [np.rint(board).astype(np.int32)], 255)
    cv2.fillPoly(cover, [np.rint(keep).astype(np.int32)], 0)
    drawn[cover > 0] = (110, 150, 200)
    return drawn


@pytest.mark.parametrize("family", DICTIONARIES)
def test_markers_of_every_dictionary_are_read(family):
    view = camera(20, 30, distance_mm=800)
    numbers = (1, 2, 4, 6)
    drawn = with_markers(picture(view, ROWS), view, family, numbers)
    found = find_markers(drawn)
    assert sorted(marker.number for marker in found if marker.family == family) == list(numbers)
    frames = marker_frames([marker for marker in found if marker.family == family])
    assert len(frames) == 1
    true = view.project([(x, y, 0) for x, y in AROUND])
    assert all(np.hypot(*(frames[0] - point).T).min() < 1 for point in true)


def test_no_markers_are_read_on_boards_and_noise():
    noise = np.random.default_rng(1).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    for pixels in (noise, picture(camera(0, 0), ROWS), picture(camera(30, 40), ROWS, Style(frame_mm=15))):
        assert marker_frames(find_markers(pixels)) == []


def test_markers_tell_which_squares_are_seen_of_a_mostly_covered_board():
    view = camera(10, 15, distance_mm=720)
    covered = all_but_a_few_squares(picture(view), view)
    with pytest.raises(BoardNotFoundError):
        find_board(covered)
    found = find_board(with_markers(covered, view))
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1


def test_of_two_boards_the_one_between_the_markers_is_meant():
    view = camera(0, 5, distance_mm=900)
    other = picture(camera(10, 10, distance_mm=900))
    with pytest.raises(BoardNotFoundError, match="two boards"):
        find_board(np.hstack([picture(view, ROWS), other]))
    found = find_board(np.hstack([with_markers(picture(view, ROWS), view), other]))
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1


@pytest.mark.parametrize(
    "places",
    [
        [(-60, 300)],
        [(-60, 0), (-60, 80), (-60, 160), (-60, 240)],
        [(-130, -40), (100, -60), (380, 150), (-60, 300)],
    ],
    ids=["one", "a row", "four anyhow"],
)
def test_markers_elsewhere_on_the_table_do_not_mislead(places):
    view = camera(0, 20, distance_mm=900)
    drawn = picture(view, ROWS)
    alone = find_board(drawn)
    for number, centre in enumerate(places):
        lay(drawn, view, "ArUco 4×4", number, centre)
    assert np.allclose(find_board(drawn).corners, alone.corners, atol=0.5)


def test_markers_anyhow_do_not_turn_a_part_of_a_board_into_one():
    view = camera(0, 10, distance_mm=900)
    drawn = all_but_a_few_squares(picture(view), view)
    for number, centre in enumerate([(-40, -40), (360, -40), (360, 200), (-40, 200)]):
        lay(drawn, view, "ArUco 4×4", number, centre)
    with pytest.raises(BoardNotFoundError):
        find_board(drawn)
