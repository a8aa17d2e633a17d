"""Grbl 1.1h as a state machine: bytes in, bytes out, time told from outside.

It keeps the traps of the real firmware: `ok` means queued, the receive buffer overflows without a word, nothing is
read while held, an alarm for a limit silences everything until a reset, a reset switches the outputs off and may
answer the aborted line late, a restart of the chip makes the counted position zero. `position` is where the machine
really is; what the firmware reports is what it has counted.

Source: Grbl 1.1 documentation ("Commands", "Settings", "Jogging") and behaviour seen on Grbl 1.1h.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from hardware.simulated import firmware_report as words
from hardware.simulated.firmware_core import SOFT_LIMIT, FirmwareCore
from hardware.simulated.firmware_state import Outputs, State, Step
from hardware.simulated.gcode import GcodeError, Modal, Statement, interpret, interpret_jog, read_number
from hardware.simulated.line_reader import Line
from hardware.simulated.planner import Point, straight_block

EEPROM_PAUSE_S = 0.02
"""How long the receiver is deaf while a setting is written."""
DWELL_STEP_S = 0.05
"""A dwell is counted in whole steps of this length (DWELL_TIME_STEP in Grbl's sources)."""

_ORIGIN: Point = (0.0, 0.0, 0.0)


class GrblFirmware(FirmwareCore):
    """A controller board with Grbl 1.1h on it, and the three axes that it drives; see `FirmwareCore`."""

    _systems: tuple[Point, ...] = (_ORIGIN,) * 6
    _stored: dict[str, Point] | None = None

    def _begin_line(self, line: Line) -> None:
        answer: list[Step] = [self._ok]
        try:
            if line.too_long:
                raise GcodeError(11)
            if line.text == "$SLP":
                self._require_rest()
                answer.append(self._sleep)
            elif line.text.startswith("$"):
                self._system_line(line.text[1:])
            elif line.text:
                if self._state in (State.ALARM, State.JOG):
                    raise GcodeError(9)
                self._execute(interpret(line.text, self._modal))
        except GcodeError as error:
            self._steps.clear()
            self._reply(f"error:{error.code}")
        else:
            self._steps.extend(answer)

    def _ok(self) -> bool:
        self._reply("ok")
        return True

    # Lines that begin with $.

    def _require_rest(self) -> None:
        if self._state not in (State.IDLE, State.ALARM):
            raise GcodeError(8)

    def _system_line(self, body: str) -> None:
        if body == "":
            self._say(words.HELP)
        elif body.startswith("J="):
            self._jog(body[2:])
        elif body == "G":
            self._say(self._modal.report())
        elif body == "$":
            if self._state in (State.RUN, State.HOLD, State.JOG):
                raise GcodeError(8)
            self._say_all(self.settings.lines())
        elif body == "X":
            if self._state is State.ALARM:
                self._say(words.UNLOCKED)
                self._state = State.IDLE
        elif body == "C":
            self._toggle_check()
        else:
            self._require_rest()
            self._system_line_at_rest(body)

    def _system_line_at_rest(self, body: str) -> None:
        if body == "#":
            stored = self._stored or {}
            g28, g30 = stored.get("G28", _ORIGIN), stored.get("G30", _ORIGIN)
            self._say_all(words.parameters(self._systems, g28, g30, self._g92))
        elif body == "I":
            self._say_all(words.VERSION_LINES)
        elif body == "N":
            self._say_all(("$N0=", "$N1="))
        elif body == "H":
            if not self.settings[22]:
                raise GcodeError(5)
            self._steps.append(self._start_homing)
            self._steps.append(lambda: self._axes.homing is None)
        elif body == "RST=$":
            self.settings.restore()
            self._pause_for_eeprom()
        else:
            self._write_setting(body)

    def _write_setting(self, body: str) -> None:
        number, at = read_number(body)
        if at >= len(body) or body[at] != "=" or number != int(number):
            raise GcodeError(3)
        value, at = read_number(body, at + 1)
        if at != len(body):
            raise GcodeError(3)
        self.settings.write(int(number), value)
        self._pause_for_eeprom()

    def _pause_for_eeprom(self) -> None:
        self._deaf_until = self._now + EEPROM_PAUSE_S
        self._steps.append(self._pause(EEPROM_PAUSE_S))

    def _toggle_check(self) -> None:
        if self._state is State.CHECK:
            self._say("[MSG:Disabled]")
            self._steps.append(self._leave_check)
        elif self._state is State.IDLE:
            self._say("[MSG:Enabled]")
            self._state = State.CHECK
        else:
            raise GcodeError(8)

    def _leave_check(self) -> bool:
        """Leaving check mode resets Grbl; the line's own `ok` comes first, as for any line that a reset cuts off."""
        self._reset()
        return False

    def _start_homing(self) -> bool:
        self._state = State.HOME
        self._axes.start_homing(self._now)
        return True

    def _sleep(self) -> bool:
        self._say(words.SLEEPING)
        self._outputs = Outputs()
        self._state, self._suspended = State.SLEEP, True
        return True

    def _say_all(self, lines: tuple[str, ...] | list[str]) -> None:
        for text in lines:
            self._say(text)

    # G-code.

    def _execute(self, statement: Statement) -> None:
        """Lay out the steps of a checked line in Grbl's order; the `ok` follows them."""
        if statement.modal.system != self._modal.system:
            self._reporter.offset_changed()
        self._modal = statement.modal
        if self._state is State.CHECK:
            return
        if statement.sets_spindle:
            self._after_motion(self._switch_spindle(statement.modal))
        if statement.sets_coolant:
            self._after_motion(self._switch_coolant(statement.modal.coolant == "M8"))
        if statement.dwell_s is not None:
            self._after_motion(self._pause(ceil(statement.dwell_s / DWELL_STEP_S) * DWELL_STEP_S))
        self._non_modal(statement)
        if statement.moves:
            feed = None if statement.modal.motion == "G0" else statement.modal.feed
            self._go(statement.target(self._target, self._offset()), feed)
        if statement.flow:
            self._after_motion(self._program_flow(statement.flow))

    def _non_modal(self, statement: Statement) -> None:
        name = statement.non_modal
        if name == "G10":
            index = int(statement.words["P"]) - 1 if statement.words["P"] else self._modal.system
            from_here = statement.words["L"] == 20
            changed = self._replaced(self._systems[index], statement, self._g92 if from_here else None)
            self._systems = (*self._systems[:index], changed, *self._systems[index + 1 :])
            self._reporter.offset_changed()
            self._pause_for_eeprom()
        elif name in ("G28", "G30"):
            if statement.axes:
                self._go(statement.target(self._target, self._offset()), None)
            self._go((self._stored or {}).get(name, _ORIGIN), None)
        elif name in ("G28.1", "G30.1"):
            self._stored = {**(self._stored or {}), name[:3]: self._target}
            self._pause_for_eeprom()
        elif name == "G92":
            self._g92 = self._replaced(self._g92, statement, self._systems[self._modal.system])
            self._reporter.offset_changed()
        elif name == "G92.1":
            self._g92 = _ORIGIN
            self._reporter.offset_changed()

    def _replaced(self, offset: Point, statement: Statement, other: Point | None) -> Point:
        """An offset with the axes that the line names replaced: by what it says, or, beside the `other` offset, so
        that where we stand reads as it says."""
        new = list(offset)
        for axis, value in statement.axes.items():
            new[axis] = value if other is None else self._target[axis] - other[axis] - value
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
        else:
            self._queue(target, feed, State.RUN)

    def _jog(self, text: str) -> None:
        if self._state not in (State.IDLE, State.JOG):
            raise GcodeError(8)
        statement = interpret_jog(text, self._modal)
        target = self._on_steps(statement.target(self._target, self._offset()))
        if self._beyond_soft_limits(target):
            raise GcodeError(15)
        self._queue(target, statement.modal.feed, State.JOG)

    def _queue(self, target: Point, feed: float | None, state: State) -> None:
        """Plan a straight move (feed in mm/min, None for G0) and queue it as soon as there is room."""
        start, self._target = self._target, target
        if start == target:
            return
        rates, accelerations = self.settings.max_rate, self.settings.axes(120)
        block = straight_block(start, target, rates, accelerations, None if feed is None else feed / 60)

        def queue() -> bool:
            if self._axes.planner.full:
                return False
            self._axes.planner.add(block)
            if state is State.JOG:
                self._state = State.JOG
                self._axes.run(self._now)
            else:
                self._start_cycle()
            return True

        self._steps.append(queue)

    # Steps that wait.

    def _after_motion(self, step: Step) -> None:
        self._steps.append(lambda: self._axes.at_rest)
        self._steps.append(step)

    def _stop_at_soft_limit(self) -> bool:
        """Grbl brakes first, so that the position is kept, and then locks itself up; the line never gets done."""
        if self._axes.moving:
            self._alarm_follows = True
            self._axes.hold(self._now)
        else:
            self._alarm(SOFT_LIMIT)
        return False

    def _pause(self, seconds: float) -> Step:
        until: float | None = None

        def step() -> bool:
            nonlocal until
            if until is None:
                until = self._now + seconds
            if self._now >= until:
                return True
            self._wake = until
            return False

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
                before = self._modal
                self._modal = Modal(
                    motion="G1", feed=before.feed, spindle_speed=before.spindle_speed, tool=before.tool
                )
                self._outputs = Outputs()
                self._reporter.overrides_changed()
                self._say(words.PROGRAM_END)
            return True

        return step
