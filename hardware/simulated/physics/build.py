"""The one place where the physics of a simulated table is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hardware.simulated.geometry import TableGeometry
from hardware.simulated.names import PHYSICS
from hardware.simulated.physics.interface import GripperKind, StackOfDiscs, World
from hardware.simulated.physics.mujoco_world import MujocoWorld
from hardware.simulated.physics.simple_world import SimpleWorld


def make_world(
    kind: str,
    geometry: TableGeometry,
    stacks: Iterable[StackOfDiscs],
    now: Callable[[], float],
    gripper: GripperKind = GripperKind.SUCTION,
    seed: int = 0,
) -> World:
    """A world of one of `hardware.simulated.names.PHYSICS`; `now` gives the time (s) of what goes wrong in it.

    Raises HardwareError if "mujoco" is asked for and MuJoCo is not installed, ValueError for another kind.
    """
    if kind == "simple":
        return SimpleWorld(geometry, stacks, now, gripper)
    if kind == "mujoco":
        return MujocoWorld(geometry, stacks, now, gripper, seed)
    raise ValueError(f"the physics must be one of {', '.join(PHYSICS)}, not {kind!r}")
