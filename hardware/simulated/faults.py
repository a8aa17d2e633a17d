"""Faults that come by themselves while a simulated table is played on: by chance, but the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from hardware.simulated.control import FAULT_WORDS, TableControl, light_words
from hardware.simulated.errand import Hover
from hardware.simulated.names import LIGHTS
from hardware.simulated.requests import DoErrand, Fault, MakeFault, SetLight
from hardware.simulated.table import SimulatedTable


class Happening(Enum):
    """What can happen."""

    GRIP_FAILS = "grip fails"
    DROP = "drop"
    REACH_IN = "reach in"
    """A hand reaches in over the board while the arm moves, and leaves."""
    LAMP = "lamp"
    """Another light is switched on."""
    BUMP = "bump"
    FREEZE = "camera freezes"
    CAMERA_OFF = "camera off"
    UNPLUG = "unplug"
    RESET = "reset firmware"
    ALARM = "alarm"


@dataclass(frozen=True)
class FaultRate:
    """`mean_gap_s`: the mean time between one fault and the next, s; `weights`: how often which one is drawn."""

    mean_gap_s: float
    weights: Mapping[Happening, float]


_LIGHT = {
    Happening.GRIP_FAILS: 3.0,
    Happening.DROP: 2.0,
    Happening.REACH_IN: 3.0,
    Happening.LAMP: 2.0,
    Happening.BUMP: 1.0,
    Happening.FREEZE: 2.0,
}
RATES: Mapping[str, FaultRate | None] = {
    "none": None,
    "light": FaultRate(150.0, _LIGHT),
    "heavy": FaultRate(
        30.0,
        _LIGHT | {Happening.CAMERA_OFF: 1.0, Happening.UNPLUG: 1.0, Happening.RESET: 1.0, Happening.ALARM: 1.0},
    ),
}
"""By the names of `hardware.simulated.names.FAULT_LEVELS`. A game lasts 500 to 1,500 s."""

LEAST_GAP_S = 5.0
"""Between the end of one fault and the next."""
WAITS_S = 20.0
"""How long a fault waits for the moment that it needs, before another is drawn."""

_SIMPLE = {
    Happening.GRIP_FAILS: Fault.GRIP_FAILS,
    Happening.DROP: Fault.DROP,
    Happening.BUMP: Fault.BUMP,
    Happening.RESET: Fault.RESET_FIRMWARE,
    Happening.ALARM: Fault.ALARM,
}
_PASSING = {
    Happening.FREEZE: (Fault.CAMERA_FREEZES, Fault.CAMERA_ON, (1.0, 2.0)),
    Happening.CAMERA_OFF: (Fault.CAMERA_OFF, Fault.CAMERA_ON, (2.0, 5.0)),
    Happening.UNPLUG: (Fault.UNPLUG, Fault.PLUG_IN, (3.0, 8.0)),
}
"""What begins it, what ends it, and how long it lasts, s."""


@dataclass(frozen=True)
class FaultMade:
    """Something that was made to go wrong, or well again: when (s), and what."""

    time_s: float
    what: str


@dataclass(frozen=True)
class _Planned:
    """What comes next, and from when on (s): a new fault, or the one that undoes the fault under way."""

    time_s: float
    what: Happening | Fault


class FaultSchedule:
    """Makes faults on a table as time goes by: attach `advance_to` to its clock.

    `level` is one of `hardware.simulated.names.FAULT_LEVELS`; `made` is everything that was done, for reports. A
    fault that passes by itself is over before the next begins.
    """

    def __init__(self, level: str, seed: int, table: SimulatedTable, control: TableControl) -> None:
        self.made: list[FaultMade] = []
        self._rate = RATES[level]
        self._random = random.Random(f"faults {seed}")
        self._table, self._control = table, control
        self._planned: _Planned | None = None

    def advance_to(self, now: float) -> None:
        """Do what is due at `now` (s)."""
        if self._rate is None:
            return
        if self._planned is None:
            self._planned = self._after(now, self._rate)
        due, what = self._planned.time_s, self._planned.what
        if now < due:
            return
        if isinstance(what, Fault):
            self._make(now, what)
            self._planned = self._after(now, self._rate)
        elif self._fits(what):
            self._planned = self._begin(now, what) or self._after(now, self._rate)
        elif now >= due + WAITS_S:
            self._planned = _Planned(now, self._drawn(self._rate))

    def _after(self, now: float, rate: FaultRate) -> _Planned:
        """The next fault when all is well at `now`."""
        gap = LEAST_GAP_S + self._random.expovariate(1 / (rate.mean_gap_s - LEAST_GAP_S))
        return _Planned(now + gap, self._drawn(rate))

    def _drawn(self, rate: FaultRate) -> Happening:
        return self._random.choices(list(rate.weights), list(rate.weights.values()))[0]

    def _fits(self, happening: Happening) -> bool:
        """Whether this is a moment for it."""
        table = self._table
        match happening:
            case Happening.REACH_IN:
                return table.firmware.moving and not table.hand.busy
            case Happening.FREEZE | Happening.CAMERA_OFF:
                return not table.hand.in_view
            case Happening.LAMP:
                return True
            case _:
                return table.powered

    def _begin(self, now: float, happening: Happening) -> _Planned | None:
        """Let it happen; what is to undo it, if that is needed."""
        chance = self._random
        if happening is Happening.REACH_IN:
            over = (chance.uniform(40.0, 280.0), chance.uniform(40.0, 280.0))
            self._control.handle(DoErrand((Hover(over, chance.uniform(0.5, 2.0)),)))
            self._control.note("a hand reaches in while the arm moves")
            self.made.append(FaultMade(now, "a hand reaches in while the arm moves"))
        elif happening is Happening.LAMP:
            name = chance.choice([light for light in LIGHTS if light != self._table.light])
            self._control.handle(SetLight(name))
            self.made.append(FaultMade(now, light_words(name)))
        elif happening in _PASSING:
            fault, end, (shortest, longest) = _PASSING[happening]
            self._make(now, fault)
            return _Planned(now + chance.uniform(shortest, longest), end)
        else:
            self._make(now, _SIMPLE[happening])
        return None

    def _make(self, now: float, fault: Fault) -> None:
        self._control.handle(MakeFault(fault))
        self.made.append(FaultMade(now, FAULT_WORDS[fault]))
