"""What a calibration holds: the only place where maps between pixels, squares and millimetres live.

Board frame: mm on the playing surface, origin at the human's near-left corner of the playing area, x to the human's
right, y away from the human, z up from the playing surface. Machine frame: mm as the firmware counts them in machine
coordinates (G53).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.silhouette import Box
from vision.view import View

PointXY = tuple[float, float]
FORMAT_VERSION = 1
SQUARES = 32
TRAY_PLACES = 32


@dataclass(frozen=True)
class ArmMap:
    """The affine map from the board frame to machine coordinates, both mm.

    `matrix` is 3 × 4: machine = matrix @ (x, y, z, 1). `rms_mm` and `worst_mm` are the residual errors of the map
    as calibration measured them.
    """

    matrix: tuple[tuple[float, float, float, float], ...]
    rms_mm: float
    worst_mm: float


@dataclass(frozen=True)
class ArmPart:
    """A box-shaped part of the gantry, for telling its silhouette from a hand's.

    `lower` and `upper` are opposite corners in mm: on each axis that the part follows they are counted from the
    gripper's tip, on the others from the board frame's origin.
    """

    name: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    follows: tuple[bool, bool, bool]


@dataclass(frozen=True)
class HardwareRecord:
    """What the calibration was made with; what is empty, zero or None was not known.

    direction_mask, homing_mask: which motors are turned round, and which look for their switch at the other end.
    """

    firmware: str = ""
    steps_per_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    travel_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    camera: str = ""
    computer: str = ""
    direction_mask: int | None = None
    homing_mask: int | None = None


@dataclass(frozen=True)
class MilestoneRecord:
    """What a step of calibrating found: when (ISO 8601), in words, and in figures whose names end in their unit."""

    step: str
    made_at: str
    found: tuple[str, ...]
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Calibration:
    """Everything measured about one table; see the module for the frames of reference.

    tray_mm: the centres (x, y) of the tray places T1–T32, board mm. tray_height_mm: the height of the surface that
    tray discs lie on, above the playing surface. park_mm: where the arm waits, clear of the camera's view, board mm.
    camera_rms_px: residual of the camera's pose. backlash_mm: how far the motors of x and y turn back before their
    axes follow; `to_machine` is for axes in the middle of it. scale_from, lens_from: what gave the squares' size, and
    how the lens draws. hardware, milestones: what it was made with, and how.
    """

    version: int
    made_at: str
    made_by: str
    square_mm: float
    disc: DiscSize
    camera: CameraModel
    camera_rms_px: float
    arm: ArmMap
    tray_mm: tuple[tuple[float, float], ...]
    tray_height_mm: float
    park_mm: tuple[float, float, float]
    arm_parts: tuple[ArmPart, ...]
    backlash_mm: tuple[float, float] = (0.0, 0.0)
    scale_from: str = "the size that was stated"
    lens_from: str = "the board"
    hardware: HardwareRecord = field(default_factory=HardwareRecord)
    milestones: tuple[MilestoneRecord, ...] = ()

    def square_mm_centre(self, square: int, human_is_white: bool) -> tuple[float, float]:
        """Centre (x, y) in board mm of a square 1–32, numbered for the colour that the human plays."""
        if not 1 <= square <= SQUARES:
            raise ValueError(f"there is no square {square}")
        row, index = divmod(square - 1, 4)
        column = 2 * index + (1 - row % 2)
        x, y = (column + 0.5) * self.square_mm, (7.5 - row) * self.square_mm
        side = 8 * self.square_mm
        return (x, y) if human_is_white else (side - x, side - y)

    def tray_centre(self, place: int) -> tuple[float, float]:
        """Centre (x, y) in board mm of tray place T`place` (1–32)."""
        if not 1 <= place <= TRAY_PLACES:
            raise ValueError(f"there is no tray place {place}")
        return self.tray_mm[place - 1]

    def places_mm(self, human_is_white: bool) -> NDArray[np.float64]:
        """(64, 2) centres in board mm: squares 1–32, then tray places 1–32."""
        squares = [self.square_mm_centre(square, human_is_white) for square in range(1, SQUARES + 1)]
        return np.array([*squares, *self.tray_mm], dtype=np.float64)

    def arm_boxes(self, tip_mm: tuple[float, float, float]) -> tuple[Box, ...]:
        """The space (board mm) that the gantry's parts fill when the gripper's tip is at `tip_mm` (board mm)."""
        boxes = []
        for part in self.arm_parts:
            shift = [tip if follows else 0.0 for tip, follows in zip(tip_mm, part.follows, strict=True)]
            boxes.append(Box(_shifted(part.lower, shift), _shifted(part.upper, shift)))
        return tuple(boxes)

    def view(self, human_is_white: bool) -> View:
        """What of the camera's picture is read: the 64 places of `places_mm`."""
        return View(self.camera, self.places_mm(human_is_white), self.square_mm, self.disc)

    def to_machine(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Machine coordinates (mm) of a point of the board frame (mm): where the gripper's tip is to go."""
        point = np.asarray(self.arm.matrix) @ (x, y, z, 1.0)
        return float(point[0]), float(point[1]), float(point[2])

    def to_board(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Board mm of the gripper's tip when the machine stands at these machine coordinates (mm)."""
        matrix = np.asarray(self.arm.matrix)
        point = np.linalg.solve(matrix[:, :3], np.array([x, y, z]) - matrix[:, 3])
        return float(point[0]), float(point[1]), float(point[2])


def _shifted(corner: tuple[float, float, float], shift: list[float]) -> tuple[float, float, float]:
    return corner[0] + shift[0], corner[1] + shift[1], corner[2] + shift[2]
