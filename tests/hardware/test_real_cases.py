"""What goes wrong in real machines, case by case: the simulated firmware misbehaves so, and what must come of it."""

from __future__ import annotations

import os
import signal
import termios
import threading
from pathlib import Path

import pytest
import serial
from simulated_machine import Machine, ScriptedPort, SpyLine

from hardware import port_holders, serial_port
from hardware.clock import Clock, VirtualClock
from hardware.errors import FirmwareError, HardwareError, PositionLostError, SerialError, StoppedError
from hardware.gantry import Gantry
from hardware.gantry_limits import GantryState
from hardware.grbl.driver import GrblMotion
from hardware.machine_check import contradictions, refuse_contradictions
from hardware.permit import AttendedPermit
from hardware.port_holders import who_holds
from hardware.serial_port import lasting_name, open_serial_port, serial_port_opener
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.firmware_state import State
from hardware.simulated.line import SimulatedLine
from tests.late_line import LateLine


class NoisyLine(SimulatedLine):
    """Noise towards the firmware: replaces bytes of the next line, or loses what comes back (a stolen port)."""

    def __init__(self, firmware: GrblFirmware, clock: Clock) -> None:
        super().__init__(firmware, clock)
        self.replace: tuple[bytes, bytes] | None = None
        self.stolen = False

    def write(self, data: bytes) -> None:
        if self.replace is not None and self.replace[0] in data:
            data = data.replace(*self.replace, 1)
            self.replace = None
        super().write(data)

    def read(self) -> bytes:
        data = super().read()
        return b"" if self.stolen else data


class Noisy:
    """A homed gantry behind a line with noise."""

    def __init__(self, firmware: GrblFirmware | None = None) -> None:
        self.clock = VirtualClock()
        self.firmware = firmware or GrblFirmware()
        self.clock.attach(self.firmware.advance_to)
        self.line = NoisyLine(self.firmware, self.clock)
        self.unexpected: list[str] = []
        self.motion = GrblMotion(lambda: self.line, self.clock, on_unexpected=self.unexpected.append)
        self.gantry = Gantry(self.motion, AttendedPermit(), self.clock)
        self.gantry.connect()
        self.gantry.home()

    def leads_on(self) -> None:
        """After the fault: connect, home, move."""
        self.line.stolen = False
        self.clock.sleep(3)
        self.gantry.connect()
        self.gantry.home()
        self.gantry.move_to(x=-10)
        assert self.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)


@pytest.fixture
def noisy() -> Noisy:
    return Noisy()


# The position is zero after connecting: the chip was reset by opening the port.


def test_a_board_that_restarts_on_opening_is_not_taken_at_its_word(machine: Machine) -> None:
    machine.homed().gantry.move_to(x=-300)
    machine.firmware.power_cycle()
    machine.gantry.connect()
    assert machine.firmware.counted_position == (0, 0, 0)
    assert not machine.gantry.homed
    with pytest.raises(PositionLostError):
        machine.gantry.move_to(x=-10)


def test_an_unasked_banner_while_nothing_is_asked_is_found_before_anything_moves(homed: Machine) -> None:
    homed.gantry.grip()
    homed.firmware.power_cycle()
    homed.clock.sleep(5)
    with pytest.raises(PositionLostError, match="restarted by itself"):
        homed.gantry.move_to(x=-10)
    assert not homed.gantry.homed and not homed.gantry.holding_disc
    assert not [data for data in homed.line.lines() if data.startswith(b"G21")]


# Dead to everything after an alarm; an alarm without touching.


@pytest.mark.parametrize("code", [1, 2])
def test_a_board_that_an_alarm_has_silenced_is_reset_and_homed(homed: Machine, code: int) -> None:
    homed.at(homed.clock.now() + 0.4, lambda: homed.firmware.raise_alarm(code))
    with pytest.raises(PositionLostError, match=f"alarm {code}:"):
        homed.gantry.move_to(x=-500)
    assert homed.line.lines().count(b"\x18") == 0, "nothing is unlocked by itself"
    homed.clock.sleep(10)
    homed.gantry.home()
    assert b"\x18" in homed.line.lines() and b"$X\n" not in homed.line.lines()
    homed.gantry.move_to(x=-20)
    assert homed.firmware.position == pytest.approx((-20, -2, -2), abs=0.02)


