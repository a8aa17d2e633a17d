"""Discs found and measured by comparing pictures of the simulated table."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.disc_finding import DiscNotFoundError, colour_at, measure_diameter, measure_disc, new_discs
from calibration.known_geometry import calibration_of
from hardware.clock import VirtualClock
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Scene
from vision.disc_size import DiscSize

GEOMETRY = TableGeometry()
CAMERA = calibration_of(GEOMETRY, VirtualClock().date()).camera
DISC = DiscSize(30.0, 8.0)
ROUND_THE_BOARD = (-30.0, -30.0, 350.0, 350.0)
PICTURE = Picture(GEOMETRY, seed=3)
BARE = PICTURE.draw(Scene((), None, (), None))


def with_discs(*discs: tuple[float, float, DiscColour]) -> np.ndarray:
    lying = tuple(Disc(number, colour, x, y, 0.0) for number, (x, y, colour) in enumerate(discs))
    return PICTURE.draw(Scene(lying, None, (), None))


@pytest.mark.parametrize(
    "at", [(60.0, 60.0), (262.0, 18.0), (143.0, 221.0), (299.0, 301.0), (21.0, 100.0), (345.0, 250.0)]
)
def test_a_light_disc_is_measured_to_less_than_half_a_millimetre(at: tuple[float, float]) -> None:
    (seen,) = new_discs(BARE, with_discs((*at, DiscColour.LIGHT)), CAMERA, DISC, (-30.0, -30.0, 380.0, 350.0))
    assert np.hypot(seen.centre[0] - at[0], seen.centre[1] - at[1]) < 0.6
    assert seen.fit > 0.9


def test_on_a_light_square_it_is_found_too() -> None:
    (seen,) = new_discs(BARE, with_discs((100.0, 142.0, DiscColour.LIGHT)), CAMERA, DISC, ROUND_THE_BOARD)
    assert np.hypot(seen.centre[0] - 100.0, seen.centre[1] - 142.0) < 1.0


def test_two_discs_are_two() -> None:
    picture = with_discs((60.0, 60.0, DiscColour.LIGHT), (220.0, 220.0, DiscColour.DARK))
    assert len(new_discs(BARE, picture, CAMERA, DISC, ROUND_THE_BOARD)) == 2


def test_a_bare_board_has_none() -> None:
    again = PICTURE.draw(Scene((), None, (), None))
    assert new_discs(BARE, again, CAMERA, DISC, ROUND_THE_BOARD) == []
    with pytest.raises(DiscNotFoundError, match="no single disc is to be seen near x 100, y 100 mm"):
        measure_disc(BARE, again, CAMERA, DISC, (100.0, 100.0))


def test_dimmer_light_changes_nothing() -> None:
    picture = with_discs((143.0, 221.0, DiscColour.LIGHT))
    dimmer = np.asarray(picture * 0.85, dtype=np.uint8)
    (seen,) = new_discs(BARE, dimmer, CAMERA, DISC, ROUND_THE_BOARD)
    assert np.hypot(seen.centre[0] - 143.0, seen.centre[1] - 221.0) < 0.6


@pytest.mark.parametrize("guess", [26.0, 30.0, 34.0])
def test_its_diameter_is_found_from_a_rough_guess(guess: float) -> None:
    picture = with_discs((140.0, 220.0, DiscColour.LIGHT))
    assert measure_diameter(BARE, picture, CAMERA, DiscSize(guess, 8.0), (141.0, 219.0)) == pytest.approx(
        30.0, abs=0.8
    )


def test_light_discs_are_brighter() -> None:
    picture = with_discs((60.0, 60.0, DiscColour.LIGHT), (220.0, 220.0, DiscColour.DARK))
    light, dark = (sum(colour_at(picture, CAMERA, DISC, at)) / 3 for at in ((60.0, 60.0), (220.0, 220.0)))
    assert light > dark + 50
