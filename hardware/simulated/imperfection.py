"""How far the simulated table falls short of the ideal one; every number can be set, chance comes from the seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hardware.simulated.geometry import TableGeometry
from hardware.simulated.names import IMPERFECTION_NUMBERS, IMPERFECTIONS
from hardware.simulated.scene import Point

BOARD_SHIFT_MM = 1.5
"""The largest shift of the board on x and on y that `imperfection_of` draws."""
BOARD_TURN_DEG = 0.3
GRIPPER_OFFSET_MM = 1.5
"""The largest distance of the tip from where the calibration has it that `imperfection_of` draws."""
GRIP_FAILS = 0.04
DROPS = 0.015
PLACEMENT_NOISE_MM = 0.6

PLAY_PER_MM = 0.06
"""How far the tip's side play can change while the tip goes 1 mm sideways."""
LOST_AFTER_MM = (12.0, 60.0)
"""A disc that is going to be lost is lost when the tip has gone this far with it: while it is in the air."""


@dataclass(frozen=True)
class Imperfection:
    """Static: what the calibration does not know of. Dynamic: what chance does to each transfer.

    board_shift_mm, board_turn_deg: how far the board lies off its place under camera and gantry; it is turned
    counter-clockwise about its middle. gripper_offset_mm: how far the tip is off where the calibration has it.
    grip_fails: probability that a grip takes nothing although the tip is right. drops: probability that a carried
    disc is lost on its way. placement_noise_mm: standard deviation on x and y of where the tip really is when it
    grips or lets go. backlash_mm: how far the x and the y motor turn before their axis follows when they turn back.
    """

    board_shift_mm: tuple[float, float] = (0.0, 0.0)
    board_turn_deg: float = 0.0
    gripper_offset_mm: tuple[float, float] = (0.0, 0.0)
    grip_fails: float = 0.0
    drops: float = 0.0
    placement_noise_mm: float = 0.0
    backlash_mm: tuple[float, float] = (0.0, 0.0)


def imperfection_of(text: str, seed: int) -> Imperfection:
    """The imperfection of one of `hardware.simulated.names.IMPERFECTIONS`, drawn from the seed.

    Numbers of IMPERFECTION_NUMBERS may follow, which then are not drawn: "dynamic,drops=0,placement_noise_mm=0.3".
    Raises ValueError for another level or number.
    """
    level, *numbers = text.split(",")
    imperfection = _drawn(level, seed)
    given = {name: float(value) for name, _, value in (number.partition("=") for number in numbers)}
    for name in ("board_shift", "gripper_offset"):
        x, y = getattr(imperfection, f"{name}_mm")
        shift = given.pop(f"{name}_x_mm", x), given.pop(f"{name}_y_mm", y)
        imperfection = replace(imperfection, **{f"{name}_mm": shift})  # type: ignore[arg-type]
    if unknown := given.keys() - IMPERFECTION_NUMBERS.keys():
        raise ValueError(f"there is no number {min(unknown)!r} of an imperfection")
    return replace(imperfection, **given)  # type: ignore[arg-type]


def _drawn(level: str, seed: int) -> Imperfection:
    if level not in IMPERFECTIONS:
        raise ValueError(f"the imperfection must be one of {', '.join(IMPERFECTIONS)}, not {level!r}")
    if level == "ideal":
        return Imperfection()
    chance = np.random.default_rng((seed, 41))
    shift_x, shift_y, turn = chance.uniform(-1, 1, 3)
    away, angle = GRIPPER_OFFSET_MM * math.sqrt(chance.random()), chance.uniform(0, 2 * math.pi)
    static = Imperfection(
        board_shift_mm=(float(shift_x) * BOARD_SHIFT_MM, float(shift_y) * BOARD_SHIFT_MM),
        board_turn_deg=float(turn) * BOARD_TURN_DEG,
        gripper_offset_mm=(away * math.cos(angle), away * math.sin(angle)),
    )
    if level == "static":
        return static
    return replace(static, grip_fails=GRIP_FAILS, drops=DROPS, placement_noise_mm=PLACEMENT_NOISE_MM)


