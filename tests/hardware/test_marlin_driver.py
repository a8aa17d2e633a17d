"""The Marlin driver: recorded exchanges, and against the simulated firmware."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_machine import ScriptedPermit, ScriptedPort

from hardware.clock import VirtualClock
from hardware.errors import (
    FirmwareError,
    HardwareError,
    OutOfReachError,
    PositionLostError,
    SerialError,
    StoppedError,
)
from hardware.gantry import Gantry
from hardware.marlin.driver import MarlinMotion
from hardware.marlin.feed import Feed
from hardware.marlin.link import MarlinLink, numbered
from hardware.motion import MotionState
from hardware.simulated.line import SimulatedLine
from hardware.simulated.marlin import MarlinFirmware
from hardware.trapezoid import straight


class SpoilingLine(SimulatedLine):
    """Keeps what was written and when; spoils the next so many lines on their way to the firmware."""

    def __init__(self, firmware: MarlinFirmware, clock: VirtualClock) -> None:
        super().__init__(firmware, clock)
        self.written: list[tuple[float, bytes]] = []
        self.spoil = 0
        self._own_clock = clock

    def write(self, data: bytes) -> None:
        self.written.append((self._own_clock.now(), data))
        if self.spoil and data.startswith(b"N"):
            self.spoil -= 1
            at = data.index(b" ") + 2
            data = data[:at] + b"\xf7" + data[at + 1 :]
        super().write(data)


@dataclass
class MarlinMachine:
    """Everything from the gantry down to the simulated board."""

    firmware: MarlinFirmware = field(default_factory=MarlinFirmware)
    clock: VirtualClock = field(default_factory=VirtualClock)
    unexpected: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock.attach(self.firmware.advance_to)
        self.line = SpoilingLine(self.firmware, self.clock)
        self.motion = MarlinMotion(lambda: self.line, self.clock, on_unexpected=self.unexpected.append)
        self.permit = ScriptedPermit(self.clock)
        self.gantry = Gantry(self.motion, self.permit, self.clock)

    def homed(self) -> MarlinMachine:
        self.gantry.connect()
        self.gantry.home()
        self.line.written.clear()
        return self

    def at(self, time_s: float, action: object) -> None:
        done: list[float] = []

        def listener(now: float) -> None:
            if now >= time_s and not done:
                done.append(now)
                action()  # type: ignore[operator]

        self.clock.attach(listener)

    def finish(self, limit_s: float = 200.0) -> MotionState:
        until = self.clock.now() + limit_s
        while (state := self.motion.poll()) in (MotionState.MOVING, MotionState.HOMING) and self.clock.now() < until:
            self.clock.sleep(0.005)
        return state


@pytest.fixture
def homed() -> MarlinMachine:
    return MarlinMachine().homed()


# Recorded exchanges.

M503 = b"""echo:  G21    ; Units in mm (mm)

