"""Hands and sleeves are seen at once; moved discs, the gantry, shadows and exposure are not taken for one."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_table import CALIBRATION, GEOMETRY, PLACES, VIEW, Truth, draw, lay, picture_of, random_contents

from hardware.simulated.scene import HandPose
from vision.obstruction import SCALE, Obstruction, disc_area, find_obstruction, hidden_places
from vision.silhouette import Box, silhouette

NARROWEST_PX = 60.0
REGION = silhouette(VIEW.camera, [Box((-165.0, -75.0, 0.0), (485.0, 395.0, 0.0))])
DISCS = disc_area(VIEW)


def moved(truth: Truth, random: np.random.Generator) -> Truth:
    """Three discs or stacks elsewhere, all others nudged."""
    contents = truth.contents.copy()
    for start in random.permutation(np.flatnonzero(contents))[:3]:
        end = random.choice(np.flatnonzero(contents == 0))
        contents[end], contents[start] = contents[start], 0
    return lay(contents, random, 8.0, 4.0)


def find(now: np.ndarray, reference: np.ndarray, ignore: np.ndarray | None = None) -> Obstruction:
    return find_obstruction(now, reference, NARROWEST_PX, region=REGION, disc_area=DISCS, ignore=ignore)


@pytest.mark.parametrize("seed", range(3))
def test_hands_are_seen_and_nothing_else(seed: int) -> None:
    random = np.random.default_rng((3, seed))
    picture = picture_of(seed=seed)
    before = lay(random_contents(random), random, 8.0, 4.0)
    reference = draw(picture, before)
    for _ in range(5):
        truth = moved(before, random)
        gain = random.uniform(0.9, 1.1)

        def exposed(pixels: np.ndarray, gain: float = gain) -> np.ndarray:
            return np.clip(pixels * gain, 0, 255).astype(np.uint8)

        assert not find(exposed(draw(picture, truth)), reference).present
        tip = tuple(float(value) for value in random.uniform((-60, 0, 5), (420, 330, 80)))
        gantry = silhouette(VIEW.camera, CALIBRATION.arm_boxes(tip), margin_px=8)
        assert not find(exposed(draw(picture, truth, tip_mm=tip)), reference, gantry).present
        for depth_mm in (20.0, 90.0, 220.0):
            pinch = (random.uniform(-40, 360), depth_mm, random.uniform(3, 60))
            hand = HandPose(pinch, random.uniform(-30, 30))
            assert find(exposed(draw(picture, truth, hand=hand)), reference).present


def test_a_hand_beside_the_gantry_is_seen() -> None:
    random = np.random.default_rng(2)
    picture = picture_of(seed=1)
    truth = lay(random_contents(random), random, 5.0, 2.0)
    reference = draw(picture, truth)
    tip = (300.0, 200.0, 60.0)
    gantry = silhouette(VIEW.camera, CALIBRATION.arm_boxes(tip), margin_px=8)
    pixels = draw(picture, truth, tip_mm=tip, hand=HandPose((60.0, 60.0, 10.0), 0.0))
    assert find(pixels, reference, gantry).present


def test_places_under_the_hand_are_hidden_and_others_are_not() -> None:
    random = np.random.default_rng(6)
    picture = picture_of(seed=3)
    truth = lay(random_contents(random), random, 5.0, 2.0)
    reference = draw(picture, truth)
    found = find(draw(picture, truth, hand=HandPose((100.0, 150.0, 20.0), 0.0)), reference)
    hidden = hidden_places(found, VIEW)
    under = np.hypot(*(PLACES - (100.0, 100.0)).T) < 30
    assert hidden[under].all()
    assert not hidden[PLACES[:, 0] > 220].any()
    assert not hidden_places(find(draw(picture, truth), reference), VIEW).any()


def test_without_a_region_the_whole_picture_counts() -> None:
    reference = np.full((GEOMETRY.camera.size[1], GEOMETRY.camera.size[0], 3), 110, np.uint8)
    now = reference.copy()
    now[0:200, 0:200] = (90, 120, 190)
    found = find_obstruction(now, reference, NARROWEST_PX)
    assert found.mask.shape == (reference.shape[0] // SCALE, reference.shape[1] // SCALE)
    assert found.mask[:48, :48].all()
    assert not found.mask[60:, 60:].any()


def test_a_soft_shadow_is_no_obstruction_but_a_thing_as_dark_is() -> None:
    random = np.random.default_rng(1)
    reference = np.clip(random.normal(140, 8, (720, 1280, 1)) + np.zeros(3), 0, 255).astype(np.uint8)
    y, x = np.mgrid[0:720, 0:1280]
    away = np.hypot(x - 640, y - 0)
    soft = 1 - 0.4 / (1 + np.exp((away - 200) / 20.0))
    hard = np.where(away < 200, 0.6, 1.0)
    nowhere = np.zeros((720, 1280), dtype=np.bool_)
    for shade, present in ((soft, False), (hard, True)):
        now = (reference * shade[..., None]).astype(np.uint8)
        assert find_obstruction(now, reference, NARROWEST_PX, disc_area=nowhere).present is present
