"""The motion firmware: is it there, do its settings fit ours, does it reach everything, how soon does it stop."""

from __future__ import annotations

import math

from calibration.calibration import Calibration
from controller.check.finding import Finding, State, fail, ok, parted, warn
from controller.draughts import Colour
from controller.handling.arm import Clearances, clear_height
from controller.handling.places import ALL_PLACES, Area
from controller.settings import GuardSettings, Settings
from controller.table import open_motion
from hardware.clock import Clock
from hardware.errors import HardwareError
from hardware.gantry_limits import GantryLimits
from hardware.machine_check import contradictions
from hardware.motion import MachineLimits, MachinePoint

HOLD_S = 0.02
"""From an event that reaches us until the byte that stops the machine is on the line, at most."""
LONG_STOP_MM = 120.0
"""A stop that takes more than half the width of three squares is no stop."""


def check_firmware(settings: Settings, clock: Clock) -> tuple[list[Finding], MachineLimits | None]:
    """Ask the firmware what it is, and hold its settings against ours. Nothing moves."""
    machine = settings.machine
    try:
        motion = open_motion(settings, clock)
    except HardwareError as error:
        return [parted("firmware", str(error), State.FAIL)], None
    try:
        version = motion.connect()
        limits = motion.limits
        holds = motion.gripper_on
    except HardwareError as error:
        return [parted("firmware", str(error), State.FAIL)], None
    finally:
        motion.close()
    findings = [ok("firmware", f"{version} on {machine.port}" + (", its gripper output is on" if holds else ""))]
    doubts = contradictions(limits, machine.travel_mm, machine.fastest_mm_s)
    for doubt in doubts:
        findings.append(parted(doubt.what, doubt.sentence, State.FAIL if doubt.fatal else State.WARN))
    if not doubts:
        speeds = " × ".join(f"{speed:.0f}" for speed in limits.max_speed_mm_s)
        travel = " × ".join(f"{mm:.0f}" for mm in limits.travel_mm)
        findings.append(ok("firmware settings", f"fit ours: travel {travel} mm, speeds {speeds} mm/s, homing on"))
    return findings, limits


def check_stopping(machine: MachineLimits, guard: GuardSettings) -> Finding:
    """How far the tip goes on, at its fastest, from a stop's reaching us, and from a hand's coming into view."""
    speed = math.hypot(*machine.max_speed_mm_s[:2])
    braking = speed * speed / (2 * math.hypot(*machine.acceleration_mm_s2[:2]))
    after_stop = speed * HOLD_S + braking
    after_hand = speed * (guard.interval_s + GantryLimits().camera_lag_s) + braking
    found = f"at most {after_stop:.0f} mm after the stop button, {after_hand:.0f} mm after a hand comes into view"
    if after_stop > LONG_STOP_MM:
        names = machine.names.speed
        return warn("stopping distance", found, f"accelerate harder, or set {names[0]} and {names[1]} lower")
    return ok("stopping distance", found)


def check_reach(
    calibration: Calibration, settings: Settings, limits: MachineLimits | None, clearances: Clearances
) -> Finding:
    """Whether the tip gets down to a disc at every place, and up to where it clears everything; and to its park."""
    travel = settings.machine.travel_mm
    if limits is not None:
        travel = _smaller(travel, limits.travel_mm)
    human_is_white = settings.game.human == Colour.WHITE.name.lower()
    centres = calibration.places_mm(human_is_white)
    high = clear_height(calibration, clearances, load_discs=1)
    beyond = []
    for place in ALL_PLACES:
        floor = calibration.tray_height_mm if place.area is Area.TRAY else 0.0
        x, y = (float(value) for value in centres[place.index])
        if any(_outside(calibration.to_machine(x, y, z), travel) for z in (floor, high)):
            beyond.append(str(place))
    if _outside(calibration.to_machine(*calibration.park_mm), travel):
        beyond.append("where it parks")
    if beyond:
        shown = ", ".join(beyond[:6]) + (f" and {len(beyond) - 6} more" if len(beyond) > 6 else "")
        return fail(
            "reach", f"the machine does not reach {shown}", "check travel_x_mm to travel_z_mm, or crownhead calibrate"
        )
    return ok("reach", f"all {len(ALL_PLACES)} places and where it parks")


def _smaller(one: MachinePoint, other: MachinePoint) -> MachinePoint:
    x, y, z = (min(a, b) for a, b in zip(one, other, strict=True))
    return x, y, z


def _outside(point: MachinePoint, travel: MachinePoint) -> bool:
    return not all(-t <= value <= 0 for value, t in zip(point, travel, strict=True))
