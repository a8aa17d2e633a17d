from __future__ import annotations

import pytest
from simulated_machine import Machine, ScriptedPort

from hardware.clock import VirtualClock
from hardware.errors import FirmwareError, OutOfReachError, PositionLostError, SerialError
from hardware.grbl.driver import GrblMotion
from hardware.grbl.gripper_output import GripperOutput
from hardware.motion import MotionState
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.firmware_state import State
from hardware.simulated.line import SimulatedLine

SETTINGS = b"".join(
    b"$%d=%d\r\n" % (number, value)
    for number, value in {
        1: 255, 10: 1, 13: 0, 20: 1, 21: 0, 22: 1, 110: 24000, 111: 24000, 112: 6000,
        120: 2000, 121: 2000, 122: 2000, 130: 620, 131: 490, 132: 95,
    }.items()
)  # fmt: skip
IDLE_AT_HOME = b"<Idle|MPos:-2.000,-2.000,-2.000|FS:0,0>\r\n"
CONNECT = [
    (b"\n", b"ok\r\n"),
    (b"$I\n", b"[VER:1.1h.20190825:]\r\n[OPT:V,15,128]\r\nok\r\n"),
    (b"$$\n", SETTINGS + b"ok\r\n"),
    (b"$G\n", b"[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0]\r\nok\r\n"),
]
HOME = [(b"$H\n", b"ok\r\n")]
BANNER = b"\r\nGrbl 1.1h ['$' for help]\r\n"


def scripted(
    *script: tuple[bytes, bytes], status: bytes = IDLE_AT_HOME
) -> tuple[GrblMotion, ScriptedPort, list[str]]:
    port = ScriptedPort([*CONNECT, *HOME, *script], status)
    unexpected: list[str] = []
    motion = GrblMotion(lambda: port, port.clock, on_unexpected=unexpected.append)
    motion.connect()
    motion.start_homing()
    finish(motion, port.clock)
    return motion, port, unexpected


def finish(motion: GrblMotion, clock: VirtualClock, limit_s: float = 100.0) -> MotionState:
    """Poll until something other than motion is reported."""
    until = clock.now() + limit_s
    while (state := motion.poll()) in (MotionState.MOVING, MotionState.HOMING) and clock.now() < until:
        clock.sleep(0.01)
    return state


# Recorded exchanges.


def test_a_move_is_one_line_and_a_barrier_and_a_look() -> None:
    motion, port, unexpected = scripted(
        (b"G21 G90 G53 G0 X-100.000 Y-50.500\n", b"ok\r\n"),
        (b"G4 P0\n", b""),
    )
    motion.start_move(x=-100, y=-50.5)
    assert motion.poll() is MotionState.MOVING
    port.status = b"<Run|MPos:-60.000,-30.000,-2.000|FS:24000,0>\r\n"
    port.clock.sleep(0.3)
    assert motion.poll() is MotionState.MOVING
    assert motion.poll() is MotionState.MOVING
    assert motion.position() == (-60, -30, -2)
    port.status = b"<Idle|MPos:-100.000,-50.500,-2.000|FS:0,0>\r\n"
    port.say(b"ok\r\n")
    assert finish(motion, port.clock) is MotionState.IDLE
    assert motion.position() == (-100, -50.5, -2)
    assert port.script == [] and unexpected == []


def test_a_slow_move_is_g1_with_its_feed() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G1 F1200.0 Z-20.000\n", b"ok\r\n"), (b"G4 P0\n", b"ok\r\n"))
    port.status = b"<Idle|MPos:-2.000,-2.000,-20.000|FS:0,0>\r\n"
    motion.start_move(z=-20, speed_mm_s=20)
    assert finish(motion, port.clock) is MotionState.IDLE


def test_nothing_follows_an_unanswered_line() -> None:
    motion, _, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"ok\r\n"), (b"G4 P0\n", b""))
    motion.start_move(x=-9)
    with pytest.raises(FirmwareError, match="come to rest"):
        motion.start_move(x=-8)
    with pytest.raises(FirmwareError, match="come to rest"):
        motion.set_gripper(True)


