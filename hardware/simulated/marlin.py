"""Marlin 2.0 as a state machine: bytes in, bytes out, time told from outside.

It keeps the traps of the real firmware: `ok` means queued, an unknown command is answered by an echo plus `ok`, moves
run unchecked before homing, M114 tells the target, nothing is read while a line is in work (so M112 and M410 wait,
unless built with EMERGENCY_PARSER), motors go off after a time and home is lost, a halted board hears nothing.

Source: Marlin's documentation and sources (`queue.cpp`, `M400.cpp`, `M410.cpp`, `G28.cpp`), and behaviour seen on its
host build.
"""

from __future__ import annotations

import math
import random
import re
from collections import deque
from collections.abc import Callable

from hardware.simulated import marlin_words as words
from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.firmware_state import FirmwareFaults, Power
from hardware.simulated.joining_planner import JoiningPlanner
from hardware.simulated.machine_axes import MachineAxes
from hardware.simulated.marlin_commands import MarlinCommands
from hardware.simulated.planner import Cycle, Point

RECEIVE_BUFFER = 128
BUSY_EVERY_S = 2.0
_CRITICAL = re.compile(rb"\n\s*(M112|M410|M108)\b[^\n]*\n")
_NUMBERED = re.compile(r"N(-?\d+)(.*)\*(\d+)")

Wait = Callable[[], bool]
"""What a line in work waits for: False means not yet."""


