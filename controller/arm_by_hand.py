"""The arm by hand: what `crownhead arm` does, an action at a time.

Points are told as places of the table (14, T3), or as machine or board millimetres, axis by axis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import dist
from typing import Protocol

from calibration.calibration import Calibration, load_calibration
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from controller.draughts import Colour
from controller.errors import ControllerError
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm
from controller.handling.layout import Centre
from controller.handling.places import SQUARES, TRAY_PLACES, Area, Place, square, tray_place
from controller.session import check_board_in_place
from controller.settings import Settings
from controller.settings_file import LoadedSettings
from controller.table import Table, open_attended_arm, open_real_table
from hardware.clock import Clock
from hardware.errors import CameraError, OutOfReachError, PositionLostError
from hardware.frame import Frame
from hardware.gantry import Gantry
from hardware.motion import MachinePoint, check_reach
from hardware.simulated.geometry import TableGeometry
from vision.stillness import is_still

AXES = "XYZ"
BELOW_TOP_MM = 3.0
"""How far below the top of its travel z travels, where nobody knows what stands below: homing stops about there."""
NEAR_MM = 0.01
STILL_FOR_S = 0.6
"""For so long the table must not have stirred before it is taken for being clear."""
NO_FILE = "there is no settings file: the geometry of the reference build is taken to be this table's"

Say = Callable[[str], None]
AxisValues = Mapping[str, float]
"""mm by axis ("X", "Y", "Z"); axes that are not named keep their place."""

_WORD = re.compile(r"([xyzXYZ])=?([+-]?(?:\d+\.?\d*|\.\d+))")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
_TRAY_PLACE = re.compile(r"[tT](\d{1,2})")


class HandledArm(Protocol):
    """What the actions work with: a whole table, or the arm alone."""

    @property
    def clock(self) -> Clock: ...  # noqa: D102
    @property
    def gantry(self) -> Gantry: ...  # noqa: D102
    @property
    def arm(self) -> Arm: ...  # noqa: D102
    @property
    def calibration(self) -> Calibration: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


@dataclass(frozen=True)
class Point:
    """Where to go, axis by axis; in machine or in board mm."""

    values: AxisValues
    on_board: bool


# Opening.


def calibration_for(
    loaded: LoadedSettings, environment: Mapping[str, str], now: datetime, say: Say, calibrated: bool = True
) -> Calibration:
    """The table's calibration; without a settings file, that of the reference build, which is said.

    A calibration that lies in its usual place counts also without a settings file, unless the table is taken to be
    the reference build anyway (`calibrated` False). Raises CalibrationError.
    """
    path = loaded.settings.files.calibration_path(environment)
    if loaded.source is None and not (calibrated and path.exists()):
        say(NO_FILE)
        return reference_calibration(now)
    return load_calibration(path)


def reference_calibration(now: datetime) -> Calibration:
    """The calibration of the reference build, as if it had been built without any error."""
    return calibration_of(TableGeometry(), now)


def open_attended(settings: Settings, clock: Clock, calibration: Calibration, say: Say) -> HandledArm:
    """The arm of the settings alone: a person stands beside it. Raises the hardware's errors."""
    handled = open_attended_arm(settings, clock, calibration)
    handled.gantry.on_wait = _waiting(say)
    return handled


def open_watched(settings: Settings, clock: Clock, environment: Mapping[str, str], say: Say) -> HandledArm:
    """The table of the settings, its arm under the guard's eye; why it waits is said.

    Raises ControllerError, CalibrationError and the hardware's errors, one sentence each.
    """
    try:
        table = open_real_table(settings, clock, environment)
    except (CameraError, CalibrationError) as error:
        raise ControllerError(
            f"{str(error).rstrip('.')}; without a camera and its calibration nobody sees a hand in the arm's way: "
            "stand beside it and add --attended"
        ) from error
    try:
        watch_over(table)
    except BaseException:
        table.close()
        raise
    table.gantry.on_wait = _waiting(say)
    return table


