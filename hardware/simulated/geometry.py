"""Where everything is on the simulated table: the truth that a calibration has to find."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SimulatedCamera:
    """A camera on a mast: it stands at `position_mm` (board frame) and looks at `looks_at_mm`.

    size is (width, height) in px, focal_px the focal length in px, distortion k1, k2, p1, p2, k3. turn_deg: by how
    much it is then turned about its own axes (right, down, forward).
    """

    position_mm: tuple[float, float, float] = (163.0, 485.0, 600.0)
    looks_at_mm: tuple[float, float, float] = (159.0, 150.0, 0.0)
    size: tuple[int, int] = (1280, 720)
    focal_px: float = 1080.0
    distortion: tuple[float, float, float, float, float] = (-0.06, 0.02, 0.0004, -0.0003, 0.0)
    turn_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The 3 × 3 intrinsic matrix, px."""
        width, height = self.size
        return np.array([[self.focal_px, 0, width / 2], [0, self.focal_px, height / 2], [0, 0, 1.0]])

    @property
    def rotation(self) -> NDArray[np.float64]:
        """The 3 × 3 rotation from the board frame to the camera's (x right, y down, z into the scene)."""
        forward = np.subtract(self.looks_at_mm, self.position_mm)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right = right / np.linalg.norm(right)
        looking = np.array([right, np.cross(forward, right), forward])
        if not any(self.turn_deg):
            return looking
        turn, _ = cv2.Rodrigues(-np.radians(self.turn_deg))
        return np.asarray(turn @ looking)

    @property
    def translation_mm(self) -> NDArray[np.float64]:
        """The translation that goes with `rotation`, mm."""
        return np.asarray(-self.rotation @ np.asarray(self.position_mm))

    def nudged(self, shift_mm: tuple[float, float, float], turn_deg: tuple[float, float, float]) -> SimulatedCamera:
        """The camera after somebody has pushed it: moved on the board's axes, turned about its own."""
        (x, y, z), (look_x, look_y, look_z), (right, down, forward) = (
            self.position_mm,
            self.looks_at_mm,
            self.turn_deg,
        )
        return replace(
            self,
            position_mm=(x + shift_mm[0], y + shift_mm[1], z + shift_mm[2]),
            looks_at_mm=(look_x + shift_mm[0], look_y + shift_mm[1], look_z + shift_mm[2]),
            turn_deg=(right + turn_deg[0], down + turn_deg[1], forward + turn_deg[2]),
        )


CAMERAS: dict[str, SimulatedCamera] = {
    "mast": SimulatedCamera(),
    "low": SimulatedCamera(position_mm=(160.0, 690.0, 545.0), looks_at_mm=(160.0, 175.0, 0.0)),
    "side": SimulatedCamera(position_mm=(345.0, 530.0, 740.0), looks_at_mm=(170.0, 178.0, 0.0)),
    "overhead": SimulatedCamera(position_mm=(163.0, 215.0, 760.0), looks_at_mm=(161.0, 165.0, 0.0), focal_px=1210.0),
    "wide": SimulatedCamera(
        position_mm=(158.0, 380.0, 400.0),
        looks_at_mm=(160.0, 172.0, 0.0),
        focal_px=720.0,
        distortion=(-0.20, 0.05, 0.0006, -0.0004, 0.0),
    ),
    "full-hd": SimulatedCamera(size=(1920, 1080), focal_px=1620.0),
}
"""Placements that people choose; the first is the reference build's. Each sees the whole board and the trays."""


def _tray() -> tuple[tuple[float, float], ...]:
    """Two columns of eight on each side, T1–T8 nearest the board on the left, T17–T24 nearest it on the right."""
    columns = (-50.0, -90.0, 370.0, 410.0)
    return tuple((x, 20.0 + 40.0 * row) for x in columns for row in range(8))


