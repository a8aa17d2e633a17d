"""Corners that a person has given: moved to the lattice near them, else taken as they are."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.errors import BoardNotFoundError
from vision.finder import board_from_corners, find_board

sys.path.insert(0, str(Path(__file__).parent))
from board_pictures import SIZE, Style, camera, corners_mm, picture

ROWS = [".l.l.l.l", "l.l...l.", ".l...l.d", "l.......", ".....d..", "d.d.....", ".d.d.d.d", "d.d.d.d."]
VIEW = camera(12, 30)
TRUE = VIEW.project(corners_mm())
SIDE = float(np.hypot(*(TRUE - np.roll(TRUE, 1, axis=0)).T).mean() / 8)
DRAWN = picture(VIEW, ROWS, Style(frame_mm=15))


@settings(max_examples=12, deadline=None)
@given(st.lists(st.floats(-0.15, 0.15), min_size=8, max_size=8))
def test_corners_near_the_lattice_are_moved_to_it(offsets):
    board = board_from_corners(DRAWN, TRUE + SIDE * np.reshape(offsets, (4, 2)))
    assert np.hypot(*(board.corners - TRUE).T).max() < 0.1 * SIDE
    assert board.dark_parity == find_board(DRAWN).dark_parity


def test_corners_away_from_the_lattice_are_taken_literally():
    given_corners = TRUE + SIDE * np.array([[0.5, 0.6], [-0.5, 0.5], [-0.6, -0.5], [0.6, -0.5]])
    board = board_from_corners(DRAWN, given_corners)
    assert np.allclose(board.corners, given_corners)
    assert board.score == 0


def test_corners_on_a_picture_that_shows_nothing_are_taken_literally():
    board = board_from_corners(np.full_like(DRAWN, 60), TRUE)
    assert np.allclose(board.corners, TRUE)
    assert board.grid.shape == (9, 9, 2)


@pytest.mark.parametrize("first", range(4))
def test_the_first_of_clockwise_corners_stays_the_first(first):
    board = board_from_corners(DRAWN, np.roll(TRUE, -first, axis=0))
    assert np.hypot(*(board.corners[0] - TRUE[first])) < 0.1 * SIDE
    # A quarter turn of eight rows exchanges the colours.
    assert board.dark_parity == (find_board(DRAWN).dark_parity + first) % 2


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [3, 2, 1, 0], [1, 0, 3, 2], [0, 1, 3, 2]])
def test_other_orders_are_sorted(order):
    board = board_from_corners(DRAWN, TRUE[order])
    assert np.hypot(*(board.corners - find_board(DRAWN).corners).T).max() < 0.1 * SIDE


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ([[0, 0], [10, 0]], "four corners"),
        ([[0, 0], [500, 0], [500, 500], [np.nan, 0]], "four corners"),
        ([[0, 0], [SIZE[0] + 5, 0], [500, 500], [0, 500]], "outside the picture"),
        ([[100, 100], [100, 100], [500, 500], [100, 500]], "do not enclose"),
        ([[100, 100], [300, 300], [500, 500], [100, 500]], "do not enclose"),
        ([[100, 100], [500, 100], [220, 220], [100, 500]], "do not enclose"),
    ],
)
def test_corners_that_no_board_can_have_are_refused(corners, words):
    with pytest.raises(BoardNotFoundError, match=words) as caught:
        board_from_corners(DRAWN, corners)
    assert "\n" not in str(caught.value)
