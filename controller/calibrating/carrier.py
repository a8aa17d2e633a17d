"""Carries one disc about with an arm that is not calibrated yet, and looks where it lies.

All motion is told in machine coordinates: what the motors are told, and in which direction they turned last, is what
the calibration is made of.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from calibration.arm_fit import Carried
from calibration.calibration import Calibration
from calibration.disc_finding import DiscNotFoundError, measure_disc, new_discs
from calibration.parking import parking_place
from calibration.values import PointXY
from controller.calibrating.still import still_frame
from controller.calibrating.watch import Watch
from controller.errors import ControllerError
from hardware.backlash import STILL_MM
from hardware.clock import Clock
from hardware.frame import Camera, Frame, Pixels
from hardware.gantry import Gantry

Directions = tuple[int, int]
Beyond = tuple[float, float, float, float]
"""How far (mm) beyond the playing area's left, near, right and far edge."""

OVERSHOOT_MM = 2.0
"""How far the machine goes beyond a place to come to it from the other side: more than any backlash."""
CARRY_MM = 16.0
"""Free height under a carried disc: it passes over another one."""
SINK_MM = 1.0
"""How far below the top of a disc the tip goes to take it: it is sprung, and the height is not known exactly yet."""
GAP_MM = 0.4
"""Free height under a disc when it is let go."""
BEYOND_MM = 32.0
"""How far around the playing area a disc is looked for: less than up to the tray's discs."""
SAME_MM = 8.0
"""Two sightings so near each other are of one disc."""
LIGHT_CHANGED = 1.35
"""How many times brighter or darker the picture may become."""


class LightChangedError(ControllerError):
    """The light is not what it was when the bare board was looked at."""


@dataclass(frozen=True)
class Heights:
    """Machine z (mm) at which the tip touches the playing surface, as a plane: z = at_zero + along · (x, y)
    machine.
    """

    at_zero: float
    along: tuple[float, float] = (0.0, 0.0)

    def at(self, x: float, y: float) -> float:
        """Where the tip touches the surface at a point (machine mm)."""
        return self.at_zero + self.along[0] * x + self.along[1] * y


