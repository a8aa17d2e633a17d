"""Boards of which a part is hidden, and frames that look like squares: found where they are, or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import BoardNotFoundError
from vision.finder import find_board

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import Style, camera, corners_mm, picture

ROWS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
STYLE = Style(frame_mm=15)


def error_in_squares(corners, true) -> float:
    side = np.hypot(*(true - np.roll(true, 1, axis=0)).T).mean() / 8
    return min(np.hypot(*(np.roll(corners, turn, axis=0) - true).T).max() for turn in range(4)) / side


def covered(drawn, view, area_mm) -> np.ndarray:
    points = view.project(np.column_stack([np.array(area_mm, dtype=float), np.zeros(len(area_mm))]))
    cv2.fillPoly(drawn, [np.rint(points).astype(np.int32)], (110, 150, 200), cv2.LINE_AA)
    return drawn


SIDES = [[(-90, -90), (410, -90), (410, 46), (-90, 66)], [(250, -90), (410, -90), (410, 410), (268, 410)]]


@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (40, 35), (160, 50)])
@pytest.mark.parametrize(
    "area",
    [[(-60, -60), (130, -60), (90, 60), (-60, 110)], [(120, -90), (210, -90), (200, 190), (130, 170)]],
    ids=["a corner", "an arm"],
)
def test_what_is_hidden_does_not_shift_the_board(turn, tilt, area):
    view = camera(turn, tilt)
    found = find_board(covered(picture(view, ROWS, STYLE, seed=turn), view, area))
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1


@pytest.mark.parametrize("area", SIDES, ids=["a side", "two columns of squares"])
def test_a_whole_side_may_be_hidden(area):
    view = camera(0, 10)
    found = find_board(covered(picture(view, ROWS, STYLE), view, area))
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1


@pytest.mark.parametrize("hidden_mm", [50, 90, 130, 170, 210, 250])
def test_a_board_hidden_from_both_sides_is_not_found_in_a_wrong_place(hidden_mm):
    view = camera(10, 20)
    near = hidden_mm / 2
    drawn = covered(picture(view, ROWS, STYLE), view, [(-90, -90), (410, -90), (410, near), (-90, near)])
    far = 320 - hidden_mm / 2
    drawn = covered(drawn, view, [(-90, far), (410, far), (410, 410), (-90, 410)])
    try:
        found = find_board(drawn)
    except BoardNotFoundError:
        return
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1


@pytest.mark.parametrize("first", [0, 1])
def test_a_frame_of_small_squares_is_no_part_of_the_board(first):
    view = camera(15, 25)
    drawn = picture(view, ROWS)
    for number in range(-1, 17):
        for column, row in ((number, -1), (number, 16), (-1, number), (16, number)):
            if (column + row) % 2 == first:
                square = 20.0 * np.array([[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]])
                points = view.project(np.column_stack([square, np.zeros(4)]))
                cv2.fillPoly(drawn, [np.rint(points).astype(np.int32)], Style().dark, cv2.LINE_AA)
    assert error_in_squares(find_board(drawn).corners, view.project(corners_mm())) <= 0.1


@pytest.mark.parametrize("tilt", [50, 55])
def test_steep_views(tilt):
    view = camera(30, tilt, distance_mm=760)
    assert error_in_squares(find_board(picture(view, ROWS, STYLE)).corners, view.project(corners_mm())) <= 0.1


def _dim(drawn, random):
    return 0.1 * drawn + random.normal(0, 1.5, drawn.shape)


def _noise(drawn, random):
    return drawn + random.normal(0, 25, drawn.shape)


def _blur(drawn, random):
    return cv2.GaussianBlur(drawn, (0, 0), 4)


@pytest.mark.parametrize("spoil", [_dim, _noise, _blur])
def test_poor_pictures(spoil):
    view = camera(-20, 30)
    poor = spoil(picture(view, ROWS, STYLE), np.random.default_rng(2))
    found = find_board(np.clip(np.rint(poor), 0, 255).astype(np.uint8))
    assert error_in_squares(found.corners, view.project(corners_mm())) <= 0.1
