"""Motion between two pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_table import Truth, draw, lay, picture_of, random_contents

from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.scene import HandPose
from vision.stillness import is_still


def table(seed: int, noise: float = 2.0) -> tuple:
    random = np.random.default_rng(seed)
    truth = lay(random_contents(random), random, 5.0, 2.0)
    return picture_of(seed=seed, illumination=Illumination(noise=noise)), truth


@pytest.mark.parametrize("noise", [0.5, 2.0, 6.0])
def test_noise_and_exposure_are_no_motion(noise: float) -> None:
    picture, truth = table(1, noise)
    for _ in range(5):
        first, second = draw(picture, truth), draw(picture, truth)
        assert is_still(first, second)
        assert is_still(first, (second * 0.94).astype(np.uint8))


@pytest.mark.parametrize("seed", range(4))
def test_a_disc_or_a_hand_that_moves_is_motion(seed: int) -> None:
    picture, truth = table(seed)
    disc = truth.discs[0]
    nudged = Truth(truth.contents, truth.bases_mm, truth.tops_mm, (replace(disc, x=disc.x + 8), *truth.discs[1:]))
    assert not is_still(draw(picture, truth), draw(picture, nudged))
    hands = [HandPose((180.0, y, 25.0), 5.0) for y in (100.0, 112.0)]
    assert not is_still(draw(picture, truth, hand=hands[0]), draw(picture, truth, hand=hands[1]))
