"""The port by pyserial, against a real pseudo-terminal with the simulated firmware behind it."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import serial

from hardware.clock import RealClock, VirtualClock
from hardware.errors import FirmwareError, HardwareError, PositionLostError, SerialError
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.grbl.timings import GrblTimings
from hardware.permit import AttendedPermit
from hardware.serial_port import open_serial_port
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.pseudo_terminal import PseudoTerminal

PATIENT = GrblTimings(answer_s=60, silence_s=60, connect_s=60)
"""A busy computer may keep the firmware's thread waiting."""
QUICK_HOMING = {24: 3000.0, 25: 24000.0, 26: 0.0}


@pytest.fixture
def terminal() -> Iterator[PseudoTerminal]:
    firmware = GrblFirmware(QUICK_HOMING, start_mm=(-3.0, -3.0, -3.0), boot_s=0.1)
    firmware.advance_to(RealClock().now())
    terminal = PseudoTerminal(firmware, RealClock())
    terminal.start()
    yield terminal
    terminal.close()


def gantry_at(name: str) -> Gantry:
    clock = RealClock()
    return Gantry(GrblMotion(lambda: open_serial_port(name), clock, timings=PATIENT), AttendedPermit(), clock)


def test_the_gantry_works_through_a_real_pseudo_terminal(terminal: PseudoTerminal) -> None:
    gantry = gantry_at(terminal.name)
    assert gantry.connect() == "Grbl 1.1h.20190825"
    gantry.home()
    gantry.move_to(x=-10, y=-8)
    gantry.grip()
    with terminal.lock:
        assert terminal.firmware.position == pytest.approx((-10, -8, -2), abs=0.02)
        assert terminal.firmware.gripper_on
    gantry.release()
    gantry.close()


def test_a_second_opener_is_told_that_the_port_is_in_use(terminal: PseudoTerminal) -> None:
    port = open_serial_port(terminal.name)
    with pytest.raises(SerialError, match="is used by another program"):
        open_serial_port(terminal.name)
    port.close()
    open_serial_port(terminal.name).close()


def test_unplugging_is_one_sentence(terminal: PseudoTerminal) -> None:
    gantry = gantry_at(terminal.name)
    gantry.connect()
    gantry.home()
    terminal.unplug()
    with pytest.raises(SerialError, match="is gone: check the USB cable"):
        gantry.move_to(x=-5)
    with pytest.raises(PositionLostError):
        gantry.move_to(x=-5)
    gantry.close()
    with pytest.raises(SerialError, match="There is no serial port"):
        gantry.connect()


