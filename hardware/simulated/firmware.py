"""Grbl 1.1h as a state machine: bytes in, bytes out, time told from outside.

It keeps the traps of the real firmware: `ok` means queued, the receive buffer overflows without a word, nothing is
read while held, an alarm for a limit silences everything until a reset, a reset switches the outputs off and may
answer the aborted line late, a restart of the chip makes the counted position zero. `position` is where the machine
really is; what the firmware reports is what it has counted.

Source: Grbl 1.1 documentation ("Interface", "Commands", "Settings", "Jogging") and behaviour seen on Grbl 1.1h.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from hardware.simulated import firmware_report as words
from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.gcode import GcodeError, Modal, Statement, interpret, interpret_jog, read_number
from hardware.simulated.homing import HomingCycle
from hardware.simulated.planner import PLANNER_BLOCKS, Cycle, Planner, Point, straight_block

RECEIVE_BUFFER = 128
LINE_LENGTH = 79
"""Characters of a line that count, without spaces and comments; longer is error:11."""
ALARM_PAUSE_S = 0.5
"""Grbl stops for this long after an alarm's line."""
EEPROM_PAUSE_S = 0.02
"""How long the receiver is deaf while a setting is written."""
OVERTRAVEL_MM = 3.0
"""How far beyond its travel an axis goes before it strikes the frame and loses steps."""

HARD_LIMIT, SOFT_LIMIT, ABORT_CYCLE, HOMING_RESET, HOMING_DOOR = 1, 2, 3, 6, 7


class State(Enum):
    """Grbl's states, by the names that its reports use."""

    IDLE = "Idle"
    RUN = "Run"
    HOLD = "Hold"
    JOG = "Jog"
    ALARM = "Alarm"
    DOOR = "Door"
    CHECK = "Check"
    HOME = "Home"
    SLEEP = "Sleep"


class Power(Enum):
    """What keeps the firmware from listening."""

    ON = "on"
    BOOTING = "booting"
    RESTARTING = "restarting"
    """Between an alarm's or a reset's first word and the banner."""
    LOCKED_UP = "locked up"
    """After a limit alarm: deaf to all but a reset."""
    OFF = "off"


@dataclass(frozen=True)
class Outputs:
    """The switched outputs that can work a gripper."""

    coolant: bool = False
    spindle: bool = False
    spindle_speed: float = 0.0


@dataclass
class FirmwareFaults:
    """Faults to come: how many of the next replies (`ok`, `error:n`) are lost or spoilt, and whether it is mute."""

    swallow_replies: int = 0
    garble_replies: int = 0
    mute: bool = False


Step = Callable[[], bool]
"""Part of a line's execution; False means: not yet, ask again when something has changed."""


