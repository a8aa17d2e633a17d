"""Pictures without one board of 8 by 8 squares: each refused with the one sentence that says why."""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import BoardNotFoundError
from vision.finder import find_board
from vision.foreign_set import refuse_chess

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import SIZE, Style, camera, picture

ROWS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
RANDOM = np.random.default_rng(3)


def refused(pixels: np.ndarray) -> str:
    with pytest.raises(BoardNotFoundError) as caught:
        find_board(pixels)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert ": " in sentence
    return sentence


def noisy(level: float) -> np.ndarray:
    noise = RANDOM.normal(level, 3, (SIZE[1], SIZE[0], 3))
    return np.clip(np.rint(noise), 0, 255).astype(np.uint8)


def two_boards(*, second_squares: int = 8) -> np.ndarray:
    one = picture(camera(5, 10, distance_mm=900), ROWS)
    other = picture(camera(-8, 15, distance_mm=900), style=Style(squares=second_squares))
    return np.hstack([one, other])


@pytest.mark.parametrize("level", [0, 8])
def test_a_black_picture_is_called_dark(level):
    assert "dark" in refused(noisy(level))


def test_an_overexposed_picture_is_called_too_bright():
    assert "too bright" in refused(noisy(252))


def test_an_even_picture_says_so():
    assert "even colour" in refused(np.full((480, 640, 3), 127, np.uint8))


def test_a_picture_blurred_beyond_use_is_called_blurred():
    drawn = picture(camera(10, 20), ROWS)
    assert "blurred" in refused(cv2.GaussianBlur(drawn, (0, 0), 25))


def test_a_sharp_picture_without_a_board_is_not_called_blurred():
    table = noisy(120)
    for _ in range(60):
        x, y = (int(value) for value in RANDOM.integers(0, 700, 2))
        colour = tuple(int(value) for value in RANDOM.integers(0, 255, 3))
        cv2.circle(table, (x, y), int(RANDOM.integers(8, 40)), colour, -1)
    assert "no board of 8 by 8" in refused(table)


@pytest.mark.parametrize("squares", [10, 12])
@pytest.mark.parametrize(("turn", "tilt"), [(0, 0), (25, 30)])
def test_a_larger_board_is_named(squares, turn, tilt):
    assert f"{squares} by {squares} squares" in refused(picture(camera(turn, tilt), style=Style(squares=squares)))


def test_a_board_of_ten_whose_outer_squares_are_covered_is_found():
    view = camera(10, 20)
    drawn = picture(view, style=Style(squares=10))
    outer = view.project([[0, 0, 0], [320, 0, 0], [320, 320, 0], [0, 320, 0]])
    inner = view.project([[32, 32, 0], [288, 32, 0], [288, 288, 0], [32, 288, 0]])
    cover = np.zeros(drawn.shape[:2], np.uint8)
    cv2.fillPoly(cover, [np.rint(outer).astype(np.int32)], 255)
    cv2.fillPoly(cover, [np.rint(inner).astype(np.int32)], 0)
    drawn[cover > 0] = (90, 140, 150)
    found = find_board(drawn)
    assert min(np.hypot(*(np.roll(found.corners, k, axis=0) - inner[::-1]).T).max() for k in range(4)) < 5


def test_two_boards_are_refused():
    assert "two boards" in refused(two_boards())


def test_a_small_board_beside_a_large_one_does_not_disturb():
    large = picture(camera(0, 0), ROWS)
    small = cv2.resize(picture(camera(0, 0)), (240, 180), interpolation=cv2.INTER_AREA)[:, 40:200]
    both = np.hstack([large, np.full((SIZE[1], 200, 3), 120, np.uint8)])
    both[20 : 20 + small.shape[0], SIZE[0] + 20 : SIZE[0] + 20 + small.shape[1]] = small
    assert np.ptp(find_board(both).corners[:, 0]) > 300


def test_a_part_of_a_board_is_called_so():
    drawn = picture(camera(0, 0), ROWS)
    assert "part of a board" in refused(np.ascontiguousarray(drawn[:, : SIZE[0] // 2 + 20]))


def test_pieces_on_squares_of_both_colours_are_no_draughts():
    with pytest.raises(BoardNotFoundError, match="chessmen"):
        refuse_chess(["dddddddd", "dddddddd", *["........"] * 4, "llllllll", "llllllll"])
    with pytest.raises(BoardNotFoundError, match="chessmen"):
        refuse_chess(["d?dD.dd.", "?d?....d", "...?.D..", "....D...", "..L.?...", "...l.L..", "L??..?LL", "L.L?.LL."])


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        ["........"] * 8,
        ["d.d.d.d.", ".d.d.d.d", "d.d.d.d.", "........", ".......d", ".l.l.l.l", "l.l.l.l.", ".l.l.l.l"],
        ["D.......", "........", "..??....", "???.....", "........", "......l.", "........", ".......L"],
        ["dl......", "l.......", "........", "........", "........", "........", "........", "........"],
    ],
    ids=["a game", "empty", "the start and one astray", "kings and doubt", "three discs"],
)
def test_draughts_are_not_taken_for_chess(rows):
    refuse_chess(rows)
