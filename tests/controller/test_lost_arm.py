"""A gantry that finds its way home from an unknown place, told from a hand."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.known_geometry import calibration_of
from controller.lost_arm import LostArm
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry
from vision.silhouette import Box, silhouette

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
CAMERA = CALIBRATION.camera
EVERYWHERE = np.ones((4, 4), bool)


@pytest.fixture(scope="module")
def lost() -> LostArm:
    return LostArm(CALIBRATION)


def arm_at(*tips: tuple[float, float, float]) -> np.ndarray:
    boxes = [box for tip in tips for box in CALIBRATION.arm_boxes(tip)]
    return silhouette(CAMERA, boxes, scale=0.25)


def hand_at(x: float, y: float) -> np.ndarray:
    return silhouette(CAMERA, [Box((x - 40, y - 120, 0), (x + 40, y + 60, 50))], scale=0.25)


@pytest.mark.parametrize(
    "start", [(30.0, 40.0, 10.0), (160.0, 170.0, 0.0), (310.0, 300.0, 60.0), (185.0, 338.0, 0.0)]
)
def test_where_it_stood_and_where_it_is_on_its_way_home_is_explained(
    lost: LostArm, start: tuple[float, float, float]
) -> None:
    lost.explains(np.zeros((4, 4), bool), EVERYWHERE, anew=True)
    lost.forget()
    x, y, _ = start
    top = CALIBRATION.to_board(0.0, 0.0, 0.0)[2]
    for step in (0.0, 30.0, 90.0, 130.0):
        now = (min(x + step, 440.0), min(y + step, 440.0), top)
        assert lost.explains(arm_at(start) | arm_at(now), EVERYWHERE, anew=False)


def test_a_hand_is_not_the_arm_on_its_way_home(lost: LostArm) -> None:
    lost.explains(np.zeros((4, 4), bool), EVERYWHERE, anew=True)
    lost.forget()
    start = (300.0, 300.0, 0.0)
    assert lost.explains(arm_at(start), EVERYWHERE, anew=False)
    assert not lost.explains(arm_at(start) | hand_at(80.0, 60.0), EVERYWHERE, anew=False)
    assert not lost.explains(arm_at(start) | hand_at(240.0, 20.0), EVERYWHERE, anew=True)
    assert lost.explains(arm_at(start), EVERYWHERE, anew=False), "the hand has gone"
