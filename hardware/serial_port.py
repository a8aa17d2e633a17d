"""Bytes over a serial port, by pyserial; every way it can fail becomes one sentence."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import grp
import os
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import serial

from hardware.errors import PortInUseError, SerialError
from hardware.port_holders import who_holds

WRITE_TIMEOUT_S = 1.0
_CHUNK = 4096
_BY_ID = Path("/dev/serial/by-id")


class BytePort(Protocol):
    """A two-way line of bytes."""

    name: str

    def write(self, data: bytes) -> None:
        """Send all bytes; SerialError when the line is gone or takes nothing for a second."""
        ...

    def read(self) -> bytes:
        """All that has arrived, perhaps nothing; never waits. SerialError when the line is gone."""
        ...

    def close(self) -> None:
        """Let go of the line; never fails."""
        ...


def open_serial_port(name: str, baud: int = 115200) -> BytePort:
    """Open a device path, a pseudo-terminal, or a pyserial URL such as `socket://host:port`, for us alone.

    Raises SerialError with one sentence that says what is wrong with the port and what to do.
    """
    try:
        port = serial.serial_for_url(
            name, baudrate=baud, timeout=0, write_timeout=WRITE_TIMEOUT_S, exclusive=True, do_not_open=True
        )
        port.open()
    except (OSError, ValueError, termios.error) as error:
        kind = PortInUseError if _is_in_use(error) else SerialError
        raise kind(_why_not_opened(name, error)) from error
    _keep_others_out(name, port)
    if hasattr(termios, f"B{baud}"):  # Other speeds do not survive being set anew by way of termios.
        _stay_up_when_closed(port)
    return _PySerialPort(name, port)


def serial_port_opener(name: str, baud: int = 115200) -> Callable[[], BytePort]:
    """A function that opens the port, as often as it takes.

    A device that has been opened as /dev/ttyUSB0, say, and comes back as /dev/ttyUSB1 is found again: from the first
    time on it is opened by its lasting name under /dev/serial/by-id/, if it has one.
    """
    wanted = name

    def open_port() -> BytePort:
        nonlocal wanted
        port = open_serial_port(wanted, baud)
        wanted = lasting_name(wanted)
        return port

    return open_port


def lasting_name(name: str) -> str:
    """The name under /dev/serial/by-id/ of the device that is `name` now; `name` itself where there is none.

    A name that is a link is somebody's choice already (udev's or ours) and stays.
    """
    path = Path(name)
    if "://" in name or path.is_symlink():
        return name
    for other in serial_devices():
        if Path(other).resolve() == path:
            return other
    return name


def _keep_others_out(name: str, port: Any) -> None:
    """Beside pyserial's lock, which only programs heed that lock too: no other than root's can open the device.

    A pseudo-terminal would stay closed to others after our death, for it lives on at its other end.
    """
    if "://" in name or Path(name).resolve().is_relative_to("/dev/pts"):
        return
    with contextlib.suppress(OSError, AttributeError, ValueError):
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)


def _stay_up_when_closed(port: Any) -> None:
    """Closing the port, or our death, does not drop DTR (HUPCL), and so the next opening does not raise it.

    That edge is what resets an Arduino, and drops the disc that it holds; only the first opening after plugging in
    has it then. Source: termios(3), and the Arduino's auto-reset circuit.
    """
    with contextlib.suppress(OSError, termios.error, AttributeError, ValueError):  # A network port has no such lines.
        modes = termios.tcgetattr(port.fileno())
        modes[2] &= ~termios.HUPCL
        termios.tcsetattr(port.fileno(), termios.TCSANOW, modes)


def stolen_by(name: str) -> str:
    """ ", and ModemManager (process 412) has it open, too" where that is so, else nothing."""
    if "://" in name or Path(name).resolve().is_relative_to("/dev/pts"):
        return ""
    holders = who_holds(name)
    return f", and {holders[0]} has it open, too" if holders else ""


class _PySerialPort:
    """A BytePort over pyserial."""

    def __init__(self, name: str, port: Any) -> None:
        self.name = name
        self._port = port

    def write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except serial.SerialTimeoutException as error:
            raise SerialError(
                f"The serial port {self.name} takes no more bytes: switch the controller board off and on again."
            ) from error
        except (OSError, TypeError, ValueError, termios.error) as error:
            raise SerialError(self._gone()) from error

    def read(self) -> bytes:
        try:
            return bytes(self._port.read(_CHUNK))
        except (OSError, TypeError, ValueError, termios.error) as error:
            # pyserial raises TypeError when another thread has closed the port under it.
            raise SerialError(self._gone()) from error

    def close(self) -> None:
        # The device may be gone already; then there is nothing left to close.
        with contextlib.suppress(OSError, termios.error):
            self._port.close()

    def _gone(self) -> str:
        return f"The serial port {self.name} is gone: check the USB cable and the Pi's power supply."


def serial_devices() -> list[str]:
    """The serial ports that are plugged in, by their lasting names."""
    try:
        return sorted(str(path) for path in _BY_ID.iterdir())
    except OSError:
        return []


def _why_not_opened(name: str, error: BaseException) -> str:
    if "://" in name:
        return f"Nothing can be reached at {name}: check the address and that the other side is running ({error})."
    if not Path(name).exists():
        found = serial_devices()
        there = f"connected are {', '.join(found)}" if found else "no serial device is plugged in"
        return f"There is no serial port {name}: {there}."
    number = _error_number(error)
    if number in (errno.EACCES, errno.EPERM):
        group = _group_of(name)
        return f"You are not allowed to use {name}: run 'sudo usermod -aG {group} $USER', then log out and in again."
    if _is_in_use(error):
        if holders := who_holds(name):
            return f"{name} is used by another program, {' and '.join(holders)}: stop it, or use another port."
        return (
            f"{name} is used by another program: stop it ('fuser -v {name}' names it; often ModemManager or brltty)."
        )
    return f"{name} cannot be opened as a serial port: give the path of the controller board's port ({error})."


def _is_in_use(error: BaseException) -> bool:
    return _error_number(error) in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK)


def _error_number(error: BaseException) -> int | None:
    """The errno, which pyserial often leaves only in the exception that it replaced or in its text."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:
            return cause.errno
        cause = cause.__context__
    return errno.EBUSY if "exclusively lock" in str(error) else None


def _group_of(name: str) -> str:
    try:
        return grp.getgrgid(os.stat(name).st_gid).gr_name  # noqa: PTH116 - the numeric group may have no name
    except (OSError, KeyError):
        return "dialout"
