"""The whole simulated table on virtual time: firmware, gantry, discs, hand, panel and camera."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from hardware.clock import VirtualClock
from hardware.simulated.board import BoardFirmware
from hardware.simulated.camera import SimulatedCameraDevice
from hardware.simulated.camera_pictures import STRAIGHT, CameraPictures
from hardware.simulated.discs import Disc
from hardware.simulated.faces import Faces
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.hand import Hand
from hardware.simulated.imperfection import Backlash, GripperPlay, Imperfection, imperfect_geometry
from hardware.simulated.line import SimulatedLine
from hardware.simulated.marlin import MarlinFirmware
from hardware.simulated.names import FIRMWARES, LIGHTS, PHYSICS, STYLES
from hardware.simulated.panel import SimulatedPanel
from hardware.simulated.physics.build import make_world
from hardware.simulated.physics.interface import GripperKind, StackOfDiscs, World
from hardware.simulated.scene import HandPose, Point, Scene

FIRMWARE_STEP_S = 0.004
HAND_STEP_S = 0.02
NUDGE_MM, NUDGE_DEG = 4.0, 0.4
"""How far somebody who pushes the camera moves and turns it."""


@dataclass(frozen=True)
class TableSetup:
    """What table it is. The names are those of `hardware.simulated.names`.

    `geometry` is what the calibration believes; the truth differs from it by what `imperfection` says.
    """

    geometry: TableGeometry = field(default_factory=TableGeometry)
    seed: int = 1
    style: str = STYLES[0]
    light: str = LIGHTS[0]
    physics: str = PHYSICS[0]
    firmware: str = FIRMWARES[0]
    gripper: GripperKind = GripperKind.SUCTION
    imperfection: Imperfection = field(default_factory=Imperfection)


class SimulatedTable:
    """Everything physical together. It attaches itself to the clock and lives as the clock advances.

    `geometry` is the truth, `line` the serial port of `firmware`; `world` knows the truth about every disc but which
    of its faces is up: that is in `faces`. `gripper_play` lets grips fail and discs get lost. `moved_under_hand_s`
    counts the seconds in which the gantry moved while the hand was in the camera's view. `gripper_pin` is what a
    gripper on a pin of the controller's computer is told; it grips if that or the firmware's output is on. Without
    power (`powered` False) it cannot; what becomes of firmware, motors and camera then is up to whoever cuts it.
    """

    def __init__(
        self, clock: VirtualClock, setup: TableSetup, stacks: Iterable[StackOfDiscs], crown_up: Iterable[int] = ()
    ) -> None:
        """`crown_up` are the discs that lie with their crown up, counted from 0 through the stacks from below."""
        geometry, seed = imperfect_geometry(setup.geometry, setup.imperfection), setup.seed
        self.setup = setup
        self.geometry = geometry
        self.firmware = _board(setup.firmware, seed, _frame_mm(geometry))
        self.line = SimulatedLine(self.firmware, clock)
        self.panel = SimulatedPanel(clock.now)
        self.gripper_pin = False
        self.powered = True
        self._time = clock.now()
        self.world: World = make_world(setup.physics, geometry, stacks, lambda: self._time, setup.gripper, seed)
        self.gripper_play = GripperPlay(setup.imperfection, seed)
        self.faces = Faces(crown_up)
        self.hand = Hand(self.world, geometry, seed, self.panel.press_turn, self._time, self.faces)
        self._pictures = CameraPictures(geometry, setup.style, setup.light, seed)
        self.camera = SimulatedCameraDevice(clock, self._pictures.picture, self.scene)
        self._nudges = random.Random(f"nudges {seed}")
        self.moved_under_hand_s = 0.0
        self._to_board, self._backlash = _MachineToBoard(geometry), Backlash(setup.imperfection.backlash_mm)
        self._position: Point | None = None
        self._follow(0.0)
        clock.attach(self.advance_to)

    @property
    def gripping(self) -> bool:
        """Whether the gripper is on."""
        return self.powered and (self.firmware.gripper_on or self.gripper_pin)

    @property
    def light(self) -> str:
        """The name of the light that falls on the table."""
        return self._pictures.light

    def set_light(self, name: str) -> None:
        """Change the light to one of `names.LIGHTS`; the next frame takes long to draw, unless it was on lately.

        Raises:
            TableProgramError: there is no light of that name.
        """
        self._pictures.set_light(name)
        self.camera.picture = self._pictures.picture

    def nudge_camera(self, shift_mm: Point | None = None, turn_deg: Point | None = None) -> None:
        """Somebody pushes the camera, and it stays where it is then; the calibration does not know.

        shift_mm: how far it is from where it was put, on the board's axes, and turn_deg: how far turned about its own
        (right, down, forward). Both zero straighten it; what is not said is a few mm and tenths of a degree.
        """
        if shift_mm is None:
            shift_mm = _push(self._nudges, NUDGE_MM)
        if turn_deg is None:
            turn_deg = _push(self._nudges, NUDGE_DEG)
        self._pictures.nudge_camera(shift_mm, turn_deg)
        self.camera.picture = self._pictures.picture

    def straighten_camera(self) -> None:
        """The camera is put back to where it was."""
        self.nudge_camera(STRAIGHT, STRAIGHT)

    def shake_camera(self, seconds: float) -> None:
        """Somebody bumps against the camera's mast: for that long its pictures are displaced, less and less."""
        self.camera.shake(seconds)

    def scene(self) -> Scene:
        """What there is to see now."""
        carried = self.faces.on(self.world.carried)
        return Scene(self.discs, self.world.tip_mm, carried, self.hand_pose)

    @property
    def discs(self) -> tuple[Disc, ...]:
        """The discs at rest, with the faces that are up."""
        return self.faces.on_lying(self.world.discs)

    @property
    def hand_pose(self) -> HandPose | None:
        """Where the hand is and what it holds, with the faces that are up; None while it rests."""
        pose = self.hand.pose
        return None if pose is None else replace(pose, held=self.faces.on(pose.held))

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
        tip_mm, gripping = self.gripper_play.meet(self._to_board(self._backlash.meet(position)), self.gripping)
        self.world.advance(seconds, tip_mm, gripping)


