"""The line between a service in a process of its own and a simulated table in this one, in lockstep on virtual time.

The service's process has a clock, a serial port, a camera and a panel whose other ends are here. It is a real one,
so that SIGKILL does to it what it does to any; but time passes only when it sleeps, so that it is as fast as the
processor.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from hardware.clock import VirtualClock
from hardware.errors import CameraError, SerialError
from hardware.frame import Frame
from hardware.panel import Light
from hardware.simulated.table import SimulatedTable

ERRORS = {"SerialError": SerialError, "CameraError": CameraError}


class RemoteTable:
    """The service's end: what it needs of a table, and its clock."""

    def __init__(
        self, connection: Connection, pixels: mmap.mmap, shape: tuple[int, int, int], began: datetime
    ) -> None:
        self._connection, self._pixels, self._shape = connection, pixels, shape
        self._began, self._now = began, 0.0
        self._listeners: list[Callable[[float], None]] = []
        self.name = "simulated"
        self._now = self.ask("now")
        self.line = self.panel = self.camera = self
        self._tell_stop: Callable[[], None] = lambda: None

    def ask(self, *request: object) -> Any:
        self._connection.send(request)
        answer = self._connection.recv()
        if isinstance(answer, tuple) and answer and answer[0] == "error":
            raise ERRORS[answer[1]](answer[2])
        return answer

    # A clock.

    def now(self) -> float:
        return self._now

    def date(self) -> datetime:
        return self._began + timedelta(seconds=self._now)

    def sleep(self, seconds: float) -> None:
        if seconds > 0:
            self._now = self.ask("sleep", seconds)
            for listener in self._listeners:
                listener(self._now)

    def attach(self, listener: Callable[[float], None]) -> None:
        self._listeners.append(listener)

    # A serial port.

    def write(self, data: bytes) -> None:
        self.ask("write", data)

    def read(self) -> bytes:
        return self.ask("read")

    # A camera.

    def frame(self) -> Frame:
        time_s, number = self.ask("frame")
        pixels = np.frombuffer(self._pixels, dtype=np.uint8).reshape(self._shape).copy()
        return Frame(pixels, time_s, number)

    # A panel.

    def turn_pressed(self) -> bool:
        return self.ask("turn")

    def stop_pressed(self) -> bool:
        return self.ask("stop")

    def on_stop(self, tell: Callable[[], None]) -> None:
        self._tell_stop = tell

    def show(self, light: Light) -> None:
        self.ask("show", light.value)

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class TableEnd:
    """This process's end: answers until told otherwise."""

    table: SimulatedTable
    clock: VirtualClock
    pixels: mmap.mmap

    def answer(self, request: tuple[Any, ...]) -> Any:
        try:
            return self._answer(*request)
        except (SerialError, CameraError) as error:
            return ("error", type(error).__name__, str(error))

    def _answer(self, what: str, *values: Any) -> Any:
        table = self.table
        match what:
            case "sleep":
                self.clock.sleep(values[0])
            case "write":
                table.line.write(values[0])
            case "read":
                return table.line.read()
            case "frame":
                frame = table.camera.frame()
                self.pixels[:] = frame.pixels.tobytes()
                return frame.time_s, frame.number
            case "tip":
                return table.world.tip_mm, table.gripping
            case "turn":
                return table.panel.turn_pressed()
            case "stop":
                return table.panel.stop_pressed()
            case "show":
                table.panel.show(Light(values[0]))
        return self.clock.now()
