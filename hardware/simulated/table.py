"""The whole simulated table on virtual time: firmware, gantry, discs, hand, panel and camera."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from hardware.clock import VirtualClock
from hardware.simulated.camera import SimulatedCameraDevice
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hand import Hand
from hardware.simulated.imperfection import Imperfection
from hardware.simulated.line import SimulatedLine
from hardware.simulated.names import LIGHTS, PHYSICS, STYLES
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.physics.interface import GripperKind, StackOfDiscs, World
from hardware.simulated.physics.simple_world import SimpleWorld
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Point, Scene

FIRMWARE_STEP_S = 0.004
HAND_STEP_S = 0.02


@dataclass(frozen=True)
class TableSetup:
    """What table it is. `geometry` is the truth, the names are those of `hardware.simulated.names`."""

    geometry: TableGeometry = field(default_factory=TableGeometry)
    seed: int = 1
    style: str = STYLES[0]
    light: str = LIGHTS[0]
    physics: str = PHYSICS[0]
    gripper: GripperKind = GripperKind.SUCTION
    imperfection: Imperfection = field(default_factory=Imperfection)


class SimulatedTable:
    """Everything physical together. It attaches itself to the clock and lives as the clock advances.

    `line` is the serial port of `firmware`; `world` knows the truth about every disc. `moved_under_hand_s` counts
    the seconds in which the gantry moved while the hand was in the camera's view. `gripper_pin` is what a gripper on
    a pin of the controller's computer is told; it grips if that or the firmware's output is on.
    """

    def __init__(self, clock: VirtualClock, setup: TableSetup, stacks: Iterable[StackOfDiscs]) -> None:
        geometry, seed = setup.geometry, setup.seed
        self.setup = setup
        self.geometry = geometry
        self.firmware = GrblFirmware(seed=seed, frame_mm=geometry.travel_mm)
        self.line = SimulatedLine(self.firmware, clock)
        self.panel = SimulatedPanel()
        self.gripper_pin = False
        self._time = clock.now()
        self.world: World = SimpleWorld(geometry, stacks, lambda: self._time)
        self.hand = Hand(self.world, geometry, seed, self.panel.press_turn, self._time)
        self.camera = SimulatedCameraDevice(clock, Picture(geometry, seed=seed), self.scene)
        self.moved_under_hand_s = 0.0
        self._to_board = _MachineToBoard(geometry)
        self._position: Point | None = None
        self._follow(0.0)
        clock.attach(self.advance_to)

    def scene(self) -> Scene:
        """What there is to see now."""
        return Scene(self.world.discs, self.world.tip_mm, self.world.carried, self.hand.pose)

    def advance_to(self, time_s: float) -> None:
        """Let firmware, gripper and hand go on to `time_s` together, in steps small enough for both."""
        while self._time < time_s:
            until = time_s
            if self.firmware.busy:
                until = min(until, self._time + FIRMWARE_STEP_S)
                if self.firmware.next_event_s > self._time:
                    until = min(until, self.firmware.next_event_s)
            if self.hand.busy:
                until = min(until, self._time + HAND_STEP_S)
            self._follow(0.0)
            self.firmware.advance_to(until)
            self._follow(until - self._time)
            self._time = until
            self.hand.advance_to(until)

    def _follow(self, seconds: float) -> None:
        """Take the gripper to where the firmware's motors have taken it in the last `seconds`."""
        position = self.firmware.position
        if position != self._position and self.hand.in_view:
            self.moved_under_hand_s += seconds
        self._position = position
        self.world.advance(seconds, self._to_board(position), self.firmware.gripper_on or self.gripper_pin)


class _MachineToBoard:
    """The inverse of the geometry's map from board to machine, in plain floats: it is asked for every few ms."""

    def __init__(self, geometry: TableGeometry) -> None:
        turn = math.radians(geometry.machine_turn_deg)
        self._cosine, self._sine = math.cos(turn), math.sin(turn)
        self._origin = geometry.machine_origin_mm

    def __call__(self, machine: Point) -> Point:
        """Board mm of machine mm."""
        x, y, z = machine
        origin_x, origin_y, origin_z = self._origin
        return (
            origin_x + x * self._cosine - y * self._sine,
            origin_y + x * self._sine + y * self._cosine,
            origin_z + z,
        )
