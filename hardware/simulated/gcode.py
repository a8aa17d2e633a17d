"""The G-code that the simulated Grbl understands: a line of text → a checked statement, or Grbl's error code.

Source: Grbl 1.1 `gcode.c` as its documentation describes it (order of execution, modal groups, error codes). Arcs,
probing, tool offsets and inverse-time feed, which nothing here sends, are answered as unsupported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from hardware.simulated.planner import Point

MM_PER_INCH = 25.4
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")
_AXES = "XYZ"
_MOTIONS = {0: "G0", 1: "G1", 80: "G80"}
_NON_MODAL_WITH_AXES = frozenset({"G10", "G28", "G30", "G92"})


class GcodeError(Exception):
    """A line that Grbl refuses; `code` is the n of `error:n`."""

    def __init__(self, code: int) -> None:
        super().__init__(f"error:{code}")
        self.code = code


@dataclass(frozen=True)
class Modal:
    """What stays in force from line to line. Feed in mm/min."""

    motion: str = "G0"
    plane: str = "G17"
    inches: bool = False
    absolute: bool = True
    system: int = 0
    """0 for G54 to 5 for G59."""
    feed: float = 0.0
    spindle_speed: float = 0.0
    tool: int = 0
    spindle: str = "M5"
    coolant: str = "M9"

    def report(self) -> str:
        """What `$G` answers, without the `ok`."""
        units, distance = "G20" if self.inches else "G21", "G90" if self.absolute else "G91"
        return (
            f"[GC:{self.motion} G{54 + self.system} {self.plane} {units} {distance} G94 {self.spindle} "
            f"{self.coolant} T{self.tool} F{self.feed:.0f} S{self.spindle_speed:.0f}]"
        )


@dataclass(frozen=True)
class Statement:
    """A checked line: the modal state after it, and what it does besides. Lengths in mm."""

    modal: Modal
    axes: dict[int, float] = field(default_factory=dict)
    moves: bool = False
    non_modal: str = ""
    machine_coordinates: bool = False
    dwell_s: float | None = None
    sets_spindle: bool = False
    sets_coolant: bool = False
    flow: str = ""
    words: dict[str, float] = field(default_factory=dict)

    def target(self, position: Point, offset: Point) -> Point:
        """Where the axis words point, in machine mm; `offset` is the work offset, `position` where we stand."""
        point = list(position)
        for axis, value in self.axes.items():
            if self.machine_coordinates:
                point[axis] = value
            elif self.modal.absolute:
                point[axis] = value + offset[axis]
            else:
                point[axis] += value
        return point[0], point[1], point[2]


def read_number(text: str, start: int = 0) -> tuple[float, int]:
    """A number as Grbl reads it (no exponents) and the index after it; GcodeError 2 if there is none."""
    match = _NUMBER.match(text, start)
    if match is None:
        raise GcodeError(2)
    return float(match.group()), match.end()


def _words(line: str) -> list[tuple[str, float]]:
    words = []
    at = 0
    while at < len(line):
        letter = line[at]
        if not "A" <= letter <= "Z":
            raise GcodeError(1)
        value, at = read_number(line, at + 1)
        words.append((letter, value))
    return words


class _Reader:
    """Collects the words of one line and refuses what contradicts itself."""

    def __init__(self, modal: Modal) -> None:
        self.modal = modal
        self.groups: set[str] = set()
        self.values: dict[str, float] = {}
        self.non_modal = ""
        self.machine_coordinates = False
        self.flow = ""
        self.motion_word = False

    def _group(self, name: str) -> None:
        if name in self.groups:
            raise GcodeError(21)
        self.groups.add(name)

    def take(self, letter: str, value: float) -> None:
        if letter == "G":
            self._take_g(round(value * 10), value)
        elif letter == "M":
            if value != int(value):
                raise GcodeError(23)
            self._take_m(int(value))
        elif letter in "FLNPSTXYZ":
            if letter in self.values:
                raise GcodeError(25)
            if letter in "FNPST" and value < 0:
                raise GcodeError(4)
            if letter == "N" and value > 10_000_000:
                raise GcodeError(27)
            self.values[letter] = value
        else:
            raise GcodeError(20)

    def _take_g(self, tenths: int, value: float) -> None:
        if abs(value * 10 - tenths) > 1e-6:
            raise GcodeError(23)
        whole, tenth = divmod(tenths, 10)
        name = f"G{whole}" + (f".{tenth}" if tenth else "")
        if name in ("G0", "G1", "G80"):
            self._group("motion")
            self.modal = replace(self.modal, motion=_MOTIONS[whole])
            self.motion_word = True
        elif name in ("G4", "G10", "G28", "G28.1", "G30", "G30.1", "G53", "G92", "G92.1"):
            self._group("non-modal")
            if name == "G53":
                self.machine_coordinates = True
            else:
                self.non_modal = name
        elif name in ("G17", "G18", "G19"):
            self._group("plane")
            self.modal = replace(self.modal, plane=name)
        elif name in ("G20", "G21"):
            self._group("units")
            self.modal = replace(self.modal, inches=name == "G20")
        elif name in ("G90", "G91"):
            self._group("distance")
            self.modal = replace(self.modal, absolute=name == "G90")
        elif 54 <= whole <= 59 and not tenth:
            self._group("system")
            self.modal = replace(self.modal, system=whole - 54)
        elif name in ("G40", "G49", "G61", "G91.1", "G94"):
            self._group(name)
        elif tenth and whole not in (28, 30, 38, 43, 59, 61, 91, 92):
            raise GcodeError(23)
        else:
            raise GcodeError(20)

    def _take_m(self, number: int) -> None:
        name = f"M{number}"
        if number in (0, 1, 2, 30):
            self._group("flow")
            # M1 is accepted and does nothing: Grbl has no optional-stop switch.
            self.flow = "" if number == 1 else name
        elif number in (3, 4, 5):
            self._group("spindle")
            self.modal = replace(self.modal, spindle=name)
        elif number in (8, 9):
            self._group("coolant")
            self.modal = replace(self.modal, coolant=name)
        else:
            raise GcodeError(20)


def interpret(line: str, modal: Modal) -> Statement:
    """Read and check one line (upper case, without spaces and comments); GcodeError if Grbl would refuse it."""
    reader = _Reader(modal)
    for letter, value in _words(line):
        reader.take(letter, value)
    values = reader.values
    unused = set(values) - {"N"}
    scale = MM_PER_INCH if reader.modal.inches else 1.0
    modal = reader.modal
    if "F" in values:
        modal = replace(modal, feed=values["F"] * scale)
    if "S" in values:
        modal = replace(modal, spindle_speed=values["S"])
    if "T" in values:
        modal = replace(modal, tool=int(values["T"]))
    unused -= {"F", "S", "T"}

    dwell = None
    if reader.non_modal == "G4":
        if "P" not in values:
            raise GcodeError(28)
        dwell = values["P"]
        unused.discard("P")

    axes = {index: values[axis] * scale for index, axis in enumerate(_AXES) if axis in values}
    takes_axes = reader.non_modal in _NON_MODAL_WITH_AXES
    if takes_axes and reader.motion_word and modal.motion != "G80":
        raise GcodeError(24)
    if reader.non_modal == "G10":
        unused -= {"P", "L"}
        if not axes:
            raise GcodeError(26)
        if "P" not in values or "L" not in values:
            raise GcodeError(28)
        if values["L"] not in (2, 20):
            raise GcodeError(20)
        if values["P"] > 6 or values["P"] != int(values["P"]):
            raise GcodeError(29)
    if reader.non_modal == "G92" and not axes:
        raise GcodeError(26)

    moves = bool(axes) and not takes_axes and reader.non_modal in ("", "G4")
    if reader.machine_coordinates and modal.motion not in ("G0", "G1"):
        raise GcodeError(30)
    if moves:
        if modal.motion == "G80":
            raise GcodeError(31)
        if modal.motion == "G1" and modal.feed == 0:
            raise GcodeError(22)
    if moves or takes_axes:
        unused -= set(_AXES)
    if unused:
        raise GcodeError(36)
    return Statement(
        modal=modal,
        axes=axes,
        moves=moves,
        non_modal="" if reader.non_modal == "G4" else reader.non_modal,
        machine_coordinates=reader.machine_coordinates,
        dwell_s=dwell,
        sets_spindle="spindle" in reader.groups or ("S" in values and modal.spindle != "M5"),
        sets_coolant="coolant" in reader.groups,
        flow=reader.flow,
        words=dict(values),
    )


def interpret_jog(line: str, modal: Modal) -> Statement:
    """Read what follows `$J=`: only units, distance mode, G53, axes and a feed of its own are allowed.

    The modal state that the statement carries counts for the jog alone.
    """
    words = _words(line)
    for letter, value in words:
        if letter not in "FGNXYZ" or (letter == "G" and value not in (20, 21, 53, 90, 91)):
            raise GcodeError(16)
    statement = interpret(line, replace(modal, motion="G1", feed=0.0))
    if not statement.moves:
        raise GcodeError(26)
    return statement
