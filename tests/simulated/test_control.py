"""What can be asked of a simulated table, inside the process, and the faults that come by themselves."""

from __future__ import annotations

from math import dist
from typing import Any

import pytest

from hardware.clock import VirtualClock
from hardware.errors import CameraError, SerialError, TableProgramError
from hardware.simulated.control import TableControl
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Carry, Hover, Pause, PressButton, Push, Step
from hardware.simulated.faults import FaultSchedule
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.names import LIGHTS
from hardware.simulated.requests import (
    DoErrand,
    DrivePins,
    Fault,
    HandAway,
    MakeFault,
    Press,
    SetLight,
    Truth,
    Watch,
)
from hardware.simulated.table import SimulatedTable, TableSetup

GEOMETRY = TableGeometry()
DARK, LIGHT = DiscColour.DARK, DiscColour.LIGHT
STACKS = ((DARK, 100.0, 60.0, 1), (LIGHT, 180.0, 140.0, 2), (DARK, 260.0, 220.0, 1))


class Scene:
    """A table, its control, and a firmware that is told lines."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.table = SimulatedTable(self.clock, TableSetup(GEOMETRY, seed=1), STACKS)
        self.control = TableControl(self.table, self.clock)
        self.heard: list[tuple[float, str]] = []
        self.control.on_fault = lambda time_s, what: self.heard.append((time_s, what))

    def make(self, fault: Fault) -> None:
        self.control.handle(MakeFault(fault))

    def truth(self) -> dict[str, Any]:
        return self.control.handle(Truth())

    def where(self, disc: int) -> str:
        return str(self.truth()["discs"][disc]["where"])

    def place(self, disc: int) -> tuple[float, float, float]:
        truth = self.truth()["discs"][disc]
        return truth["x_mm"], truth["y_mm"], truth["z_mm"]

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            self.clock.sleep(0.02)

    def errand(self, *steps: Step) -> int:
        return int(self.control.handle(DoErrand(steps))["errand"])

    def send(self, line: str, answer: bytes = b"ok") -> None:
        self.table.line.write(line.encode() + b"\n")
        self.listen_for(answer)

    def listen_for(self, words: bytes) -> None:
        heard = b""
        give_up = self.clock.now() + 60
        while words not in heard:
            assert self.clock.now() < give_up, heard
            self.clock.sleep(0.02)
            heard += self.table.line.read()

    def go(self, x: float, y: float, z: float) -> None:
        machine = GEOMETRY.board_to_machine @ (x, y, z, 1.0)
        self.send("G53 G0 X{:.3f} Y{:.3f} Z{:.3f}".format(*machine))
        self.send("G4 P0.01")

    def lift(self, x: float, y: float, top: float = 8.0) -> None:
        self.go(x, y, 40)
        self.go(x, y, top - 0.8)
        self.send("M8")
        self.clock.sleep(0.2)
        self.go(x, y, 40)


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def homed(scene: Scene) -> Scene:
    scene.send("$H")
    return scene


def test_the_truth_knows_every_disc(homed: Scene) -> None:
    homed.lift(100, 60)
    homed.errand(Carry((260, 220), (60, 260)))
    homed.clock.sleep(2.5)
    truth = homed.truth()
    assert [disc["where"] for disc in truth["discs"]] == ["carried", "lying", "lying", "hand"]
    assert [disc["colour"] for disc in truth["discs"]] == ["dark", "light", "light", "dark"]
    assert [disc["z_mm"] for disc in truth["discs"][1:3]] == pytest.approx([0, 8], abs=0.2)
    assert truth["gripping"]
    assert truth["hand_busy"]
    assert truth["time_s"] == pytest.approx(homed.clock.now())
    assert truth["tip_mm"] == pytest.approx((100, 60, 40), abs=1.0)


def test_errands_are_numbered_and_counted(scene: Scene) -> None:
    assert scene.errand(Carry((100, 60), (60, 100))) == 1
    assert scene.errand(PressButton()) == 2
    assert scene.truth()["errands_done"] == 0
    scene.clock.sleep(30)
    assert scene.truth()["errands_done"] == 2
    assert dist(scene.place(0)[:2], (60, 100)) < 8
    assert scene.table.panel.turn_pressed()


def test_a_hand_that_is_sent_away_puts_down_what_it_holds(scene: Scene) -> None:
    scene.errand(Carry((100, 60), (60, 100)), Hover((160, 160), 500.0))
    scene.errand(Push((260, 220), (100, 20)))
    while scene.where(0) != "hand":
        scene.clock.sleep(0.05)
    scene.control.handle(HandAway())
    scene.clock.sleep(10)
    truth = scene.truth()
    assert not truth["hand_busy"]
    assert truth["errands_done"] == 2
    assert dist(scene.place(0)[:2], (60, 100)) < 8
    assert dist(scene.place(3)[:2], (260, 220)) < 0.1


def test_buttons_are_pressed(scene: Scene) -> None:
    scene.control.handle(Press("turn"))
    scene.control.handle(Press("stop"))
    assert scene.table.panel.turn_pressed()
    assert scene.table.panel.stop_pressed()


@pytest.mark.parametrize(
    "request_",
    [
        DoErrand(()),
        DoErrand((Hover((1e5, 0), 1.0),)),
        DoErrand((Pause(-1.0),)),
        DoErrand((Pause(1e6),)),
        Press("turn", 0.0),
        Press("stop", float("inf")),
        DrivePins({"5": 1.0}),
        Watch(),
        SetLight("no such light"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(scene: Scene, request_: Any) -> None:
    with pytest.raises(TableProgramError, match=r"^[A-Z].*\.$"):
        scene.control.handle(request_)
    assert scene.heard == []


def test_a_pulled_cable_is_gone_until_it_is_put_back(homed: Scene) -> None:
    homed.make(Fault.UNPLUG)
    with pytest.raises(SerialError):
        homed.table.line.write(b"?")
    homed.make(Fault.PLUG_IN)
    homed.send("G4 P0.01")
    assert [what for _, what in homed.heard] == ["the serial cable is pulled out", "the serial cable is put back"]


def test_a_restart_of_the_firmware_lets_go_and_greets(homed: Scene) -> None:
    homed.lift(100, 60)
    homed.make(Fault.RESET_FIRMWARE)
    homed.listen_for(b"Grbl 1.1h")
    assert homed.truth()["gripping"] is False
    assert homed.where(0) == "lying"
    assert homed.truth()["dropped"] == 1


def test_an_alarm_stops_the_machine(homed: Scene) -> None:
    homed.table.line.write(b"G53 G0 X-300 Y-300\n")
    homed.clock.sleep(0.2)
    homed.make(Fault.ALARM)
    homed.listen_for(b"ALARM:1")
    assert not homed.truth()["moving"]


def test_a_dead_camera_gives_nothing_until_it_works_again(scene: Scene) -> None:
    scene.make(Fault.CAMERA_OFF)
    with pytest.raises(CameraError):
        scene.table.camera.frame()
    scene.make(Fault.CAMERA_ON)
    assert scene.table.camera.frame().number == 1


def test_a_frozen_camera_shows_the_moment_at_which_it_froze(scene: Scene) -> None:
    scene.clock.sleep(5)
    scene.make(Fault.CAMERA_FREEZES)
    scene.errand(Hover((160, 160), 5.0))
    scene.clock.sleep(3)
    first = scene.table.camera.frame()
    scene.clock.sleep(1)
    assert scene.table.camera.frame() is first
    assert first.time_s == 5.0
    scene.make(Fault.CAMERA_ON)
    later = scene.table.camera.frame()
    assert later.time_s == 9.0
    assert (abs(later.pixels.astype(int) - first.pixels) > 40).any(axis=2).mean() > 0.02


def test_the_next_grip_fails_and_the_one_after_holds(homed: Scene) -> None:
    homed.make(Fault.GRIP_FAILS)
    homed.lift(100, 60)
    assert homed.where(0) == "lying"
    homed.send("M9")
    homed.lift(100, 60)
    assert homed.where(0) == "carried"


def test_a_carried_disc_is_dropped_on_its_way(homed: Scene) -> None:
    homed.lift(100, 60)
    homed.make(Fault.DROP)
    homed.go(260, 60, 40)
    assert homed.where(0) == "lying"
    assert 100 <= homed.place(0)[0] < 260
    assert homed.truth()["dropped"] == 1


def test_a_bump_moves_every_disc_a_little_and_topples_nothing(scene: Scene) -> None:
    before = [scene.place(disc) for disc in range(4)]
    scene.make(Fault.BUMP)
    after = [scene.place(disc) for disc in range(4)]
    moved = [dist(one, other) for one, other in zip(before, after, strict=True)]
    assert all(0 < far <= 2.0 + 1e-6 for far in moved)
    assert dist(after[1][:2], after[2][:2]) < 0.5
    assert after[2][2] == pytest.approx(8, abs=0.2)


def test_a_nudged_camera_sees_the_table_elsewhere_until_it_is_straightened(scene: Scene) -> None:
    def share_changed() -> float:
        pixels = scene.table.camera.frame().pixels
        return float((abs(pixels.astype(int) - straight) > 30).any(axis=2).mean())

    straight = scene.table.camera.frame().pixels.astype(int)
    same = share_changed()
    scene.make(Fault.NUDGE_CAMERA)
    nudged = share_changed()
    scene.make(Fault.STRAIGHTEN_CAMERA)
    assert nudged > same + 0.005
    assert share_changed() < nudged / 2


@pytest.mark.parametrize("name", LIGHTS)
def test_the_light_can_be_changed(scene: Scene, name: str) -> None:
    scene.control.handle(SetLight(name))
    assert scene.truth()["illumination"] == name


# Power


def test_without_power_everything_is_dead_and_the_arm_sinks(homed: Scene) -> None:
    homed.lift(100, 60)
    homed.go(220, 60, 60)
    homed.make(Fault.POWER_OFF)
    with pytest.raises(SerialError):
        homed.table.line.read()
    with pytest.raises(CameraError):
        homed.table.camera.frame()
    homed.wait(0.5)
    assert homed.where(0) == "lying"
    assert not homed.truth()["gripping"]
    assert 45 < homed.truth()["tip_mm"][2] < 60
    homed.wait(5)
    assert homed.truth()["tip_mm"][2] == pytest.approx(30, abs=0.5)


def test_an_arm_that_sinks_stops_on_what_it_meets(homed: Scene) -> None:
    homed.go(180, 140, 25)
    homed.make(Fault.POWER_OFF)
    homed.wait(5)
    assert homed.truth()["tip_mm"][2] == pytest.approx(16, abs=0.5)
    assert not homed.truth()["mishaps"]


def test_when_power_is_back_the_machine_must_be_homed(homed: Scene) -> None:
    homed.go(220, 60, 60)
    homed.make(Fault.POWER_OFF)
    homed.clock.sleep(5)
    homed.make(Fault.POWER_ON)
    homed.listen_for(b"Grbl 1.1h")
    homed.table.camera.frame()
    homed.send("G53 G0 X-10", b"error:9")
    homed.send("$H")
    homed.go(220, 60, 60)
    assert homed.truth()["tip_mm"] == pytest.approx((220, 60, 60), abs=0.5)


def test_a_pin_that_is_on_does_not_grip_without_power(homed: Scene) -> None:
    homed.table.gripper_pin = True
    assert homed.truth()["gripping"]
    homed.make(Fault.POWER_OFF)
    assert not homed.truth()["gripping"]


def test_power_does_not_mend_what_else_is_broken(scene: Scene) -> None:
    scene.make(Fault.UNPLUG)
    scene.make(Fault.CAMERA_OFF)
    scene.make(Fault.POWER_OFF)
    scene.make(Fault.POWER_ON)
    with pytest.raises(SerialError):
        scene.table.line.read()
    with pytest.raises(CameraError):
        scene.table.camera.frame()


def test_nothing_comes_back_while_there_is_no_power(scene: Scene) -> None:
    scene.make(Fault.POWER_OFF)
    scene.make(Fault.PLUG_IN)
    scene.make(Fault.CAMERA_ON)
    with pytest.raises(SerialError):
        scene.table.line.read()
    with pytest.raises(CameraError):
        scene.table.camera.frame()
    with pytest.raises(TableProgramError, match="no power"):
        scene.make(Fault.RESET_FIRMWARE)


# Faults that come by themselves


def scheduled(level: str, seed: int, seconds: float, moving: bool = False) -> tuple[Scene, FaultSchedule]:
    scene = Scene()
    schedule = FaultSchedule(level, seed, scene.table, scene.control)
    scene.clock.attach(schedule.advance_to)
    while scene.clock.now() < seconds:
        if moving and not scene.table.firmware.moving and scene.table.firmware.power.value == "on":
            scene.table.firmware.receive(b"$H\n")
        scene.clock.sleep(0.25)
    return scene, schedule


def test_the_same_seed_makes_the_same_faults() -> None:
    (_, one), (_, same), (_, other) = (scheduled("heavy", seed, 600) for seed in (5, 5, 6))
    assert one.made == same.made
    assert one.made != other.made


def test_levels_differ_in_number_and_kind() -> None:
    _, none = scheduled("none", 1, 1500)
    _, light = scheduled("light", 1, 1500)
    scene, heavy = scheduled("heavy", 1, 1500)
    assert none.made == []
    assert 3 <= len(light.made) <= 25
    assert len(heavy.made) > 2 * len(light.made)
    assert "the serial cable is pulled out" in {fault.what for fault in heavy.made}
    assert not {"the serial cable is pulled out", "the camera is dead"} & {fault.what for fault in light.made}
    assert [(fault.time_s, fault.what) for fault in heavy.made] == scene.heard


def test_what_passes_is_over_before_the_next_begins() -> None:
    _, schedule = scheduled("heavy", 3, 3000)
    ends = {
        "the serial cable is pulled out": "the serial cable is put back",
        "the camera is dead": "the camera works",
        "the camera's picture freezes": "the camera works",
    }
    begun = 0
    for fault, following in zip(schedule.made, schedule.made[1:], strict=False):
        if fault.what in ends:
            begun += 1
            assert following.what == ends[fault.what]
            assert 0.9 < following.time_s - fault.time_s < 8.5
    assert begun > 3


def test_a_hand_reaches_in_only_while_the_arm_moves() -> None:
    scene, schedule = scheduled("heavy", 4, 120, moving=True)
    assert "a hand reaches in while the arm moves" in {fault.what for fault in schedule.made}
    assert scene.table.moved_under_hand_s > 0
    _, still = scheduled("heavy", 4, 1500)
    assert "a hand reaches in while the arm moves" not in {fault.what for fault in still.made}
