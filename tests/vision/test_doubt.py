"""The reason why a place cannot be read: glare, darkness, a shadow's edge, what hides it, the picture's end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from drawn_table import PLACES, VIEW, draw, lay, picture_of, random_contents

from hardware.simulated.drawing.illumination import ILLUMINATIONS
from vision.doubt import Doubt, doubts
from vision.view import View


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """A picture in even light, and which places are empty."""
    random = np.random.default_rng(4)
    truth = lay(random_contents(random), random, 5.0, 2.0)
    picture = picture_of(seed=2, illumination=ILLUMINATIONS["overcast"])
    return draw(picture, truth), truth.contents == 0


def pixel_of(place: int) -> tuple[int, int]:
    x, y = VIEW.camera.project([(*PLACES[place], 0.0)])[0]
    return round(float(x)), round(float(y))


def test_in_good_light_there_is_no_doubt(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    assert set(doubts(pixels, VIEW, bare=bare)) == {Doubt.NONE}


@pytest.mark.parametrize("place", [13, 17, 22])
def test_a_lamp_mirrored_in_the_varnish_is_glare_where_it_is(
    table: tuple[np.ndarray, np.ndarray], place: int
) -> None:
    pixels, bare = table
    x, y = pixel_of(place)
    rows, columns = np.mgrid[0:720, 0:1280]
    lamp = 260 * np.exp(-0.5 * ((columns - x) ** 2 + (rows - y) ** 2) / 22.0**2)
    found = doubts(np.clip(pixels + lamp[..., None], 0, 255).astype(np.uint8), VIEW, bare=bare)
    assert found[place] is Doubt.GLARE
    far = np.hypot(*(PLACES - PLACES[place]).T) > 100
    assert {found[other] for other in np.flatnonzero(far)} == {Doubt.NONE}


def test_a_veil_of_light_that_burns_nothing_out_is_glare_too(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    x, y = pixel_of(17)
    rows, columns = np.mgrid[0:720, 0:1280]
    veil = 110 * np.exp(-0.5 * ((columns - x) ** 2 + (rows - y) ** 2) / 60.0**2)
    seen = np.minimum(pixels + veil[..., None], 240).astype(np.uint8)
    assert doubts(seen, VIEW, bare=bare)[17] is Doubt.GLARE


def test_a_brighter_lamp_on_one_side_is_no_glare(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    lit = np.clip(pixels * np.linspace(0.5, 1.15, 1280)[None, :, None], 0, 240).astype(np.uint8)
    assert Doubt.GLARE not in doubts(lit, VIEW, bare=bare)


def test_where_light_hardly_differs_from_dark_it_is_too_dark(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    random = np.random.default_rng(1)
    night = pixels * 0.05 + random.normal(3, 2, pixels.shape)
    found = doubts(np.clip(night, 0, 255).astype(np.uint8), VIEW, bare=bare)
    assert set(found) == {Doubt.TOO_DARK}
    dim = doubts((pixels * 0.4).astype(np.uint8), VIEW, bare=bare)
    assert set(dim) == {Doubt.NONE}


def test_a_hard_shadow_is_reported_where_it_ends(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    boundary = VIEW.camera.project([(0.0, 140.0, 0.0)])[0]
    shaded = pixels.copy()
    shaded[round(float(boundary[1])) :] = shaded[round(float(boundary[1])) :] // 2
    found = np.array([doubt is Doubt.SHADOW_EDGE for doubt in doubts(shaded, VIEW, bare=bare)])[:32]
    crossed = np.abs(PLACES[:32, 1] - 140.0) < 5
    assert found[crossed].mean() > 0.7
    assert not found[np.abs(PLACES[:32, 1] - 140.0) > 45].any()


def test_what_is_hidden_or_out_of_the_picture_is_said_first(table: tuple[np.ndarray, np.ndarray]) -> None:
    pixels, bare = table
    hidden = np.zeros((180, 320), dtype=np.bool_)
    x, y = pixel_of(9)
    hidden[y // 4 - 6 : y // 4 + 7, x // 4 - 6 : x // 4 + 7] = True
    night = np.zeros_like(pixels)
    assert doubts(night, VIEW, hidden, bare)[9] is Doubt.HIDDEN
    assert doubts(night, VIEW, hidden, bare)[20] is Doubt.TOO_DARK
    matrix = np.array(VIEW.camera.matrix)
    matrix[0, 2] -= 330.0
    camera = replace(VIEW.camera, matrix=tuple(map(tuple, matrix)))
    aside = View(camera, VIEW.places_mm, VIEW.square_mm, VIEW.disc)
    outside = camera.project(np.column_stack([PLACES, np.zeros(len(PLACES))]))[:, 0] < -20
    found = np.array(doubts(pixels, aside), dtype=object)
    assert outside.any()
    assert set(found[outside]) == {Doubt.OUT_OF_PICTURE}