def test_a_board_silenced_by_an_alarm_whose_line_was_lost(homed: Machine) -> None:
    def strike() -> None:
        homed.firmware.raise_alarm(1)
        homed.firmware.take_output()

    homed.at(homed.clock.now() + 0.4, strike)
    with pytest.raises(SerialError, match="does not answer"):
        homed.gantry.move_to(x=-500)
    homed.gantry.connect()
    homed.gantry.home()
    homed.gantry.move_to(x=-20)
    assert homed.firmware.position == pytest.approx((-20, -2, -2), abs=0.02)


# error: while later lines would run.


@pytest.mark.parametrize("line", [b"G0", b"P0"])
def test_an_error_ends_all_motion_and_nothing_is_sent_after_it(noisy: Noisy, line: bytes) -> None:
    noisy.line.replace = (line, b"Q7")
    with pytest.raises(FirmwareError, match="refused"):
        noisy.gantry.move_to(x=-600)
    noisy.clock.sleep(3)
    assert not noisy.firmware.moving
    assert noisy.firmware.position[0] > -300, "also when only the barrier was refused, and the move had begun"
    noisy.leads_on()


# Noise.


def test_a_lost_ok_is_asked_about_and_never_answered_by_sending_again(homed: Machine) -> None:
    homed.firmware.faults.swallow_replies = 1
    with pytest.raises(FirmwareError, match="noise has spoilt the line"):
        homed.gantry.move_to(x=-30)
    moves = [data for data in homed.line.lines() if data.startswith(b"G21")]
    assert len(moves) == 1
    assert homed.line.written[-1][1] in (b"?", b"!")


@pytest.mark.parametrize(
    ("was", "became"),
    [
        (b"-100", b"-1\xff0"),
        (b"X", b"Y"),
        (b"-100", b"-900"),
        (b"-100", b"-10"),
        (b"G53", b"G5\xff"),
        (b"\n", b"\xff"),
    ],
)
def test_a_line_that_arrives_as_another_never_counts_as_done(noisy: Noisy, was: bytes, became: bytes) -> None:
    noisy.line.replace = (was, became)
    with pytest.raises(HardwareError):
        noisy.gantry.move_to(x=-100)
    assert not noisy.gantry.homed
    noisy.leads_on()


def test_a_spoilt_target_is_noticed_on_the_way_and_not_at_its_end(noisy: Noisy) -> None:
    noisy.line.replace = (b"X-100", b"Y-400")
    with pytest.raises(FirmwareError, match="mm from where it was sent"):
        noisy.gantry.move_to(x=-100)
    noisy.clock.sleep(3)
    assert not noisy.firmware.moving
    assert noisy.firmware.position[1] > -250


def test_a_reset_byte_inside_a_line_means_position_lost(noisy: Noisy) -> None:
    noisy.line.replace = (b"G53", b"G5\x18")
    with pytest.raises(PositionLostError, match="restarted by itself"):
        noisy.gantry.move_to(x=-100)
    noisy.leads_on()


def test_junk_between_the_lines_is_reported_and_harmless(homed: Machine) -> None:
    homed.at(homed.clock.now() + 0.3, lambda: homed.firmware.noise(b"\xff\x00\xfe~garbage~\r\n"))
    homed.gantry.move_to(x=-500)
    assert homed.firmware.position[0] == pytest.approx(-500, abs=0.02)
    assert len(homed.unexpected) == 1


# Homing that fails.


@pytest.mark.parametrize(("code", "words"), [(8, "stayed closed"), (9, "was not found"), (6, "reset while homing")])
def test_homing_that_fails_says_why_and_can_be_tried_again(machine: Machine, code: int, words: str) -> None:
    machine.gantry.connect()
    machine.at(machine.clock.now() + 0.4, lambda: machine.firmware.raise_alarm(code))
    with pytest.raises(PositionLostError, match=words):
        machine.gantry.home()
    assert machine.gantry.state is GantryState.UNHOMED
    machine.clock.sleep(3)
    machine.gantry.home()
    assert machine.gantry.homed


@pytest.mark.parametrize("code", [8, 9])
def test_the_banner_after_homing_that_failed_is_not_taken_for_the_answer_to_our_reset(code: int) -> None:
    clock, firmware = VirtualClock(), GrblFirmware()
    clock.attach(firmware.advance_to)
    line = LateLine(firmware, clock, late_s=0.016)
    gantry = Gantry(GrblMotion(lambda: line, clock), AttendedPermit(), clock)
    gantry.connect()
    alarms = [clock.now() + 0.4]
    clock.attach(lambda now: alarms and now >= alarms[0] and alarms.pop() and firmware.raise_alarm(code))
    with pytest.raises(PositionLostError):
        gantry.home()
    for _ in range(100):  # Nobody reads meanwhile; the banner waits.
        clock.sleep(0.03)
    gantry.home()
    assert gantry.homed


