"""Lines that Grbl sends → frozen values. What is not understood stays visible as `Unknown`.

Source: Grbl 1.1 documentation, "Interface"; grblHAL and FluidNC add states and fields but keep the shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hardware.motion import MachinePoint


@dataclass(frozen=True)
class Ok:
    """A line was accepted (queued, not done)."""


@dataclass(frozen=True)
class Error:
    """A line was refused."""

    code: int


@dataclass(frozen=True)
class Alarm:
    """Grbl has stopped and locked itself."""

    code: int


@dataclass(frozen=True)
class Banner:
    """Grbl has started, or has been reset. `version` is as it says it, "1.1h"."""

    version: str


@dataclass(frozen=True)
class Feedback:
    """A message for people: `[MSG:…]`."""

    text: str


@dataclass(frozen=True)
class Info:
    """Another bracketed answer: `[VER:…]`, `[OPT:…]`, `[GC:…]`, `[G54:…]`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Setting:
    """A line of `$$`."""

    number: int
    value: float


@dataclass(frozen=True)
class Status:
    """A status report, in the units that it came in.

    `state` and `substate` are as in `Hold:0`; of `machine` and `work` position Grbl sends one; offset, overrides and
    accessories come only in some reports and are None in the others.
    """

    state: str
    substate: int | None
    machine: MachinePoint | None = None
    work: MachinePoint | None = None
    offset: MachinePoint | None = None
    feed: float | None = None
    pins: str = ""
    overrides: tuple[int, int, int] | None = None
    accessories: str | None = None


@dataclass(frozen=True)
class Unknown:
    """A line that is none of these: noise, or another firmware."""

    text: str


Message = Ok | Error | Alarm | Banner | Feedback | Info | Setting | Status | Unknown

STATES = frozenset({"Idle", "Run", "Hold", "Jog", "Alarm", "Door", "Check", "Home", "Sleep", "Tool"})
"""`Tool` is grblHAL's wait for a tool change."""

_NUMBER = r"[+-]?\d+(?:\.\d*)?"
_CODE = re.compile(r"(error|ALARM):(\d{1,3})")
_BANNER = re.compile(r"Grbl(?:HAL)? ([0-9][\w.]*) [\[(].*", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(\w+(?:\.\d)?):(.*)\]")
_SETTING = re.compile(rf"\$(\d{{1,3}})=({_NUMBER})(?:\s*\(.*\))?")
_STATE = re.compile(r"(\w+)(?::(\d{1,3}))?")
_TRIPLE = re.compile(rf"({_NUMBER}),({_NUMBER}),({_NUMBER})(?:,{_NUMBER})*")


def parse(line: str) -> Message:
    """Understand one line (without its end)."""
    text = line.strip()
    if text == "ok":
        return Ok()
    if match := _CODE.fullmatch(text):
        return (Error if match[1] == "error" else Alarm)(int(match[2]))
    if text.startswith("<") and text.endswith(">"):
        return _parse_status(text)
    if match := _SETTING.fullmatch(text):
        return Setting(int(match[1]), float(match[2]))
    if match := _BRACKETS.fullmatch(text):
        return Feedback(match[2]) if match[1] == "MSG" else Info(match[1], match[2])
    if match := _BANNER.fullmatch(text):
        return Banner(match[1])
    return Unknown(text)


def _parse_status(text: str) -> Status | Unknown:
    """A status report; one unreadable field makes the whole of it Unknown, as noise does not choose its place."""
    head, *fields = text[1:-1].split("|")
    state = _STATE.fullmatch(head)
    if state is None or state[1] not in STATES:
        return Unknown(text)
    values = {}
    for entry in fields:
        name, colon, value = entry.partition(":")
        if not colon or name in values:
            return Unknown(text)
        values[name] = value
    try:
        return Status(
            state=state[1],
            substate=int(state[2]) if state[2] is not None else None,
            machine=_point(values.get("MPos")),
            work=_point(values.get("WPos")),
            offset=_point(values.get("WCO")),
            feed=_feed(values),
            pins=values.get("Pn", ""),
            overrides=_overrides(values.get("Ov")),
            accessories=values.get("A", "") if "Ov" in values else values.get("A"),
        )
    except ValueError:
        return Unknown(text)


def _point(text: str | None) -> MachinePoint | None:
    if text is None:
        return None
    match = _TRIPLE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return float(match[1]), float(match[2]), float(match[3])


def _feed(values: dict[str, str]) -> float | None:
    text = values.get("FS", values.get("F"))
    return None if text is None else float(text.split(",")[0])


def _overrides(text: str | None) -> tuple[int, int, int] | None:
    if text is None:
        return None
    feed, rapid, spindle = (int(part) for part in text.split(","))
    return feed, rapid, spindle
