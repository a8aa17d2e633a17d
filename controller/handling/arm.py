"""The arm in board millimetres: picks a disc up, carries it over what stands in its way, puts it down."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import dist

import numpy as np

from calibration.calibration import Calibration
from controller.handling.layout import Centre, Layout
from controller.handling.places import Area, Place
from controller.handling.ways import Obstacle, heights_over, level_height, quickest_heights
from hardware.backlash import Backlash
from hardware.gantry import Gantry
from hardware.machine_speeds import REFERENCE_SPEEDS, MachineSpeeds
from hardware.motion import HOME, MachinePoint

NOZZLE_RADIUS_MM = 6.0
"""Half the width of the part of the gripper that comes lower than the tallest stack."""
TALLEST = 2
"""Discs of the tallest stack that there can be: a king."""
NEAR_MM = 10.0
TIP_STEP_MM = 12.0
"""Where the tip may be anywhere on a line, points on it are taken this far apart."""
THERE_MM = 0.005
"""Where the tip is nearer than this to where it is wanted, it is there: half of what the firmware tells."""

Tip = tuple[float, float, float]
"""Where the gripper's tip is, board mm."""


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


class Arm:
    """Carries discs from place to place; all motion goes through the gantry and so through the permit."""

    def __init__(
        self,
        gantry: Gantry,
        calibration: Calibration,
        clearances: Clearances,
        speeds: MachineSpeeds = REFERENCE_SPEEDS,
    ) -> None:
        """`speeds`: what the machine can do, by which the quickest of its ways is found."""
        self.speeds = speeds
        self.on_line: Callable[[MachinePoint, MachinePoint], None] = lambda start, target: None
        """Told of every straight line when it has been gone: from where to where, machine mm."""
        self._gantry = gantry
        self._calibration = calibration
        self._clearances = clearances
        self._backlash = Backlash(calibration.backlash_mm)

    @property
    def tip_mm(self) -> Tip:
        """Where the gripper's tip is, board mm."""
        return self._calibration.to_board(*self._backlash.axes(self._gantry.position))

    def tips_mm(self, at_s: float) -> tuple[Tip, ...]:
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

    @property
    def waits_at(self) -> Centre:
        """Above which point it parks, board mm."""
        return self._calibration.park_mm[:2]

    @property
    def holding(self) -> bool:
        """Whether the gripper is on and so may hold a disc."""
        return self._gantry.holding_disc

    def clear_height(self, load_discs: int = 0) -> float:
        """The height (mm) at which the tip, with so many discs below it, passes over whatever may stand anywhere."""
        return clear_height(self._calibration, self._clearances, load_discs)

    # Motion.

    def home(self) -> None:
        """Find the home switches and park."""
        self._gantry.home()
        self._backlash.homed()
        self.park()

    def park(self, layout: Layout | None = None) -> None:
        """Wait where the camera sees the whole board; on the way over what lies there, if that is known.

        Otherwise over the tallest stacks that there can be, with a load if the gripper may hold one.
        """
        x, y, z = self._calibration.park_mm
        if layout is None or self.holding:
            self.go_clear((x, y), z)
            return
        start = self.tip_mm
        heights = heights_over(
            start[:2], (x, y), self._obstacles(layout, layout.stacks), self._width(0), self._clearances.above
        )
        first, last = quickest_heights(dist(start[:2], (x, y)), start[2], z, heights, self.speeds)
        self._move((*start[:2], first))
        self._gantry.check_empty()
        self._move((x, y, last))
        self._move((x, y, z))

    def rise(self) -> None:
        """Go up to where the tip, and what it may hold, clears everything; nothing if it is there."""
        x, y, z = self.tip_mm
        self._move((x, y, max(z, self._height_clear())))

    def go_clear(self, target: Centre, z: float | None = None) -> None:
        """Go to a point of the table over everything that may stand anywhere; then to the height `z`, if given."""
        start = self.tip_mm
        clear = self._height_clear()
        high = max(start[2], clear)
        self._move((*start[:2], high))
        # From one height that clears everything to another no level way is needed.
        self._move((*target, max(clear, z) if z is not None else high))
        if z is not None:
            self._move((*target, z))

    def carry(self, layout: Layout, source: Place, target: Place, discs: int, target_centre: Centre) -> None:
        """Carry the top `discs` of `source` to `target_centre` (board mm), over everything else in `layout`.

        Raises what the gantry raises.
        """
        self.pick(layout, source)
        self.place(layout.take(source, discs), target, discs, target_centre)

    def pick(self, layout: Layout, source: Place) -> None:
        """Go over everything in `layout` to `source`, down to the top of its stack, and grip."""
        centre = layout.stacks[source].centre
        start = self.tip_mm
        low = self._top_of(layout, source) - self._clearances.press
        heights = heights_over(
            start[:2], centre, self._obstacles(layout, layout.stacks), self._width(0), self._clearances.above
        )
        first, last = quickest_heights(dist(start[:2], centre), start[2], low, heights, self.speeds)
        self._move((*start[:2], first))
        self._gantry.check_empty()
        self._move((*centre, last))
        self._move((*centre, low))
        self._gantry.grip()

    def place(self, rest: Layout, target: Place, discs: int, centre: Centre) -> None:
        """Carry the `discs` that are held to `centre`, on a level over all that is left on the table, and let go."""
        start = self.tip_mm
        load = discs * self._calibration.disc.height_mm
        obstacles = self._obstacles(rest, rest.stacks)
        heights = heights_over(start[:2], centre, obstacles, self._width(discs), load + self._clearances.above)
        level = level_height(start[2], heights)
        self._move((*start[:2], level))
        self._move((*centre, level))
        self._gantry.check_holding()
        self._move((*centre, self.height_at(rest, target) + load + self._clearances.gap))
        self._gantry.release()

    def pick_up(self, centre: Centre, top_mm: float) -> None:
        """Go over anything on the way to a disc whose top is at `top_mm`, take it, and rise with it."""
        self.go_clear(centre, top_mm - self._clearances.press)
        self._gantry.grip()
        self.rise()
        self._gantry.check_holding()

    def put_down(self, centre: Centre, floor_mm: float, discs: int) -> None:
        """Put what is held, believed to be `discs` on one another, down at `centre`, over anything on the way.

        `floor_mm` is the height of what lies there.
        """
        load = discs * self._calibration.disc.height_mm
        self.go_clear(centre, floor_mm + load + self._clearances.gap)
        self._gantry.release()

    # Heights.

    def height_at(self, layout: Layout, place: Place) -> float:
        """The height (mm) of the top of whatever lies on `place`, or of the bare place."""
        return self._top_of(layout, place) if place in layout.stacks else self._floor_of(place)

    def _top_of(self, layout: Layout, place: Place) -> float:
        return self._floor_of(place) + layout.count(place) * self._calibration.disc.height_mm

    def _floor_of(self, place: Place) -> float:
        return self._calibration.tray_height_mm if place.area is Area.TRAY else 0.0

    def _height_clear(self) -> float:
        return self.clear_height(TALLEST if self.holding else 0)

    def _width(self, load_discs: int) -> float:
        """How near to the middle of a stack the tip, and what it carries, come to what stands there."""
        radius = self._calibration.disc.diameter_mm / 2
        return (radius if load_discs else NOZZLE_RADIUS_MM) + radius + self._clearances.beside

    def _obstacles(self, layout: Layout, places: Iterable[Place]) -> list[Obstacle]:
        return [Obstacle(layout.stacks[place].centre, self._top_of(layout, place)) for place in places]

    def _move(self, target: Tip) -> None:
        """Go straight to a point (board mm); nothing if the tip is there."""
        if dist(self.tip_mm, target) <= THERE_MM:
            return
        start = self._gantry.position
        end = self._backlash.motors(start, self._calibration.to_machine(*target))
        self._gantry.move_to(*end)
        self.on_line(start, end)


def clear_height(calibration: Calibration, clearances: Clearances, load_discs: int) -> float:
    """The height (mm) at which a tip, with so many discs below it, passes over whatever may stand anywhere."""
    floor = max(calibration.tray_height_mm, 0.0)
    return floor + (TALLEST + load_discs) * calibration.disc.height_mm + clearances.above
