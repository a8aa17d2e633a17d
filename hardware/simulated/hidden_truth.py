"""A simulated table that nobody has calibrated: where everything really is, drawn from the seed, and known to nobody.

Board and trays lie anyhow under camera and gantry, the camera's mast stands and its lens draws as it happens to, and
the gantry's axes are crooked, wrong in scale and slack. A machine that has been put together wrongly is one of
`MachineFault`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product

import cv2
import numpy as np

from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.imperfection import Imperfection, imperfect_geometry
from hardware.simulated.scene import Point

SHIFT_MM, TURN_DEG = 30.0, 8.0
"""How far the board lies from the place under camera and gantry that is meant for it, and how far it is turned."""
SKEW_DEG, SCALE = 1.0, 0.02
GRIPPER_OFFSET_MM, HEIGHT_OFF_MM, TILT = 20.0, 4.0, 0.004
"""How far the tip is beside its nominal place, how far above or below, and how steeply the machine's plane leans."""
BACKLASH_MM = 0.6
PLACEMENT_NOISE_MM = 0.3
"""Standard deviation on x and y of where a disc comes to lie, from one time to the next."""
MAST_MM, LOOKS_MM, ROLL_DEG, FOCAL = 25.0, 12.0, 1.0, 0.05
FAULT_SCALES = (0.5, 0.8, 0.94, 1.05, 1.08, 1.25, 2.0)
"""How many times as far as it is told an axis goes whose steps per mm are wrong."""
MARGIN_PX, MARGIN_MM, ATTEMPTS = 12.0, 3.0, 2000


class MachineFault(Enum):
    """How a machine has been put together, or configured, wrongly."""

    NONE = "none"
    MIRROR = "mirror"
    """One of its axes runs the other way, from a switch at its other end."""
    SWAP = "swap"
    """The motors of x and y have been exchanged."""
    SCALE = "scale"
    """An axis has the wrong steps per mm."""


@dataclass(frozen=True)
class HiddenTruth:
    """Where everything is (board frame), what chance does to each transfer, and what is wrong with the machine.

    faulty_axis: 0 for x, 1 for y where the fault is one axis's. wrong_scale: how many times too far it goes.
    """

    geometry: TableGeometry
    imperfection: Imperfection
    fault: MachineFault = MachineFault.NONE
    faulty_axis: int = 0
    wrong_scale: float = 1.0


def hidden_truth(
    seed: int, fault: MachineFault = MachineFault.NONE, built: TableGeometry | None = None
) -> HiddenTruth:
    """The truth of one seed about a table that was meant to be as `built` (the reference build).

    Whatever is drawn, the camera sees the board and its trays and the arm reaches them.
    """
    meant = built or TableGeometry()
    chance = np.random.default_rng((seed, 61))
    faulty_axis = int(chance.integers(2))
    wrong_scale = float(chance.choice(FAULT_SCALES))
    for _ in range(ATTEMPTS):
        geometry = _drawn(chance, meant)
        if _usable(geometry):
            break
    else:
        raise RuntimeError("no table could be drawn that camera and arm can work on")
    halves = float(PLACEMENT_NOISE_MM / math.sqrt(2))  # A disc is displaced when it is taken and when it is let go.
    slack_x, slack_y = (float(value) for value in chance.uniform(0.05, BACKLASH_MM, 2))
    imperfection = Imperfection(placement_noise_mm=halves, backlash_mm=(slack_x, slack_y))
    wrong = wrong_scale if fault is MachineFault.SCALE else 1.0
    return HiddenTruth(_faulty(geometry, fault, faulty_axis, wrong), imperfection, fault, faulty_axis, wrong)