# The port: busy, stolen, renamed, forbidden.


def test_a_stolen_port_ends_in_one_sentence(noisy: Noisy) -> None:
    noisy.line.stolen = True
    with pytest.raises(SerialError, match="does not answer"):
        noisy.gantry.move_to(x=-100)
    noisy.clock.sleep(3)
    noisy.leads_on()


def fake_process(proc: Path, number: int, program: str, *devices: str) -> None:
    (proc / str(number) / "fd").mkdir(parents=True)
    (proc / str(number) / "comm").write_text(program + "\n")
    for index, device in enumerate(devices):
        (proc / str(number) / "fd" / str(index)).symlink_to(device)


def test_who_holds_a_port_is_named(tmp_path: Path) -> None:
    fake_process(tmp_path, 7, "idle", "/dev/zero")
    fake_process(tmp_path, 412, "ModemManager", "/dev/zero", "/dev/null")
    fake_process(tmp_path, os.getpid(), "ourselves", "/dev/null")
    (tmp_path / "self").mkdir()
    assert who_holds("/dev/null", tmp_path) == ["ModemManager (process 412)"]
    assert who_holds("/dev/full", tmp_path) == []
    assert who_holds(str(tmp_path / "nothing"), tmp_path) == []


def test_a_silent_board_whose_port_another_program_has_open_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_process(tmp_path, 412, "ModemManager", "/dev/null")
    monkeypatch.setattr(serial_port, "who_holds", lambda name: port_holders.who_holds(name, tmp_path))
    port = ScriptedPort([(b"\n", b""), (b"\x18", b"")])
    port.name = "/dev/null"
    with pytest.raises(FirmwareError, match=r"ModemManager \(process 412\) has it open, too"):
        GrblMotion(lambda: port, port.clock).connect()


def test_a_device_that_comes_back_under_another_name_is_found_by_its_lasting_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    ends = [os.openpty(), os.openpty()]
    first, second = (os.ttyname(theirs) for _, theirs in ends)
    monkeypatch.setattr("hardware.serial_port._BY_ID", by_id)
    (by_id / "usb-arduino").symlink_to(first)
    assert lasting_name(first) == str(by_id / "usb-arduino")
    assert lasting_name(second) == second
    opener = serial_port_opener(first)
    opener().close()
    (by_id / "usb-arduino").unlink()
    (by_id / "usb-arduino").symlink_to(second)
    port = opener()
    os.write(ends[1][0], b"here")
    heard = b""
    while len(heard) < 4:
        heard += port.read()
    assert heard == b"here"
    port.close()
    for pair in ends:
        for end in pair:
            os.close(end)


def test_closing_the_port_does_not_drop_dtr_and_so_the_next_opening_resets_nothing() -> None:
    ours, theirs = os.openpty()
    modes = termios.tcgetattr(theirs)
    modes[2] |= termios.HUPCL
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    port = open_serial_port(os.ttyname(theirs))
    assert not termios.tcgetattr(theirs)[2] & termios.HUPCL
    port.close()
    assert not termios.tcgetattr(theirs)[2] & termios.HUPCL
    os.close(ours)
    os.close(theirs)


