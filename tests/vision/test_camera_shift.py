"""A camera that has been nudged is noticed, whatever else has changed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_table import draw, lay, picture_of, random_contents

from hardware.simulated.scene import HandPose
from vision.camera_shift import camera_shift


@pytest.mark.parametrize("shift", [(0.0, 0.0), (2.0, -1.3), (-5.4, 3.2), (0.7, 0.4)])
def test_shift_is_measured_to_a_third_of_a_pixel(shift: tuple[float, float]) -> None:
    random = np.random.default_rng(11)
    picture = picture_of(seed=6)
    reference = draw(picture, lay(random_contents(random), random, 6.0, 3.0))
    hand = HandPose((150.0, 120.0, 20.0), 10.0)
    later = lay(random_contents(random), random, 6.0, 3.0)
    move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float64)
    for pixels in (draw(picture, later), draw(picture, later, hand=hand)):
        moved = cv2.warpAffine(pixels, move, (1280, 720), borderMode=cv2.BORDER_REPLICATE)
        darker = (moved * 0.93).astype(np.uint8)
        assert np.allclose(camera_shift(darker, reference), shift, atol=0.3)


def test_pictures_without_texture_show_no_shift() -> None:
    blank = np.full((720, 1280, 3), 128, np.uint8)
    assert camera_shift(blank, blank) == (0.0, 0.0)