class GrblFirmware:
    """A controller board with Grbl 1.1h on it, and the three axes that it drives.

    `settings` changes the reference build's `$` values; `start_mm` is where the machine really stands at power-up;
    `frame_mm` is its true travel, with the switches at 0. The board has been up for a while when it is made, so no
    banner waits to be read. `reports_while_homing` is True for grblHAL; Grbl answers `?` only after homing.
    """

    def __init__(
        self,
        settings: dict[int, float] | None = None,
        *,
        seed: int = 0,
        start_mm: Point = (-30.0, -18.0, -12.0),
        frame_mm: Point = (620.0, 490.0, 95.0),
        boot_s: float = 1.5,
        reports_while_homing: bool = False,
    ) -> None:
        self.settings = FirmwareSettings(settings)
        self.faults = FirmwareFaults()
        self._random = random.Random(seed)
        self._frame = frame_mm
        self._boot_s = boot_s
        self._reports_while_homing = reports_while_homing
        self._now = 0.0
        self._next = math.inf
        self._output = bytearray()
        self._planner = Planner()
        self._shift: Point = start_mm
        self._systems: list[Point] = [(0.0, 0.0, 0.0)] * 6
        self._g28: Point = (0.0, 0.0, 0.0)
        self._g30: Point = (0.0, 0.0, 0.0)
        self._power = Power.ON
        self._state = State.ALARM if self.settings[22] else State.IDLE
        self._clear_volatile()

    def _clear_volatile(self) -> None:
        """What every reset forgets."""
        self._received: deque[int] = deque()
        self._line = bytearray()
        self._comment = ""
        self._too_long = False
        self._steps: deque[Step] = deque()
        self._wake = math.inf
        self._deaf_until = -math.inf
        self._suspended = False
        self._homing: HomingCycle | None = None
        self._report_wanted = False
        self._modal = Modal()
        self._g92: Point = (0.0, 0.0, 0.0)
        self._overrides = (100, 100, 100)
        self._planner.override(self._now, 1.0, 1.0)
        self._reporter = words.StatusReporter()
        self._outputs = Outputs()
        self._before_door = Outputs()
        self._target = self._planner.position(self._now)
        self._limit_at = math.inf

    # What stands around the board may look at this.

    @property
    def position(self) -> Point:
        """Where the machine really is at the time last told, mm in homed machine coordinates."""
        if self._homing is not None:
            return self._homing.position(self._now)
        return self._really(self._planner.position(self._now))

    @property
    def counted_position(self) -> Point:
        """Where the firmware believes that the machine is, mm."""
        return self._planner.position(self._now)

    @property
    def state(self) -> State:
        """The state that a report would name."""
        return self._state

    @property
    def outputs(self) -> Outputs:
        """The switched outputs."""
        return self._outputs

    @property
    def gripper_on(self) -> bool:
        """Whether an output that may work the gripper is on."""
        return self._outputs.coolant or self._outputs.spindle

    @property
    def busy(self) -> bool:
        """Whether time alone will change anything: something moves, dwells, boots or is queued to."""
        return self._next != math.inf

    @property
    def next_event_s(self) -> float:
        """When the next thing happens by itself (a move ends, a dwell is over), s; infinity if nothing will."""
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
        if self._power in (Power.OFF, Power.BOOTING):
            return
        for byte in data:
            if self._now < self._deaf_until:
                continue
            if byte in b"?!~\x18" or byte >= 0x80:
                self._realtime(byte)
            elif len(self._received) < RECEIVE_BUFFER:
                self._received.append(byte)
                # The main loop empties the buffer faster than the line can fill it, unless it is waiting.
                self._work()
        self._work()

    def take_output(self) -> bytes:
        """All that was sent since the last call."""
        data = bytes(self._output)
        self._output.clear()
        return data

    # Faults and the world.

    def power_off(self) -> None:
        """Cut the power: motion stops dead, outputs are off, all but the settings is forgotten."""
        self._freeze()
        self._power = Power.OFF
        self._output.clear()
        self._clear_volatile()
        self._schedule()

    def power_on(self) -> None:
        """Give power: the bootloader, then the banner; the counted position is zero wherever the machine stands."""
        self._freeze()
        here = self.position
        self._planner.place((0.0, 0.0, 0.0))
        self._shift = here
        self._clear_volatile()
        self._power = Power.BOOTING
        self._wake = self._now + self._boot_s
        self._schedule()

    def power_cycle(self) -> None:
        """A power cut, or the chip's reset pin (DTR)."""
        self.power_off()
        self.power_on()

    def raise_alarm(self, code: int) -> None:
        """Make the firmware raise `ALARM:code` now, as noise on a limit switch does (1)."""
        if self._power is Power.ON:
            self._alarm(code)
            self._schedule()

    def noise(self, data: bytes) -> None:
        """Bytes that nobody sent appear on the line to the host."""
        self._output += data

    # Time.

    def _on_time(self) -> None:
        if self._now >= self._limit_at:
            self._limit_at = math.inf
            self._alarm(HARD_LIMIT)
        elif self._homing is not None and self._now >= self._homing.end_s:
            self._end_homing(self._homing)
        elif self._now >= self._planner.end_s:
            self._end_motion()
        elif self._now >= self._wake:
            self._wake = math.inf
            if self._power is Power.BOOTING:
                self._state = State.ALARM if self.settings[22] else State.IDLE
                self._start_up()
            elif self._power is Power.RESTARTING:
                self._start_up()

    def _schedule(self) -> None:
        homing_end = self._homing.end_s if self._homing is not None else math.inf
        self._next = min(self._planner.end_s, self._wake, self._limit_at, homing_end)

    def _end_motion(self) -> None:
        jogging = self._state is State.JOG
        stopping = self._planner.cycle is Cycle.STOPPING
        self._settle_lost_steps()
        self._planner.finish(self._now)
        self._watch_limits()
        if self._planner.cycle is not Cycle.RESTING:
            return
        if jogging:
            # A held jog is a cancelled jog: the queue is emptied and nothing waits to be resumed.
            self._planner.clear(self._now)
            self._target = self._planner.position(self._now)
            self._state = State.IDLE
        elif stopping:
            self._suspended = True
            if self._state is State.DOOR:
                self._close_outputs_for_door()
        elif self._state is State.RUN:
            self._state = State.IDLE

    def _work(self) -> None:
        """Grbl's main loop: go on with the line in hand, then read on, until something has to be waited for."""
        while self._power is Power.ON:
            if self._report_wanted and (self._homing is None or self._reports_while_homing):
                self._report_wanted = False
                self._report()
            if self._suspended:
                break
            if self._steps:
                step = self._steps[0]
                if not step():
                    break
                if self._steps and self._steps[0] is step:
                    self._steps.popleft()
            elif not self._read_character():
                break
        self._schedule()

    # Lines.

    def _read_character(self) -> bool:
        if not self._received:
            return False
        byte = self._received.popleft()
        if byte in b"\r\n":
            line, too_long = self._line.decode("ascii"), self._too_long
            self._line.clear()
            self._comment, self._too_long = "", False
            self._begin_line(line, too_long)
        elif self._comment or self._too_long:
            if byte == ord(")") and self._comment == "(":
                self._comment = ""
        elif byte <= 0x20 or byte == ord("/"):
            pass
        elif byte in b"(;":
            self._comment = chr(byte)
        elif len(self._line) >= LINE_LENGTH:
            self._too_long = True
        else:
            self._line += bytes([byte]).upper()
        return True

    def _begin_line(self, line: str, too_long: bool) -> None:
        try:
            if too_long:
                raise GcodeError(11)
            if line.startswith("$"):
                self._system_line(line)
            elif line:
                if self._state in (State.ALARM, State.JOG, State.SLEEP):
                    raise GcodeError(9)
                self._execute(interpret(line, self._modal))
        except GcodeError as error:
            self._steps.clear()
            self._reply(f"error:{error.code}")
        else:
            self._steps.append(self._ok)

    def _ok(self) -> bool:
        self._reply("ok")
        return True

    def _system_line(self, line: str) -> None:
        body = line[1:]
        at_rest = self._state in (State.IDLE, State.ALARM, State.CHECK)
        if body == "":
            self._say(words.HELP)
        elif body.startswith("J="):
            self._jog(body[2:])
        elif body == "G":
            self._say(self._modal.report())
        elif body == "$":
            if self._state in (State.RUN, State.HOLD, State.JOG):
                raise GcodeError(8)
            for text in self.settings.lines():
                self._say(text)
        elif body == "X":
            if self._state is State.ALARM:
                self._say(words.UNLOCKED)
                self._state = State.IDLE
        elif body == "C":
            self._toggle_check()
        elif not at_rest:
            raise GcodeError(8)
        elif body == "#":
            for text in words.parameters(self._systems, self._g28, self._g30, self._g92):
                self._say(text)
        elif body == "I":
            for text in words.VERSION_LINES:
                self._say(text)
        elif body == "N":
            self._say("$N0=")
            self._say("$N1=")
        elif body == "H":
            if not self.settings[22]:
                raise GcodeError(5)
            self._steps.append(self._start_homing)
            self._steps.append(lambda: self._homing is None)
        elif body == "SLP":
            self._say(words.SLEEPING)
            self._outputs = Outputs()
            self._state = State.SLEEP
        elif body == "RST=$":
            self.settings.restore()
            self._pause_for_eeprom()
        else:
            self._write_setting(body)

    def _write_setting(self, body: str) -> None:
        number, at = read_number(body)
        if at >= len(body) or body[at] != "=":
            raise GcodeError(3)
        value, at = read_number(body, at + 1)
        if at != len(body) or number != int(number):
            raise GcodeError(3)
        self.settings.write(int(number), value)
        self._pause_for_eeprom()

    def _pause_for_eeprom(self) -> None:
        self._deaf_until = self._now + EEPROM_PAUSE_S
        self._steps.append(self._pause(EEPROM_PAUSE_S))

    def _toggle_check(self) -> None:
        if self._state is State.CHECK:
            self._say("[MSG:Disabled]")
            self._reset()
        elif self._state is State.IDLE:
            self._say("[MSG:Enabled]")
            self._state = State.CHECK
        else:
            raise GcodeError(8)

    # G-code.

    def _execute(self, statement: Statement) -> None:
        """Lay out the steps of a checked line in Grbl's order; the `ok` follows them."""
        before, self._modal = self._modal, statement.modal
        if statement.modal.system != before.system:
            self._reporter.offset_changed()
        if self._state is State.CHECK:
            return
        if statement.sets_spindle:
            self._steps.append(self._at_rest)
            self._steps.append(self._switch_spindle(statement.modal))
        if statement.sets_coolant:
            self._steps.append(self._at_rest)
            self._steps.append(self._switch_coolant(statement.modal.coolant == "M8"))
        if statement.dwell_s is not None:
            self._steps.append(self._at_rest)
            self._steps.append(self._pause(statement.dwell_s))
        self._non_modal(statement)
        if statement.moves:
            feed = None if statement.modal.motion == "G0" else statement.modal.feed
            self._go(statement.target(self._target, self._offset()), feed)
        if statement.flow:
            self._steps.append(self._at_rest)
            self._steps.append(self._program_flow(statement.flow))

    def _non_modal(self, statement: Statement) -> None:
        name = statement.non_modal
        if name == "G10":
            index = int(statement.words["P"]) - 1 if statement.words["P"] else self._modal.system
            self._systems[index] = self._shifted(statement, self._systems[index], statement.words["L"] == 20)
            self._reporter.offset_changed()
            self._pause_for_eeprom()
        elif name in ("G28", "G30"):
            if statement.axes:
                self._go(statement.target(self._target, self._offset()), None)
            self._go(self._g28 if name == "G28" else self._g30, None)
        elif name in ("G28.1", "G30.1"):
            if name == "G28.1":
                self._g28 = self._target
            else:
                self._g30 = self._target
            self._pause_for_eeprom()
        elif name == "G92":
            self._g92 = self._shifted(statement, self._g92, from_here=True, base=self._systems[self._modal.system])
            self._reporter.offset_changed()
        elif name == "G92.1":
            self._g92 = (0.0, 0.0, 0.0)
            self._reporter.offset_changed()

    def _shifted(self, statement: Statement, old: Point, from_here: bool, base: Point | None = None) -> Point:
        """An offset with the axes that the line names replaced: as given, or so that here reads as given."""
        new = list(old)
        other = base or self._g92
        for axis, value in statement.axes.items():
            new[axis] = self._target[axis] - other[axis] - value if from_here else value
        return new[0], new[1], new[2]

    def _offset(self) -> Point:
        (a, b, c), (d, e, f) = self._systems[self._modal.system], self._g92
        return a + d, b + e, c + f

    def _on_steps(self, point: Point) -> Point:
        """The nearest place that whole motor steps reach."""
        x, y, z = (round(v * s) / s for v, s in zip(point, self.settings.axes(100), strict=True))
        return x, y, z

    def _beyond_soft_limits(self, target: Point) -> bool:
        travel = self.settings.axes(130)
        return bool(self.settings[20]) and not all(-far <= v <= 0 for v, far in zip(target, travel, strict=True))

    def _go(self, target: Point, feed: float | None) -> None:
        target = self._on_steps(target)
        if self._beyond_soft_limits(target):
            self._steps.append(self._stop_at_soft_limit)
            return
        start, self._target = self._target, target
        if start == target:
            return
        block = straight_block(
            start, target, self.settings.max_rate, self.settings.axes(120), None if feed is None else feed / 60
        )

        def queue() -> bool:
            if self._planner.full:
                return False
            self._planner.add(block)
            self._start_cycle()
            return True

        self._steps.append(queue)

    def _start_cycle(self) -> None:
        if self._state in (State.IDLE, State.RUN) and self._planner.waiting:
            self._state = State.RUN
            self._planner.run(self._now)
            self._watch_limits()

    def _stop_at_soft_limit(self) -> bool:
        if self._planner.cycle is not Cycle.RESTING:
            self._planner.hold(self._now)
            self._state = State.HOLD
            return False
        self._alarm(SOFT_LIMIT)
        return False

    def _jog(self, text: str) -> None:
        if self._state not in (State.IDLE, State.JOG):
            raise GcodeError(8)
        statement = interpret_jog(text, self._modal)
        target = self._on_steps(statement.target(self._target, self._offset()))
        if self._beyond_soft_limits(target):
            raise GcodeError(15)
        if target == self._target:
            return
        start, self._target = self._target, target
        block = straight_block(
            start, target, self.settings.max_rate, self.settings.axes(120), statement.modal.feed / 60
        )

        def queue() -> bool:
            if self._planner.full:
                return False
            self._planner.add(block)
            self._state = State.JOG
            self._planner.run(self._now)
            self._watch_limits()
            return True

        self._steps.append(queue)

    # Steps that wait.

    def _at_rest(self) -> bool:
        return self._planner.cycle is Cycle.RESTING and not self._planner.waiting

    def _pause(self, seconds: float) -> Step:
        until: float | None = None

        def step() -> bool:
            nonlocal until
            if until is None:
                until = self._wake = self._now + seconds
            elif self._now < until:
                self._wake = until
            return self._now >= until

        return step

    def _switch_spindle(self, modal: Modal) -> Step:
        def step() -> bool:
            on = modal.spindle != "M5"
            self._outputs = replace(self._outputs, spindle=on, spindle_speed=modal.spindle_speed if on else 0.0)
            self._reporter.overrides_changed()
            return True

        return step

    def _switch_coolant(self, on: bool) -> Step:
        def step() -> bool:
            self._outputs = replace(self._outputs, coolant=on)
            self._reporter.overrides_changed()
            return True

        return step

    def _program_flow(self, flow: str) -> Step:
        def step() -> bool:
            if flow == "M0":
                self._state, self._suspended = State.HOLD, True
            else:
                feed, speed, tool = self._modal.feed, self._modal.spindle_speed, self._modal.tool
                self._modal = Modal(motion="G1", feed=feed, spindle_speed=speed, tool=tool)
                self._outputs = Outputs()
                self._reporter.overrides_changed()
                self._say(words.PROGRAM_END)
            return True

        return step

    # Realtime bytes.

    def _realtime(self, byte: int) -> None:
        if byte == 0x18:
            self._reset()
        elif self._power is not Power.ON:
            return
        elif byte == ord("?"):
            self._report_wanted = True
            self._work()
        elif byte == ord("!"):
            self._hold()
        elif byte == ord("~"):
            self._resume()
        elif byte == 0x84:
            self._door()
        elif byte == 0x85:
            if self._state is State.JOG:
                self._planner.hold(self._now)
                self._watch_limits()
        elif 0x90 <= byte <= 0x9D:
            self._override(byte)
        self._schedule()

    def _hold(self) -> None:
        if self._state is State.RUN:
            self._state = State.HOLD
            self._planner.hold(self._now)
        elif self._state is State.IDLE:
            self._state, self._suspended = State.HOLD, True
        elif self._state is State.JOG:
            self._planner.hold(self._now)
        self._watch_limits()

    def _resume(self) -> None:
        # Grbl forgets a resume that comes before the hold is complete.
        if self._state not in (State.HOLD, State.DOOR) or not self._suspended:
            return
        if self._state is State.DOOR:
            self._outputs = self._before_door
        self._suspended = False
        self._state = State.IDLE
        self._start_cycle()
        self._work()

    def _door(self) -> None:
        if self._homing is not None:
            self._abandon_homing()
            self._alarm(HOMING_DOOR)
            return
        if self._state in (State.ALARM, State.CHECK, State.SLEEP, State.DOOR):
            return
        self._say(words.CHECK_DOOR)
        if self._state is State.JOG:
            self._planner.hold(self._now)
            self._watch_limits()
            return
        self._state = State.DOOR
        self._planner.hold(self._now)
        if self._planner.cycle is Cycle.RESTING:
            self._suspended = True
            self._close_outputs_for_door()

    def _close_outputs_for_door(self) -> None:
        self._before_door, self._outputs = self._outputs, Outputs()
        self._reporter.overrides_changed()

    def _override(self, byte: int) -> None:
        feed, rapid, spindle = self._overrides
        if byte in _STEPS_OF_FEED:
            step = _STEPS_OF_FEED[byte]
            feed = 100 if step is None else min(max(feed + step, 10), 200)
        elif byte in _RAPIDS:
            rapid = _RAPIDS[byte]
        elif byte - 9 in _STEPS_OF_FEED:
            step = _STEPS_OF_FEED[byte - 9]
            spindle = 100 if step is None else min(max(spindle + step, 10), 200)
        self._overrides = (feed, rapid, spindle)
        self._planner.override(self._now, feed / 100, rapid / 100)
        self._reporter.overrides_changed()
        self._watch_limits()

    # Alarms, resets and homing.

    def _reset(self) -> None:
        """0x18: stop dead, forget everything but the counted position, and greet again."""
        if self._power not in (Power.ON, Power.LOCKED_UP):
            return
        locked_up = self._power is Power.LOCKED_UP
        homing = self._homing is not None
        moving = self._planner.cycle is not Cycle.RESTING
        if homing:
            self._abandon_homing()
        self._freeze()
        self._outputs = Outputs()
        self._power = Power.RESTARTING
        if not locked_up and (homing or moving):
            self._state = State.ALARM
            self._say(f"ALARM:{HOMING_RESET if homing else ABORT_CYCLE}")
            self._wake = self._now + ALARM_PAUSE_S
            self._schedule()
        else:
            self._start_up()
            self._schedule()

    def _start_up(self) -> None:
        """Answer the line that a reset cut off, then greet."""
        if self._steps:
            self._reply("ok")
        self._clear_volatile()
        self._power = Power.ON
        self._state = State.ALARM if self._state in (State.ALARM, State.SLEEP) else State.IDLE
        self._say("")
        self._say(words.BANNER)
        if self._state is State.ALARM:
            self._say(words.LOCKED)

    def _alarm(self, code: int) -> None:
        if self._homing is not None:
            self._abandon_homing()
        self._freeze()
        self._outputs = Outputs()
        self._state = State.ALARM
        self._suspended = False
        self._say(f"ALARM:{code}")
        if code in (HARD_LIMIT, SOFT_LIMIT):
            self._power = Power.LOCKED_UP
            self._say(words.RESET_TO_CONTINUE)
        else:
            self._power = Power.RESTARTING
            self._wake = self._now + ALARM_PAUSE_S

    def _freeze(self) -> None:
        """Stop the motors where they are."""
        if self._homing is not None:
            self._abandon_homing()
        self._settle_lost_steps()
        self._planner.clear(self._now)
        self._limit_at = math.inf

    def _start_homing(self) -> bool:
        self._state = State.HOME
        self._homing = HomingCycle(self.settings, self.position, self._frame, self._now)
        return True

    def _end_homing(self, cycle: HomingCycle) -> None:
        really = cycle.position(cycle.end_s)
        if self._report_wanted:
            self._report_wanted = False
            self._report()
        self._homing = None
        self._count_from(really, cycle.counted)
        self._target = cycle.counted
        self._state = State.IDLE

    def _abandon_homing(self) -> None:
        """The counters were not moved while homing, so they no longer tell where the machine is."""
        if self._homing is not None:
            really = self._homing.position(self._now)
            self._homing = None
            self._count_from(really, self._planner.position(self._now))

    def _count_from(self, really: Point, counted: Point) -> None:
        self._planner.place(counted)
        x, y, z = (a - b for a, b in zip(really, counted, strict=True))
        self._shift = (x, y, z)

    # Where the machine really is.

    def _really(self, counted: Point) -> Point:
        """The counted position as the frame allows it: an axis at its end stands there while steps are lost."""
        (x, y, z), (a, b, c), (fx, fy, fz) = counted, self._shift, self._frame
        return (
            min(max(x + a, -fx - OVERTRAVEL_MM), OVERTRAVEL_MM),
            min(max(y + b, -fy - OVERTRAVEL_MM), OVERTRAVEL_MM),
            min(max(z + c, -fz - OVERTRAVEL_MM), OVERTRAVEL_MM),
        )

    def _settle_lost_steps(self) -> None:
        """Keep the steps that were lost against the frame lost when the machine turns back."""
        counted = self._planner.position(self._now)
        if any(not -f - OVERTRAVEL_MM <= v + s <= OVERTRAVEL_MM
               for v, s, f in zip(counted, self._shift, self._frame, strict=True)):  # fmt: skip
            x, y, z = (a - b for a, b in zip(self._really(counted), counted, strict=True))
            self._shift = (x, y, z)

    def _watch_limits(self) -> None:
        """With hard limits on (`$21`), find out when the present block will run into a switch."""
        self._limit_at = math.inf
        block = self._planner.block
        if not self.settings[21] or block is None or self._planner.cycle is Cycle.RESTING:
            return
        for start, end, shift in zip(block.start, block.target, self._shift, strict=True):
            if end > start and end + shift > 0:
                part = max(-(start + shift) / (end - start), 0.0)
                self._limit_at = min(self._limit_at, self._planner.time_at(part))

    # Words.

    def _report(self) -> None:
        state = self._state.value
        if self._state is State.HOLD:
            state += ":0" if self._suspended else ":1"
        elif self._state is State.DOOR:
            state += ":0" if self._suspended else ":2"
        accessories = ""
        if self._outputs.spindle:
            accessories += "C" if self._modal.spindle == "M4" else "S"
        if self._outputs.coolant:
            accessories += "F"
        self._say(
            self._reporter.report(
                words.Snapshot(
                    state=state,
                    busy=self._state in (State.RUN, State.HOME, State.HOLD, State.JOG, State.DOOR),
                    position=self._planner.position(self._now),
                    offset=self._offset(),
                    feed=self._planner.speed(self._now) * 60,
                    spindle_speed=self._outputs.spindle_speed,
                    accessories=accessories,
                    overrides=self._overrides,
                    planner_free=PLANNER_BLOCKS - self._planner.waiting,
                    buffer_free=RECEIVE_BUFFER - len(self._received),
                    mask=int(self.settings[10]),
                )
            )
        )

    def _reply(self, text: str) -> None:
        """An answer to a line, which a fault may lose or spoil."""
        if self.faults.swallow_replies > 0:
            self.faults.swallow_replies -= 1
            return
        if self.faults.garble_replies > 0:
            self.faults.garble_replies -= 1
            spoilt = bytearray(text.encode("ascii"))
            spoilt[self._random.randrange(len(spoilt))] = self._random.randrange(0x80, 0x100)
            if not self.faults.mute:
                self._output += spoilt + b"\r\n"
            return
        self._say(text)

    def _say(self, text: str) -> None:
        if not self.faults.mute:
            self._output += text.encode("ascii") + b"\r\n"


_STEPS_OF_FEED: dict[int, int | None] = {0x90: None, 0x91: 10, 0x92: -10, 0x93: 1, 0x94: -1}
_RAPIDS = {0x95: 100, 0x96: 50, 0x97: 25}
