"""What the networks look at: known numbers of the square network's and the disc network's inputs."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.disc_input import CROP_SIZE, DISC_PX, FOOT_AT, LEANS_PX, disc_blocks, lean_px, lean_weights
from vision.square_input import SIDE_PX, network_input


def test_the_lean_of_what_is_a_fifth_of_a_square_high() -> None:
    block = network_input(np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8), (4.0, -2.0, 10.0))[0]
    half = 0.5 / 32
    column, row = 32 * 6 + 16, 32 * 3 + 16  # half a pixel beyond the middle of square [2, 5]
    assert block[3, row, column] == pytest.approx(4 * (5.5 + half - 4.0) * 0.2 / 9.8, abs=1e-6)
    assert block[4, row, column] == pytest.approx(4 * (2.5 + half + 2.0) * 0.2 / 9.8, abs=1e-6)


def test_the_size_of_discs_is_told_where_it_is_known() -> None:
    flat = np.zeros((SIDE_PX, SIDE_PX, 3), np.uint8)
    assert network_input(flat, (4, 4, 10))[0, 5:].max() == 0
    known = network_input(flat, (4, 4, 10), 0.75, 0.2)[0]
    assert (known[5] == np.float32(0.75)).all()
    assert (known[6] == 1).all()


def test_exposure_and_white_balance_are_evened_out() -> None:
    random = np.random.default_rng(1)
    flat = random.integers(20, 100, (SIDE_PX, SIDE_PX, 3)).astype(np.uint8)
    brighter = (flat * 2).astype(np.uint8)
    tinted = flat + np.array([30, 0, 10], np.uint8)
    plain = network_input(flat, (4, 4, 10))[0, :3]
    for changed in (brighter, tinted):
        assert np.allclose(network_input(changed, (4, 4, 10))[0, :3], plain, atol=1e-4)


def test_a_disc_appears_upright_at_its_size_whichever_way_it_leans() -> None:
    camera, height = np.array([-6.0, 12.0, 9.0]), 0.2
    for centre in ((1.5, 2.5), (6.5, 7.5)):
        picture, px = np.zeros((1000, 1000, 3), np.uint8), 100.0
        away = np.array(centre) - camera[:2]
        top = np.array(centre) + away * height / (camera[2] - height)
        cv2.circle(picture, (round(centre[0] * px), round(centre[1] * px)), 37, (0, 0, 200), -1)
        cv2.circle(picture, (round(top[0] * px), round(top[1] * px)), 37, (0, 200, 0), -1)
        block = disc_blocks(picture, lambda points: points * 100.0, np.array([centre]), camera, 0.75)[0]
        assert block.shape == (3, CROP_SIZE[1], CROP_SIZE[0])
        green = block[1] > block[2] + 1
        rows, columns = np.nonzero(green)
        assert columns.mean() == pytest.approx(FOOT_AT[0], abs=0.8)
        shown = lean_px(np.array([centre]), camera, 0.75, np.array([height]))[0, 0]
        assert rows.mean() == pytest.approx(FOOT_AT[1] - shown, abs=0.8)
        assert np.ptp(columns) + 1 == pytest.approx(DISC_PX, abs=2)


def test_a_stack_leans_twice_as_far_as_a_disc_and_nothing_does_below_the_camera() -> None:
    camera = np.array([4.5, 4.5, 20.0])
    leans = lean_px(np.array([[4.5, 4.5], [7.5, 8.5]]), camera, 0.75, np.array([0.2, 0.4]))
    assert leans[0].tolist() == [0.0, 0.0]
    # Five squares away, a fiftieth and a hundredth of the camera's height above the board.
    assert leans[1] == pytest.approx(5 * np.array([0.2 / 19.8, 0.4 / 19.6]) * DISC_PX / 0.75)


@given(st.floats(0, LEANS_PX[-1]))
def test_a_lean_lies_between_the_two_values_it_is_told_by(shown: float) -> None:
    above, share = lean_weights(np.array([shown]))
    low, high = LEANS_PX[above[0] - 1], LEANS_PX[above[0]]
    assert low - 1e-9 <= shown <= high + 1e-9
    assert 0 <= share[0] <= 1 + 1e-9
    assert np.interp(share[0], [0, 1], [low, high]) == pytest.approx(shown, abs=0.03 * (1 + shown))