def _waiting(say: Say) -> Callable[[str | None], None]:
    """What the gantry tells when it has to wait (a reason) and when it goes on (None)."""

    def waits(reason: str | None) -> None:
        say("I go on" if reason is None else f"I hold still: {reason}")

    return waits


def watch_over(table: Table) -> None:
    """Take the table as it looks now, if nothing stirs and the board is seen, for clear of hands.

    An arm that stands over the board may hide its corners; then they are not looked for.
    """
    before = table.camera.frame()
    table.clock.sleep(STILL_FOR_S)
    frame = table.camera.frame()
    table.guard.check_age(frame)
    if not _still(before, frame, table.guard):
        raise ControllerError("something moves over the table: keep clear of it and try again")
    if not table.arm.is_away_from_home(table.clock.now()):
        check_board_in_place(frame, table.calibration)
    table.camera.remember(frame)
    table.guard.set_reference(frame)
    table.guard.confirmed = table.panel.turn_pressed


def _still(before: Frame, after: Frame, guard: HandGuard) -> bool:
    return is_still(before.pixels, after.pixels, guard.region)


# Points.


def read_point(words: Sequence[str], on_board: bool) -> Place | Point:
    """What the words of a point mean: a place ("14", "T3"), axis words ("X-120", "y=40") or the numbers of X Y [Z].

    Numbers are machine mm, or board mm if `on_board`. Raises ControllerError for anything else.
    """
    if len(words) == 1 and (place := _read_place(words[0])):
        return place
    if 2 <= len(words) <= len(AXES) and all(_NUMBER.fullmatch(word) for word in words):
        return Point(dict(zip(AXES, map(float, words), strict=False)), on_board)
    return Point(read_axes(words), on_board)


def read_axes(words: Sequence[str]) -> AxisValues:
    """What axis words mean, each axis once at most; ControllerError if they are none."""
    values: dict[str, float] = {}
    for word in words:
        match = _WORD.fullmatch(word)
        if match is None:
            raise ControllerError(
                f"{word!r} is no place of the table and no axis: say 1 to 32 for a square, T1 to T32 for the "
                "tray, or mm as in X-120 Y-80 Z-20"
            )
        if match[1].upper() in values:
            raise ControllerError(f"{word!r} names the axis {match[1].upper()} for the second time: name each once")
        values[match[1].upper()] = float(match[2])
    return values


def read_place(word: str) -> Place:
    """The place that a word names ("14", "T3"); ControllerError if it names none."""
    place = _read_place(word)
    if place is None:
        raise ControllerError(
            f"{word!r} is no place of the table: say 1 to {SQUARES} for a square, T1 to T{TRAY_PLACES} for the tray"
        )
    return place


def _read_place(word: str) -> Place | None:
    if word.isascii() and word.isdecimal() and len(word) < 4 and 1 <= int(word) <= SQUARES:
        return square(int(word))
    match = _TRAY_PLACE.fullmatch(word)
    return tray_place(int(match[1])) if match and 1 <= int(match[1]) <= TRAY_PLACES else None


def centre_of(place: Place, calibration: Calibration, human: Colour) -> Centre:
    """The centre (board mm) of a place; squares are numbered for the colour that the human plays."""
    if place.area is Area.TRAY:
        return calibration.tray_centre(place.number)
    return calibration.square_mm_centre(place.number, human is Colour.WHITE)


# Actions. Each moves only what it says; whatever has to move sideways rises over everything first.


def make_ready(handled: HandledArm, say: Say) -> None:
    """Home the machine if it does not know where it is."""
    if not handled.gantry.homed:
        say("the machine does not know where it is: homing it first")
        handled.gantry.home()


def switch_gripper(handled: HandledArm, on: bool, say: Say) -> None:
    """Grip, or let go, where the arm stands; a machine that is locked, and so switches nothing, is homed first."""
    switch = handled.gantry.grip if on else handled.gantry.release
    try:
        switch()
    except PositionLostError:
        make_ready(handled, say)
        switch()


