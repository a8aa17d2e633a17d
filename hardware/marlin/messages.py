"""Lines that Marlin sends → frozen values. What is not understood stays visible as `Text` or, if no text, `Unknown`.

Source: Marlin's documentation of its G-code and host protocol, and its sources (`queue.cpp`, `M114.cpp`, `M115.cpp`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hardware.motion import MachinePoint


@dataclass(frozen=True)
class Ok:
    """A line was taken: carried out, or for a move queued."""


@dataclass(frozen=True)
class Busy:
    """The line in work takes its time (about every 2 s)."""


@dataclass(frozen=True)
class Started:
    """The board has started, or has been reset."""


@dataclass(frozen=True)
class Resend:
    """A line did not arrive as it was sent; `number` is the one that is wanted."""

    number: int


@dataclass(frozen=True)
class Halted:
    """Marlin has switched everything off and listens to nothing but its reset button."""

    text: str


@dataclass(frozen=True)
class Complaint:
    """Another `Error:` line."""

    text: str


@dataclass(frozen=True)
class Position:
    """Where Marlin is (M114), mm in its own coordinates; at rest only, for in motion it is where it is going."""

    point: MachinePoint


@dataclass(frozen=True)
class Firmware:
    """The answer to M115, without the capabilities."""

    text: str


@dataclass(frozen=True)
class Capability:
    """A line of M115: whether the firmware was built with it."""

    name: str
    present: bool


@dataclass(frozen=True)
class UnknownCommand:
    """Marlin does not know what it was sent, though it says `ok` all the same."""

    text: str


@dataclass(frozen=True)
class Text:
    """Another line of text: settings, greetings, remarks."""

    text: str


@dataclass(frozen=True)
class Unknown:
    """A line that is no text: noise, or another speed."""

    text: str


Message = (
    Ok
    | Busy
    | Started
    | Resend
    | Halted
    | Complaint
    | Position
    | Firmware
    | Capability
    | UnknownCommand
    | Text
    | Unknown
)

_OK = re.compile(r"ok(?:\s.*)?")
_BUSY = re.compile(r"(?:echo:)?\s*busy:.*")
_RESEND = re.compile(r"(?:Resend|rs)[: ]\s*N?(\d{1,9})", re.IGNORECASE)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_POSITION = re.compile(rf"X:\s*{_NUMBER}\s*Y:\s*{_NUMBER}\s*Z:\s*{_NUMBER}(?:\s.*)?")
_CAPABILITY = re.compile(r"Cap:(\w+):([01])")
_HALTS = ("kill()", "halted", "stop called", "homing failed")


def parse(line: str) -> Message:
    """Understand one line (without its end)."""
    text = line.strip()
    if _OK.fullmatch(text):
        return Ok()
    if _BUSY.fullmatch(text):
        return Busy()
    if text in ("start", "\x00start"):
        return Started()
    if match := _RESEND.fullmatch(text):
        return Resend(int(match[1]))
    if text.startswith(("Error:", "!!")):
        said = text.removeprefix("Error:").removeprefix("!!").strip()
        return Halted(said) if any(word in said.lower() for word in _HALTS) else Complaint(said)
    if match := _POSITION.fullmatch(text):
        return Position((float(match[1]), float(match[2]), float(match[3])))
    if text.startswith("FIRMWARE_NAME:"):
        return Firmware(text.removeprefix("FIRMWARE_NAME:"))
    if match := _CAPABILITY.fullmatch(text):
        return Capability(match[1], match[2] == "1")
    said = text.removeprefix("echo:").strip()
    if said.startswith("Unknown command"):
        return UnknownCommand(said)
    return Text(text) if text.isascii() and text.isprintable() and "\\x" not in text else Unknown(text)