def test_a_refused_line_is_said_with_its_reason() -> None:
    motion, _, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"error:20\r\n"))
    with pytest.raises(FirmwareError, match=r"error 20.*does not support"):
        motion.start_move(x=-9)


def test_locked_means_position_lost() -> None:
    motion, _, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"error:9\r\n"))
    with pytest.raises(PositionLostError, match="home the machine"):
        motion.start_move(x=-9)
    assert not motion.position_known


def test_a_garbled_answer_is_reported_and_never_answered_by_sending_again() -> None:
    motion, port, unexpected = scripted((b"G21 G90 G53 G0 X-9.000\n", b"o\xf1\r\n"))
    with pytest.raises(FirmwareError, match="noise has spoilt the line"):
        motion.start_move(x=-9)
    assert unexpected == ["o\\xf1"]
    assert port.script == []
    assert port.written.count(b"?") >= 1
    with pytest.raises(PositionLostError):
        motion.start_move(x=-9)


def test_a_silent_board_is_told_from_a_lost_answer() -> None:
    motion, port, _ = scripted((b"M8\n", b""))
    port.status = b""
    port.script.append((b"?", b""))
    with pytest.raises(SerialError, match="does not answer: check its power and cable"):
        motion.set_gripper(True)


def test_what_may_be_moving_is_held_when_its_answer_was_lost() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b""), (b"!", b""))
    port.status = b"<Run|MPos:-5.000,-2.000,-2.000|FS:24000,0>\r\n"
    with pytest.raises(FirmwareError, match="noise"):
        motion.start_move(x=-9)
    assert port.script == []


def test_silence_while_moving() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"ok\r\n"), (b"G4 P0\n", b""), (b"!", b""))
    port.status = b"<Run|MPos:-5.000,-2.000,-2.000|FS:24000,0>\r\n"
    motion.start_move(x=-9)
    port.clock.sleep(0.3)
    motion.poll()
    motion.poll()
    port.status = b""
    with pytest.raises(SerialError, match="does not answer"):
        finish(motion, port.clock)


def test_a_lost_barrier_is_noticed_when_the_machine_stands() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"ok\r\n"), (b"G4 P0\n", b""))
    motion.start_move(x=-9)
    with pytest.raises(FirmwareError, match="stands still but its answer"):
        finish(motion, port.clock)
    assert port.script == []


def test_status_is_asked_for_at_most_five_times_a_second() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G0 X-9.000\n", b"ok\r\n"), (b"G4 P0\n", b""))
    port.status = b"<Run|MPos:-5.000,-2.000,-2.000|FS:24000,0>\r\n"
    motion.start_move(x=-9)
    before = port.written.count(b"?")
    for _ in range(1000):
        motion.poll()
        port.clock.sleep(0.01)
    assert 40 <= port.written.count(b"?") - before <= 50


def test_a_machine_that_stands_elsewhere_was_sent_a_spoilt_line() -> None:
    motion, port, _ = scripted((b"G21 G90 G53 G0 X-100.000\n", b"ok\r\n"), (b"G4 P0\n", b"ok\r\n"))
    port.status = b"<Idle|MPos:-180.000,-2.000,-2.000|FS:0,0>\r\n"
    motion.start_move(x=-100)
    with pytest.raises(FirmwareError, match=r"80\.0 mm from where it was sent"):
        finish(motion, port.clock)


def test_an_unasked_banner_means_position_lost() -> None:
    motion, port, _ = scripted()
    port.say(BANNER)
    with pytest.raises(PositionLostError, match="restarted by itself"):
        motion.poll()
    with pytest.raises(PositionLostError):
        motion.start_move(x=-9)


