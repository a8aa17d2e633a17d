"""What the simulated Marlin does with a line: moves, homing, outputs, reports."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable

from hardware.simulated import marlin_words as words
from hardware.simulated.firmware_settings import FirmwareSettings
from hardware.simulated.joining_planner import JoiningPlanner
from hardware.simulated.machine_axes import MachineAxes
from hardware.simulated.planner import Point, straight_block

_WORD = re.compile(r"([A-Z])\s*([-+]?\d*\.?\d*)")
Wait = Callable[[], bool]
"""What a line's `ok` waits for: False means not yet."""
FIRST_BLOCK_DELAY_S = 0.1
"""BLOCK_DELAY_FOR_1ST_MOVE: so long Marlin waits for more segments before it starts."""


class MarlinCommands(ABC):
    """The commands; the board around them is `hardware.simulated.marlin`."""

    settings: FirmwareSettings
    emergency_parser: bool
    outputs: dict[str, float]
    """What is on, and how much."""
    _now: float
    _wake: float
    _start_at: float
    _idle_since: float
    _idle_limit_s: float
    _axes: MachineAxes
    _queue: JoiningPlanner
    _target: Point
    _absolute: bool
    _soft_limits: bool
    _homed: bool
    _feed_mm_min: float

    @abstractmethod
    def _say(self, text: str) -> None: ...

    @abstractmethod
    def _resting(self) -> bool: ...

    @abstractmethod
    def _halt(self) -> None: ...

    def _execute(self, text: str) -> Wait | None:
        """Carry a line out; what its `ok` waits for, if for anything."""
        match = re.match(r"([GMT]\d+)(?:\.\d+)?\s*(.*)", text)
        if match is None:
            self._say(_unknown(text))
            return None
        name, rest = match[1], match[2]
        values = {
            letter: float(number) if number not in ("", "-", "+", ".") else 0.0
            for letter, number in _WORD.findall(rest)
        }
        if name not in _COMMANDS:
            self._say(_unknown(text))
            return None
        return _COMMANDS[name](self, values)

    # Motion.

    def _top(self) -> Point:
        return self.settings.axes(130)

    def _move(self, values: dict[str, float]) -> Wait | None:
        if values.get("F", 0.0) > 0:
            self._feed_mm_min = values["F"]
        top = self._top()
        target = list(self._target)
        for axis, name in enumerate("XYZ"):
            if name in values:
                target[axis] = values[name] - top[axis] if self._absolute else target[axis] + values[name]
                if self._soft_limits and self._homed:  # Without a word.
                    target[axis] = min(max(target[axis], -top[axis]), 0.0)
        x, y, z = (round(v * s) / s for v, s in zip(target, self.settings.axes(100), strict=True))
        start, self._target = self._target, (x, y, z)
        if start == self._target:
            return None
        block = straight_block(
            start, self._target, self.settings.max_rate, self.settings.axes(120), self._feed_mm_min / 60
        )

        def queue() -> bool:
            if not self._queue.has_room(self._now):
                return False
            if self._resting():
                self._start_at = self._now + FIRST_BLOCK_DELAY_S
            self._queue.append(block, self._now)
            return True

        return queue

    def _until_at_rest(self) -> Wait:
        def at_rest() -> bool:
            if self._start_at != math.inf:
                self._start_at = math.inf
                self._axes.run(self._now)
            return self._resting()

        return at_rest

    def _home(self, values: dict[str, float]) -> Wait:
        before = self._until_at_rest()
        begun = False

        def homed() -> bool:
            nonlocal begun
            if not begun:
                if not before():
                    return False
                begun = True
                self._axes.start_homing(self._now)
            return self._axes.homing is None

        return homed

    def _dwell(self, values: dict[str, float]) -> Wait:
        before = self._until_at_rest()
        seconds = values.get("S", 0.0) + values.get("P", 0.0) / 1000
        until: float | None = None

        def over() -> bool:
            nonlocal until
            if until is None:
                if not before():
                    return False
                until = self._now + seconds
            if self._now >= until:
                return True
            self._wake = until
            return False

        return over

    def _quick_stop(self, values: dict[str, float] | None = None) -> None:
        self._axes.freeze(self._now)
        self._start_at = math.inf
        self._target = self._axes.counted(self._now)
        self._idle_since = self._now

    def _kill(self, values: dict[str, float]) -> None:
        self._halt()

    # Modes, settings, reports.

    def _set_absolute(self, values: dict[str, float]) -> None:
        self._absolute = True

    def _set_relative(self, values: dict[str, float]) -> None:
        self._absolute = False

    def _motors(self, values: dict[str, float]) -> Wait | None:
        if "S" in values:
            self._idle_limit_s = values["S"]
            return None
        self._homed = False
        return self._until_at_rest()

    def _report_position(self, values: dict[str, float]) -> None:
        top = self._top()
        x, y, z = (value + high for value, high in zip(self._target, top, strict=True))
        a, b, c = (value + high for value, high in zip(self._axes.counted(self._now), top, strict=True))
        self._say(words.position_line((x, y, z), (a, b, c), self.settings.axes(100)))

    def _report_firmware(self, values: dict[str, float]) -> None:
        for line in words.firmware_lines(self.emergency_parser):
            self._say(line)

    def _report_settings(self, values: dict[str, float]) -> None:
        for line in words.settings_lines(self.settings):
            self._say(line)

    def _endstops(self, values: dict[str, float]) -> None:
        if "S" in values:
            self._soft_limits = bool(values["S"])
        self._say(words.endstops_line(self._soft_limits, self._top()))

    # Outputs: Marlin waits for the motion before most of them.

    def _output(self, name: str, level: float) -> Wait:
        before = self._until_at_rest()

        def switched() -> bool:
            if not before():
                return False
            self.outputs[name] = level
            return True

        return switched

    def _fan(self, values: dict[str, float]) -> Wait:
        return self._output(f"fan{values.get('P', 0):.0f}", values.get("S", 255.0))

    def _fan_off(self, values: dict[str, float]) -> Wait:
        return self._output(f"fan{values.get('P', 0):.0f}", 0.0)

    def _pin(self, values: dict[str, float]) -> Wait:
        return self._output(f"pin{values.get('P', 0):.0f}", values.get("S", 0.0))

    def _servo(self, values: dict[str, float]) -> Wait:
        return self._output(f"servo{values.get('P', 0):.0f}", values.get("S", 0.0))

    def _spindle(self, values: dict[str, float]) -> Wait:
        return self._output("spindle", values.get("S", 255.0))

    def _spindle_off(self, values: dict[str, float]) -> Wait:
        return self._output("spindle", 0.0)

    def _coolant(self, values: dict[str, float]) -> Wait:
        return self._output("coolant", 1.0)

    def _coolant_off(self, values: dict[str, float]) -> Wait:
        return self._output("coolant", 0.0)

    def _wait_for_motion(self, values: dict[str, float]) -> Wait:
        return self._until_at_rest()


