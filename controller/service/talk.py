"""The service's socket: a JSON object a line each way, answered in threads of their own at the service's edge.

Nothing is done to the table here: what is to be known is read from the record, what is to be done is handed to the
loop.
"""

from __future__ import annotations

import base64
import contextlib
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.errors import ControllerError, ServiceError
from controller.service.health import health
from controller.service.requests import AskArm, AskPicture, AskStatus, EndGame, NewGame, Order, Request
from controller.service.status import Record

LONGEST_LINE = 65_536
MOST_VISITORS = 16
SILENT_S = 30.0
"""Who says nothing for so long is sent away."""

_decoder = msgspec.json.Decoder(Request)


class Talker:
    """Answers at the socket `path` until `close`. ServiceError if it cannot be made."""

    def __init__(self, path: Path, record: Record, give: Callable[[Order], str]) -> None:
        """`give` hands an order to the loop and returns a sentence about what becomes of it."""
        self._path, self._record, self._give = path, record, give
        self._visitors = threading.BoundedSemaphore(MOST_VISITORS)
        self._socket = _listening(path)
        self._thread = threading.Thread(target=self._serve, name="service socket", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more, and take the socket away."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def answer(self, line: bytes) -> dict[str, Any]:
        """The reply to one line."""
        try:
            request = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return {"error": f"this is no request: {error}"}
        try:
            return {"ok": True, **self._handle(request)}
        except ControllerError as error:
            return {"error": str(error)}

    def _handle(self, request: Request) -> dict[str, Any]:
        match request:
            case AskStatus():
                return {**self._record.values(), **health()}
            case AskPicture():
                jpeg = self._record.camera.jpeg()
                if jpeg is None:
                    raise ServiceError("the camera has given no picture yet: see 'crownhead status'")
                return {"jpeg": base64.b64encode(jpeg).decode(), "age_s": self._record.camera.age_s()}
            case AskArm():
                if self._record.arm is None:
                    raise ServiceError("the service has no arm: see 'crownhead status'")
                return self._record.arm
            case NewGame() | EndGame():
                return {"sentence": self._give(request)}

    def _serve(self) -> None:
        while True:
            try:
                visitor, _ = self._socket.accept()
            except OSError:
                return
            if not self._visitors.acquire(blocking=False):
                visitor.close()
                continue
            threading.Thread(target=self._converse, args=(visitor,), name="service visitor", daemon=True).start()

    def _converse(self, visitor: socket.socket) -> None:
        try:
            with visitor, visitor.makefile("rb") as lines:
                visitor.settimeout(SILENT_S)
                while line := lines.readline(LONGEST_LINE + 1):
                    if len(line) > LONGEST_LINE:
                        return
                    if line.strip():
                        visitor.sendall(msgspec.json.encode(self.answer(line)) + b"\n")
        except OSError:
            pass
        finally:
            self._visitors.release()


def _listening(path: Path) -> socket.socket:
    """A listening socket at `path`, in place of one that a service has left which was killed.

    Bound by way of the folder's descriptor, so that the path may be as long as it likes (a socket's may not).
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_PATH | os.O_CLOEXEC)
        before = os.umask(0o117)
        try:
            listening.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.umask(before)
            os.close(folder)
        listening.listen()
    except OSError as error:
        listening.close()
        raise ServiceError(
            f"the service's socket {path} cannot be made ({error.strerror}): name another folder with --state"
        ) from error
    return listening