def test_a_late_ok_after_a_reset_is_discarded() -> None:
    motion, port, unexpected = scripted(
        (b"G21 G90 G53 G0 X-9.000\n", b"ok\r\n"),
        (b"G4 P0\n", b""),
        (b"\x18", b"ALARM:3\r\nok\r\n" + BANNER + b"[MSG:'$H'|'$X' to unlock]\r\n"),
    )
    motion.start_move(x=-9)
    port.status = b"<Alarm|MPos:-5.000,-2.000,-2.000|FS:0,0>\r\n"
    motion.reset()
    assert motion.poll() is MotionState.IDLE
    assert not motion.position_known
    assert unexpected == []


def test_stray_answers_are_reported_and_count_for_nothing() -> None:
    motion, port, unexpected = scripted()
    port.say(b"ok\r\nerror:1\r\n$5=0\r\nwhat?\r\n")
    assert motion.poll() is MotionState.IDLE
    assert sorted(unexpected) == sorted(["Ok()", "Error(code=1)", "Setting(number=5, value=0.0)", "what?"])


def test_inches_and_work_coordinates_are_understood() -> None:
    port = ScriptedPort([*CONNECT[:2], (b"$$\n", SETTINGS + b"$10=0\r\n$13=1\r\nok\r\n"), CONNECT[3], *HOME])
    clock = VirtualClock()
    port.status = b"<Idle|WPos:-1.000,-2.000,0.000|FS:0,0|WCO:0.000,1.000,-0.500>\r\n"
    motion = GrblMotion(lambda: port, clock)
    motion.connect()
    motion.start_homing()
    finish(motion, clock)
    assert motion.position() == pytest.approx((-25.4, -25.4, -12.7))


# Greeting.


def failing(port: ScriptedPort) -> str:
    with pytest.raises(FirmwareError) as caught:
        GrblMotion(lambda: port, VirtualClock()).connect()
    assert port.closed
    return str(caught.value)


def test_a_silent_port_is_told_in_one_sentence() -> None:
    message = failing(ScriptedPort([(b"\n", b""), (b"\x18", b"")]))
    assert message.startswith("/dev/scripted does not answer:") and message.count(". ") == 0


def test_another_firmware_is_told_in_one_sentence() -> None:
    message = failing(ScriptedPort([(b"\n", b"start\r\necho:Marlin 2.0.5\r\n")]))
    assert "answers, but not as Grbl 1.1 does (it said 'start')" in message


def test_an_old_grbl_and_an_echo_are_no_grbl() -> None:
    old = ScriptedPort([(b"\n", b"ok\r\n")], status=b"<Idle,MPos:0.000,0.000,0.000,WPos:0.000,0.000,0.000>\r\n")
    assert "not as Grbl 1.1 does" in failing(old)
    assert "not as Grbl 1.1 does" in failing(ScriptedPort([(b"\n", b"\n")], status=b"?\n"))


def test_binary_rubbish_is_no_grbl() -> None:
    assert "not as Grbl" in failing(ScriptedPort([(b"\n", bytes(range(256)) * 40)], status=bytes(range(255, 0, -1))))


def test_an_arduino_that_restarts_when_opened_is_waited_for(machine: Machine) -> None:
    machine.firmware.power_cycle()
    assert machine.motion.connect() == "Grbl 1.1h.20190825"
    assert machine.clock.now() < 3


def test_a_board_that_a_limit_alarm_has_silenced_is_woken(machine: Machine) -> None:
    machine.homed()
    machine.firmware.raise_alarm(1)
    machine.clock.sleep(5)
    assert machine.motion.connect().startswith("Grbl")
    assert machine.firmware.state is State.ALARM


@pytest.mark.parametrize("before", [b"G0X-500\n", b"G0X-500\nG4P1\nG0X-5\n", b"$H\n", b"$SLP\n", b"$C\n", b"!"])
def test_what_an_earlier_program_left_running_is_brought_to_rest(before: bytes) -> None:
    machine = Machine().homed()
    machine.line.write(before)
    machine.clock.sleep(0.4)
    machine.motion.connect()
    machine.clock.sleep(10)
    at = machine.firmware.position
    machine.clock.sleep(10)
    assert machine.firmware.position == at
    machine.motion.start_homing()
    assert finish(machine.motion, machine.clock) is MotionState.IDLE
    assert not machine.motion.position_known or machine.firmware.position == pytest.approx((-2, -2, -2))


