"""Carries out what is asked of a simulated table: the human's errands, buttons, lights, faults, and the truth."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import msgspec

from hardware.clock import VirtualClock
from hardware.errors import TableProgramError
from hardware.simulated import requests
from hardware.simulated.camera import CameraState
from hardware.simulated.errand import Errand, Hover, Pause, Step
from hardware.simulated.program.pins import Button, PinBoard
from hardware.simulated.requests import DiscTruth, Fault, MishapTruth, TruthReply
from hardware.simulated.table import SimulatedTable

BUMP_MM = 2.0
"""How far a bump moves a disc at most."""
BUMP_SHAKES_S = 1.0
SINKS_MM, SINKS_MM_S = 30.0, 20.0
"""How far and how fast the gripper comes down when the motors lose their power."""
TOOL_RADIUS_MM = 6.0
FARTHEST_MM = 2000.0
"""A hand reaches no farther from the board's corner."""
LONGEST_S = 600.0

FAULT_WORDS: dict[Fault, str] = {
    Fault.UNPLUG: "the serial cable is pulled out",
    Fault.PLUG_IN: "the serial cable is put back",
    Fault.RESET_FIRMWARE: "the controller board restarts",
    Fault.ALARM: "the controller board raises an alarm",
    Fault.CAMERA_OFF: "the camera is dead",
    Fault.CAMERA_FREEZES: "the camera's picture freezes",
    Fault.CAMERA_ON: "the camera works",
    Fault.GRIP_FAILS: "the next grip will fail",
    Fault.DROP: "the arm will lose the disc that it carries",
    Fault.BUMP: "somebody bumps against the table",
    Fault.NUDGE_CAMERA: "somebody pushes the camera",
    Fault.STRAIGHTEN_CAMERA: "the camera is straight again",
    Fault.POWER_OFF: "the table loses its power",
    Fault.POWER_ON: "the table has power again",
}


class Cable(Protocol):
    """The serial line of the table's firmware, whose plug can be pulled."""

    def unplug(self) -> None:
        """The line is gone."""
        ...

    def plug_in(self) -> None:
        """The line is there again."""
        ...


