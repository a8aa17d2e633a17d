"""The arm in board millimetres: picks a disc up, carries it over what stands in its way, puts it down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import dist

import numpy as np

from calibration.calibration import Calibration
from controller.handling.layout import Centre, Layout
from controller.handling.places import Area, Place
from hardware.gantry import HOME, Gantry

NOZZLE_RADIUS_MM = 6.0
"""Half the width of the part of the gripper that comes lower than the tallest stack."""
NEAR_MM = 10.0
TIP_STEP_MM = 12.0
"""Where the tip may be anywhere on a line, points on it are taken this far apart."""


@dataclass(frozen=True)
class Clearances:
    """Distances (mm) that keep the arm from touching what it should not.

    above: free height over obstacles on the way. beside: free width beside them. press: how far the tip goes below
    the top of a disc it picks, for a sprung tip to seal. gap: free height under a disc at the moment it is let go.
    """

    above: float = 6.0
    beside: float = 5.0
    press: float = 0.8
    gap: float = 0.4


@dataclass(frozen=True)
class Obstacle:
    """A stack that stands in the way: its centre (board mm) and the height of its top (mm)."""

    centre: Centre
    top_mm: float


class Arm:
    """Carries discs from place to place; all motion goes through the gantry and so through the permit."""

    def __init__(self, gantry: Gantry, calibration: Calibration, clearances: Clearances) -> None:
        self._gantry = gantry
        self._calibration = calibration
        self._clearances = clearances

    @property
    def tip_mm(self) -> tuple[float, float, float]:
        """Where the gripper's tip is, board mm."""
        return self._calibration.to_board(*self._gantry.position)

    def tips_mm(self, at_s: float) -> tuple[tuple[float, float, float], ...]:
        """Points near which the tip was at the clock's time `at_s`, board mm; none while that is not known."""
        corners = [np.array(self._calibration.to_board(*point)) for point in self._gantry.whereabouts(at_s)]
        points = corners[:1]
        for start, end in pairwise(corners):
            points += list(np.linspace(start, end, 1 + int(np.ceil(np.linalg.norm(end - start) / TIP_STEP_MM)))[1:])
        return tuple((float(x), float(y), float(z)) for x, y, z in points)

    def is_away_from_home(self, now_s: float) -> bool:
        """Whether the tip, as far as is known, is neither at home nor where it parks."""
        tips = self.tips_mm(now_s)
        if not tips:
            return False
        home = self._calibration.to_board(*HOME)
        return all(dist(tips[0][:2], place[:2]) > NEAR_MM for place in (home, self._calibration.park_mm))

    def home(self) -> None:
        """Find the home switches and park."""
        self._gantry.home()
        self.park()

    def park(self) -> None:
        """Rise to the parking height, then wait where the camera sees the whole board."""
        x, y, z = self._calibration.park_mm
        if self.tip_mm[2] < z - 0.05:
            self._lift(z)
        self._across((x, y), z)

    def carry(
        self,
        layout: Layout,
        source: Place,
        target: Place,
        discs: int,
        target_centre: Centre,
    ) -> None:
        """Carry the top `discs` of `source` to `target_centre` (board mm), over everything else in `layout`.

        Raises what the gantry raises.
        """
        stack = layout.stacks[source]
        height = self._calibration.disc.height_mm
        others = [place for place in layout.stacks if place != source]
        top = self._top_of(layout, source)
        load = discs * height

        self._go_over(stack.centre, self._obstacles(layout, [*others, source]), load=0.0)
        self._lower(top - self._clearances.press)
        self._gantry.grip()
        rest = self._obstacles(layout, others)
        if stack.count > discs:
            rest.append(Obstacle(stack.centre, top - load))
        self._go_over(target_centre, rest, load=load)
        self._lower(self.height_at(layout, target) + load + self._clearances.gap)
        self._gantry.release()

    @property
    def holding(self) -> bool:
        """Whether the gripper is on and so may hold a disc."""
        return self._gantry.holding_disc

    def put_down(self, centre: Centre, floor_mm: float, discs: int) -> None:
        """Put what is held, believed to be `discs` on one another, down at `centre`, over anything on the way.

        `floor_mm` is the height of what lies there.
        """
        high = max(self.tip_mm[2], self._calibration.park_mm[2])
        self._lift(high)
        self._across(centre, high)
        self._lower(floor_mm + discs * self._calibration.disc.height_mm + self._clearances.gap)
        self._gantry.release()

    def height_at(self, layout: Layout, place: Place) -> float:
        """The height (mm) of the top of whatever lies on `place`, or of the bare place."""
        return self._top_of(layout, place) if place in layout.stacks else self._floor_of(place)

    def _top_of(self, layout: Layout, place: Place) -> float:
        return self._floor_of(place) + layout.count(place) * self._calibration.disc.height_mm

    def _floor_of(self, place: Place) -> float:
        return self._calibration.tray_height_mm if place.area is Area.TRAY else 0.0

    def _obstacles(self, layout: Layout, places: Iterable[Place]) -> list[Obstacle]:
        return [Obstacle(layout.stacks[place].centre, self._top_of(layout, place)) for place in places]

    def _go_over(self, target: Centre, obstacles: list[Obstacle], load: float) -> None:
        """Travel to above `target` no lower than what stands on the way, plus the load, plus the margin."""
        x, y, z = self.tip_mm
        radius = self._calibration.disc.diameter_mm / 2
        width = (radius if load else NOZZLE_RADIUS_MM) + radius + self._clearances.beside
        tallest = max(
            (o.top_mm for o in obstacles if distance_to_segment(o.centre, (x, y), target) < width), default=0.0
        )
        height = tallest + load + self._clearances.above
        if z < height:
            self._lift(height)
        self._across(target, max(z, height))

    def _lift(self, z: float) -> None:
        x, y, _ = self.tip_mm
        self._gantry.move_to(z=self._calibration.to_machine(x, y, z)[2])

    def _lower(self, z: float) -> None:
        self._lift(z)

    def _across(self, target: Centre, z: float) -> None:
        self._gantry.move_to(*self._calibration.to_machine(target[0], target[1], z))


def distance_to_segment(point: Centre, start: Centre, end: Centre) -> float:
    """Distance (mm) of a point from the straight way between two others."""
    p, a, b = np.asarray(point), np.asarray(start), np.asarray(end)
    way = b - a
    length2 = float(way @ way)
    along = 0.0 if length2 == 0 else float(np.clip((p - a) @ way / length2, 0.0, 1.0))
    return float(np.linalg.norm(p - (a + along * way)))