def test_half_a_line_left_by_an_earlier_program_does_no_harm(machine: Machine) -> None:
    machine.line.write(b"G0X-1")
    assert machine.motion.connect().startswith("Grbl")


def test_settings_are_read(machine: Machine) -> None:
    machine.motion.connect()
    assert machine.motion.settings.travel_mm == (620, 490, 95)
    assert machine.motion.settings.max_rate_mm_min == (24000, 24000, 6000)
    assert machine.motion.settings.keeps_motors_on


# Against the simulated firmware.


def test_a_move_ends_when_the_machine_has_stopped(homed: Machine) -> None:
    homed.motion.start_move(x=-382)
    start = homed.clock.now()
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    assert homed.firmware.position == pytest.approx((-382, -2, -2))
    assert not homed.firmware.busy
    assert homed.clock.now() - start == pytest.approx(380 / 400 + 0.2, abs=0.05)
    assert homed.unexpected == []


def test_homing_that_takes_too_long_is_ended(machine: Machine) -> None:
    machine.motion.connect()
    machine.motion.start_homing()
    machine.firmware.faults.swallow_replies = 1
    with pytest.raises(FirmwareError, match="Homing has taken more than 90 s"):
        finish(machine.motion, machine.clock, 200)
    machine.clock.sleep(1)
    machine.motion.start_homing()
    assert finish(machine.motion, machine.clock) is MotionState.IDLE


def test_a_switch_that_is_not_found(machine: Machine) -> None:
    machine.motion.connect()
    machine.motion.start_homing()
    machine.clock.sleep(0.5)
    machine.firmware.raise_alarm(9)
    with pytest.raises(PositionLostError, match="home switch was not found"):
        finish(machine.motion, machine.clock)
    assert machine.motion.poll() is MotionState.ALARM


@pytest.mark.parametrize("code", [1, 2, 3, 8])
def test_after_any_alarm_homing_leads_on(homed: Machine, code: int) -> None:
    homed.motion.start_move(x=-300)
    homed.clock.sleep(0.3)
    homed.firmware.raise_alarm(code)
    with pytest.raises(PositionLostError, match=f"alarm {code}:"):
        finish(homed.motion, homed.clock)
    with pytest.raises(PositionLostError):
        homed.motion.start_move(x=-5)
    homed.motion.start_homing()
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    homed.motion.start_move(x=-20)
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    assert homed.firmware.position == pytest.approx((-20, -2, -2))


def test_hold_and_resume(homed: Machine) -> None:
    homed.motion.start_move(x=-400)
    homed.clock.sleep(0.5)
    homed.motion.hold()
    homed.motion.resume()  # Too early for Grbl: the driver keeps it until the machine stands.
    homed.motion.hold()
    for _ in range(300):
        assert homed.motion.poll() is MotionState.HOLDING
        homed.clock.sleep(0.01)
    at = homed.firmware.position
    assert -400 < at[0] < -100
    homed.motion.resume()
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    assert homed.firmware.position[0] == pytest.approx(-400, abs=0.02)


def test_a_resume_while_braking_is_kept_until_the_machine_stands(homed: Machine) -> None:
    homed.motion.start_move(x=-400)
    homed.clock.sleep(0.5)
    homed.motion.hold()
    homed.motion.resume()
    until = homed.clock.now() + 5
    while homed.motion.poll() is not MotionState.IDLE and homed.clock.now() < until:
        homed.clock.sleep(0.01)
    assert homed.firmware.position[0] == pytest.approx(-400, abs=0.02)


