"""A simulated machine on virtual time, and a port that plays a recorded exchange."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hardware.clock import VirtualClock
from hardware.gantry import Gantry, GantryLimits
from hardware.grbl.driver import GrblMotion
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.line import SimulatedLine


class ScriptedPort:
    """Answers as recorded: a list of (we write, it answers); writing anything else, or too early, fails the test.

    `?` is answered by `status` and is no part of the script, unless the script's next line is a `?`.
    """

    name = "/dev/scripted"

    def __init__(self, script: list[tuple[bytes, bytes]], status: bytes = b"") -> None:
        self.script = list(script)
        self.status = status
        self.written: list[bytes] = []
        self.closed = False
        self.clock = VirtualClock()
        self._output = bytearray()

    def say(self, data: bytes) -> None:
        self._output += data

    def write(self, data: bytes) -> None:
        self.written.append(data)
        if data == b"?" and not (self.script and self.script[0][0] == b"?"):
            self._output += self.status
            return
        assert self.script, f"nothing more was to be written, but {data!r} was"
        expected, answer = self.script.pop(0)
        assert data == expected
        self._output += answer

    def read(self) -> bytes:
        data = bytes(self._output)
        self._output.clear()
        return data

    def close(self) -> None:
        self.closed = True


class SpyLine(SimulatedLine):
    """The simulated line, with all that was written and when."""

    def __init__(self, firmware: GrblFirmware, clock: VirtualClock) -> None:
        super().__init__(firmware, clock)
        self.written: list[tuple[float, bytes]] = []
        self._spied_clock = clock

    def write(self, data: bytes) -> None:
        self.written.append((self._spied_clock.now(), data))
        super().write(data)

    def lines(self) -> list[bytes]:
        """All that was written but status requests."""
        return [data for _, data in self.written if data != b"?"]


class ScriptedPermit:
    """Refuses within given spans of time (s)."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.refused: list[tuple[float, float]] = []
        self.asked: list[float] = []
        self.on_ask: Callable[[], None] = lambda: None
        self.on_ask_after = float("inf")

    def refusal(self) -> str | None:
        now = self._clock.now()
        self.asked.append(now)
        if now >= self.on_ask_after:
            self.on_ask()
        return "a hand is over the board" if any(a <= now < b for a, b in self.refused) else None


@dataclass
class Machine:
    """Everything from the gantry down to the simulated board."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    firmware: GrblFirmware = field(default_factory=GrblFirmware)
    unexpected: list[str] = field(default_factory=list)
    waits: list[str | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock.attach(self.firmware.advance_to)
        self.line = SpyLine(self.firmware, self.clock)
        self.motion = GrblMotion(lambda: self.line, self.clock, on_unexpected=self.unexpected.append)
        self.permit = ScriptedPermit(self.clock)
        self.gantry = Gantry(self.motion, self.permit, self.clock, GantryLimits(), self.waits.append)

    def homed(self) -> Machine:
        self.gantry.connect()
        self.gantry.home()
        self.line.written.clear()
        self.permit.asked.clear()
        return self

    def at(self, time_s: float, action: Callable[[], object]) -> None:
        """Do something once, as soon as the clock has reached `time_s`."""
        done = []

        def listener(now: float) -> None:
            if now >= time_s and not done:
                done.append(now)
                action()

        self.clock.attach(listener)
