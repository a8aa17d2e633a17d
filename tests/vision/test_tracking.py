"""A board is followed when its picture shifts, turns and grows, and nothing else makes it move."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from drawn_table import VIEW, Truth, draw, lay, picture_of, random_contents
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.scene import HandPose
from vision.camera_model import CameraModel
from vision.tracking import Whereabouts, start_tracking, track

Pixels = NDArray[np.uint8]
SIDE = 8 * VIEW.square_mm
OUTER = np.array([[0, 0, 0], [SIDE, 0, 0], [SIDE, SIDE, 0], [0, SIDE, 0]])
HAND = HandPose((150.0, 120.0, 20.0), 10.0)
NAMES = ("red-black", "light-squares")
Scenes = dict[str, tuple[Pixels, Pixels, Pixels]]


def other_discs(seed: int) -> Truth:
    random = np.random.default_rng(seed)
    return lay(random_contents(random), random, 6.0, 3.0)


@cache
def drawn_scenes() -> Scenes:
    """By style: a picture, one with other discs, and one with a hand over those."""
    drawn: Scenes = {}
    for number, name in enumerate(NAMES):
        picture = picture_of(STYLES[name], seed=number)
        later = other_discs(number + 10)
        drawn[name] = (draw(picture, other_discs(number)), draw(picture, later), draw(picture, later, hand=HAND))
    return drawn


@pytest.fixture(scope="module")
def scenes() -> Scenes:
    return drawn_scenes()


def turned_camera(degrees: tuple[float, float, float], shift_mm: tuple[float, float, float]) -> CameraModel:
    """The table's camera, turned about its own axes and shifted along them."""
    turn, _ = cv2.Rodrigues(np.radians(np.array(degrees)))
    rotation = turn @ np.array(VIEW.camera.rotation)
    x, y, z = (float(v) for v in turn @ np.array(VIEW.camera.translation_mm) + np.array(shift_mm))
    rows = tuple(tuple(float(value) for value in row) for row in rotation)
    camera = VIEW.camera
    return CameraModel(camera.matrix, camera.distortion, rows, (x, y, z), camera.size)


def as_seen_by(camera: CameraModel, pixels: Pixels) -> Pixels:
    """What another camera would see of the table's plane."""
    before, after = (one.project(OUTER).astype(np.float32) for one in (VIEW.camera, camera))
    matrix = cv2.getPerspectiveTransform(before, after)
    return np.asarray(cv2.warpPerspective(pixels, matrix, camera.size, borderMode=cv2.BORDER_REPLICATE))


def farthest(one: CameraModel, other: CameraModel) -> float:
    return float(np.linalg.norm(one.project(OUTER) - other.project(OUTER), axis=1).max())


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    covered=st.booleans(),
    degrees=st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5), st.floats(-5, 5)),
    shift=st.tuples(st.floats(-8, 8), st.floats(-8, 8), st.floats(-20, 20)),
    gain=st.floats(0.5, 1.4),
)
def test_a_moved_camera_is_followed_whatever_else_has_changed(
    name: str,
    covered: bool,
    degrees: tuple[float, float, float],
    shift: tuple[float, float, float],
    gain: float,
) -> None:
    first, later, with_hand = drawn_scenes()[name]
    camera = turned_camera(degrees, shift)
    seen = as_seen_by(camera, with_hand if covered else later)
    seen = np.clip(seen * gain, 0, 255).astype(np.uint8)
    tracked = track(start_tracking(first, VIEW.camera, VIEW.square_mm), seen)
    moved = farthest(camera, VIEW.camera)
    if moved > 1.5:
        assert tracked.whereabouts is Whereabouts.MOVED
        assert farthest(tracked.camera, camera) < 1.2
        assert tracked.displacement_px == pytest.approx(moved, abs=1.2)
    elif moved < 0.2:
        assert tracked.whereabouts is Whereabouts.STILL


@pytest.mark.parametrize("name", NAMES)
def test_other_discs_hands_noise_and_another_light_do_not_move_the_board(scenes: Scenes, name: str) -> None:
    first, later, with_hand = scenes[name]
    board = start_tracking(first, VIEW.camera, VIEW.square_mm)
    random = np.random.default_rng(1)
    slope = np.linspace(0.5, 1.3, first.shape[1])[None, :, None]
    for picture in (first, later, with_hand):
        noisy = picture + random.normal(0, 6, picture.shape)
        for seen in (picture, noisy, picture * 0.5, picture * slope):
            tracked = track(board, np.clip(seen, 0, 255).astype(np.uint8))
            assert tracked.whereabouts is Whereabouts.STILL
            assert tracked.camera == VIEW.camera


def test_a_covered_board_tells_nothing(scenes: Scenes) -> None:
    first, _, _ = scenes["red-black"]
    board = start_tracking(first, VIEW.camera, VIEW.square_mm)
    random = np.random.default_rng(2)
    cloth = cv2.GaussianBlur(random.integers(0, 255, first.shape).astype(np.uint8), (0, 0), 3)
    for seen in (np.zeros_like(first), np.full_like(first, 200), cloth):
        tracked = track(board, seen)
        assert tracked.whereabouts is Whereabouts.UNKNOWN
        assert not tracked.seen.any()


def test_a_picture_that_shows_something_else_is_not_a_moved_board(
    scenes: Scenes,
) -> None:
    first, later, _ = scenes["red-black"]
    tracked = track(start_tracking(first, VIEW.camera, VIEW.square_mm), np.roll(later, 500, axis=1))
    assert tracked.whereabouts is Whereabouts.UNKNOWN


def test_the_board_alone_is_told_from_the_whole_picture(scenes: Scenes) -> None:
    first, _, _ = scenes["red-black"]
    around = np.ones(first.shape[:2], dtype=np.bool_)
    outline = cv2.convexHull(VIEW.camera.project(OUTER * 1.5 - SIDE / 4 * np.array([1, 1, 0])).astype(np.int32))
    inside = cv2.fillConvexPoly(np.zeros(first.shape[:2], np.uint8), outline, 1) > 0
    around &= ~inside
    board = start_tracking(first, VIEW.camera, VIEW.square_mm, around)
    shifted = np.roll(first, (5, 7), axis=(0, 1))
    assert not track(board, shifted).alone
    assert track(board, np.where(inside[..., None], shifted, first)).alone


def test_a_picture_of_another_size_is_refused(scenes: Scenes) -> None:
    first, _, _ = scenes["red-black"]
    board = start_tracking(first, VIEW.camera, VIEW.square_mm)
    with pytest.raises(ValueError, match="size"):
        track(board, first[:-1])