def test_a_hold_that_comes_as_the_move_ends_can_be_resumed(homed: Machine) -> None:
    homed.motion.start_move(x=-20)
    while homed.firmware.busy:
        homed.clock.sleep(0.001)
    homed.motion.hold()
    for _ in range(100):
        homed.motion.poll()
        homed.clock.sleep(0.01)
    assert homed.firmware.state is State.HOLD
    homed.motion.resume()
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    homed.motion.set_gripper(True)
    assert homed.firmware.gripper_on


class DeafLine(SimulatedLine):
    """Loses the next so many of given bytes on their way to the firmware."""

    def __init__(self, firmware: GrblFirmware, clock: VirtualClock) -> None:
        super().__init__(firmware, clock)
        self.lose: dict[bytes, int] = {}

    def write(self, data: bytes) -> None:
        if self.lose.get(data, 0) > 0:
            self.lose[data] -= 1
        else:
            super().write(data)


def test_lost_hold_and_resume_bytes_are_noticed_and_sent_again() -> None:
    clock, firmware = VirtualClock(), GrblFirmware()
    line = DeafLine(firmware, clock)
    motion = GrblMotion(lambda: line, clock)
    motion.connect()
    motion.start_homing()
    finish(motion, clock)
    motion.start_move(x=-600)
    clock.sleep(0.3)
    line.lose = {b"!": 1, b"~": 2}
    motion.hold()
    for _ in range(100):
        motion.poll()
        clock.sleep(0.01)
    assert firmware.state is State.HOLD
    motion.resume()
    assert finish(motion, clock) is MotionState.IDLE
    assert firmware.position[0] == pytest.approx(-600, abs=0.02)


def test_reset_in_a_hold_keeps_the_position(homed: Machine) -> None:
    homed.motion.start_move(x=-400)
    homed.clock.sleep(0.5)
    homed.motion.hold()
    for _ in range(100):
        homed.motion.poll()
        homed.clock.sleep(0.01)
    homed.motion.reset()
    assert homed.motion.position_known
    homed.motion.start_move(x=-50)
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    assert homed.firmware.position[0] == pytest.approx(-50, abs=0.02)


def test_reset_in_motion_loses_the_position(homed: Machine) -> None:
    homed.motion.start_move(x=-400)
    homed.clock.sleep(0.5)
    homed.motion.reset()
    assert not homed.motion.position_known
    assert not homed.firmware.moving


def test_reset_stops_homing_which_cannot_be_held(machine: Machine) -> None:
    machine.motion.connect()
    machine.motion.start_homing()
    machine.clock.sleep(0.2)
    with pytest.raises(FirmwareError, match="cannot be held"):
        machine.motion.hold()
    machine.motion.reset()
    assert not machine.firmware.moving
    assert machine.motion.poll() is MotionState.IDLE
    assert not machine.motion.position_known


def test_a_board_that_stays_held_is_said_so(homed: Machine) -> None:
    homed.firmware.receive(b"!")
    with pytest.raises(FirmwareError, match="is held"):
        homed.motion.set_gripper(True)


def test_a_restart_in_the_middle_of_a_move(homed: Machine) -> None:
    homed.motion.start_move(x=-400)
    homed.clock.sleep(0.5)
    homed.firmware.power_cycle()
    with pytest.raises((PositionLostError, SerialError)):
        finish(homed.motion, homed.clock)
    assert not homed.motion.position_known


@pytest.mark.parametrize("fault", ["swallow_replies", "garble_replies"])
def test_after_a_lost_answer_homing_leads_on(homed: Machine, fault: str) -> None:
    setattr(homed.firmware.faults, fault, 1)
    with pytest.raises(FirmwareError, match="noise"):
        homed.motion.start_move(x=-50)
    homed.clock.sleep(2)
    homed.motion.start_homing()
    assert finish(homed.motion, homed.clock) is MotionState.IDLE
    assert homed.motion.position_known
    assert homed.firmware.position == pytest.approx((-2, -2, -2))


