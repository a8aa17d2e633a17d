"""The arm's milestone: from a disc that a person puts under the tip to the map between board and machine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from calibration.arm_fit import (
    AxesFit,
    Carried,
    MachineNames,
    Tried,
    check_axes,
    check_residual,
    fit_axes,
    tip_at_zero,
)
from calibration.calibration import ArmMap, Calibration
from calibration.errors import CalibrationRefusedError
from calibration.grip_middle import MOST, GripSearch, GripTry
from calibration.values import PointXY
from controller.calibrating.carrier import Carrier, Directions, Heights, with_axes
from controller.calibrating.helper import Helper, Wish
from controller.calibrating.touching import Toucher

STARTS: tuple[PointXY, ...] = ((0.39, 0.41), (0.68, 0.41), (0.39, 0.7), (0.2, 0.41), (0.39, 0.2))
"""Where the machine goes first, as parts of its travel from home: at one of them the tip is over the board,
however the machine has been put together."""
ANYWHERE_MM = (150.0, 80.0, 150.0, 120.0)
"""How far beyond the board's edges the disc may lie then."""
FIRST_WAYS_MM: tuple[PointXY, ...] = ((45.0, 0.0), (0.0, 45.0), (-45.0, -45.0))
UNSURE_MM = 1.0
"""What is under the gripper's middle must be known better than this."""
TEST_WAY_MM = 40.0
STAYED_MM = 6.0
"""A disc that has moved less than this was not taken."""
SPOTS = (1, 4, 5, 29, 32, 28, 12, 21, 14, 19, 10, 23, 16, 2, 31, 9, 24)
"""Squares on which discs are put down for the map: the corners, the edges and the middle."""
MOST_CARRIED = MOST + len(SPOTS)
"""How many discs are carried at most."""
ALL_DIRECTIONS: tuple[Directions, ...] = ((1, 1), (-1, 1), (-1, -1), (1, -1))
FLAT_MM = 1.5
"""The surface may be so far from a plane at the points where it is touched."""


def first_ways(carrier: Carrier, toucher: Toucher, helper: Helper, names: MachineNames, size_is_sure: bool) -> None:
    """Have a disc put under the tip, and carry it a little along each axis; then the carrier knows the axes.

    Raises CalibrationRefusedError for a machine that has been put together or configured wrongly.
    """
    start = _over_the_board(carrier, helper)
    helper.please(
        Wish.DISC_UNDER_TIP,
        "Put one light disc under the tip of the gripper, its middle as near under the tip as you can see.",
    )
    touched = toucher.touch(*start)
    height = carrier.calibration.disc.height_mm
    carrier.heights, carrier.touched_disc = Heights(touched - height), (*start, touched)
    at = start
    turned = carrier.pick_here()
    carrier.look_without_disc()  # The trays are not as they were either: the disc was taken from there.
    seen: PointXY | None = None
    for way in FIRST_WAYS_MM:
        to = at[0] + way[0], at[1] + way[1]
        if seen is not None:
            turned = carrier.pick(at)
        put = carrier.put(to)
        after = carrier.look(ANYWHERE_MM)
        if seen is not None:
            carrier.carried.append(Carried(at, turned, to, put, seen, after))
        seen, at = after, to
    fit = fit_axes(carrier.carried, with_backlash=False)
    check_axes(fit.axes, names, size_is_sure, rough=True)
    assert seen is not None
    carrier.believe(with_axes(carrier.calibration, fit.axes, seen, at, carrier.heights))


def _over_the_board(carrier: Carrier, helper: Helper) -> PointXY:
    """Bring the tip over the board, which a person confirms; returns where the machine stands (mm)."""
    travel = carrier.travel_mm
    for part_x, part_y in STARTS:
        start = -part_x * travel[0], -part_y * travel[1]
        carrier.go(*start)
        if helper.over_board():
            return start
    raise CalibrationRefusedError(
        "the arm does not come over the board: put the board under the middle of the machine; if it lies there, the "
        "machine's steps per mm are far off, or its travel is not what the settings say"
    )


def touch_at(carrier: Carrier, toucher: Toucher, machine: PointXY) -> float:
    """Machine z (mm) at which the tip touches what is under a point (machine mm)."""
    carrier.rise()
    carrier.go(*machine)
    touched = toucher.touch(*machine)
    carrier.rise()
    return touched


def measure_heights(carrier: Carrier, toucher: Toucher, points: tuple[PointXY, ...]) -> float:
    """Touch the playing surface at points (in squares from the board frame's origin), which must be bare; the carrier
    then has the plane through all that it has touched.

    Returns how far the worst of them is from the plane, mm. Raises CalibrationRefusedError if that is too far.
    """
    square = carrier.calibration.square_mm
    for column, row in points:
        machine = carrier.machine_xy((column * square, row * square))
        carrier.touched.append((*machine, touch_at(carrier, toucher, machine)))
    touched = np.array(carrier.touched)
    causes = np.column_stack([touched[:, :2], np.ones(len(touched))])
    (along_x, along_y, at_zero), *_ = np.linalg.lstsq(causes, touched[:, 2], rcond=None)
    missed = float(np.abs(touched[:, 2] - causes @ (along_x, along_y, at_zero)).max())
    if missed > FLAT_MM:
        raise CalibrationRefusedError(
            f"the board is not flat for the arm: heights differ by {missed:.1f} mm from a plane; see that the board "
            "lies flat and nothing lies on it, and that the gantry's rails are straight"
        )
    carrier.heights = Heights(float(at_zero), (float(along_x), float(along_y)))
    return missed


