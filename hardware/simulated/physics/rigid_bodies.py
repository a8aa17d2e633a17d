"""MuJoCo's model of the table while it runs: discs laid and taken away, the gantry driven, time stepped.

Lengths outside are mm in the board frame; inside MuJoCo they are metres.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hardware.simulated.physics.floor import Floor
from hardware.simulated.physics.interface import DiscSizes, GripperKind
from hardware.simulated.physics.mujoco_model import CUP_RADIUS_MM, MM, TIMESTEP_S, model_xml, parked_at
from hardware.simulated.physics.mujoco_package import load_mujoco
from hardware.simulated.scene import Point

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

FASTEST_M_S, FASTEST_RAD_S = 3.0, 150.0
"""Faster than anything falls or is thrown on a table: discs that were squeezed are braked to this."""
SHOT_M_S, SHOT_RAD_S = 10.0, 1000.0
"""What is faster than this was shot away by a fault of the calculation."""
STILL_M_S, STILL_RAD_S = 1e-3, 0.05
"""What moves no faster than this against the tip hangs still in the gripper."""
RIM_LEAN, TOPPLING_RAD_S, TOPPLES = 0.97, 8.0, 5
"""A disc that leans more than this stands on its rim, from which this rotation tips it over. What is wedged there is
left alone after a few tries."""
SLOW_ON_RIM = 0.5
"""What is slower than this there (m/s, rad/s) is tipped over."""


class RigidBodies:
    """The discs by their number, and the tip. Everything starts out of play, the tip high above the table."""

    def __init__(self, floor: Floor, sizes: DiscSizes, count: int, gripper: GripperKind) -> None:
        mujoco = load_mujoco()
        self._floor_m, self._half_mm, self._radius_mm = floor.base_mm * MM, sizes.height_mm / 2, sizes.diameter_mm / 2
        self._model = mujoco.MjModel.from_xml_string(model_xml(floor, sizes, count, gripper))
        first = self._gantry_dofs = self._model.nv - 6 * count
        self._data = mujoco.MjData(self._model)
        self._mj_step = mujoco.mj_step
        # Views into MuJoCo's own arrays.
        self._qpos: Floats = self._data.qpos
        self._qvel: Floats = self._data.qvel
        self._poses: Floats = self._qpos[self._model.nq - 7 * count :].reshape(count, 7)
        self._speeds: Floats = self._qvel[first:].reshape(count, 6)
        self._tree_asleep: NDArray[np.int32] = self._data.tree_asleep[1:]
        self.control: Floats = self._data.ctrl
        """What the gripper's actuators are told: hold 0–1, then the fingers' heights (m) and forces (N)."""
        self.finger_joints: Floats = self._qpos[4 : self._model.nq - 7 * count]
        """The fingers' joints, m: height and opening of the one, then of the other."""
        self._out_of_play = np.ones(count, dtype=bool)
        self._topples = np.zeros(count, dtype=np.int64)
        self._sane = self._qpos.copy()
        self.carry((), (0.0, 0.0, 500.0), 0.0)

    # Discs

    @property
    def centres_mm(self) -> Floats:
        """The middles of all discs, count × 3, mm."""
        return np.asarray(self._poses[:, :3] / MM)

    @property
    def axes(self) -> Floats:
        """The discs' axes, count × 3 unit vectors that point upwards."""
        w, x, y, z = self._poses[:, 3:].T
        axes = np.empty((len(self._poses), 3))
        axes[:, 0], axes[:, 1], axes[:, 2] = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
        axes *= np.where(axes[:, 2] < 0, -1.0, 1.0)[:, None]
        return axes

    @property
    def in_play(self) -> Flags:
        """Which discs are on the table or in the gripper."""
        return ~self._out_of_play

    @property
    def tops_mm(self) -> Floats:
        """The highest that each disc reaches, mm."""
        axes = self.axes
        return self.centres_mm[:, 2] + self._half_mm + self._radius_mm * np.hypot(axes[:, 0], axes[:, 1])

    @property
    def sleeping(self) -> Flags:
        """Which discs have come to rest."""
        return np.asarray(self._tree_asleep >= 0)

    def is_calm(self, held: tuple[int, ...]) -> bool:
        """Whether all discs sleep, but for those held, which move with the tip and not against it."""
        calm = self._tree_asleep >= 0
        if held:
            calm[[*held]] = True
            against = self._speeds[[*held]]
            against[:, :3] -= self._qvel[:3]
            if np.abs(against[:, :3]).max() > STILL_M_S or np.abs(against[:, 3:]).max() > STILL_RAD_S:
                return False
        return bool(calm.all())

    def lay(self, disc: int, x: float, y: float, z: float, turn_rad: float = 0.0) -> None:
        """Put a disc level and at rest at (x, y) with its underside at z, mm."""
        self._poses[disc] = (
            x * MM,
            y * MM,
            (z + self._half_mm) * MM,
            math.cos(turn_rad / 2),
            0.0,
            0.0,
            math.sin(turn_rad / 2),
        )
        self._speeds[disc] = 0.0
        self._out_of_play[disc] = False
        self._topples[disc] = 0
        self._keep()

    def take_out(self, disc: int) -> None:
        """Take a disc out of play; what lay near it wakes."""
        near = np.hypot(*(self._poses[:, :2] - self._poses[disc, :2]).T) < 2 * self._radius_mm * MM
        self._speeds[near, 2] = -0.0  # MuJoCo wakes what has a velocity, even this one.
        x, y = parked_at(disc)
        self._poses[disc] = (x, y, self._floor_m + self._half_mm * MM, 1.0, 0.0, 0.0, 0.0)
        self._speeds[disc] = 0.0
        self._out_of_play[disc] = True
        self._keep()

    def push(self, discs: list[int], velocities_mm_s: Floats) -> None:
        """Let discs move sideways this fast (n × 2, mm/s) for the coming step."""
        self._speeds[discs, :2] = velocities_mm_s * MM

    def spin(self, disc: int, rad_s: Floats) -> None:
        """Add to a disc's angular velocity (about its own three axes, rad/s)."""
        self._speeds[disc, 3:] += rad_s

    def topple(self) -> bool:
        """Tip over what stands on its rim or rolls slowly, if anything does: real discs are rounded and fall."""
        axes = self.axes
        upright = np.hypot(axes[:, 0], axes[:, 1]) > RIM_LEAN
        if not upright.any():
            return False
        slow = (np.abs(self._speeds) < SLOW_ON_RIM).all(axis=1)
        on_rim = upright & slow & (self._topples < TOPPLES)
        for disc in np.flatnonzero(on_rim):
            self._topples[disc] += 1
            about = np.array([-axes[disc, 1], axes[disc, 0], 0.0]) * TOPPLING_RAD_S
            w, back = self._poses[disc, 3], -self._poses[disc, 4:]
            self._speeds[disc, :2] = axes[disc, :2] * TOPPLING_RAD_S * self._radius_mm * MM
            # A free body's rotation counts in its own frame.
            self._speeds[disc, 3:] = about + 2 * np.cross(back, np.cross(back, about) + w * about)
        return bool(on_rim.any())

    # The tip

    @property
    def driven_to_mm(self) -> Point:
        """Where the gantry has the tip, were its spring not pushed in, mm."""
        x, y, z = self._qpos[:3].tolist()
        return x / MM, y / MM, z / MM

    @property
    def give_mm(self) -> float:
        """How far the tip's spring is pushed in, mm."""
        return max(float(self._qpos[3]) / MM, 0.0)

    @property
    def tip_mm(self) -> Point:
        """Where the tip is, mm."""
        x, y, z = self.driven_to_mm
        return x, y, z + self.give_mm

    def carry(self, held: tuple[int, ...], tip_mm: Point, seconds: float) -> None:
        """Move the tip at once, and with it what hangs in it; only through the air, as nothing is touched.

        seconds: how long it takes, so that whatever is let go then flies on.
        """
        way = np.asarray(tip_mm) * MM - self._qpos[:3]
        self._qpos[:3] += way
        self._qvel[: self._gantry_dofs] = 0.0
        if held:
            self._poses[[*held], :3] += way
            self._speeds[[*held]] = 0.0
            if seconds > 0:
                self._qvel[:3] = way / seconds
                self._speeds[[*held], :3] = way / seconds
        self._keep()

    def above_tops(self) -> tuple[Floats, Floats]:
        """For each disc, how far the tip's rim is above the plane of its top and the tip beside its axis, mm."""
        axes = self.axes
        offset = np.asarray(self.tip_mm) - self.centres_mm
        along = (offset * axes).sum(axis=1)
        beside = np.linalg.norm(offset - along[:, None] * axes, axis=1)
        return along - self._half_mm - CUP_RADIUS_MM * np.hypot(axes[:, 0], axes[:, 1]), beside

    # Time

    def step(self, steps: int, tip_mm: Point) -> None:
        """Let `steps` timesteps go by in which the gantry goes straight to `tip_mm`."""
        seconds = steps * TIMESTEP_S
        for axis in range(3):
            self._qvel[axis] = (tip_mm[axis] * MM - self._qpos[axis]) / seconds
        self._mj_step(self._model, self._data, nstep=steps)

    def tame(self) -> None:
        """Brake what was squeezed between hard things; if a disc was shot away by it, go back to before that."""
        fastest = float(np.abs(self._qvel).max())
        if fastest <= FASTEST_M_S:
            self._keep()
            return
        linear, angular = self._speeds[:, :3], self._speeds[:, 3:]
        if not math.isfinite(fastest) or np.abs(linear).max() > SHOT_M_S or np.abs(angular).max() > SHOT_RAD_S:
            gantry = self._qpos.size - self._poses.size
            np.copyto(self._qpos[gantry:], self._sane[gantry:])
            if not math.isfinite(fastest):
                np.copyto(self._qpos[:gantry], self._sane[:gantry])
            self._qvel[:] = 0.0
            self._data.qacc_warmstart[:] = 0.0
            return
        np.clip(linear, -FASTEST_M_S, FASTEST_M_S, out=linear)
        np.clip(angular, -FASTEST_RAD_S, FASTEST_RAD_S, out=angular)
        self._keep()

    def _keep(self) -> None:
        """Remember where everything is, to go back to."""
        np.copyto(self._sane, self._qpos)