def test_a_pulled_cable(homed: Machine) -> None:
    homed.motion.start_move(x=-300)
    homed.clock.sleep(0.1)
    homed.line.unplug()
    with pytest.raises(SerialError, match="is gone"):
        homed.motion.poll()
    homed.line.plug_in()
    homed.clock.sleep(5)
    homed.motion.connect()
    with pytest.raises(PositionLostError):
        homed.motion.start_move(x=-5)


@pytest.mark.parametrize("target", [(1.0, None, None), (None, -491.0, None), (None, None, float("nan"))])
def test_out_of_reach_sends_nothing(homed: Machine, target: tuple[float | None, float | None, float | None]) -> None:
    with pytest.raises(OutOfReachError):
        homed.motion.start_move(*target)
    assert homed.line.lines() == []


def test_before_homing_nothing_moves(machine: Machine) -> None:
    machine.motion.connect()
    machine.line.written.clear()
    with pytest.raises(PositionLostError, match="home it"):
        machine.motion.start_move(x=-5)
    assert machine.line.lines() == []


def test_without_home_switches_homing_is_refused_with_a_reason() -> None:
    machine = Machine(firmware=GrblFirmware({22: 0, 20: 0}))
    machine.motion.connect()
    with pytest.raises(FirmwareError, match=r"homing is switched off.*\$22=1"):
        machine.motion.start_homing()


def test_gripper_on_the_spindle_output() -> None:
    clock, firmware = VirtualClock(), GrblFirmware()
    motion = GrblMotion(lambda: SimulatedLine(firmware, clock), clock, GripperOutput("spindle", 800))
    motion.connect()
    motion.start_homing()
    finish(motion, clock)
    motion.set_gripper(True)
    assert firmware.outputs.spindle_speed == 800
    motion.set_gripper(False)
    assert not firmware.gripper_on


# Whether the gripper's output is on.


@pytest.mark.parametrize(
    ("output", "modes", "on"),
    [
        (GripperOutput("coolant"), b"G0 G54 G17 G21 G90 G94 M5 M8 T0 F0 S0", True),
        (GripperOutput("coolant"), b"G0 G54 G17 G21 G90 G94 M5 M7 M8 T0 F0 S0.", True),
        (GripperOutput("coolant"), b"G0 G54 G17 G21 G90 G94 M3 M9 T0 F0 S800", False),
        (GripperOutput("spindle"), b"G0 G54 G17 G21 G90 G94 M3 M9 T0 F0 S800", True),
        (GripperOutput("spindle"), b"G0 G54 G17 G21 G90 G94 G49 G98 G50 M5 M8 T0 F0 S0.", False),
    ],
)
def test_connecting_finds_out_whether_the_gripper_is_on(output: GripperOutput, modes: bytes, on: bool) -> None:
    port = ScriptedPort([*CONNECT[:3], (b"$G\n", b"[GC:" + modes + b"]\r\nok\r\n")], IDLE_AT_HOME)
    motion = GrblMotion(lambda: port, port.clock, output)
    motion.connect()
    assert motion.gripper_on is on


def test_what_an_earlier_program_left_gripped_is_known(homed: Machine) -> None:
    homed.motion.set_gripper(True)
    homed.motion.close()
    another = GrblMotion(lambda: homed.line, homed.clock)
    assert not another.gripper_on
    another.connect()
    assert another.gripper_on and homed.firmware.gripper_on


def test_a_gripper_is_on_until_released_reset_or_alarmed(homed: Machine) -> None:
    def alarm() -> None:
        homed.firmware.raise_alarm(1)
        with pytest.raises(PositionLostError):
            homed.motion.poll()

    def restart() -> None:
        homed.firmware.power_cycle()
        homed.clock.sleep(3)
        with pytest.raises(PositionLostError):
            homed.motion.poll()

    for end in (lambda: homed.motion.set_gripper(False), homed.motion.reset, alarm, restart):
        homed.motion.set_gripper(True)
        assert homed.motion.gripper_on and homed.firmware.gripper_on
        end()
        assert not homed.motion.gripper_on and not homed.firmware.gripper_on
        homed.motion.start_homing()
        finish(homed.motion, homed.clock)
