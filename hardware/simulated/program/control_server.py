"""The control socket of the running table: a JSON object a line, and a JSON object a line back."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from hardware.errors import HardwareError
from hardware.simulated.program.pins import PinBoard
from hardware.simulated.requests import Control, DrivePins, Request, Watch

LONGEST_LINE = 1 << 16
"""Bytes; a connection that sends a longer line is closed."""
UNREAD = 1 << 20
"""Bytes of events that a connection may leave unread before it is closed."""


class ControlServer:
    """Answers on the Unix socket at `path` (made by `start`) in a thread of its own.

    Each request is carried out by `control` with `lock` held. Pins that a connection has driven are off when it ends.
    """

    def __init__(self, path: Path, control: Control, pins: PinBoard, lock: AbstractContextManager[object]) -> None:
        self._path, self._control, self._pins, self._lock = path, control, pins, lock
        self._loop = asyncio.new_event_loop()
        self._connected: set[asyncio.StreamWriter] = set()
        self._watching: set[asyncio.StreamWriter] = set()
        self._thread = threading.Thread(target=self._run, name="control socket", daemon=True)
        self._socket: socket.socket | None = None
        self._ended = asyncio.Event()
        pins.on_change = self._from_any_thread

    def start(self) -> None:
        """Make the socket and begin to answer. OSError if it cannot be made."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(str(self._path))
        self._socket.listen(socket.SOMAXCONN)
        self._thread.start()

    def stop(self) -> None:
        """Close every connection and take the socket away."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()
        else:
            self._loop.close()
        self._path.unlink(missing_ok=True)

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_unix_server(self._converse, sock=self._socket, limit=LONGEST_LINE)
        await self._ended.wait()
        server.close()
        for writer in self._connected:
            writer.transport.abort()
        conversations = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*conversations, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its first line to its end, which may come in the middle of one."""
        driven: set[str] = set()
        self._connected.add(writer)
        try:
            while line := await reader.readline():
                if not line.endswith(b"\n"):
                    break  # Whoever wrote it died on the way.
                if line.strip():
                    self._answer(line, writer, driven)
                    await writer.drain()
        except ValueError:
            _write(writer, {"error": f"A line may have at most {LONGEST_LINE} bytes."})
        except ConnectionError:
            pass
        finally:
            self._connected.discard(writer)
            self._watching.discard(writer)
            with self._lock:
                self._pins.release(driven)
            writer.close()

    def _answer(self, line: bytes, writer: asyncio.StreamWriter, driven: set[str]) -> None:
        try:
            request = msgspec.json.decode(line, type=Request)
            with self._lock:
                reply = self._control.handle(request)
                levels = self._pins.levels()
        except msgspec.DecodeError as error:  # ValidationError is one, too.
            _write(writer, {"error": f"This is no request ({error}): docs/table-program.md lists them all."})
            return
        except HardwareError as error:
            _write(writer, {"error": str(error)})
            return
        except Exception as error:  # Whoever asked is told, and the table goes on.
            _write(writer, {"error": f"This is a fault of the table program ({type(error).__name__}: {error})."})
            return
        _write(writer, {"ok": True, **reply})
        if isinstance(request, DrivePins):
            driven.update(request.levels)
        elif isinstance(request, Watch) and writer not in self._watching:
            self._watching.add(writer)
            for pin, high in levels.items():
                _write(writer, {"pin": pin, "high": high})

    def _from_any_thread(self, pin: int, high: bool) -> None:
        with contextlib.suppress(RuntimeError):  # The loop is closed: the table is at its end.
            self._loop.call_soon_threadsafe(self._tell, pin, high)

    def _tell(self, pin: int, high: bool) -> None:
        """Let everybody who watches know of a pin; who does not read is let go."""
        for writer in tuple(self._watching):
            if writer.transport.get_write_buffer_size() > UNREAD:
                self._watching.discard(writer)
                writer.transport.abort()
            else:
                _write(writer, {"pin": pin, "high": high})


def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    if not writer.is_closing():
        writer.write(msgspec.json.encode(message) + b"\n")
