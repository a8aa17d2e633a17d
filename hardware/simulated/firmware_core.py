"""The part of the simulated Grbl that runs whatever lines are sent: time, bytes, states, resets, alarms, reports.

Source: Grbl 1.1 documentation ("Interface", "Commands") and behaviour seen on Grbl 1.1h.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections import deque

from hardware.simulated import firmware_report as words
from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.firmware_state import FirmwareFaults, Outputs, Power, State, Step
from hardware.simulated.gcode import Modal
from hardware.simulated.line_reader import Line, LineReader
from hardware.simulated.machine_axes import MachineAxes
from hardware.simulated.planner import PLANNER_BLOCKS, Cycle, Point

RECEIVE_BUFFER = 128
ALARM_PAUSE_S = 0.5
"""Grbl does nothing for this long after an alarm's line."""

HARD_LIMIT, SOFT_LIMIT, ABORT_CYCLE, HOMING_RESET, HOMING_DOOR = 1, 2, 3, 6, 7
_FEED_STEPS: dict[int, int | None] = {0x90: None, 0x91: 10, 0x92: -10, 0x93: 1, 0x94: -1}
_RAPIDS = {0x95: 100, 0x96: 50, 0x97: 25}
_SPINDLE_AFTER_FEED = 9


class FirmwareCore(ABC):
    """A controller board and the axes that it drives, without the meaning of the lines.

    `settings` changes the reference build's `$` values; `start_mm` is where the machine really stands at power-up;
    `frame_mm` is its true travel. The board has been up for a while when it is made, so no banner waits to be read.
    `reports_while_homing` is True for grblHAL; Grbl answers `?` only when homing is over.
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
        self._boot_s = boot_s
        self._reports_while_homing = reports_while_homing
        self._now = 0.0
        self._next = math.inf
        self._output = bytearray()
        self._axes = MachineAxes(self.settings, start_mm, frame_mm)
        self._power = Power.ON
        self._state = State.ALARM if self.settings[22] else State.IDLE
        self._forget()

    def _forget(self) -> None:
        """What every reset forgets."""
        self._received: deque[int] = deque()
        self._reader = LineReader()
        self._steps: deque[Step] = deque()
        self._wake = math.inf
        self._deaf_until = -math.inf
        self._suspended = False
        self._alarm_follows = False
        self._report_wanted = False
        self._modal = Modal()
        self._g92: Point = (0.0, 0.0, 0.0)
        self._overrides = (100, 100, 100)
        self._axes.override(self._now, 1.0, 1.0)
        self._reporter = words.StatusReporter()
        self._outputs = Outputs()
        self._before_door = Outputs()
        self._target = self._axes.counted(self._now)

    # What stands around the board may look at this.

    @property
    def position(self) -> Point:
        """Where the machine really is at the time last told, mm in homed machine coordinates."""
        return self._axes.really(self._now)

    @property
    def counted_position(self) -> Point:
        """Where the firmware believes that the machine is, mm."""
        return self._axes.counted(self._now)

    @property
    def state(self) -> State:
        """The state that a report would name."""
        return self._state

    @property
    def power(self) -> Power:
        """Whether the firmware listens."""
        return self._power

    @property
    def outputs(self) -> Outputs:
        """The switched outputs."""
        return self._outputs

    @property
    def gripper_on(self) -> bool:
        """Whether an output that may work the gripper is on."""
        return self._outputs.coolant or self._outputs.spindle

    @property
    def moving(self) -> bool:
        """Whether motors are turning."""
        return self._axes.moving

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

    def take_output(self) -> bytes:
        """All that was sent since the last call."""
        data = bytes(self._output)
        self._output.clear()
        return data

    # Faults and the world.

    def power_off(self) -> None:
        """Cut the power: motion stops dead, outputs are off, all but the settings is forgotten."""
        self._axes.freeze(self._now)
        self._power = Power.OFF
        self._output.clear()
        self._forget()
        self._schedule()

    def power_on(self) -> None:
        """Give power: the bootloader, then the banner; the counted position is zero wherever the machine stands."""
        self._axes.lose_count(self._now)
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
        """Make the firmware raise `ALARM:code` now, as noise on a limit switch does (1)."""
        if self._power is Power.ON:
            self._alarm(code)
            self._schedule()

    def noise(self, data: bytes) -> None:
        """Bytes that nobody sent appear on the line to the host."""
        self._output += data

    # Time.

    def _schedule(self) -> None:
        self._next = min(self._axes.next_event_s, self._wake)

    def _on_time(self) -> None:
        axes = self._axes
        if self._now >= axes.limit_at_s:
            self._alarm(HARD_LIMIT)
        elif axes.homing is not None and self._now >= axes.homing.end_s:
            self._end_homing()
        elif self._now >= axes.planner.end_s:
            self._end_motion()
        elif self._now >= self._wake:
            self._wake = math.inf
            if self._power is Power.BOOTING:
                self._state = State.ALARM if self.settings[22] else State.IDLE
                self._start_up()
            elif self._power is Power.RESTARTING:
                self._start_up()
            elif self._power is Power.LOCKED_UP:
                self._say(words.RESET_TO_CONTINUE)

    def _end_homing(self) -> None:
        self._axes.end_homing()
        self._target = self._axes.counted(self._now)
        if self._report_wanted:
            self._report_wanted = False
            self._report()
        self._state = State.IDLE

    def _end_motion(self) -> None:
        stopping = self._axes.planner.cycle is Cycle.STOPPING
        self._axes.finish(self._now)
        if self._axes.moving:
            return
        if self._state is State.JOG:
            # A held jog is a cancelled jog: the queue is emptied and nothing waits to be resumed.
            self._axes.freeze(self._now)
            self._target = self._axes.counted(self._now)
            self._state = State.IDLE
        elif stopping and not self._alarm_follows:
            self._suspended = True
            if self._state is State.DOOR:
                self._switch_off_for_door()
        elif self._state is State.RUN:
            self._state = State.IDLE

    def _work(self) -> None:
        """Grbl's main loop: go on with the line in hand, then read on, until something has to be waited for."""
        while self._power is Power.ON:
            if self._report_wanted and (self._axes.homing is None or self._reports_while_homing):
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
            elif self._received:
                line = self._reader.take(self._received.popleft())
                if line is not None:
                    self._begin_line(line)
            else:
                break
        self._schedule()

    @abstractmethod
    def _begin_line(self, line: Line) -> None:
        """Refuse the line, or lay out the steps that carry it out and answer it."""

    def _start_cycle(self) -> None:
        if self._state in (State.IDLE, State.RUN) and self._axes.planner.waiting:
            self._state = State.RUN
            self._axes.run(self._now)

    @abstractmethod
    def _offset(self) -> Point:
        """The work offset, mm."""

    # Realtime bytes.

    def _realtime(self, byte: int) -> None:
        if byte == 0x18:
            self._reset()
        elif self._power is not Power.ON:
            return
        elif byte == ord("?"):
            self._report_wanted = True
        elif byte == ord("!"):
            self._hold()
        elif byte == ord("~"):
            self._resume()
        elif byte == 0x84:
            self._door()
        elif byte == 0x85:
            if self._state is State.JOG:
                self._axes.hold(self._now)
        elif 0x90 <= byte <= 0x9D:
            self._override(byte)
        self._work()

    def _hold(self) -> None:
        if self._state is State.RUN:
            self._state = State.HOLD
            self._axes.hold(self._now)
        elif self._state is State.IDLE:
            self._state, self._suspended = State.HOLD, True
        elif self._state is State.JOG:
            self._axes.hold(self._now)

    def _resume(self) -> None:
        # Grbl forgets a resume that comes before the hold is complete.
        if self._state not in (State.HOLD, State.DOOR) or not self._suspended:
            return
        if self._state is State.DOOR:
            self._outputs = self._before_door
        self._suspended = False
        self._state = State.IDLE
        self._start_cycle()

    def _door(self) -> None:
        if self._axes.homing is not None:
            self._alarm(HOMING_DOOR)
            return
        if self._state in (State.ALARM, State.CHECK, State.SLEEP, State.DOOR):
            return
        self._say(words.CHECK_DOOR)
        self._axes.hold(self._now)
        if self._state is State.JOG:
            return
        self._state = State.DOOR
        if not self._axes.moving:
            self._suspended = True
            self._switch_off_for_door()

    def _switch_off_for_door(self) -> None:
        self._before_door, self._outputs = self._outputs, Outputs()
        self._reporter.overrides_changed()

    def _override(self, byte: int) -> None:
        feed, rapid, spindle = self._overrides
        if byte in _FEED_STEPS:
            feed = _stepped(feed, _FEED_STEPS[byte])
        elif byte in _RAPIDS:
            rapid = _RAPIDS[byte]
        elif byte - _SPINDLE_AFTER_FEED in _FEED_STEPS:
            spindle = _stepped(spindle, _FEED_STEPS[byte - _SPINDLE_AFTER_FEED])
        self._overrides = (feed, rapid, spindle)
        self._axes.override(self._now, feed / 100, rapid / 100)
        self._reporter.overrides_changed()

    # Resets and alarms.

    def _reset(self) -> None:
        """0x18: stop dead, forget everything but the counted position, and greet again."""
        if self._power is Power.LOCKED_UP:
            if self._wake != math.inf:
                return  # Still within the alarm's pause, where Grbl throws a reset away.
        elif self._power is not Power.ON:
            return
        homing, moving = self._axes.homing is not None, self._axes.moving
        self._axes.freeze(self._now)
        self._outputs = Outputs()
        if moving:
            self._alarm(HOMING_RESET if homing else ABORT_CYCLE)
        else:
            self._start_up()

    def _start_up(self) -> None:
        """Answer the line that a reset cut off, then greet."""
        if self._steps:
            self._reply("ok")
        self._forget()
        self._power = Power.ON
        self._state = State.ALARM if self._state in (State.ALARM, State.SLEEP) else State.IDLE
        self._say("")
        self._say(words.BANNER)
        if self._state is State.ALARM:
            self._say(words.LOCKED)

    def _alarm(self, code: int) -> None:
        self._axes.freeze(self._now)
        self._outputs = Outputs()
        self._state = State.ALARM
        self._suspended = False
        self._say(f"ALARM:{code}")
        self._power = Power.LOCKED_UP if code in (HARD_LIMIT, SOFT_LIMIT) else Power.RESTARTING
        self._wake = self._now + ALARM_PAUSE_S

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
        planner = self._axes.planner
        self._say(
            self._reporter.report(
                words.Snapshot(
                    state=state,
                    busy=self._state in (State.RUN, State.HOME, State.HOLD, State.JOG, State.DOOR),
                    position=planner.position(self._now),
                    offset=self._offset(),
                    feed=planner.speed(self._now) * 60,
                    spindle_speed=self._outputs.spindle_speed,
                    accessories=accessories,
                    overrides=self._overrides,
                    planner_free=PLANNER_BLOCKS - planner.waiting,
                    buffer_free=RECEIVE_BUFFER - len(self._received),
                    mask=int(self.settings[10]),
                    inches=bool(self.settings[13]),
                )
            )
        )

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
            self._output += line + b"\r\n"


def _stepped(percent: int, step: int | None) -> int:
    """An override after one of its bytes: None sets it back, steps stay between 10 and 200 %."""
    return 100 if step is None else min(max(percent + step, 10), 200)