class MarlinFirmware(MarlinCommands):
    """A controller board with Marlin on it, and the three axes that it drives.

    Its coordinates run from 0 to travel, and its switches are at the upper end of every axis, so that the machine is
    the reference build's. `settings` changes that build's values, by Grbl's numbers; `start_mm` is where the machine
    really stands at power-up; `frame_mm` is its true travel. `ok_after_resend` is as in versions up to 2.0.
    """

    def __init__(
        self,
        settings: dict[int, float] | None = None,
        *,
        seed: int = 0,
        start_mm: Point = (-30.0, -18.0, -12.0),
        frame_mm: Point = (620.0, 490.0, 95.0),
        boot_s: float = 1.5,
        emergency_parser: bool = False,
        ok_after_resend: bool = True,
    ) -> None:
        self.settings = FirmwareSettings(settings)
        self.faults = FirmwareFaults()
        self.emergency_parser = emergency_parser
        self._random = random.Random(seed)
        self._boot_s = boot_s
        self._ok_after_resend = ok_after_resend
        self._now = 0.0
        self._next = math.inf
        self._said = bytearray()
        self._queue = JoiningPlanner()
        self._axes = MachineAxes(self.settings, start_mm, frame_mm, self._queue)
        self._axes.lose_count(self._now, self._zero())
        self._power = Power.ON
        self._forget()

    def _zero(self) -> Point:
        """Where Marlin believes to be when it starts: the lower end of every axis."""
        x, y, z = self.settings.axes(130)
        return -x, -y, -z

    def _forget(self) -> None:
        """What every start forgets."""
        self._received: deque[int] = deque()
        self._recent = bytearray(b"\n")
        self._line = bytearray()
        self._last_number = 0
        self._wait: Wait | None = None
        self._wake = self._busy_at = self._start_at = math.inf
        self._absolute, self._soft_limits, self._homed = True, True, False
        self._feed_mm_min = 1500.0
        self._idle_limit_s, self._idle_since = 120.0, self._now
        self.outputs = {}
        self._target = self._axes.counted(self._now)

    # What stands around the board may look at this.

    @property
    def position(self) -> Point:
        """Where the machine really is at the time last told, mm in homed machine coordinates."""
        return self._axes.really(self._now)

    @property
    def power(self) -> Power:
        """Whether the firmware listens."""
        return self._power

    @property
    def gripper_on(self) -> bool:
        """Whether an output that may work the gripper is on."""
        return any(self.outputs.values())

    @property
    def moving(self) -> bool:
        """Whether motors are turning."""
        return self._axes.moving

    @property
    def busy(self) -> bool:
        """Whether time alone will change anything."""
        return self._next != math.inf

    @property
    def next_event_s(self) -> float:
        """When the next thing happens by itself, s; infinity if nothing will."""
        return self._next

    # Time and bytes.

    def advance_to(self, t: float) -> None:
        """Let time run on to `t`, s; earlier times are ignored."""
        if t <= self._now:
            return
        while self._next <= t:
            self._now = max(self._now, self._next)
            self._on_time()
            self._work()
        self._now = t

    def receive(self, data: bytes) -> None:
        """Bytes arrive at the serial port at the time last told."""
        if self._power is not Power.ON:
            return
        for byte in data:
            if self.emergency_parser and self._hears(byte):
                return
            if len(self._received) < RECEIVE_BUFFER:
                self._received.append(byte)
                self._work()

    def take_output(self) -> bytes:
        """All that was sent since the last call."""
        data = bytes(self._said)
        self._said.clear()
        return data

    # Faults and the world.

    def power_off(self) -> None:
        """Cut the power: motion stops dead, outputs are off, all but the settings is forgotten."""
        self._axes.freeze(self._now)
        self._power = Power.OFF
        self._said.clear()
        self._forget()
        self._schedule()

    def power_on(self) -> None:
        """Give power: the bootloader, then the greeting; the counted position is zero wherever the machine stands."""
        self._axes.lose_count(self._now, self._zero())
        self._forget()
        self._power = Power.BOOTING
        self._wake = self._now + self._boot_s
        self._schedule()

    def power_cycle(self) -> None:
        """A power cut, or the chip's reset pin (DTR)."""
        self.power_off()
        self.power_on()

    def sink(self, mm: float) -> None:
        """Without power the Z axis comes down by its own weight, as far as its lower end."""
        self._axes.sink(self._now, mm)

    def raise_alarm(self, code: int) -> None:
        """Whatever is wrong, Marlin halts; `code` is Grbl's and does not matter."""
        if self._power is Power.ON:
            self._halt()

    def noise(self, data: bytes) -> None:
        """Bytes that nobody sent appear on the line to the host."""
        self._said += data

    # Time.

    def _schedule(self) -> None:
        idle_end = math.inf
        if self._power is Power.ON and not self._axes.moving and self._homed and self._idle_limit_s > 0:
            idle_end = self._idle_since + self._idle_limit_s
        self._next = min(self._axes.next_event_s, self._wake, self._busy_at, self._start_at, idle_end)

    def _on_time(self) -> None:
        axes = self._axes
        if axes.homing is not None and self._now >= axes.homing.end_s:
            axes.end_homing()
            self._homed, self._target, self._idle_since = True, axes.counted(self._now), self._now
        elif self._now >= axes.planner.end_s:
            axes.finish(self._now)
            self._idle_since = self._now
        elif self._now >= self._start_at:
            self._start_at = math.inf
            axes.run(self._now)
        elif self._now >= self._wake:
            self._wake = math.inf
            if self._power is Power.BOOTING:
                self._power = Power.ON
                for text in words.GREETING:
                    self._say(text)
        elif self._now >= self._busy_at:
            self._busy_at = self._now + BUSY_EVERY_S
            self._say(words.BUSY)
        elif self._homed and self._idle_limit_s > 0 and self._now >= self._idle_since + self._idle_limit_s:
            self._homed = False

    def _work(self) -> None:
        """Marlin's main loop: finish the line in work, then read on, until something has to be waited for."""
        while self._power is Power.ON:
            if self._wait is not None:
                if not self._wait():
                    if self._busy_at == math.inf:
                        self._busy_at = self._now + BUSY_EVERY_S
                    break
                self._wait, self._busy_at = None, math.inf
                self._reply("ok")
            elif self._received:
                self._read(self._received.popleft())
            else:
                break
        self._schedule()

    def _read(self, byte: int) -> None:
        if byte not in b"\r\n":
            if len(self._line) < 95:  # MAX_CMD_SIZE, without a word.
                self._line.append(byte)
            return
        text = self._line.decode("latin-1").split(";")[0].strip()
        self._line.clear()
        if text:
            self._take_line(text)

    def _take_line(self, text: str) -> None:
        if text.startswith("N"):
            match = _NUMBERED.match(text)
            if match is None:
                self._refuse("No Checksum with line number, Last Line: ")
                return
            number, body = int(match[1]), match[2].strip()
            is_restart = "M110" in body
            if number != self._last_number + 1 and not is_restart:
                self._refuse("Line Number is not Last Line Number+1, Last Line: ")
                return
            check = 0
            for character in text[: text.rindex("*")]:
                check ^= ord(character)
            if check != int(match[3]):
                self._refuse("checksum mismatch, Last Line: ")
                return
            self._last_number = number
            text = body
        self._wait = self._execute(text) or _at_once

    def _refuse(self, why: str) -> None:
        self._received.clear()
        self._say(f"Error:{why}{self._last_number}")
        self._say(f"Resend: {self._last_number + 1}")
        if self._ok_after_resend:
            self._reply("ok")

    def _hears(self, byte: int) -> bool:
        """With EMERGENCY_PARSER some lines count as soon as they arrive; whether the rest is not to be read."""
        self._recent.append(byte)
        match = _CRITICAL.search(self._recent)
        if match is None:
            del self._recent[:-64]
            return False
        name = bytes(match[1])
        self._recent[:] = b"\n"
        if name == b"M112":
            self._halt()
            return True
        if name == b"M410":
            self._quick_stop()
        return False

    def _halt(self) -> None:
        self._axes.freeze(self._now)
        self._forget()
        self._power = Power.LOCKED_UP
        self._say(words.HALTED)
        self._schedule()

    # Words.

    def _reply(self, text: str) -> None:
        """An answer to a line, which a fault may lose or spoil."""
        if self.faults.swallow_replies > 0:
            self.faults.swallow_replies -= 1
        elif self.faults.garble_replies > 0:
            self.faults.garble_replies -= 1
            spoilt = bytearray(text.encode("ascii"))
            spoilt[self._random.randrange(len(spoilt))] = self._random.randrange(0x80, 0x100)
            self._send(bytes(spoilt))
        else:
            self._say(text)

    def _say(self, text: str) -> None:
        self._send(text.encode("ascii"))

    def _send(self, line: bytes) -> None:
        if not self.faults.mute:
            self._said += line + b"\n"

    def _resting(self) -> bool:
        return self._axes.planner.cycle is Cycle.RESTING and not self._axes.planner.waiting and not self._axes.moving


def _at_once() -> bool:
    return True