def _unknown(text: str) -> str:
    shown = "".join(character if character.isascii() and character.isprintable() else "?" for character in text)
    return f'echo:Unknown command: "{shown}"'


def _nothing(board: MarlinCommands, values: dict[str, float]) -> None:
    """Taken, and of no consequence here."""


_COMMANDS: dict[str, Callable[[MarlinCommands, dict[str, float]], Wait | None]] = {
    "G0": MarlinCommands._move,
    "G1": MarlinCommands._move,
    "G4": MarlinCommands._dwell,
    "G21": _nothing,
    "G28": MarlinCommands._home,
    "G90": MarlinCommands._set_absolute,
    "G91": MarlinCommands._set_relative,
    "M3": MarlinCommands._spindle,
    "M5": MarlinCommands._spindle_off,
    "M8": MarlinCommands._coolant,
    "M9": MarlinCommands._coolant_off,
    "M17": _nothing,
    "M18": MarlinCommands._motors,
    "M42": MarlinCommands._pin,
    "M84": MarlinCommands._motors,
    "M106": MarlinCommands._fan,
    "M107": MarlinCommands._fan_off,
    "M110": _nothing,
    "M112": MarlinCommands._kill,
    "M114": MarlinCommands._report_position,
    "M115": MarlinCommands._report_firmware,
    "M211": MarlinCommands._endstops,
    "M280": MarlinCommands._servo,
    "M400": MarlinCommands._wait_for_motion,
    "M410": MarlinCommands._quick_stop,
    "M503": MarlinCommands._report_settings,
}
