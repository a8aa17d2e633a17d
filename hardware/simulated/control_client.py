"""The other end of a running table's control socket: asks, and listens to its buttons' pins."""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from hardware.errors import TableProgramError
from hardware.simulated.requests import Request, Watch

PinObserver = Callable[[int, bool], None]
"""Told the number of a pin and whether it is high now."""

ANSWER_S = 5.0
"""How long (real time) the table may take to answer."""
DIAL_AGAIN_S = 1.0
_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 24


class ControlClient:
    """A `requests.Control` over the control socket at `path`, for any number of threads, one request at a time.

    TableProgramError if no table answers there, now or at any request. After one the next request tries to reach the
    table anew, which may have been started again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._line: _Line | None = _Line(path)

    def handle(self, request: Request) -> dict[str, Any]:
        """Have the table carry one request out and return what it answers, after 5 s at most.

        Raises TableProgramError when it cannot be done, or the table is gone or does not answer.
        """
        with self._lock:
            line = self._line or _Line(self._path)
            # Whatever goes wrong now leaves behind an answer that belongs to no later request.
            self._line = None
            try:
                reply = line.ask(request)
            except BaseException:
                line.close()
                raise
            self._line = line
        return _content(reply, line.folder)

    def close(self) -> None:
        """Leave the table; pins that were driven over this connection go off."""
        with self._lock:
            if self._line is not None:
                self._line.close()
            self._line = None


class PinWatch:
    """Listens to the table's buttons in a thread of its own until `close`; made by `watch_pins`."""

    def __init__(self, path: Path, on_level: PinObserver) -> None:
        self._path = path
        self._on_level = on_level
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._line = _watching(path)
        self._thread = threading.Thread(target=self._run, name="table pins", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread: when this returns nobody is told anything any more."""
        self._closing.set()
        with self._lock:
            self._line.wake()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(TableProgramError), contextlib.closing(self._line):
                self._listen()
            while not self._closing.wait(DIAL_AGAIN_S):
                with contextlib.suppress(TableProgramError):
                    line = _watching(self._path)
                    with self._lock:
                        self._line = line
                        if self._closing.is_set():
                            line.close()
                    break

    def _listen(self) -> None:
        while not self._closing.is_set():
            event = self._line.receive()
            pin, high = event.get("pin"), event.get("high")
            if isinstance(pin, int) and isinstance(high, bool):
                self._on_level(pin, high)


def watch_pins(path: Path, on_level: PinObserver) -> PinWatch:
    """Have `on_level` told, in a thread of its own, each level of the table's buttons as it is now, and each change.

    While the table is gone nothing is told; once it is back, its levels are. Raises TableProgramError if there is no
    table now.
    """
    return PinWatch(path, on_level)


def _watching(path: Path) -> _Line:
    line = _Line(path)
    try:
        _content(line.ask(Watch()), line.folder)
    except BaseException:
        line.close()
        raise
    line.wait_for_ever()
    return line


def _content(reply: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What a reply says besides that all is well; TableProgramError if it is not."""
    if isinstance(reply.get("error"), str):
        raise TableProgramError(reply["error"])
    if reply.pop("ok", None) is not True:
        raise _no_table(folder)
    return reply


class _Line:
    """One connection: a JSON object a line each way."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self._received = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise TableProgramError(_why_not_connected(path, error)) from error

    def ask(self, request: Request) -> dict[str, Any]:
        """Send a request and return the next reply; pins' events before it are passed over."""
        try:
            self._socket.sendall(msgspec.json.encode(request) + b"\n")
        except OSError as error:
            raise self._failure(error) from error
        while True:
            reply = self.receive()
            if "pin" not in reply:
                return reply

    def receive(self) -> dict[str, Any]:
        """The next line, decoded."""
        while b"\n" not in self._received:
            try:
                data = self._socket.recv(_CHUNK)
            except OSError as error:
                raise self._failure(error) from error
            if not data:
                raise TableProgramError(_gone(self.folder))
            self._received += data
            if len(self._received) > _LONGEST_LINE:
                raise _no_table(self.folder)
        line, _, self._received = self._received.partition(b"\n")
        try:
            return msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise _no_table(self.folder) from error

    def wait_for_ever(self) -> None:
        """From now on a line is waited for until it comes."""
        self._socket.settimeout(None)

    def wake(self) -> None:
        """Have whoever waits for a line told that the table is gone."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Leave the table."""
        self._socket.close()

    def _failure(self, error: OSError) -> TableProgramError:
        return TableProgramError(_silent(self.folder) if isinstance(error, TimeoutError) else _gone(self.folder))


def _why_not_connected(path: Path, error: OSError) -> str:
    folder = path.parent
    # EAGAIN: so many wait to be let in that there is no room for another.
    if isinstance(error, TimeoutError | BlockingIOError):
        return _silent(folder)
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"You are not allowed to use the simulated table in {folder}: be the user who started it."
    if error.errno is None:
        return f"The path of {folder} is too long for a control socket: run the simulated table in a shorter one."
    return f"No simulated table runs in {folder}: start one with 'crownhead table --dir {folder}'."


def _silent(folder: Path) -> str:
    return (
        f"The simulated table in {folder} does not answer: stop it and start it again with 'crownhead table --dir "
        f"{folder}'."
    )


def _gone(folder: Path) -> str:
    return f"The simulated table in {folder} is gone: start it again with 'crownhead table --dir {folder}'."


def _no_table(folder: Path) -> TableProgramError:
    return TableProgramError(
        f"What answers in {folder} is no simulated table: give the folder of one that 'crownhead table' has started."
    )
