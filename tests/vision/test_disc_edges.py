"""Discs' places, exactly, from their edges."""

import numpy as np
import pytest
from drawn_table import VIEW, draw, lay, picture_of, random_contents

from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from vision.disc_edges import placed_by_edges
from vision.reading import Content


@pytest.mark.parametrize(
    ("style", "light", "within_mm"),
    [("walnut", "window", 0.4), ("black-on-black", "lamp", 0.7), ("marble", "evening", 0.6)],
)
def test_discs_are_placed_better_than_they_were(style: str, light: str, within_mm: float) -> None:
    random = np.random.default_rng(12)
    off = []
    for seed in range(2):
        picture = picture_of(STYLES[style], seed=seed, illumination=ILLUMINATIONS[light])
        truth = lay(random_contents(random), random, 6.0, 3.0)
        places = np.flatnonzero(truth.contents)
        stacked = np.isin(truth.contents[places], (Content.DARK_KING, Content.LIGHT_KING))
        bases, tops = (VIEW.places_mm[places] + where[places] for where in (truth.bases_mm, truth.tops_mm))
        missed = random.normal(0, 0.8, bases.shape)
        found = placed_by_edges(draw(picture, truth), VIEW, bases + missed, tops + missed, stacked)
        off.append(np.concatenate([found[0] - bases, found[1] - tops]))
    error = np.concatenate(off)
    assert np.sqrt(np.mean(error**2, axis=0)).max() < within_mm
    assert np.abs(np.mean(error, axis=0)).max() < 0.25


def test_where_there_is_no_edge_a_place_stays_as_it_was() -> None:
    grey = np.full((720, 1280, 3), 120, np.uint8)
    places = VIEW.places_mm[:5] + 1.0
    found = placed_by_edges(grey, VIEW, places, places, np.array([False, True, False, True, False]))
    assert np.allclose(found, [places, places])


def test_no_discs_are_no_trouble() -> None:
    nothing = np.empty((0, 2))
    found = placed_by_edges(np.zeros((720, 1280, 3), np.uint8), VIEW, nothing, nothing, np.empty(0, dtype=np.bool_))
    assert found[0].shape == found[1].shape == (0, 2)
