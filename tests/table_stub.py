"""The server's side of a simulated table's control socket, just enough of it for a test to hold the other side."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

PATIENCE_S = 30.0
"""How long a test waits for what must come."""


class TableStub:
    """Answers each request with what `answer` makes of it (bytes are sent as they are), until `stop`."""

    def __init__(self, path: Path, levels: dict[int, bool] | None = None) -> None:
        self.path = path
        self.levels = levels or {}
        self.answer: Callable[[dict[str, Any]], dict[str, Any] | bytes] = lambda request: {"ok": True}
        self.asked: list[dict[str, Any]] = []
        self.left: SimpleQueue[None] = SimpleQueue()
        """Gets something whenever somebody has left."""
        self._watching: list[socket.socket] = []
        self._visitors: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.start()

    def start(self) -> None:
        """Begin to answer (again)."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.path))
        self._socket.listen()
        self._run(self._serve, self._socket)

    def stop(self, leave_file: bool = False) -> None:
        """Go away, as a table that is killed does if the socket's file is left."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for visitor in self._visitors:
            with contextlib.suppress(OSError):  # It may have left already.
                visitor.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._visitors.clear()
        self._watching.clear()
        if not leave_file:
            self.path.unlink()

    def set_level(self, pin: int, high: bool) -> None:
        """A button's pin changes."""
        self.levels[pin] = high
        for visitor in self._watching:
            visitor.sendall(_line({"pin": pin, "high": high}))

    def say_to_all(self, data: bytes) -> None:
        """Send everybody something that nobody asked for."""
        for visitor in self._visitors:
            visitor.sendall(data)

    def driven(self) -> dict[str, float]:
        """The levels of the output pins, as far as they were told."""
        levels: dict[str, float] = {}
        for request in self.asked:
            levels.update(request.get("levels", {}))
        return levels

    def _run(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, listening: socket.socket) -> None:
        while True:
            try:
                visitor, _ = listening.accept()
            except OSError:
                return
            self._visitors.append(visitor)
            self._run(self._converse, visitor)

    def _converse(self, visitor: socket.socket) -> None:
        with visitor, visitor.makefile("rb") as lines:
            try:
                for line in lines:
                    request = json.loads(line)
                    self.asked.append(request)
                    answer = self.answer(request)
                    visitor.sendall(answer if isinstance(answer, bytes) else _line(answer))
                    if request["do"] == "watch":
                        self._watching.append(visitor)
                        for pin, high in self.levels.items():
                            visitor.sendall(_line({"pin": pin, "high": high}))
            except OSError:
                pass  # It has left, perhaps before its answer.
        self.left.put(None)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