def test_every_way_that_pyserial_fails_becomes_our_error(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    port = open_serial_port(os.ttyname(theirs))
    for error in (serial.SerialException("gone"), OSError(5, "gone"), termios.error(5, "gone"), TypeError("closed")):

        def fail(*_: object, error: Exception = error) -> bytes:
            raise error

        monkeypatch.setattr(port._port, "read", fail)  # type: ignore[attr-defined]
        monkeypatch.setattr(port._port, "write", fail)  # type: ignore[attr-defined]
        with pytest.raises(SerialError, match="is gone: check the USB cable"):
            port.read()
        with pytest.raises(SerialError, match="is gone: check the USB cable"):
            port.write(b"?")
    os.close(ours)
    os.close(theirs)


# Our program dies with the gripper on; the line in work runs on, and no other.


def test_after_our_death_the_disc_stays_held_and_at_most_one_move_runs_on(homed: Machine) -> None:
    homed.gantry.grip()
    homed.motion.start_move(x=-300)
    homed.clock.sleep(0.3)
    # From here on nobody polls, as after kill -9.
    homed.clock.sleep(60)
    assert homed.firmware.position == pytest.approx((-300, -2, -2), abs=0.02)
    assert homed.firmware.gripper_on
    clock, firmware = homed.clock, homed.firmware
    again = Gantry(GrblMotion(lambda: SpyLine(firmware, clock), clock), AttendedPermit(), clock)
    again.connect()
    assert again.holding_disc and firmware.gripper_on, "who comes next looks before releasing"
    again.home()
    assert again.holding_disc


# Stopping: the byte is on the line before `stop` returns, whoever calls it and whatever the main loop is doing.


def test_a_stop_from_another_thread_is_on_the_line_at_once(homed: Machine) -> None:
    def from_another_thread() -> None:
        thread = threading.Thread(target=homed.gantry.stop)
        thread.start()
        thread.join()
        assert homed.line.written[-1][1] == b"!"

    homed.at(homed.clock.now() + 0.4, from_another_thread)
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    assert homed.firmware.state is State.HOLD
    homed.gantry.allow()
    homed.gantry.move_to(x=-20)
    assert homed.firmware.position[0] == pytest.approx(-20, abs=0.02)


def test_a_stop_does_not_wait_for_whoever_is_asked_for_the_permit(homed: Machine) -> None:
    asked: list[float] = []

    def slow_look() -> None:
        if not asked:
            asked.append(homed.clock.now())
            homed.gantry.stop("the stop button was pressed")
            assert homed.line.written[-1] == (asked[0], b"!")
            homed.clock.sleep(0.3)

    homed.permit.on_ask, homed.permit.on_ask_after = slow_look, homed.clock.now() + 0.4
    with pytest.raises(StoppedError):
        homed.gantry.move_to(x=-500)
    assert homed.firmware.position[0] > -220


def test_a_stop_in_a_signals_handler_is_on_the_line_at_once(homed: Machine) -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: homed.gantry.stop("a signal came"))
    try:
        homed.at(homed.clock.now() + 0.4, lambda: signal.raise_signal(signal.SIGUSR1))
        with pytest.raises(StoppedError, match="a signal came"):
            homed.gantry.move_to(x=-500)
    finally:
        signal.signal(signal.SIGUSR1, before)
    (held,) = [t for t, data in homed.line.written if data == b"!"][:1]
    assert held == pytest.approx(0.4 + homed.line.written[0][0], abs=0.06)


def test_a_stop_at_rest_sends_nothing_and_a_stop_as_a_move_ends_leaves_nothing_stuck(homed: Machine) -> None:
    homed.gantry.stop()
    assert homed.line.lines() == []
    homed.gantry.allow()
    homed.motion.start_move(x=-20)
    while homed.firmware.busy:
        homed.clock.sleep(0.001)
    homed.gantry.stop()
    assert homed.line.written[-1][1] == b"!"
    homed.clock.sleep(1)
    homed.gantry.allow()
    homed.gantry.move_to(x=-30)
    homed.gantry.grip()
    assert homed.firmware.position[0] == pytest.approx(-30, abs=0.02) and homed.firmware.gripper_on


def test_a_stop_while_homing_resets_at_once(machine: Machine) -> None:
    machine.gantry.connect()

    def stop() -> None:
        machine.gantry.stop("a person asked")
        assert machine.line.written[-1][1] == b"\x18"

    machine.at(machine.clock.now() + 0.5, stop)
    with pytest.raises(StoppedError, match="a person asked"):
        machine.gantry.home()
    assert not machine.firmware.moving and not machine.gantry.homed
    machine.gantry.allow()
    machine.gantry.home()
    assert machine.gantry.homed


# The machine's settings against ours.


def limits_of(firmware: GrblFirmware) -> tuple[GrblMotion, VirtualClock]:
    clock = VirtualClock()
    clock.attach(firmware.advance_to)
    motion = GrblMotion(lambda: SimulatedLine(firmware, clock), clock)
    motion.connect()
    return motion, clock


@pytest.mark.parametrize(
    ("settings", "what", "words"),
    [
        ({131: 300.0}, "travel y", r"\$131.*machine.travel_y_mm = 300"),
        ({132: 60.0}, "travel z", r"\$132"),
        ({20: 0, 22: 0}, "homing", r"\$22.*switch it on"),
        ({20: 0}, "soft limits", r"\$20"),
        ({1: 25}, "motors", r"\$1\b.*sinks"),
        ({110: 60000.0, 100: 20.0}, "speed", r"\$110.*machine.fastest_mm_s = 1082"),
    ],
)
def test_settings_that_contradict_the_machine_are_said(settings: dict[int, float], what: str, words: str) -> None:
    motion, _ = limits_of(GrblFirmware(settings))
    found = {one.what: one for one in contradictions(motion.limits, (620, 490, 95), 600)}
    assert what in found
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(found[what].sentence)
    assert all(one.sentence.endswith(".") for one in found.values())


