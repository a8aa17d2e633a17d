"""The table of the measurement: a program of its own with the firmware on a pseudo-terminal and the camera on HTTP.

It shows the clip's pictures at 30 a second, each for the place where the firmware's motors are then, and notes when
a hand becomes visible and when hold and resume arrive on the serial line. All times are the monotonic clock's, s.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from hardware.clock import RealClock
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.program.frame_server import FrameServer
from hardware.simulated.program.frame_source import EncodedFrame
from hardware.simulated.pseudo_terminal import PseudoTerminal
from hardware.simulated.scene import Point
from hardware.simulated.table import board_of_machine
from tests.guarding.clip import Clip

FRAMES_A_SECOND = 30.0
QUICK_HOMING = {24: 3000.0, 25: 24000.0, 26: 0.0}


@dataclass(frozen=True)
class Event:
    """What happened on the stage: "hand" (visible from now on), "gone", "hold" or "resume"."""

    time_s: float
    what: str


@dataclass(frozen=True)
class Show:
    """Asks for a hand that comes `after_s` from now and stays for `for_s`."""

    hand: int
    after_s: float
    for_s: float


class ClipSource:
    """Frames of a clip, as `hardware.simulated.program.frame_source.FrameSource` gives them of a camera."""

    def __init__(self, clip: Clip, stage: Stage) -> None:
        self._clip, self._stage, self._clock = clip, stage, RealClock()

    @contextmanager
    def watched(self) -> Iterator[None]:
        yield

    def frames(self) -> Iterator[EncodedFrame]:
        """The frames from now on, each when it is exposed."""
        due, number = self._clock.now(), 0
        while True:
            self._clock.sleep(due - self._clock.now())
            number += 1
            now = self._clock.now()
            jpeg = self._clip.picture(self._stage.tip_mm(), self._stage.visible_hand(now), number)
            yield EncodedFrame(jpeg, number, now)
            due = max(due + 1 / FRAMES_A_SECOND, self._clock.now())


class NotedTerminal(PseudoTerminal):
    """Tells of the realtime bytes that hold and resume."""

    def __init__(self, firmware: GrblFirmware, stage: Stage) -> None:
        self._stage = stage
        super().__init__(firmware, RealClock())

    def _receive(self) -> bytes | None:
        received = super()._receive()
        for byte, what in ((b"!", "hold"), (b"~", "resume")):
            if received and byte in received:
                self._stage.note(what, self._clock.now())
        return received


class Stage:
    """The table; `serve` runs it until the other end of the pipe closes."""

    def __init__(self, clip: Clip) -> None:
        geometry = TableGeometry()
        x, y, z = geometry.travel_mm
        self._firmware = GrblFirmware(QUICK_HOMING, start_mm=(-3.0, -3.0, -3.0), frame_mm=(x, y, z))
        self._to_board = board_of_machine(geometry)
        self._terminal = NotedTerminal(self._firmware, self)
        self._server = FrameServer(ClipSource(clip, self))  # type: ignore[arg-type]
        self._lock = threading.Lock()
        self._events: list[Event] = []
        self._show: tuple[float, float, int] | None = None
        self._shown = False

    def tip_mm(self) -> Point:
        """Where the tip is, board mm."""
        return self._to_board(self._firmware.position)

    def visible_hand(self, now: float) -> int:
        """Which hand a picture exposed now shows; 0 for nobody."""
        begins, ends, hand = self._show or (0.0, 0.0, 0)
        visible = begins <= now < ends
        if visible is not self._shown:
            self._shown = visible
            self.note("hand" if visible else "gone", now)
        return hand if visible else 0

    def note(self, what: str, time_s: float) -> None:
        """Keep in mind that something happened."""
        with self._lock:
            self._events.append(Event(time_s, what))

    def serve(self, pipe: Connection) -> None:
        """Answer requests: a `Show`, or anything else for the events since the last time."""
        self._terminal.start()
        self._server.start()
        try:
            pipe.send((self._server.url, self._terminal.name))
            while True:
                asked = pipe.recv()
                if isinstance(asked, Show):
                    begins = RealClock().now() + asked.after_s
                    self._show = begins, begins + asked.for_s, asked.hand
                    continue
                with self._lock:
                    events, self._events = self._events, []
                pipe.send(events)
        except EOFError:
            pass
        finally:
            self._terminal.close()


def run_stage(clip: Clip, pipe: Connection) -> None:
    """The process's main function."""
    Stage(clip).serve(pipe)