def imperfect_geometry(geometry: TableGeometry, imperfection: Imperfection) -> TableGeometry:
    """Where everything really is when `geometry` is what the calibration believes.

    The frame of reference stays the board's: all that stands beside it (camera, machine, tray, button) moves the
    other way.
    """
    still = replace(imperfection, grip_fails=0.0, drops=0.0, placement_noise_mm=0.0, backlash_mm=(0.0, 0.0))
    if still == Imperfection():
        return geometry
    shift_x, shift_y = imperfection.board_shift_mm
    offset_x, offset_y = imperfection.gripper_offset_mm
    middle = 4 * geometry.square_mm
    turn = math.radians(imperfection.board_turn_deg)
    cosine, sine = math.cos(turn), math.sin(turn)

    def seen(x: float, y: float) -> tuple[float, float]:
        across, along = x - middle - shift_x, y - middle - shift_y
        return middle + across * cosine + along * sine, middle - across * sine + along * cosine

    def seen_at_height(point: Point) -> Point:
        return (*seen(*point[:2]), point[2])

    origin_x, origin_y, origin_z = geometry.machine_origin_mm
    camera = geometry.camera
    return replace(
        geometry,
        tray_mm=tuple(seen(*place) for place in geometry.tray_mm),
        machine_origin_mm=seen_at_height((origin_x + offset_x, origin_y + offset_y, origin_z)),
        machine_turn_deg=geometry.machine_turn_deg - imperfection.board_turn_deg,
        park_mm=seen_at_height(geometry.park_mm),
        button_mm=seen_at_height(geometry.button_mm),
        camera=replace(
            camera,
            position_mm=seen_at_height(camera.position_mm),
            looks_at_mm=seen_at_height(camera.looks_at_mm),
        ),
    )


class Backlash:
    """Each axis lags behind its motor by up to half its backlash, on the side that the motor comes from."""

    def __init__(self, backlash_mm: tuple[float, float]) -> None:
        self._halves = (backlash_mm[0] / 2, backlash_mm[1] / 2, 0.0)
        self._axes: Point | None = None

    def meet(self, motors: Point) -> Point:
        """Where the axes are (machine mm) when the motors have come to `motors`; called at every step."""
        before = self._axes or motors
        x, y, z = (
            min(max(axis, motor - half), motor + half)
            for axis, motor, half in zip(before, motors, self._halves, strict=True)
        )
        self._axes = (x, y, z)
        return self._axes


class GripperPlay:
    """Stands between the firmware and the discs: the tip has side play, grips fail, discs are lost on their way."""

    def __init__(self, imperfection: Imperfection, seed: int) -> None:
        self._imperfection = imperfection
        self._chance = np.random.default_rng((seed, 43))
        self._play = (0.0, 0.0)
        self._goal = (0.0, 0.0)
        self._tip: Point | None = None
        self._gripping = False
        self._holds = False
        """Whether the gripper, being on, does what it should."""
        self._gone_mm = 0.0
        """The way of the tip since it last gripped."""
        self._lost_after_mm = math.inf
        self._fail_next = False
        self._drop_next = False
        self._choose_goal()

    def fail_next_grip(self) -> None:
        """The next grip takes nothing."""
        self._fail_next = True

    def drop(self) -> None:
        """What is carried now, or next, is lost on its way."""
        if self._gripping and self._holds:
            self._lost_after_mm = LOST_AFTER_MM[0]
        else:
            self._drop_next = True

    def meet(self, tip_mm: Point, gripping: bool) -> tuple[Point, bool]:
        """Where the tip really is (board mm) when the firmware has it at `tip_mm`, and whether it really grips.

        Called at every step. A grip that has failed, or has lost its disc, stays so until the gripper was off.
        """
        before = self._tip or tip_mm
        self._tip = tip_mm
        self._gone_mm += math.dist(before, tip_mm)
        self._approach_goal(math.hypot(tip_mm[0] - before[0], tip_mm[1] - before[1]) * PLAY_PER_MM)
        if gripping != self._gripping:
            self._gripping = gripping
            self._choose_goal()
            if gripping:
                self._begin_grip()
        if self._gone_mm >= self._lost_after_mm:
            self._holds = False
        x, y, z = tip_mm
        return (x + self._play[0], y + self._play[1], z), gripping and self._holds

    def _begin_grip(self) -> None:
        fails, drops = self._chance.random(2).tolist()
        self._holds = not self._fail_next and fails >= self._imperfection.grip_fails
        self._fail_next = False
        self._gone_mm, self._lost_after_mm = 0.0, math.inf
        if self._drop_next or drops < self._imperfection.drops:
            self._lost_after_mm = float(self._chance.uniform(*LOST_AFTER_MM))
            self._drop_next = self._drop_next and not self._holds

    def _choose_goal(self) -> None:
        """Each time the gripper has worked the tip goes on to another place within its play."""
        play_x, play_y = self._chance.normal(0.0, 1.0, 2) * self._imperfection.placement_noise_mm
        self._goal = (float(play_x), float(play_y))

    def _approach_goal(self, by_mm: float) -> None:
        (x, y), (goal_x, goal_y) = self._play, self._goal
        away = math.hypot(goal_x - x, goal_y - y)
        part = 1.0 if away <= by_mm else by_mm / away
        self._play = (x + part * (goal_x - x), y + part * (goal_y - y))
