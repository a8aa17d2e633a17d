"""The whole simulated table on virtual time: firmware, gantry, discs, hand, panel and camera."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hardware.clock import VirtualClock
from hardware.simulated.drawing.style import Style
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hand import Hand
from hardware.simulated.line import SimulatedLine
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.picture import DEFAULT_STYLE, Picture, SimulatedCameraDevice
from hardware.simulated.scene import Point, Scene
from hardware.simulated.world import StackOfDiscs, World

FIRMWARE_STEP_S = 0.004
HAND_STEP_S = 0.02


class SimulatedTable:
    """Everything physical together. It attaches itself to the clock and lives as the clock advances.

    `line` is the serial port of `firmware`; `world` knows the truth about every disc. `moved_under_hand_s` counts
    the seconds in which the gantry moved while the hand was in the camera's view.
    """

    def __init__(
        self,
        clock: VirtualClock,
        geometry: TableGeometry,
        seed: int,
        stacks: Iterable[StackOfDiscs],
        style: Style = DEFAULT_STYLE,
    ) -> None:
        self.geometry = geometry
        self.firmware = GrblFirmware(seed=seed, frame_mm=geometry.travel_mm)
        self.line = SimulatedLine(self.firmware, clock)
        self.panel = SimulatedPanel()
        self._time = clock.now()
        self.world = World(geometry, stacks, lambda: self._time)
        self.hand = Hand(self.world, geometry, seed, self.panel.press_turn, self._time)
        self.camera = SimulatedCameraDevice(clock, Picture(geometry, style, seed), self.scene)
        self.moved_under_hand_s = 0.0
        self._to_board = _MachineToBoard(geometry)
        self._position: Point | None = None
        self._gripper_on = False
        self._follow(0.0)
        clock.attach(self.advance_to)

    def scene(self) -> Scene:
        """What there is to see now."""
        carried = () if self.world.carried is None else (self.world.carried,)
        return Scene(self.world.discs, self.world.tip_mm, carried, self.hand.pose)

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
        position, gripper_on = self.firmware.position, self.firmware.gripper_on
        if position == self._position and gripper_on == self._gripper_on:
            return
        if position != self._position and self.hand.in_view:
            self.moved_under_hand_s += seconds
        self._position, self._gripper_on = position, gripper_on
        self.world.gripper_moved(self._to_board(position), gripper_on)


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