def _drawn(chance: np.random.Generator, meant: TableGeometry) -> TableGeometry:
    def around_zero(size: float) -> float:
        return float(chance.uniform(-size, size))

    shift, offset = (_in_circle(chance, radius) for radius in (SHIFT_MM, GRIPPER_OFFSET_MM))
    scale_x, scale_y = 1 + around_zero(SCALE), 1 + around_zero(SCALE)
    x, y, z = meant.machine_origin_mm
    camera = meant.camera
    k1, k2, p1, p2, k3 = camera.distortion
    mast = replace(
        camera,
        position_mm=_jittered(camera.position_mm, [around_zero(MAST_MM) for _ in range(3)]),
        looks_at_mm=_jittered(camera.looks_at_mm, [around_zero(LOOKS_MM), around_zero(LOOKS_MM), 0.0]),
        focal_px=camera.focal_px * (1 + around_zero(FOCAL)),
        distortion=(
            k1 + around_zero(0.06),
            k2 + around_zero(0.02),
            p1 + around_zero(3e-4),
            p2 + around_zero(3e-4),
            k3,
        ),
        turn_deg=(0.0, 0.0, around_zero(ROLL_DEG)),
    )
    crooked = replace(
        meant,
        camera=mast,
        machine_origin_mm=(x + offset[0], y + offset[1], z + around_zero(HEIGHT_OFF_MM)),
        machine_turn_deg=meant.machine_turn_deg + around_zero(0.5),
        machine_skew_deg=around_zero(SKEW_DEG),
        machine_scale=(scale_x, scale_y, 1.0),
        machine_tilt=(around_zero(TILT), around_zero(TILT)),
    )
    moved = imperfect_geometry(crooked, Imperfection(board_shift_mm=shift, board_turn_deg=around_zero(TURN_DEG)))
    # The trays lie beside the board, wherever that is.
    return replace(moved, tray_mm=meant.tray_mm)


def _in_circle(chance: np.random.Generator, radius: float) -> tuple[float, float]:
    away, angle = radius * math.sqrt(chance.random()), chance.uniform(0, 2 * math.pi)
    return float(away * math.cos(angle)), float(away * math.sin(angle))


def _jittered(point: Point, by: list[float]) -> Point:
    x, y, z = (value + step for value, step in zip(point, by, strict=True))
    return x, y, z


def _usable(geometry: TableGeometry) -> bool:
    """Whether camera and arm have board and trays before them, and the arm can wait out of the picture."""
    side = 8 * geometry.square_mm
    points = np.array([(0.0, 0.0), (side, 0.0), (side, side), (0.0, side), *geometry.tray_mm])
    around = np.vstack([points + step for step in product((-20.0, 20.0), repeat=2)])
    pixels = _seen(geometry.camera, np.column_stack([around, np.zeros(len(around))]))
    if (pixels < MARGIN_PX).any() or (pixels > np.array(geometry.camera.size) - MARGIN_PX).any():
        return False
    for height in (0.0, 60.0):
        machine = geometry.board_to_machine @ np.vstack(
            [points.T, np.full(len(points), height), np.ones(len(points))]
        )
        travel = np.array(geometry.travel_mm)[:, None]
        if (machine > -MARGIN_MM).any() or (machine < MARGIN_MM - travel).any():
            return False
    waiting = geometry.machine_axes @ (-20.0, -15.0, -8.0) + geometry.machine_origin_mm
    x, y, z = (float(value) for value in waiting)
    hidden = [not _in_picture(geometry.camera, corners) for corners in _arm_corners(geometry, (x, y, z))]
    return all(hidden)


def _arm_corners(geometry: TableGeometry, tip: Point) -> Iterator[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    for part in geometry.arm_parts:
        shift = [value if follows else 0.0 for value, follows in zip(tip, part.follows, strict=True)]
        lower, upper = np.add(part.lower, shift), np.add(part.upper, shift)
        edges = np.linspace(lower, upper, 9)
        yield np.array(list(product(edges[:, 0], edges[::8, 1], edges[::8, 2])))


def _in_picture(camera: SimulatedCamera, points: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> bool:
    pixels = _seen(camera, points)
    return bool(((pixels >= 0) & (pixels < camera.size)).all(axis=1).any())


def _seen(
    camera: SimulatedCamera, points: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    turn, _ = cv2.Rodrigues(camera.rotation)
    pixels, _ = cv2.projectPoints(
        points.reshape(-1, 1, 3).astype(np.float64), turn, camera.translation_mm, camera.matrix,
        np.asarray(camera.distortion),
    )  # fmt: skip
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)


def _faulty(geometry: TableGeometry, fault: MachineFault, axis: int, wrong_scale: float) -> TableGeometry:
    """The machine with its fault. What switches it has stay where they are, or are at the axis's other end."""
    if fault is MachineFault.SWAP:
        return replace(geometry, machine_swapped=True)
    if fault is MachineFault.SCALE:
        scale = list(geometry.machine_scale)
        scale[axis] = wrong_scale
        return replace(geometry, machine_scale=(scale[0], scale[1], scale[2]))
    if fault is MachineFault.MIRROR:
        other_end = geometry.machine_axes[:, axis] * -geometry.travel_mm[axis] + geometry.machine_origin_mm
        x, y, z = (float(value) for value in other_end)
        return replace(geometry, machine_origin_mm=(x, y, z), machine_mirrored=(axis == 0, axis == 1))
    return geometry