def check_reach_of_places(calibration: Calibration, travel_mm: tuple[float, float, float]) -> None:
    """Raise CalibrationRefusedError unless the arm reaches all squares and tray places, and say how to move the
    board.
    """
    places = calibration.places_mm(human_is_white=True)
    machine = np.array([calibration.to_machine(x, y, 0.0) for x, y in places])
    lacks = []
    for axis, letter in enumerate("xy"):
        beyond, short = float(machine[:, axis].max()), float(-travel_mm[axis] - machine[:, axis].min())
        if max(beyond, short) > 0:
            lacks.append(f"by {max(beyond, short):.0f} mm in {letter}")
    if lacks:
        raise CalibrationRefusedError(
            f"the arm does not reach all squares and tray places ({', '.join(lacks)}): move the board nearer to the "
            "middle of the machine, square to its axes, then do 'board' and 'arm' again"
        )


def find_grip_middle(
    carrier: Carrier, seen: PointXY, progress: Callable[[int, int], None] = lambda done, of: None
) -> tuple[PointXY, list[Tried]]:
    """Find out where the middle of the gripper is, by taking the disc farther and farther beside its middle.

    Returns where the disc lies in the end, and what was tried; the carrier goes on with a map that is shifted by what
    was found.
    """
    search, tried = GripSearch(carrier.calibration.disc.diameter_mm), []
    middle = 4 * carrier.calibration.square_mm
    while not search.done:
        offset = search.next_offset()
        take = seen[0] + offset[0], seen[1] + offset[1]
        # It is carried across the direction in which it is off, towards the middle of the board.
        axis = 0 if abs(offset[1]) > abs(offset[0]) else 1
        way = [0.0, 0.0]
        way[axis] = TEST_WAY_MM if seen[axis] < middle else -TEST_WAY_MM
        before = seen
        seen = carrier.carry(
            before, carrier.machine_xy(take), carrier.machine_xy((take[0] + way[0], take[1] + way[1]))
        )
        held = math.dist(seen, before) > STAYED_MM
        last = carrier.carried[-1]
        if not held:
            carrier.carried.pop()
        tried.append(Tried(last.taken_at, last.came_from, before, held))
        search.learn(GripTry(offset, held))
        progress(len(tried), MOST_CARRIED)
    found = search.middle()
    if len({one.held for one in tried}) < 2 or max(found.sure_mm) > UNSURE_MM:
        raise CalibrationRefusedError(
            "the gripper takes the disc wherever it touches it, or nowhere: see that it switches on and off, and "
            "that it can hold this disc"
        )
    carrier.believe(_shifted(carrier.calibration, (-found.off_mm[0], -found.off_mm[1])))
    return seen, tried


def _shifted(calibration: Calibration, by_mm: PointXY) -> Calibration:
    """The calibration for which the tip, to be over a point, goes where it went for the point plus `by_mm`."""
    matrix = np.asarray(calibration.arm.matrix).copy()
    matrix[:, 3] += matrix[:, :2] @ np.asarray(by_mm)
    rows = tuple(tuple(float(value) for value in row) for row in matrix)
    return replace(calibration, arm=replace(calibration.arm, matrix=rows))  # type: ignore[arg-type]


def carry_over_the_board(
    carrier: Carrier, seen: PointXY, seed: int, progress: Callable[[int, int], None] = lambda done, of: None
) -> PointXY:
    """Put the disc down on a dozen spots, coming to them from all sides; returns where it lies in the end."""
    chance = random.Random(f"directions {seed}")
    for number, square in enumerate(SPOTS):
        target = carrier.calibration.square_mm_centre(square, human_is_white=True)
        went = chance.choice(ALL_DIRECTIONS)
        came = (-went[0], -went[1])  # So every way tells of the backlash of both axes.
        seen = carrier.carry(seen, carrier.machine_xy(seen), carrier.machine_xy(target), came, went)
        progress(MOST + number + 1, MOST_CARRIED)
    return seen


def final_map(carrier: Carrier, tried: Sequence[Tried], names: MachineNames, size_is_sure: bool) -> AxesFit:
    """Fit the map to all ways, and what is under the gripper's middle to all that was tried; the carrier goes on with
    it.

    Nothing tried: a gripper that centres what it takes.
    """
    fit = fit_axes(carrier.carried)
    check_axes(fit.axes, names, size_is_sure)
    check_residual(fit, len(carrier.carried))
    before = carrier.calibration
    over = tip_at_zero(fit, carrier.carried, tried, before.disc.diameter_mm)
    moved = with_axes(before, fit.axes, over, (0.0, 0.0), carrier.heights)
    arm = ArmMap(moved.arm.matrix, fit.rms_mm, fit.worst_mm)
    carrier.believe(replace(moved, arm=arm, backlash_mm=fit.backlash_mm))
    return fit
