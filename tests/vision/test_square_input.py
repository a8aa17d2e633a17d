"""What the networks look at: known numbers of the square network's and the disc network's inputs."""

import cv2
import numpy as np
import pytest

from vision.disc_input import CROP_PX, DISC_PX, FOOT_AT, NEAR_PX, disc_blocks
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
        block = disc_blocks(picture, lambda points: points * 100.0, np.array([centre]), camera, 0.75, height)[0]
        green = block[1] > block[2] + 1
        rows, columns = np.nonzero(green)
        lean = np.linalg.norm(away) * height / (camera[2] - height) / 0.75 * DISC_PX
        assert columns.mean() == pytest.approx(FOOT_AT[0], abs=0.8)
        assert rows.mean() == pytest.approx(FOOT_AT[1] - lean, abs=0.8)
        # The outline of a man's face runs where the face ends.
        assert np.abs(block[5][green]).max() <= 1
        assert np.mean((block[5] < 0) == green) > 0.98


def test_straight_below_the_camera_a_stack_has_the_outline_of_a_disc() -> None:
    picture = np.zeros((900, 900, 3), np.uint8)
    camera = np.array([4.5, 4.5, 20.0])
    block = disc_blocks(picture, lambda points: points * 100.0, np.array([[4.5, 4.5]]), camera, 0.75, 0.2)
    assert block.shape == (1, 7, CROP_PX, CROP_PX)
    assert np.abs(block[0, 3] - block[0, 4]).max() < 1e-3
    middle = block[0, 3, round(FOOT_AT[1]), round(FOOT_AT[0])]
    assert middle == pytest.approx(-min(DISC_PX / 2, NEAR_PX) / NEAR_PX)
