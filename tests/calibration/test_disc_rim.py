"""The rim of a disc's face in pictures of the simulated table, in light from the side and across squares."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.disc_rim import rim_of
from calibration.known_geometry import calibration_of
from hardware.clock import VirtualClock
from hardware.simulated.camera_pictures import CameraPictures
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.scene import Scene
from vision.disc_size import DiscSize

GEOMETRY = TableGeometry()
CAMERA = calibration_of(GEOMETRY, VirtualClock().date()).camera
DISC = DiscSize(30.0, 8.0)


@pytest.mark.parametrize(("style", "light"), [("walnut", "window"), ("green-buff", "lamp"), ("walnut", "overcast")])
def test_the_centre_is_found_to_a_third_of_a_millimetre(style: str, light: str) -> None:
    pictures = CameraPictures(GEOMETRY, style, light, 3)
    bare = pictures.picture.draw(Scene(()))
    # Also where the rim lies along the edge of a square, as the camera sees it.
    for x, y in ((60.0, 60.0), (262.0, 18.0), (143.0, 221.0), (299.0, 301.0), (21.0, 97.5)):
        now = pictures.picture.draw(Scene((Disc(1, DiscColour.LIGHT, x, y, 0.0),)))
        rim = rim_of(bare, now, CAMERA, DISC, (x + 0.6, y - 0.5), size_known=True)
        assert rim is not None
        assert math.dist(rim.centre, (x, y)) < 0.35
        thought = rim_of(bare, now, CAMERA, DiscSize(29.0, 8.0), (x + 0.6, y - 0.5), size_known=False)
        assert thought is not None
        assert 29.0 + 2 * thought.growth_mm == pytest.approx(30.0, abs=0.4)


def test_where_nothing_lies_there_is_no_rim() -> None:
    pictures = CameraPictures(GEOMETRY, "walnut", "window", 3)
    bare, again = (pictures.picture.draw(Scene(())) for _ in range(2))
    assert rim_of(bare, again, CAMERA, DISC, (60.0, 60.0), size_known=True) is None
    assert not np.array_equal(bare, again)
