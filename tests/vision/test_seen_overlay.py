"""The picture for people says why places could not be seen."""

import cv2
import numpy as np
from drawn_table import VIEW, draw, lay, picture_of, random_contents

from vision.doubt import Doubt
from vision.overlay import draw_reading
from vision.reading import Reading
from vision.seen_overlay import draw_seen


def reading_of(contents: np.ndarray, hidden: np.ndarray) -> Reading:
    chances = np.where(np.eye(5)[contents] > 0, 0.96, 0.01)
    nowhere = np.zeros((len(contents), 2))
    return Reading(chances, nowhere, nowhere, hidden)


def test_what_is_clear_needs_no_reason_and_what_is_hidden_has_one() -> None:
    random = np.random.default_rng(3)
    truth = lay(random_contents(random), random, 3.0)
    pixels = draw(picture_of(seed=1), truth)
    clear = reading_of(truth.contents, np.zeros(64, dtype=np.bool_))
    assert np.array_equal(draw_seen(pixels, VIEW, clear), draw_reading(pixels, VIEW, clear))
    middle = VIEW.camera.project([(*VIEW.places_mm[13], 0.0)])[0]
    cv2.circle(pixels, (round(middle[0]), round(middle[1])), 24, (255, 255, 255), -1)
    clear.probabilities[13] = 0.1, 0.6, 0.1, 0.1, 0.1
    shown, without = draw_seen(pixels, VIEW, clear), draw_reading(pixels, VIEW, clear)
    rows, columns = np.nonzero((shown != without).any(axis=2))
    assert len(rows) > 20
    assert np.hypot(rows - middle[1], columns - middle[0]).max() < 60


def test_below_a_hand_no_shadow_is_blamed() -> None:
    random = np.random.default_rng(3)
    truth = lay(random_contents(random), random, 3.0)
    pixels = draw(picture_of(seed=1), truth)
    pixels[200:520, 600:760] //= 3
    everything = np.ones(64, dtype=np.bool_)
    hidden = reading_of(truth.contents, everything)
    assert np.array_equal(
        draw_seen(pixels, VIEW, hidden), draw_reading(pixels, VIEW, hidden, None, [Doubt.HIDDEN] * 64)
    )