class UnpluggingPermit:
    """Always gives leave; the second time it is asked in a move the cable is pulled."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._terminal = terminal
        self.asked = 0
        self.pull = False

    def refusal(self) -> str | None:
        self.asked += self.pull
        if self.asked == 2:
            self._terminal.unplug()
        return None


def test_unplugged_in_mid_move_plugged_in_again_under_another_name(terminal: PseudoTerminal, tmp_path: Path) -> None:
    port = tmp_path / "serial"
    port.symlink_to(terminal.name)
    clock, permit = RealClock(), UnpluggingPermit(terminal)
    motion = GrblMotion(lambda: open_serial_port(str(port)), clock, timings=PATIENT)
    gantry = Gantry(motion, permit, clock)
    gantry.connect()
    gantry.home()
    permit.pull = True
    with pytest.raises(SerialError, match="is gone: check the USB cable"):
        gantry.move_to(x=-600)
    port.unlink()
    for _ in range(2):
        with pytest.raises(SerialError, match="There is no serial port"):
            gantry.connect()
    occupied = os.openpty()
    terminal.plug_in()
    port.symlink_to(terminal.name)
    assert gantry.connect() == "Grbl 1.1h.20190825"
    assert not gantry.homed
    gantry.home()
    gantry.move_to(x=-10)
    with terminal.lock:
        assert terminal.firmware.position == pytest.approx((-10, -2, -2), abs=0.02)
    gantry.close()
    for end in occupied:
        os.close(end)


def test_opening_may_reset_as_an_arduino_does() -> None:
    firmware = GrblFirmware(QUICK_HOMING, boot_s=0.1)
    clock = RealClock()
    firmware.advance_to(clock.now())
    terminal = PseudoTerminal(firmware, clock, opening_resets=True)
    terminal.start()
    try:
        port = open_serial_port(terminal.name)
        said = b""
        until = clock.now() + 30
        while b"unlock]" not in said and clock.now() < until:
            said += port.read()
            clock.sleep(0.005)
        assert b"Grbl 1.1h" in said
        port.close()
    finally:
        terminal.close()


def test_nothing_said_to_nobody_is_kept() -> None:
    clock = VirtualClock()
    firmware = GrblFirmware()
    terminal = PseudoTerminal(firmware, clock)
    firmware.noise(b"lost")
    terminal.serve_once()
    assert firmware.take_output() == b""
    terminal.close()
    terminal.serve_once()


def test_bytes_arrive_whole_and_in_order() -> None:
    """All 256 byte values cross the pseudo-terminal unchanged, both ways."""
    ours, theirs = os.openpty()
    port = open_serial_port(os.ttyname(theirs))
    every = bytes(range(256))
    port.write(every)
    received = b""
    while len(received) < 256:
        received += os.read(ours, 4096)
    assert received == every
    os.write(ours, every)
    back = b""
    while len(back) < 256:
        back += port.read()
    assert back == every
    assert port.read() == b""
    port.close()
    os.close(ours)
    os.close(theirs)


def test_a_line_that_takes_no_bytes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.serial_port.WRITE_TIMEOUT_S", 0.01)
    ours, theirs = os.openpty()
    port = open_serial_port(os.ttyname(theirs))
    with pytest.raises(SerialError, match="takes no more bytes"):
        for _ in range(100):
            port.write(b"x" * 4096)
    port.close()
    os.close(ours)
    os.close(theirs)


def test_a_missing_port_says_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(SerialError, match="There is no serial port /dev/ttyNONE9: no serial device is plugged in"):
        monkeypatch.setattr("hardware.serial_port._BY_ID", tmp_path / "none")
        open_serial_port("/dev/ttyNONE9")
    (tmp_path / "usb-1a86_USB_Serial-if00-port0").touch()
    monkeypatch.setattr("hardware.serial_port._BY_ID", tmp_path)
    with pytest.raises(SerialError, match=r"connected are .*usb-1a86_USB_Serial-if00-port0\."):
        open_serial_port("/dev/ttyNONE9")


def test_a_file_is_no_serial_port(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(SerialError, match="cannot be opened as a serial port"):
        open_serial_port(str(path))


def test_no_permission_names_group_and_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "tty"
    path.touch()

    def refuse(*args: Any, **kwargs: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(serial.serialposix.os, "open", refuse)
    with pytest.raises(SerialError, match=r"not allowed to use .*sudo usermod -aG \S+ \$USER"):
        open_serial_port(str(path))


def test_an_unknown_scheme_and_a_dead_address_are_one_sentence() -> None:
    for name in ("nonsense://x", "socket://127.0.0.1:1"):
        with pytest.raises(SerialError) as caught:
            open_serial_port(name)
        assert name in str(caught.value) and str(caught.value).endswith(".")


def test_grbl_over_a_socket() -> None:
    """What a network serial bridge gives: the same protocol on a TCP connection."""
    server = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def serve() -> None:
        connection, _ = server.accept()
        connection.settimeout(0.002)
        firmware, clock = GrblFirmware(QUICK_HOMING), RealClock()
        while not stop.is_set():
            firmware.advance_to(clock.now())
            try:
                received = connection.recv(4096)
                if not received:
                    break
                firmware.receive(received)
            except TimeoutError:
                pass
            if output := firmware.take_output():
                connection.sendall(output)
        connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    gantry = gantry_at(f"socket://127.0.0.1:{server.getsockname()[1]}")
    assert gantry.connect().startswith("Grbl 1.1h")
    stop.set()
    thread.join()
    with pytest.raises(HardwareError):
        gantry.home()
    gantry.close()
    server.close()


def test_a_port_with_nothing_behind_it_is_no_grbl() -> None:
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    clock = RealClock()
    motion = GrblMotion(lambda: open_serial_port(name), clock, timings=GrblTimings(connect_s=0.2))
    with pytest.raises(FirmwareError, match=f"{name} does not answer"):
        motion.connect()
    os.close(ours)
    os.close(theirs)