@dataclass(frozen=True)
class ArmPart:
    """A box-shaped part of the gantry. `lower` and `upper` are opposite corners in mm.

    On each axis that the part follows (x, y, z) its corners are counted from the gripper's tip, on the others from
    the board frame's origin.
    """

    name: str
    lower: tuple[float, float, float]
    upper: tuple[float, float, float]
    follows: tuple[bool, bool, bool]


ARM_PARTS = (
    ArmPart("nozzle", (-6, -6, 0), (6, 6, 45), (True, True, True)),
    ArmPart("tool", (-18, -18, 45), (18, 18, 150), (True, True, True)),
    ArmPart("carriage", (-32, 18, 140), (32, 62, 210), (True, True, False)),
    ArmPart("beam", (-190, 30, 155), (520, 58, 190), (False, True, False)),
)


@dataclass(frozen=True)
class TableGeometry:
    """The reference build (DESIGN.md): board frame, mm."""

    square_mm: float = 40.0
    border_mm: float = 22.0
    """Width of the wooden frame around the playing area; its top is level with the playing surface."""
    disc_diameter_mm: float = 30.0
    disc_height_mm: float = 8.0
    tray_mm: tuple[tuple[float, float], ...] = field(default_factory=_tray)
    tray_height_mm: float = 0.0
    machine_origin_mm: tuple[float, float, float] = (470.0, 458.0, 92.0)
    """Board coordinates of the gripper's tip when the machine stands at machine coordinates (0, 0, 0)."""
    machine_turn_deg: float = 0.4
    """How far the machine's x axis is turned against the board's, counter-clockwise seen from above."""
    machine_skew_deg: float = 0.0
    """How far its y axis is turned, counter-clockwise, out of the right angle with its x axis."""
    machine_scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """How many mm each axis goes when it is told to go 1 mm."""
    machine_tilt: tuple[float, float] = (0.0, 0.0)
    """How much the tip rises over the board (mm) on 1 mm of the machine's x, and of its y."""
    machine_mirrored: tuple[bool, bool] = (False, False)
    """Whether x, and y, run the other way, from switches at their other end."""
    machine_swapped: bool = False
    """Whether the motor of x drives what y should, and the other way round."""
    travel_mm: tuple[float, float, float] = (620.0, 490.0, 95.0)
    """Machine travel: machine coordinates run from -travel to 0 on each axis."""
    park_mm: tuple[float, float, float] = (440.0, 440.0, 80.0)
    arm_parts: tuple[ArmPart, ...] = ARM_PARTS
    button_mm: tuple[float, float, float] = (400.0, -90.0, 12.0)
    """The top of the turn button, beside the human's right hand."""
    camera: SimulatedCamera = SimulatedCamera()

    @property
    def machine_axes(self) -> NDArray[np.float64]:
        """(3, 3) the way of the tip (board mm) on 1 mm of the machine's x, y and z, in columns."""
        x, y = (np.deg2rad(self.machine_turn_deg + turn) for turn in (0.0, 90.0 + self.machine_skew_deg))
        (tilt_x, tilt_y), (scale_x, scale_y, scale_z) = self.machine_tilt, self.machine_scale
        sign_x, sign_y = (-1.0 if mirrored else 1.0 for mirrored in self.machine_mirrored)
        across = scale_x * sign_x * np.array([np.cos(x), np.sin(x), 0.0])
        along = scale_y * sign_y * np.array([np.cos(y), np.sin(y), 0.0])
        if self.machine_swapped:
            across, along = along, across
        return np.column_stack([across + (0.0, 0.0, tilt_x), along + (0.0, 0.0, tilt_y), (0.0, 0.0, scale_z)])

    @property
    def board_to_machine(self) -> NDArray[np.float64]:
        """The 3 × 4 affine map from board mm to machine mm."""
        turn = np.linalg.inv(self.machine_axes)
        return np.column_stack([turn, -turn @ np.asarray(self.machine_origin_mm)])
