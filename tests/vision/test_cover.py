"""Squares under hands and machines in a single picture; clean boards, discs, shadows and glare cover nothing."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from drawn_table import GEOMETRY, VIEW, Truth, draw, lay, random_contents

from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose
from vision.finder import board_of_camera
from vision.unprepared.cover import covered_squares

TABLES = [("walnut", "window"), ("club-blue", "glare"), ("roll-up", "dim")]


@lru_cache(maxsize=4)
def table(style: str, light: str) -> tuple[Picture, Truth]:
    random = np.random.default_rng(5)
    return Picture(GEOMETRY, STYLES[style], ILLUMINATIONS[light], 5), lay(random_contents(random), random, 6.0, 2.0)


def covered(pixels: np.ndarray) -> np.ndarray:
    """(8, 8) as the camera sees the board: its top left is the human's near right corner."""
    return covered_squares(pixels, board_of_camera(pixels, VIEW.camera, GEOMETRY.square_mm)).reshape(8, 8)


def seen_at(row: int, column: int, pixels: np.ndarray) -> tuple[float, float]:
    """The board's millimetres of a square's middle, [row, column] as seen."""
    grid = board_of_camera(pixels, VIEW.camera, GEOMETRY.square_mm).grid
    middle = grid[row : row + 2, column : column + 2].reshape(-1, 2).mean(axis=0)
    x, y = VIEW.camera.to_plane([middle])[0]
    return float(x), float(y)


@pytest.mark.parametrize(("style", "light"), TABLES)
def test_a_board_with_discs_on_it_is_not_covered(style: str, light: str) -> None:
    picture, _ = table(style, light)
    for seed in (5, 6):
        random = np.random.default_rng(seed)
        assert not covered(draw(picture, lay(random_contents(random), random, 6.0, 2.0))).any()


@pytest.mark.parametrize(("style", "light"), TABLES)
def test_squares_under_a_hand_and_forearm_are(style: str, light: str) -> None:
    picture, truth = table(style, light)
    pixels = draw(picture, truth, hand=HandPose((160.0, 230.0, 20.0), 0.0))
    found = covered(pixels)
    under = [
        (row, column)
        for row, column in np.ndindex(8, 8)
        if abs(seen_at(row, column, pixels)[0] - 160) < 25 and 60 < seen_at(row, column, pixels)[1] < 170
    ]
    assert under
    assert np.mean([found[square] for square in under]) > 0.8
    far = [square for square in np.ndindex(8, 8) if abs(seen_at(*square, pixels)[0] - 160) > 130]
    assert not any(found[square] for square in far)


@pytest.mark.parametrize(("style", "light"), TABLES)
def test_squares_under_the_gantry_are(style: str, light: str) -> None:
    picture, truth = table(style, light)
    assert covered(draw(picture, truth, tip_mm=(160.0, 180.0, 30.0))).sum() >= 8


def test_a_hard_shadow_and_glare_cover_nothing() -> None:
    picture, truth = table("walnut", "window")
    pixels = draw(picture, truth)
    rows, columns = np.mgrid[0:720, 0:1280]
    shaded = np.where((columns > 560)[..., None], pixels, pixels * 0.45).astype(np.uint8)
    assert not covered(shaded).any()
    lamp = 300 * np.exp(-0.5 * ((columns - 600) ** 2 + (rows - 420) ** 2) / 45.0**2)
    assert not covered(np.clip(pixels + lamp[..., None], 0, 255).astype(np.uint8)).any()


def test_where_too_little_is_seen_nothing_is_said() -> None:
    picture, truth = table("walnut", "window")
    pixels = draw(picture, truth)
    assert not covered(np.zeros_like(pixels)).any()
    assert not covered(np.full_like(pixels, 128)).any()