def test_the_reference_build_contradicts_nothing() -> None:
    motion, _ = limits_of(GrblFirmware())
    assert contradictions(motion.limits, (620, 490, 95), 600) == []


def test_what_is_fatal_is_refused_and_the_rest_is_only_said(caplog: pytest.LogCaptureFixture) -> None:
    motion, _ = limits_of(GrblFirmware({1: 25, 20: 0}))
    refuse_contradictions(contradictions(motion.limits, (620, 490, 95), 600))
    assert len(caplog.messages) == 2
    with pytest.raises(FirmwareError, match=r"travels 620 mm in x \(\$130\) and the settings say 700"):
        refuse_contradictions(contradictions(motion.limits, (700, 490, 95), 600))


def test_a_longer_travel_of_the_machine_contradicts_nothing() -> None:
    motion, _ = limits_of(GrblFirmware({130: 800.0}))
    assert contradictions(motion.limits, (620, 490, 95), 600) == []


@pytest.mark.parametrize(("number", "value"), [(110, 0.0), (130, -5.0), (122, 0.0)])
def test_settings_that_cannot_be_right_are_refused(number: int, value: float) -> None:
    with pytest.raises(FirmwareError, match=rf"\${number}=.* cannot be right"):
        limits_of(GrblFirmware({number: value}))


# Kin of Grbl.

FLUIDNC = [
    (b"\n", b""),
    (b"$I\n", b"[VER:3.7 FluidNC v3.7.0:]\r\n[OPT:MPHS]\r\n[MSG: Machine: Gantry]\r\nok\r\n"),
    (
        b"$$\n",
        b"$22=1\r\n$21=0\r\n$20=1\r\n$102=250.000\r\n$101=80.000\r\n$100=80.000\r\n$112=6000.000\r\n$111=9000.000\r\n"
        b"$110=9000.000\r\n$122=500.000\r\n$121=900.000\r\n$120=900.000\r\n$132=95.000\r\n$131=490.000\r\n"
        b"$130=620.000\r\n$10=1\r\n$30=0\r\nok\r\n",
    ),
    (b"$G\n", b"[GC:G0 G54 G17 G21 G90 G94 M5 M9 T0 F0 S0.000]\r\nok\r\n"),
    (b"$H\n", b"[MSG:Homed:Z]\r\n[MSG:Homed:X]\r\n[MSG:Homed:Y]\r\nok\r\n"),
]


def test_a_machine_that_counts_from_0_upwards_is_put_into_our_coordinates() -> None:
    """FluidNC with mpos_mm at the switches: homing ends at the upper ends of x and y and z, called 618, 488, 93."""
    port = ScriptedPort(
        [*FLUIDNC, (b"G21 G90 G53 G0 X520.000 Z85.000\n", b"ok\r\n"), (b"G4 P0.001\n", b"ok\r\n")],
        status=b"<Idle|MPos:618.000,488.000,93.000|FS:0,0|SD:1.2,/x>\r\n",
    )
    motion = GrblMotion(lambda: port, port.clock)
    assert motion.connect().startswith("Grbl 3.7 FluidNC")
    motion.start_homing()
    while motion.poll().value in ("homing", "moving"):
        port.clock.sleep(0.01)
    assert motion.position() == pytest.approx((-2, -2, -2))
    assert motion.home_corner == (0, 0, 0)
    motion.start_move(x=-100, z=-10)
    port.status = b"<Idle|MPos:520.000,488.000,85.000|FS:0,0>\r\n"
    while motion.poll().value == "moving":
        port.clock.sleep(0.01)
    assert motion.position() == pytest.approx((-100, -2, -10))
    assert port.script == []


def test_grblhal_says_by_an_alarm_that_homing_is_due(machine: Machine) -> None:
    machine.firmware.noise(b"ALARM:11\r\n")
    machine.gantry.connect()
    machine.firmware.noise(b"ALARM:11\r\n")
    machine.gantry.home()
    assert machine.gantry.homed


# The gripper's line.


@pytest.mark.parametrize("before", [b";", b"("])
def test_a_gripper_line_that_noise_has_made_a_comment_is_noticed(homed: Machine, before: bytes) -> None:
    homed.firmware.receive(before)  # Grbl answers `ok` to a comment.
    with pytest.raises(FirmwareError, match="'M8' has not switched what it should"):
        homed.gantry.grip()
    assert not homed.gantry.holding_disc
    homed.gantry.home()
    homed.gantry.grip()
    assert homed.firmware.gripper_on
