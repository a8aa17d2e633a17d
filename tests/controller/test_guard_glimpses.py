"""What glimpses tell: the gantry's shadow in hard light, hands from every side, and hands in the dark."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position
from controller.hand_guard import HAND, TOO_DARK, HandGuard
from controller.simulated_layout import starting_stacks
from hardware.cameras.capture import smaller
from hardware.clock import VirtualClock
from hardware.frame import Frame, Pixels
from hardware.simulated.drawing.illumination import ILLUMINATIONS, Illumination
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Point, Scene
from hardware.simulated.table import SimulatedTable, TableSetup

STEP_S = 1 / 15
SPEED_MM_S = 250.0
NIGHT = replace(ILLUMINATIONS["dim"], brightness=0.25, noise=7.0, blotches=0.5)
"""Some 15 lux, as a camera sees it that cannot expose for any longer."""
DARKER = replace(NIGHT, brightness=0.1, noise=9.0)


class Glimpsed:
    """A guard and a camera whose pictures are drawn one by one."""

    def __init__(self, light: Illumination, style: str = "walnut") -> None:
        self.clock = VirtualClock()
        setup = TableSetup(style=style)
        calibration = calibration_of(setup.geometry, self.clock.date())
        table = SimulatedTable(self.clock, setup, starting_stacks(Position.start(), calibration, Colour.BLACK))
        self._discs = table.world.discs
        self._picture = Picture(setup.geometry, STYLES[style], light, seed=1)
        self._pixels: Pixels = self._draw(None, None)
        self._fresh = False
        self.guard = HandGuard(self, self.clock, calibration, 0.2, 0.5)
        self.tips: tuple[Point, ...] = ()
        self.guard.follow(lambda _: self.tips)
        self.guard.set_reference(self.frame())

    def frame(self) -> Frame:
        return Frame(self._pixels, self.clock.now(), 1)

    def glimpse(self) -> Frame | None:
        if not self._fresh:
            return None
        self._fresh = False
        small = smaller(self._pixels)
        assert small is not None
        return Frame(small, self.clock.now(), 1)

    def close(self) -> None: ...

    def see(self, tip: Point | None = None, hand: HandPose | None = None) -> str | None:
        """What the guard says of the next picture."""
        self.clock.sleep(STEP_S)
        self._pixels, self._fresh = self._draw(tip, hand), True
        return self.guard.refusal()

    def _draw(self, tip: Point | None, hand: HandPose | None) -> Pixels:
        return self._picture.draw(Scene(self._discs, tip, (), hand), self.clock.now())


def way(*corners: Point) -> list[tuple[Point, Point]]:
    """The stretches that the tip goes along from picture to picture."""
    stretches = []
    for start, end in pairwise(corners):
        count = max(1, round(math.dist(start, end) / SPEED_MM_S / STEP_S))
        points = [tuple(map(float, point)) for point in np.linspace(start, end, count + 1)]
        stretches += list(pairwise(points))
    return stretches  # type: ignore[return-value]


@pytest.mark.parametrize("light", ["lamp", "glare", "evening"])
def test_the_gantrys_shadow_never_stops_it_and_a_hand_beside_it_does(light: str) -> None:
    scene = Glimpsed(ILLUMINATIONS[light])
    corners = ((440.0, 440.0, 80.0), (250.0, 290.0, 60.0), (250.0, 290.0, 12.0), (60.0, 120.0, 55.0))
    for start, end in way(*corners):
        points = np.linspace(start, end, 1 + math.ceil(math.dist(start, end) / 12))
        scene.tips = tuple((float(x), float(y), float(z)) for x, y, z in points)
        middle = points.mean(axis=0)
        assert scene.see((float(middle[0]), float(middle[1]), float(middle[2]))) is None, (start, end)
    said = [scene.see(corners[-1], HandPose((240.0, depth, 30.0), 5.0)) for depth in (10.0, 35.0)]
    assert HAND in said, "a hand near the board's edge is seen within two pictures"


@pytest.mark.parametrize("light", [ILLUMINATIONS["window"], NIGHT], ids=["daylight", "night"])
@pytest.mark.parametrize(
    "hand",
    [
        HandPose((170.0, -20.0, 40.0), 0.0),
        HandPose((-110.0, 150.0, 40.0), -90.0),
        HandPose((430.0, 150.0, 40.0), 90.0),
        HandPose((170.0, 300.0, 40.0), 180.0),
    ],
    ids=["near", "left", "right", "far"],
)
def test_a_hand_is_seen_at_every_side_by_day_and_night(light: Illumination, hand: HandPose) -> None:
    scene = Glimpsed(light, "black-on-black")
    assert [scene.see() for _ in range(3)] == [None] * 3
    assert HAND in [scene.see(None, hand), scene.see(None, replace(hand, turn_deg=hand.turn_deg + 3))]


@pytest.mark.parametrize("style", ["walnut", "black-on-black"])
def test_the_noise_of_a_dark_room_is_no_hand(style: str) -> None:
    scene = Glimpsed(NIGHT, style)
    assert {scene.see() for _ in range(12)} == {None}


def test_where_a_hand_could_not_be_seen_nothing_moves_and_light_is_asked_for() -> None:
    scene = Glimpsed(DARKER)
    assert {scene.see() for _ in range(5)} == {TOO_DARK}