def jog(handled: HandledArm, by: AxisValues, speed_mm_s: float) -> None:
    """Move straight by so many machine mm."""
    here = handled.gantry.position
    x, y, z = (value + by.get(axis, 0.0) for axis, value in zip(AXES, here, strict=True))
    handled.gantry.move_to(x, y, z, speed_mm_s=speed_mm_s)


def go_to(handled: HandledArm, point: Place | Point, human: Colour) -> None:
    """Go above a place, over everything; or to a point: up, across, and down to its z if that is given."""
    if isinstance(point, Place):
        centre = centre_of(point, handled.calibration, human)
        check_reach_of(handled, point, centre, handled.arm.clear_height())
        handled.arm.go_clear(centre)
        return
    target = machine_point(handled, point)
    gantry = handled.gantry
    check_inside(gantry, target)
    here = gantry.position
    if dist(here[:2], target[:2]) > NEAR_MM:
        top = max(here[2], -BELOW_TOP_MM)
        gantry.move_to(z=top)
        gantry.move_to(target[0], target[1])
        if "Z" not in point.values:
            return
    gantry.move_to(*target)


def check_values(gantry: Gantry, point: Point) -> None:
    """Raise OutOfReachError for machine mm beyond the travel: that can be told before the machine is homed."""
    if not point.on_board:
        x, y, z = (point.values.get(axis, 0.0) for axis in AXES)
        check_inside(gantry, (x, y, z))


def machine_point(handled: HandledArm, point: Point) -> MachinePoint:
    """The point in machine mm, axes that it does not name as they are."""
    here = handled.gantry.position
    if point.on_board:
        board = handled.calibration.to_board(*here)
        x, y, z = (point.values.get(axis, value) for axis, value in zip(AXES, board, strict=True))
        return handled.calibration.to_machine(x, y, z)
    x, y, z = (point.values.get(axis, value) for axis, value in zip(AXES, here, strict=True))
    return x, y, z


def pick(handled: HandledArm, place: Place, human: Colour, lying: int) -> None:
    """Take the top disc of the `lying` ones on a place, and rise with it."""
    centre = centre_of(place, handled.calibration, human)
    top = _floor_of(place, handled.calibration) + lying * handled.calibration.disc.height_mm
    check_reach_of(handled, place, centre, top)
    handled.arm.pick_up(centre, top)


def put(handled: HandledArm, place: Place, human: Colour, lying: int, held: int) -> None:
    """Put the `held` discs down on a place where `lying` ones lie already, and rise."""
    centre = centre_of(place, handled.calibration, human)
    floor = _floor_of(place, handled.calibration) + lying * handled.calibration.disc.height_mm
    check_reach_of(handled, place, centre, floor)
    handled.arm.put_down(centre, floor, held)
    handled.arm.rise()


def check_reach_of(handled: HandledArm, place: Place, centre: Centre, lowest_mm: float) -> None:
    """Raise ControllerError, before anything moves, unless the tip can come down to `lowest_mm` at a place."""
    for height in (lowest_mm, handled.arm.clear_height()):
        try:
            check_inside(handled.gantry, handled.calibration.to_machine(*centre, height))
        except OutOfReachError as error:
            where = "square" if place.area is Area.BOARD else "tray place"
            raise ControllerError(
                f"{where} {place} is out of the machine's reach ({error}): check travel_x_mm to travel_z_mm in "
                "[machine], or calibrate again"
            ) from error


def check_inside(gantry: Gantry, point: MachinePoint) -> None:
    """Raise OutOfReachError unless the machine reaches a point."""
    check_reach(point, gantry.limits.travel_mm)


def _floor_of(place: Place, calibration: Calibration) -> float:
    return calibration.tray_height_mm if place.area is Area.TRAY else 0.0
