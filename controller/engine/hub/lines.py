"""The lines of the Hub protocol: a command, then arguments as `name=value`, or as `name` alone for a flag."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.engine.hub.errors import HubLineError

LONGEST = 1 << 20
"""Characters that a line may have."""

_COMMAND = re.compile(r'\s*([^\s="]+)')
_ARGUMENT = re.compile(r'\s*([^\s="]+)(?:\s*=\s*(?:"([^"]*)"|([^\s"]*)))?(?=\s|$)')
_NEEDS_QUOTES = re.compile(r'[\s="]|^$')


@dataclass(frozen=True, slots=True)
class HubLine:
    """A line taken apart; a flag's value is empty."""

    command: str
    arguments: Mapping[str, str] = field(default_factory=dict)


def read_line(text: str) -> HubLine:
    """Take a line apart; values may be quoted, and must be to hold a blank. Raises HubLineError."""
    if len(text) > LONGEST:
        raise HubLineError(f"the line is longer than {LONGEST} characters")
    command = _COMMAND.match(text)
    if command is None:
        raise HubLineError("there is no command on this line")
    at = command.end()
    if not text[at : at + 1].isspace() and at < len(text):
        raise HubLineError(f"the command {command[1][:40]} must be followed by a blank")
    arguments: dict[str, str] = {}
    while text[at:].strip():
        argument = _ARGUMENT.match(text, at)
        if argument is None:
            raise HubLineError(f"cannot read the arguments from “{text[at:].strip()[:40]}” on: write name=value")
        name, quoted, plain = argument.groups()
        arguments[name] = quoted if quoted is not None else plain or ""
        at = argument.end()
    return HubLine(command[1], arguments)


def command_of(text: str) -> str:
    """The command of a line whose arguments may be past reading; empty when it has none."""
    command = _COMMAND.match(text)
    return command[1] if command is not None else ""


def write_line(command: str, arguments: Mapping[str, str] | None = None) -> str:
    """Put a line together, without its end; what a value may not hold (quotes, line ends) is replaced."""
    return " ".join([command, *(f"{name}={_quoted(value)}" for name, value in (arguments or {}).items())])


def _quoted(value: str) -> str:
    value = re.sub(r"[\r\n]+", " ", value).replace('"', "'")
    return f'"{value}"' if _NEEDS_QUOTES.search(value) else value