class Carrier:
    """The arm, which has just homed, the camera, and the one disc on the board.

    `calibration` is what is believed so far; `heights` where the surface is. `bare` is a frame of the table without
    the disc.
    """

    def __init__(self, gantry: Gantry, camera: Camera, watch: Watch, clock: Clock, calibration: Calibration) -> None:
        self.calibration = calibration
        self.knows_the_way = False
        """Whether the map is good enough to park by it."""
        self.heights: Heights | None = None
        self.carried: list[Carried] = []
        self._gantry, self._camera, self._watch, self._clock = gantry, camera, watch, clock
        self._home = gantry.position
        self._bare: Pixels | None = None
        self._bare_before: Pixels | None = None
        """As it was before the disc was brought; the tray that it was taken from has changed since."""
        self.touched: list[tuple[float, float, float]] = []
        """Where the playing surface was touched, machine mm."""
        self.touched_disc = (0.0, 0.0, 0.0)
        """Where the top of the first disc was touched, machine mm."""
        self._places: list[PointXY] = []
        """Where the disc was when the guard's reference was taken, and where it has been seen since, board mm."""
        self._turned: Directions = (-1, -1)
        """The directions in which the motors turned last; homing ends with pulling off the switches."""

    def remember_bare(self, frame: Frame) -> None:
        """Take what `frame` shows for the table without the disc."""
        self._bare = frame.pixels

    @property
    def travel_mm(self) -> tuple[float, float, float]:
        """How far the machine can go."""
        return self._gantry.limits.travel_mm

    # Motion, in machine coordinates.

    def go(self, x: float, y: float, came_from: Directions | None = None) -> Directions:
        """Go to a point at the present height, if need be so that the motors turn in the given directions at the
        end.
        """
        if came_from is not None:
            ahead = self._turned_on_the_way(x, y)
            if ahead != came_from:
                over = (x - came_from[0] * OVERSHOOT_MM, y - came_from[1] * OVERSHOOT_MM)
                self._straight(*self._inside(over))
        self._straight(x, y)
        return self._turned

    def _turned_on_the_way(self, x: float, y: float) -> Directions:
        here = self._gantry.position
        turns = [
            (before if abs(to - at) < STILL_MM else int(math.copysign(1, to - at)))
            for at, to, before in zip(here[:2], (x, y), self._turned, strict=True)
        ]
        return turns[0], turns[1]

    def _straight(self, x: float, y: float) -> None:
        self._turned = self._turned_on_the_way(x, y)
        self._gantry.move_to(x, y)
        self._watch.rested()

    def _go_to_height(self, z: float) -> None:
        self._gantry.move_to(z=z)
        self._watch.rested()

    def _inside(self, point: PointXY) -> PointXY:
        travel = self._gantry.limits.travel_mm
        x, y = (min(max(value, -far + 0.5), -0.5) for value, far in zip(point, travel, strict=False))
        return x, y

    def rise(self) -> None:
        """Lift what is held over everything on the board."""
        height = self.calibration.disc.height_mm
        here = self._gantry.position
        top = self.surface(here[0], here[1]) + 2 * height + CARRY_MM
        if here[2] < top:
            self._go_to_height(min(top, -1.0))

    def surface(self, x: float, y: float) -> float:
        """Machine z (mm) at which the tip touches the playing surface at a point (machine mm)."""
        if self.heights is None:
            raise RuntimeError("the height of the board is not known yet")
        return self.heights.at(x, y)

    def pick(self, at: PointXY, came_from: Directions | None = None) -> Directions:
        """Take the disc under a point (machine mm); returns the directions in which the motors came to it."""
        self._expect_work_at(at)
        self.rise()
        turned = self.go(*at, came_from)
        self._go_to_height(self.surface(*at) + self.calibration.disc.height_mm - SINK_MM)
        self._gantry.grip()
        self.rise()
        return turned

    def pick_here(self) -> Directions:
        """Take the disc that the tip touches."""
        self._gantry.grip()
        self.rise()
        return self._turned

    def put(self, at: PointXY, came_from: Directions | None = None) -> Directions:
        """Put the disc down at a point (machine mm)."""
        self._expect_work_at(at)
        self.rise()
        turned = self.go(*at, came_from)
        self._go_to_height(self.surface(*at) + self.calibration.disc.height_mm + GAP_MM)
        self._gantry.release()
        self.rise()
        return turned

    def reference_taken(self) -> None:
        """To be told when the guard has a new reference: it shows the disc where it was seen last."""
        self._places = self._places[-1:]

    def _expect_work_at(self, machine: PointXY) -> None:
        """Tell the guard where the disc was in its reference, where it is, and where it is taken or put down."""
        x, y, _ = self.calibration.to_board(*machine, self.surface(*machine))
        self._watch.expect_work_at([*self._places[:1], *self._places[-1:], (x, y)])

    def wait_at_home(self) -> None:
        """Go where homing has left the machine: the farthest from the camera's picture that there is."""
        self._go_to_height(self._home[2])
        self._straight(self._home[0], self._home[1])

    def wait_nearby(self) -> None:
        """From now on park near the board, where by the map that is known now the arm is out of the picture."""
        self.believe(replace(self.calibration, park_mm=parking_place(self.calibration, self.travel_mm)))
        self.knows_the_way = True

    def park(self) -> None:
        """Go where the arm hides nothing from the camera: as long as its map is a guess, home."""
        if not self.knows_the_way:
            self.wait_at_home()
            return
        here = self._gantry.position
        x, y, z = self.calibration.to_machine(*self.calibration.park_mm)
        if here[2] < z:
            self._go_to_height(min(z, -1.0))
        self._straight(*self._inside((x, y)))

    # Looking.

    def look(self, beyond: Beyond | None = None) -> PointXY:
        """Where the disc lies (board mm), the arm out of the way; `beyond` how far outside the playing area it may
        be.

        Raises DiscNotFoundError if there is no disc, or more than one, LightChangedError if nothing can be compared.
        """
        seen = self.seen_in(self._frame_without_arm(), beyond)
        self._places = [*self._places[:1], seen]
        return seen

    def _frame_without_arm(self) -> Frame:
        self.park()
        guard = self._watch.guard
        frame = still_frame(self._camera, self._clock, guard.region)
        guard.check_age(frame)
        return frame

    def look_without_disc(self) -> None:
        """Take what is seen now, the disc being held off the board, for the table without it.

        Raises DiscNotFoundError if another disc has been left on the board.
        """
        frame = self._frame_without_arm()
        if self._bare is not None:
            self._check_light(frame)
            side = 8 * self.calibration.square_mm
            camera, disc = self.calibration.camera, self.calibration.disc
            if new_discs(self._bare, frame.pixels, camera, disc, (0.0, 0.0, side, side)):
                raise DiscNotFoundError("another disc is on the board than the one that the arm holds: take it away")
        self._bare_before = self._bare
        self.remember_bare(frame)

    def seen_in(self, frame: Frame, beyond: Beyond | None = None) -> PointXY:
        """Where the disc lies in a frame that has been taken."""
        if self._bare is None:
            raise RuntimeError("the bare board has not been seen")
        calibration = self.calibration
        self._check_light(frame)
        side = 8 * calibration.square_mm
        left, near, right, far = beyond or (BEYOND_MM,) * 4
        region = (-left, -near, side + right, side + far)
        found = new_discs(self._bare, frame.pixels, calibration.camera, calibration.disc, region)
        if beyond is not None and self._bare_before is not None:
            # Where the disc hung while the table was looked at without it nothing has come that was not there before.
            found = [one for one in found if self._is_new(self._bare_before, frame, one.centre)]
        if len(found) > 1:
            raise DiscNotFoundError(
                f"{len(found)} discs, or things like them, are on the board where one should be: take the others away"
            )
        if not found:
            raise DiscNotFoundError("no disc is to be seen on the board where the arm has put one down")
        return found[0].centre

    def _is_new(self, bare: Pixels, frame: Frame, centre: PointXY) -> bool:
        """Whether a disc is there (board mm) that is not in another picture of the table."""
        camera, disc = self.calibration.camera, self.calibration.disc
        with suppress(DiscNotFoundError):
            return math.dist(measure_disc(bare, frame.pixels, camera, disc, centre).centre, centre) < SAME_MM
        return False

    def _check_light(self, frame: Frame) -> None:
        """Raise LightChangedError if the picture is much brighter or darker than that of the bare board."""
        assert self._bare is not None
        before, now = (float(np.median(pixels[::4, ::4])) + 4.0 for pixels in (self._bare, frame.pixels))
        if not 1 / LIGHT_CHANGED <= now / before <= LIGHT_CHANGED:
            raise LightChangedError(
                "the light is not what it was when I looked at the bare board: switch the lamp on again, or begin "
                "this step again in the new light"
            )

    # Both.

    def carry(
        self,
        before: PointXY,
        take_at: PointXY,
        put_at: PointXY,
        came_from: Directions | None = None,
        went_to: Directions | None = None,
    ) -> PointXY:
        """Carry the disc that lies at `before` (board mm), and look where it has come to lie; keeps the way in mind.

        take_at, put_at: where the machine is to take it and put it down, machine mm.
        """
        taken = self.pick(take_at, came_from)
        put = self.put(put_at, went_to)
        after = self.look()
        self.carried.append(Carried(take_at, taken, put_at, put, before, after))
        return after

    def carry_slack_taken_up(self, before: PointXY, target: PointXY) -> PointXY:
        """Carry the disc from one point to another (board mm) as in play, and look where it has come to lie."""
        ends = []
        for act, point in ((self.pick, before), (self.put, target)):
            self.rise()
            told = self.machine_xy(point, self._turned_on_the_way(*self.machine_xy(point)))
            ends.append((told, act(told)))
        after = self.look()
        (take_at, taken), (put_at, put) = ends
        self.carried.append(Carried(take_at, taken, put_at, put, before, after))
        return after

    def machine_xy(self, point: PointXY, turned: Directions = (0, 0)) -> PointXY:
        """What the motors have to be told (machine mm) for the tip to be over a point (board mm, on the surface).

        `turned`: the directions in which they will turn at the end, so that the backlash is allowed for.
        """
        x, y, _ = self.calibration.to_machine(point[0], point[1], 0.0)
        slack = self.calibration.backlash_mm
        return x + turned[0] * slack[0] / 2, y + turned[1] * slack[1] / 2

    def believe(self, calibration: Calibration) -> None:
        """Go on with this calibration."""
        self.calibration = calibration


def with_axes(
    calibration: Calibration, axes: np.ndarray, tip_over: PointXY, machine: PointXY, heights: Heights | None
) -> Calibration:
    """The calibration with the map that these axes make, the tip being over a point of the board when the machine
    stands at `machine`."""
    columns = np.asarray(axes, dtype=np.float64)
    to_machine = np.linalg.inv(columns)
    shift = np.asarray(machine) - to_machine @ np.asarray(tip_over)
    surface = heights or Heights(calibration.arm.matrix[2][3])
    # z is told the machine's own x and y, which are made of the board's.
    slope = np.asarray(surface.along) @ to_machine
    offset = surface.at_zero + float(np.asarray(surface.along) @ shift)
    rows = [(*to_machine[0], 0.0, shift[0]), (*to_machine[1], 0.0, shift[1]), (*slope, 1.0, offset)]
    matrix = tuple(tuple(float(value) for value in row) for row in rows)
    return replace(calibration, arm=replace(calibration.arm, matrix=matrix))  # type: ignore[arg-type]