def _board(name: str, seed: int, frame_mm: Point) -> BoardFirmware:
    """The controller board with the firmware of that name."""
    if name == "marlin":
        return MarlinFirmware(seed=seed, frame_mm=frame_mm)
    return GrblFirmware(seed=seed, frame_mm=frame_mm)


def _push(chance: random.Random, size: float) -> Point:
    """Three numbers up to `size`, the first two at least half of it."""
    first, second = (chance.choice((-1, 1)) * chance.uniform(size / 2, size) for _ in range(2))
    return first, second, chance.uniform(-size, size)


def _frame_mm(geometry: TableGeometry) -> Point:
    """How far each motor can turn what it drives before that meets the frame."""
    x, y, z = geometry.travel_mm
    return (y, x, z) if geometry.machine_swapped else (x, y, z)


def board_of_machine(geometry: TableGeometry) -> Callable[[Point], Point]:
    """The map from machine mm to board mm that a geometry has."""
    return _MachineToBoard(geometry)


class _MachineToBoard:
    """The inverse of the geometry's map from board to machine, in plain floats: it is asked for every few ms."""

    def __init__(self, geometry: TableGeometry) -> None:
        self._rows = [
            (*(float(value) for value in row), origin)
            for row, origin in zip(geometry.machine_axes, geometry.machine_origin_mm, strict=True)
        ]

    def __call__(self, machine: Point) -> Point:
        """Board mm of machine mm."""
        x, y, z = machine
        (a, b, c, d), (e, f, g, h), (i, j, k, m) = self._rows
        return a * x + b * y + c * z + d, e * x + f * y + g * z + h, i * x + j * y + k * z + m
