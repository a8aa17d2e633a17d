"""Finding drawn boards, whose corners are known, and finding none where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import BoardNotFoundError
from vision.finder import board_of_camera, find_board

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import SIZE, SQUARE_MM, Style, camera, corners_mm, picture

SOME_DISCS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
FRAMES = {
    "none": Style(),
    "as dark as the dark squares": Style(frame=(40, 60, 90), frame_mm=40),
    "as light as the light squares": Style(frame=(170, 200, 220), frame_mm=40),
    "thin": Style(frame_mm=12),
    "red and green": Style(dark=(40, 40, 190), light=(60, 150, 50), frame_mm=20),
    "low contrast": Style(dark=(105, 125, 140), light=(120, 145, 165)),
}


def error_in_squares(found, view) -> float:
    """The worst corner's error, whichever corner the picture's turn makes the first."""
    true = view.project(corners_mm())
    side = np.hypot(*(true - np.roll(true, 1, axis=0)).T).mean() / 8
    return min(np.hypot(*(np.roll(found.corners, turn, axis=0) - true).T).max() for turn in range(4)) / side


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (33, 20), (45, 5), (100, 35), (200, 50)])
def test_corners_are_found_whatever_the_frame_turn_and_tilt(frame, turn, tilt):
    view = camera(turn, tilt)
    found = find_board(picture(view, SOME_DISCS, FRAMES[frame], seed=turn))
    assert error_in_squares(found, view) <= 0.1
    assert found.grid.shape == (9, 9, 2)
    assert np.allclose(found.grid[[0, 0, 8, 8], [0, 8, 8, 0]], found.corners)


@pytest.mark.parametrize(("turn", "parity"), [(0, 1), (90, 0), (180, 1), (270, 0)])
def test_dark_parity_follows_the_picture(turn, parity):
    # The players' near-left squares are dark; who looks from the side sees a light one there.
    assert find_board(picture(camera(turn), style=FRAMES["none"])).dark_parity == parity


def test_small_and_large_pictures():
    view = camera(15, 25)
    drawn = picture(view, SOME_DISCS, FRAMES["thin"])
    side = 0.45
    small = cv2.resize(drawn, None, fx=side, fy=side, interpolation=cv2.INTER_AREA)
    large = cv2.resize(drawn, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    for scaled, factor in ((small, side), (large, 3)):
        found = find_board(scaled)
        shrunk = type(found)((found.corners + 0.5) / factor - 0.5, found.grid, 0, 1.0, 0.0)
        assert error_in_squares(shrunk, view) <= 0.1


def test_a_hand_over_a_quarter_of_the_board_does_not_shift_it():
    view = camera(10, 30)
    drawn = picture(view, SOME_DISCS, FRAMES["thin"])
    cv2.ellipse(drawn, (640, 300), (130, 110), 30, 0, 360, (120, 150, 200), -1)
    assert error_in_squares(find_board(drawn), view) <= 0.1


def test_a_board_that_fills_the_picture_to_its_edge():
    view = camera(0, 0)
    drawn = picture(view, SOME_DISCS)
    (left, top), (right, bottom) = view.project(corners_mm())[[0, 2]].round().astype(int)
    found = find_board(np.ascontiguousarray(drawn[top:bottom, left:right]))
    moved = type(found)(found.corners + [left, top], found.grid, 0, 1.0, 0.0)
    assert error_in_squares(moved, view) <= 0.1


def test_curved_lens():
    view = camera(20, 25)
    drawn = picture(view, SOME_DISCS, FRAMES["thin"])
    matrix, k1 = np.array(view.matrix), -0.15
    columns, rows = np.meshgrid(np.arange(SIZE[0], dtype=np.float64), np.arange(SIZE[1], dtype=np.float64))
    lens = np.array([k1, 0, 0, 0, 0])
    straight = cv2.undistortPoints(np.stack([columns, rows], -1).reshape(-1, 1, 2), matrix, lens, P=matrix)
    maps = np.asarray(straight, dtype=np.float32).reshape(SIZE[1], SIZE[0], 2)
    bent = cv2.remap(drawn, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    true = type(view)(view.matrix, (k1, 0.0, 0.0, 0.0, 0.0), view.rotation, view.translation_mm, view.size)
    found = find_board(bent)
    assert error_in_squares(found, true) <= 0.1
    assert found.bend > 0


def _bricks() -> np.ndarray:
    wall = np.full((720, 960, 3), (90, 100, 110), np.uint8)
    for row in range(16):
        for column in range(-1, 13):
            left, top = column * 80 + 40 * (row % 2), row * 45
            cv2.rectangle(wall, (left + 3, top + 3), (left + 76, top + 41), (60, 70, 150), -1)
    return wall


NO_BOARDS = {
    "black": np.zeros((720, 960, 3), np.uint8),
    "grey": np.full((480, 640, 3), 127, np.uint8),
    "noise": np.random.default_rng(1).integers(0, 256, (480, 640, 3), dtype=np.uint8),
    "bricks": _bricks(),
    "stripes": np.tile((np.arange(960) // 40 % 2 * 200).astype(np.uint8)[None, :, None], (720, 1, 3)),
    "a board of 10 by 10": picture(camera(10, 20), style=Style(squares=10)),
    "a board of 6 by 6": picture(camera(10, 20), style=Style(squares=6)),
    "a tiny picture": np.full((20, 30, 3), 90, np.uint8),
}


@pytest.mark.parametrize("what", NO_BOARDS)
def test_no_board_is_found_where_there_is_none(what):
    with pytest.raises(BoardNotFoundError):
        find_board(NO_BOARDS[what])


def test_half_a_board_is_no_board():
    view = camera(0, 0)
    drawn = picture(view, SOME_DISCS)
    with pytest.raises(BoardNotFoundError):
        find_board(np.ascontiguousarray(drawn[:, : SIZE[0] // 2]))


def test_a_calibrated_camera_needs_no_search():
    view = camera(0, 30)
    board = board_of_camera(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), view, SQUARE_MM)
    assert np.allclose(board.corners, view.project(corners_mm()))
    assert board.dark_parity == 1
    with pytest.raises(BoardNotFoundError, match="pixels"):
        board_of_camera(np.zeros((100, 100, 3), np.uint8), view, SQUARE_MM)