echo:Filament settings: Disabled
echo:  M200 D1.75
echo:Steps per unit:
echo: M92 X80.00 Y80.00 Z400.00 E500.00
echo:Maximum feedrates (units/s):
echo:  M203 X300.00 Y300.00 Z50.00 E25.00
echo:Maximum Acceleration (units/s2):
echo:  M201 X3000.00 Y3000.00 Z100.00 E10000.00
echo:Acceleration (units/s2): P<print_accel> R<retract_accel> T<travel_accel>
echo:  M204 P3000.00 R3000.00 T1500.00
echo:Advanced: B<min_segment_time_us> S<min_feedrate> T<min_travel_feedrate> X<max_x_jerk>
echo:  M205 B20000.00 S0.00 T0.00 X10.00 Y10.00 Z0.30 E5.00
ok
"""
M211 = {
    "1.1 and 2.0": b"echo:Soft endstops: On  Min:  X0.00 Y0.00 Z0.00   Max:  X200.00 Y190.00 Z180.00\nok\n",
    "2.0, with colons": b"echo:Soft endstops: On  Min:  X:0.00 Y:0.00 Z:0.00   Max:  X:200.00 Y:190.00 Z:180.0\nok\n",
    "2.1": b"  M211 S1 ; ON\n  Min:  X0.00 Y0.00 Z0.00   Max:  X200.00 Y190.00 Z180.00\nok\n",
}
IDENTITY = (
    b"FIRMWARE_NAME:Marlin 2.0.5 (Mar 31 2020 12:00:00) SOURCE_CODE_URL:https://github.com/MarlinFirmware/Marlin "
    b"PROTOCOL_VERSION:1.0 MACHINE_TYPE:3D Printer EXTRUDER_COUNT:1 UUID:cede2a2f\n"
    b"Cap:SERIAL_XON_XOFF:0\nCap:EMERGENCY_PARSER:0\nok\n"
)


def script(*lines: tuple[str, bytes], m211: bytes = M211["2.0, with colons"]) -> list[tuple[bytes, bytes]]:
    """What connecting writes and hears, and then these numbered lines."""
    numbered_lines = [
        ("M110 N0", b"ok\n"),
        ("M115", IDENTITY),
        ("M503", M503),
        ("M211 S1", m211),
        ("G21", b"ok\n"),
        ("G90", b"ok\n"),
        ("M84 S0", b"ok\n"),
        ("M114", b"X:0.00 Y:0.00 Z:0.00 E:0.00 Count X:0 Y:0 Z:0\nok\n"),
        *lines,
    ]
    head = [(b"\nM410\n", b"ok\n"), (b"M115\n", IDENTITY)]
    return head + [(numbered(number, line), answer) for number, (line, answer) in enumerate(numbered_lines)]


def connected(*lines: tuple[str, bytes], m211: bytes = M211["2.0, with colons"]) -> tuple[MarlinMotion, ScriptedPort]:
    port = ScriptedPort(script(*lines, m211=m211))
    motion = MarlinMotion(lambda: port, port.clock)
    assert motion.connect() == "Marlin 2.0.5"
    return motion, port


def polled(motion: MarlinMotion, port: ScriptedPort, limit_s: float = 60.0) -> MotionState:
    until = port.clock.now() + limit_s
    while (state := motion.poll()) in (MotionState.MOVING, MotionState.HOMING) and port.clock.now() < until:
        port.clock.sleep(0.01)
    return state


@pytest.mark.parametrize("version", M211)
def test_what_marlin_says_of_itself_is_understood(version: str) -> None:
    motion, port = connected(m211=M211[version])
    limits = motion.limits
    assert limits.travel_mm == (200, 190, 180)
    assert limits.max_speed_mm_s == (300, 300, 50)
    assert limits.acceleration_mm_s2 == (1500, 1500, 100), "M204's T counts, too"
    assert limits.steps_per_mm == (80, 80, 400)
    assert not limits.can_stop_homing
    assert port.script == []


def test_homing_and_a_short_move_as_recorded() -> None:
    home = (
        ("G28", b"echo:busy: processing\nX:0.00 Y:0.00 Z:0.00 E:0.00 Count X:0 Y:0 Z:0\nok\n"),
        ("M114", b"X:0.00 Y:0.00 Z:0.00 E:0.00 Count X:0 Y:0 Z:0\nok\n"),
    )
    move = (
        ("G1 X1.602 F18000", b"ok\n"),
        ("G1 X2.000 F18000", b"ok\n"),
        ("M400", b"ok\n"),
        ("M114", b"X:2.00 Y:0.00 Z:0.00 E:0.00 Count X:160 Y:0 Z:0\nok\n"),
    )
    motion, port = connected(*home, *move)
    motion.start_homing()
    assert polled(motion, port) is MotionState.IDLE
    assert motion.position() == (-200, -190, -180), "its lower end is our -travel"
    assert motion.home_corner == (-200, -190, -180)
    motion.start_move(x=-198)
    assert polled(motion, port) is MotionState.IDLE
    assert motion.position() == (-198, -190, -180)
    assert port.script == []


def test_an_unknown_command_is_refused_though_marlin_says_ok() -> None:
    motion, _ = connected(("M106 P0 S255", b'echo:Unknown command: "M106 P0 S255"\nok\n'))
    with pytest.raises(FirmwareError, match="Marlin does not know 'M106 P0 S255'"):
        motion.set_gripper(True)


def test_another_firmware_and_noise_are_told_in_one_sentence() -> None:
    def failing(answer: bytes) -> str:
        port = ScriptedPort([(b"\nM410\n", answer), (b"M115\n", b""), *[(b"\nM410\n", b""), (b"M115\n", b"")] * 13])
        with pytest.raises(FirmwareError) as caught:
            MarlinMotion(lambda: port, port.clock).connect()
        assert port.closed
        return str(caught.value)

    assert "is not Marlin" in failing(b"FIRMWARE_NAME:RepRapFirmware FIRMWARE_VERSION:3.4\nok\n")
    assert "not as Marlin does (it said 'ERROR')" in failing(b"ERROR\r\n")
    assert "set machine.baud" in failing(b"\xfe\x80\x00\xff\xe0")
    assert failing(b"").startswith("/dev/scripted does not answer")


# Against the simulated firmware.


def test_a_move_ends_where_it_was_sent_and_when_the_machine_stands(homed: MarlinMachine) -> None:
    start = homed.clock.now()
    homed.gantry.move_to(x=-400, y=-100)
    assert homed.firmware.position == pytest.approx((-400, -100, -2), abs=0.02)
    assert not homed.firmware.moving
    ideal = 398 / 400 + 0.2
    assert ideal < homed.clock.now() - start < ideal + 0.35, "its own delay, the lines, the looks"
    homed.gantry.move_to(z=-40, speed_mm_s=20)
    assert homed.firmware.position[2] == pytest.approx(-40, abs=0.01)
    assert homed.unexpected == []


def test_a_move_is_sent_in_segments_and_not_far_ahead(homed: MarlinMachine) -> None:
    homed.gantry.move_to(x=-600)
    sent = [(t, line) for t, line in homed.line.written if b" G1 " in line]
    assert len(sent) > 20
    assert sent[-1][0] - sent[0][0] > 0.9, "what is sent at once cannot be held"


@pytest.mark.parametrize("when", [0.05, 0.3, 0.8, 1.2])
def test_a_hold_stops_soon_and_a_resume_goes_on_to_the_target(homed: MarlinMachine, when: float) -> None:
    homed.motion.start_move(x=-600)
    until = homed.clock.now() + when
    while homed.clock.now() < until:
        homed.motion.poll()
        homed.clock.sleep(0.005)
    homed.motion.hold()
    at = homed.firmware.position[0]
    for _ in range(140):
        homed.motion.poll()
        homed.clock.sleep(0.005)
    assert not homed.firmware.moving
    assert homed.motion.poll() is MotionState.HOLDING
    braking = 400**2 / 2 / 2000
    assert at - homed.firmware.position[0] <= braking + 400 * 0.25 + 5
    assert homed.motion.position() == pytest.approx(homed.firmware.position, abs=0.02)
    homed.motion.resume()
    assert homed.finish() is MotionState.IDLE
    assert homed.firmware.position[0] == pytest.approx(-600, abs=0.02)


def test_when_nobody_polls_the_machine_stops_by_itself(homed: MarlinMachine) -> None:
    homed.motion.start_move(x=-600)
    for _ in range(60):
        homed.motion.poll()
        homed.clock.sleep(0.005)
    homed.clock.sleep(2)
    assert not homed.firmware.moving
    assert homed.firmware.position[0] > -300
    assert homed.finish() is MotionState.IDLE
    assert homed.firmware.position[0] == pytest.approx(-600, abs=0.02)


def test_a_stop_from_elsewhere_is_kept_and_can_be_lifted(homed: MarlinMachine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.5, homed.gantry.stop)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-600)
    assert -600 < homed.firmware.position[0] < -10 and not homed.firmware.moving
    assert homed.firmware.gripper_on and homed.gantry.holding_disc
    homed.clock.sleep(20)
    homed.gantry.allow()
    homed.gantry.move_to(x=-100)
    assert homed.firmware.position[0] == pytest.approx(-100, abs=0.02)


def test_losing_the_permit_holds_and_getting_it_back_resumes(homed: MarlinMachine) -> None:
    now = homed.clock.now()
    homed.permit.refused = [(now + 0.4, now + 3)]
    homed.gantry.move_to(x=-500)
    moves = [t for t, line in homed.line.written if b" G1 " in line]
    assert not [t for t in moves if now + 0.7 < t < now + 3.4]
    assert homed.firmware.position[0] == pytest.approx(-500, abs=0.02)


@pytest.mark.parametrize("ok_after_resend", [True, False])
def test_a_spoilt_line_is_sent_again_because_marlin_asks_for_it(ok_after_resend: bool) -> None:
    machine = MarlinMachine(MarlinFirmware(ok_after_resend=ok_after_resend)).homed()
    machine.line.spoil = 2
    machine.gantry.move_to(x=-50)
    assert machine.firmware.position[0] == pytest.approx(-50, abs=0.02)
    lines = [line for _, line in machine.line.written]
    assert max(lines.count(line) for line in lines) >= 2


def test_a_line_that_never_gets_through_is_given_up(homed: MarlinMachine) -> None:
    homed.line.spoil = 100
    with pytest.raises(FirmwareError, match="not got through to Marlin in 4 attempts"):
        homed.gantry.move_to(x=-50)
    homed.line.spoil = 0
    homed.clock.sleep(1)
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-50)
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.02)


def test_unhomed_and_out_of_reach_nothing_is_sent() -> None:
    machine = MarlinMachine()
    machine.motion.connect()
    machine.line.written.clear()
    with pytest.raises(PositionLostError):
        machine.motion.start_move(x=-5)
    with pytest.raises(OutOfReachError):
        machine.motion.start_move(x=5)
    assert machine.line.written == []


def test_motors_stay_on(homed: MarlinMachine) -> None:
    homed.clock.sleep(3600)
    homed.gantry.move_to(x=-50)
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.02)


def test_a_restart_means_position_lost_and_outputs_off(homed: MarlinMachine) -> None:
    homed.gantry.grip()
    homed.firmware.power_cycle()
    homed.clock.sleep(3)
    with pytest.raises(PositionLostError, match="restarted by itself"):
        homed.gantry.move_to(x=-50)
    assert not homed.gantry.holding_disc and not homed.gantry.homed


def test_a_halted_board_is_said_so_until_it_is_switched_off_and_on(homed: MarlinMachine) -> None:
    homed.at(homed.clock.now() + 0.4, lambda: homed.firmware.raise_alarm(1))
    with pytest.raises(PositionLostError, match=r"Marlin has halted.*off and on"):
        homed.gantry.move_to(x=-500)
    with pytest.raises(HardwareError):
        homed.gantry.home()
    homed.firmware.power_cycle()
    homed.clock.sleep(3)
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-50)
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.02)


@pytest.mark.parametrize("fault", ["swallow_replies", "garble_replies"])
def test_a_lost_answer_ends_in_one_sentence_and_homing_leads_on(homed: MarlinMachine, fault: str) -> None:
    setattr(homed.firmware.faults, fault, 1)
    with pytest.raises(FirmwareError, match="noise has spoilt the line"):
        homed.gantry.move_to(x=-50)
    assert not homed.gantry.homed
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-50)
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.02)


def test_a_silent_board_is_told_from_a_lost_answer(homed: MarlinMachine) -> None:
    homed.firmware.faults.mute = True
    with pytest.raises(SerialError, match="does not answer: check its power and cable"):
        homed.gantry.move_to(x=-50)


def test_homing_is_stopped_by_halting_the_board_where_that_is_heard() -> None:
    machine = MarlinMachine(MarlinFirmware(emergency_parser=True, start_mm=(-400.0, -300.0, -60.0)))
    machine.gantry.connect()
    machine.at(machine.clock.now() + 0.5, machine.gantry.stop)
    with pytest.raises(HardwareError):
        machine.gantry.home()
    assert not machine.firmware.moving
    assert machine.firmware.position[0] < -100


def test_without_emergency_parser_it_is_said_that_homing_goes_on() -> None:
    machine = MarlinMachine(MarlinFirmware(start_mm=(-400.0, -300.0, -60.0)))
    machine.gantry.connect()
    machine.at(machine.clock.now() + 0.5, machine.gantry.stop)
    with pytest.raises(FirmwareError, match="cannot be stopped while it homes"):
        machine.gantry.home()
    assert machine.firmware.moving


def test_an_earlier_programs_homing_is_waited_for_and_its_move_ended() -> None:
    machine = MarlinMachine(MarlinFirmware(start_mm=(-600.0, -400.0, -90.0)))
    machine.firmware.receive(b"G28\n")
    machine.clock.sleep(1)
    machine.gantry.connect()
    assert not machine.firmware.moving
    machine.gantry.home()
    machine.line.write(b"G1 X0 F6000\n")
    machine.clock.sleep(1)
    machine.gantry.connect()
    at = machine.firmware.position
    machine.clock.sleep(10)
    assert machine.firmware.position == at


def test_a_gripper_nobody_knows_about_counts_as_on_until_a_restart() -> None:
    machine = MarlinMachine()
    machine.motion.connect()
    assert machine.motion.gripper_on, "it may hold a disc: look before releasing"
    machine.firmware.power_cycle()
    machine.motion.connect()
    assert not machine.motion.gripper_on


@pytest.mark.parametrize(
    ("output", "on", "line"),
    [
        ("fan", True, "M106 P0 S255"),
        ("fan1", False, "M107 P1"),
        ("pin 42", True, "M42 P42 S255"),
        ("servo 0", True, "M280 P0 S90"),
        ("servo 0", False, "M280 P0 S0"),
        ("coolant", True, "M8"),
        ("spindle", True, "M3 S255"),
        ("spindle", False, "M5"),
    ],
)
def test_outputs_by_name(homed: MarlinMachine, output: str, on: bool, line: str) -> None:
    homed.motion.set_output(output, on)
    assert line.encode() in homed.line.written[-1][1]
    assert homed.motion.output_on(output) is on


def test_an_output_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="no output 'laser'"):
        MarlinMotion(lambda: ScriptedPort([]), VirtualClock(), gripper="laser")


@given(
    st.sampled_from(["swallow", "garble", "noise", "halt", "restart", "mute", "spoil", "unplug"]),
    st.floats(0, 1.0),
    st.binary(min_size=1, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_every_fault_ends_in_one_sentence_and_the_way_back_leads_on(fault: str, when: float, noise: bytes) -> None:
    machine = MarlinMachine().homed()
    firmware = machine.firmware
    strikes = {
        "swallow": lambda: setattr(firmware.faults, "swallow_replies", 1),
        "garble": lambda: setattr(firmware.faults, "garble_replies", 1),
        "noise": lambda: firmware.noise(noise),
        "halt": lambda: firmware.raise_alarm(1),
        "restart": firmware.power_cycle,
        "mute": lambda: setattr(firmware.faults, "mute", True),
        "spoil": lambda: setattr(machine.line, "spoil", 1),
        "unplug": machine.line.unplug,
    }
    machine.at(machine.clock.now() + when, strikes[fault])
    try:
        machine.gantry.move_to(x=-300)
        machine.gantry.move_to(z=-40)
        assert firmware.position == pytest.approx((-300, -2, -40), abs=0.02), "no error, so it is there"
    except HardwareError as error:
        assert str(error).endswith(".") and "\n" not in str(error)
        assert not machine.gantry.homed
    firmware.faults.swallow_replies = firmware.faults.garble_replies = machine.line.spoil = 0
    firmware.faults.mute = False
    machine.line.plug_in()
    machine.clock.sleep(5)
    if fault == "halt":
        firmware.power_cycle()
    machine.gantry.connect()
    machine.gantry.home()
    machine.gantry.move_to(x=-10)
    assert firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


def test_held_in_mid_move_the_gripper_can_still_be_switched_off(homed: MarlinMachine) -> None:
    homed.gantry.grip()
    homed.at(homed.clock.now() + 0.4, homed.gantry.stop)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    homed.motion.set_gripper(False)
    assert not homed.firmware.gripper_on
    homed.gantry.allow()
    homed.gantry.move_to(x=-500)
    assert homed.firmware.position[0] == pytest.approx(-500, abs=0.02)


def test_a_count_of_lines_that_was_lost_is_not_answered_by_sending(homed: MarlinMachine) -> None:
    now = homed.clock.now()
    homed.at(now + 0.3, lambda: setattr(homed.firmware.faults, "swallow_replies", 1))
    homed.at(now + 0.4, lambda: homed.firmware.noise(b"Resend: 9999\n"))
    with pytest.raises(FirmwareError, match="lost count of the lines and wants number 9999"):
        homed.gantry.move_to(x=-400)
    assert not homed.gantry.homed


@given(st.binary(max_size=80))
def test_no_line_is_too_strange_to_be_read(line: bytes) -> None:
    port = ScriptedPort([])
    port.say(line + b"\n")
    MarlinLink(port, port.clock, lambda text: None).receive()


@given(
    st.tuples(st.floats(-600, 0), st.floats(-480, 0), st.floats(-90, 0)),
    st.tuples(st.floats(-600, 0), st.floats(-480, 0), st.floats(-90, 0)),
    st.lists(st.floats(0.001, 0.6), min_size=1, max_size=400),
)
def test_segments_lead_along_the_way_to_the_target_however_late_they_are(
    start: tuple[float, float, float], target: tuple[float, float, float], steps: list[float]
) -> None:
    deltas = [b - a for a, b in zip(start, target, strict=True)]
    profile = straight(deltas, (400, 400, 100), (2000, 2000, 2000))
    feed, now, sent = Feed(start, target, profile, 0.0), 0.0, 0.0
    for step in [*steps, *[0.05] * 1000]:
        now += step
        while (segment := feed.due(now)) is not None:
            assert segment.way_mm > sent
            assert segment.way_mm - sent <= profile.peak * 0.05 + 1e-6
            sent = segment.way_mm
        assert math.dist(start, feed.surely_reached(now)) <= sent + 1e-6
        if feed.all_sent:
            break
    assert feed.all_sent and feed.sent_to == target


def test_a_trapezoid_is_where_its_formula_says() -> None:
    profile = straight((380.0, 0.0, 0.0), (400, 400, 100), (2000, 2000, 2000))
    assert profile.duration_s == pytest.approx(380 / 400 + 0.2)
    assert profile.at(0.2) == pytest.approx(40) and profile.speed_at(0.5) == 400
    assert profile.at(profile.duration_s / 2) == pytest.approx(190)
    assert straight((0.0, 0.0, 30.0), (400, 400, 100), (2000, 2000, 2000)).duration_s == pytest.approx(0.35)
    short = straight((8.0, 0.0, 0.0), (400, 400, 100), (2000, 2000, 2000))
    assert short.duration_s == pytest.approx(2 * math.sqrt(8 / 2000))
    assert short.speed_at(short.duration_s / 2) == pytest.approx(short.peak)
    still = straight((0.0, 0.0, 0.0), (400, 400, 100), (2000, 2000, 2000))
    assert still.duration_s == still.at(1.0) == still.speed_at(0.0) == 0
