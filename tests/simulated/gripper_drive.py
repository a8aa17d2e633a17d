"""Drives a gripper through a simulated world as a table does: smoothly, in steps of a few milliseconds."""

from __future__ import annotations

import math

from hardware.simulated.geometry import TableGeometry
from hardware.simulated.physics.build import make_world
from hardware.simulated.physics.interface import GripperKind, MishapKind, StackOfDiscs

GEOMETRY = TableGeometry()
HEIGHT = GEOMETRY.disc_height_mm
DIAMETER = GEOMETRY.disc_diameter_mm
SAFE = 45.0
STEP_S = 0.004
PRESS_MM, GAP_MM = 0.8, 0.4
GRIP_S = 0.15

Point = tuple[float, float, float]


class Drive:
    """A world, and a gripper in it that starts high above the board's corner; `time_s` is the world's clock."""

    def __init__(
        self,
        kind: str,
        *stacks: StackOfDiscs,
        gripper: GripperKind = GripperKind.SUCTION,
        geometry: TableGeometry = GEOMETRY,
        seed: int = 1,
    ) -> None:
        self.time_s = 0.0
        self.world = make_world(kind, geometry, stacks, lambda: self.time_s, gripper, seed)
        self.tip: Point = (0.0, 0.0, SAFE)
        self.gripping = False
        self.world.advance(0.0, self.tip, False)

    def step(self, seconds: float, tip: Point) -> None:
        self.time_s += seconds
        self.tip = tip
        self.world.advance(seconds, tip, self.gripping)

    def wait(self, seconds: float = 1.0) -> None:
        self.step(seconds, self.tip)

    def go(self, x: float, y: float, z: float, mm_s: float = 200.0) -> None:
        """Straight there, speeding up and slowing down."""
        start, end = self.tip, (x, y, z)
        way = math.dist(start, end)
        seconds = max(1.5 * way / mm_s, math.sqrt(6 * way / 2000.0))
        steps = math.ceil(seconds / STEP_S)
        for step in range(1, steps + 1):
            part = step / steps
            part = part * part * (3 - 2 * part)
            self.step(STEP_S, tuple(a + part * (b - a) for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]

    def grip(self, on: bool) -> None:
        self.gripping = on
        for _ in range(round(GRIP_S / STEP_S)):
            self.step(STEP_S, self.tip)

    def pick(self, x: float, y: float, top: float) -> None:
        """Take what has its top at this height, and lift it."""
        self.go(x, y, SAFE)
        self.go(x, y, top - PRESS_MM)
        self.grip(True)
        self.go(x, y, SAFE)

    def place(self, x: float, y: float, top: float) -> None:
        """Put down what is carried, so that its top comes to be at this height."""
        self.go(x, y, SAFE)
        self.go(x, y, top + GAP_MM)
        self.grip(False)
        self.go(x, y, SAFE)

    def count(self, kind: MishapKind) -> int:
        return sum(mishap.kind is kind for mishap in self.world.mishaps)

    @property
    def all_ids(self) -> list[int]:
        world = self.world
        return sorted(disc.id for disc in [*world.discs, *world.carried, *world.in_hand])