class TableControl:
    """A `requests.Control` in the table's own process; whoever calls it holds what guards the table.

    `cable` is what UNPLUG pulls (else the table's own line). `pins` are those of a table that runs as a program; one
    inside the process has none. `on_fault` is told of every fault: when (s) and what.
    """

    def __init__(
        self,
        table: SimulatedTable,
        clock: VirtualClock,
        cable: Cable | None = None,
        pins: PinBoard | None = None,
    ) -> None:
        self.on_fault: Callable[[float, str], None] | None = None
        self._table, self._clock, self._pins = table, clock, pins
        self._cable: Cable = cable or table.line
        self._plugged_in = True
        self._camera_state = CameraState.WORKING
        self._sinks_by = 0.0
        self._time = clock.now()
        self._random = random.Random(f"control {table.setup.seed}")
        self._faults = {
            Fault.UNPLUG: lambda: self._plug(False),
            Fault.PLUG_IN: lambda: self._plug(True),
            Fault.RESET_FIRMWARE: lambda: self._firmware_fault(table.firmware.power_cycle),
            Fault.ALARM: lambda: self._firmware_fault(lambda: table.firmware.raise_alarm(1)),
            Fault.CAMERA_OFF: lambda: self._set_camera(CameraState.DEAD),
            Fault.CAMERA_FREEZES: self._freeze_camera,
            Fault.CAMERA_ON: lambda: self._set_camera(CameraState.WORKING),
            Fault.GRIP_FAILS: table.gripper_play.fail_next_grip,
            Fault.DROP: table.gripper_play.drop,
            Fault.BUMP: self._bump,
            Fault.NUDGE_CAMERA: table.nudge_camera,
            Fault.STRAIGHTEN_CAMERA: table.straighten_camera,
            Fault.POWER_OFF: self._power_off,
            Fault.POWER_ON: self._power_on,
        }
        clock.attach(self._advance_to)

    def handle(self, request: requests.Request) -> dict[str, Any]:
        """Carry one request out and return what it answers; TableProgramError says why it cannot be done."""
        match request:
            case requests.Truth():
                return dict(msgspec.to_builtins(self._truth()))
            case requests.Press(button, seconds):
                self._press(button, seconds)
            case requests.DoErrand(steps):
                return {"errand": self._do(steps)}
            case requests.HandAway():
                self._table.hand.leave()
            case requests.MakeFault(fault):
                self._faults[fault]()
                self.note(FAULT_WORDS[fault])
            case requests.SetLight(name):
                self._table.set_light(name)
                self.note(light_words(name))
            case requests.DrivePins(levels):
                self._pin_board().drive(levels)
            case requests.Watch():
                self._pin_board()
        return {}

    def note(self, what: str) -> None:
        """Tell whoever listens that something has been made to go wrong, or well again."""
        if self.on_fault is not None:
            self.on_fault(self._clock.now(), what)

    # Buttons, pins and the hand.

    def _pin_board(self) -> PinBoard:
        if self._pins is None:
            raise TableProgramError("This table is inside the program and has no pins: start `crownhead table`.")
        return self._pins

    def _press(self, button: Button, seconds: float) -> None:
        if not 0 < seconds <= LONGEST_S:
            raise TableProgramError(f"A button is pressed for more than 0 and at most {LONGEST_S:.0f} s.")
        if self._pins is not None:
            self._pins.press(button, seconds)
        elif button == "turn":
            self._table.panel.press_turn(seconds)
        else:
            self._table.panel.press_stop()

    def _do(self, steps: tuple[Step, ...]) -> int:
        if not steps:
            raise TableProgramError("An errand needs at least one step.")
        for step in steps:
            if isinstance(step, Pause | Hover) and not 0 <= step.seconds <= LONGEST_S:
                raise TableProgramError(f"The hand waits from 0 to {LONGEST_S:.0f} s, not {step.seconds:g} s.")
            if any(abs(part) > FARTHEST_MM for point in _points(step) for part in point):
                raise TableProgramError(
                    f"The hand reaches {FARTHEST_MM:.0f} mm at most: give board coordinates in mm."
                )
        return self._table.hand.do(Errand(steps))

    # Faults.

    def _plug(self, plugged_in: bool) -> None:
        self._plugged_in = plugged_in
        self._connect()

    def _connect(self) -> None:
        """The line is there while its cable is and the board at its end has power."""
        if self._plugged_in and self._table.powered:
            self._cable.plug_in()
        else:
            self._cable.unplug()

    def _firmware_fault(self, happens: Callable[[], None]) -> None:
        if not self._table.powered:
            raise TableProgramError("The controller board has no power: switch it on first ('power on').")
        happens()

    def _set_camera(self, state: CameraState) -> None:
        self._camera_state = state
        self._table.camera.state = state if self._table.powered else CameraState.DEAD

    def _freeze_camera(self) -> None:
        if self._table.camera.state is CameraState.WORKING:
            self._table.camera.expose()  # A camera takes pictures all the time: its last one is of now.
        self._set_camera(CameraState.FROZEN)

    def _bump(self) -> None:
        shifts = []
        for stack in self._table.world.stacks():
            far, angle = BUMP_MM * math.sqrt(self._random.random()), self._random.uniform(0, 2 * math.pi)
            shifts.append((stack.ids[0], far * math.cos(angle), far * math.sin(angle)))
        self._table.world.jolt(shifts)
        self._table.shake_camera(BUMP_SHAKES_S)

    def _power_off(self) -> None:
        if self._table.powered:
            self._table.powered = False
            self._table.firmware.power_off()
            self._table.camera.state = CameraState.DEAD
            self._connect()
            self._sinks_by = SINKS_MM

    def _power_on(self) -> None:
        if not self._table.powered:
            self._table.powered = True
            self._table.firmware.power_on()
            self._set_camera(self._camera_state)
            self._connect()
            self._sinks_by = 0.0

    def _advance_to(self, time_s: float) -> None:
        """Let an arm without power sink, until it rests on something."""
        seconds, self._time = time_s - self._time, time_s
        if self._sinks_by > 0:
            by = min(SINKS_MM_S * seconds, self._sinks_by, self._clearance_mm())
            self._sinks_by -= by
            self._table.firmware.sink(by)

    def _clearance_mm(self) -> float:
        """How far the gripper is above what lies under it."""
        world = self._table.world
        if world.tip_mm is None:
            return 0.0
        x, y, z = world.tip_mm
        reach = TOOL_RADIUS_MM + world.sizes.diameter_mm / 2
        tops = [d.z + world.sizes.height_mm for d in world.discs if math.hypot(d.x - x, d.y - y) < reach]
        return max(z - max(tops, default=0.0), 0.0)

    # The truth.

    def _truth(self) -> TruthReply:
        table = self._table
        return TruthReply(
            time_s=self._clock.now(),
            discs=tuple(sorted(self._discs(), key=lambda disc: disc.id)),
            mishaps=tuple(MishapTruth(m.time_s, m.kind.value, m.disc_id, m.text) for m in table.world.mishaps),
            knocked=table.world.knocked,
            dropped=table.world.dropped,
            tip_mm=table.world.tip_mm,
            machine_mm=table.firmware.position,
            moving=table.firmware.moving,
            gripping=table.gripping,
            light=table.panel.light.value,
            illumination=table.light,
            hand_busy=table.hand.busy,
            errands_done=table.hand.errands_done,
            moved_under_hand_s=table.moved_under_hand_s,
        )

    def _discs(self) -> Iterator[DiscTruth]:
        table, pose = self._table, self._table.hand.pose
        held = pose.held if pose is not None else table.world.in_hand
        for where, discs in (("lying", table.world.discs), ("carried", table.world.carried), ("hand", held)):
            for disc in discs:
                face = table.faces.of(disc.id).value
                yield DiscTruth(disc.id, disc.colour.value, disc.x, disc.y, disc.z, where, face)


def light_words(name: str) -> str:
    """What has happened when the light was changed."""
    return f"the light is now: {name}"


def _points(step: Step) -> Iterator[tuple[float, float]]:
    """The points of the board that a step is about."""
    for name in ("from_mm", "to_mm", "over_mm", "at_mm"):
        if (point := getattr(step, name, None)) is not None:
            yield point
