"""Which of Grbl's outputs are on, as far as is known, and the lines that switch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hardware.errors import FirmwareError
from hardware.grbl.codes import spoilt_sentence
from hardware.grbl.gripper_output import GripperOutput
from hardware.grbl.messages import Info, Message

OUTPUTS: tuple[Literal["coolant", "spindle"], ...] = ("coolant", "spindle")
"""Coolant is M8 and M9, spindle M3 S… and M5. M7, where it exists, goes off with M9: it is no output of its own."""
FULL_SPEED = 1000.0
"""S for a spindle output that is to be on (Grbl's default of $30)."""


class Outputs:
    """What has been switched, or was found on; a reset or an alarm ends it all."""

    def __init__(self) -> None:
        self._on: set[str] = set()

    def note_modes(self, modes: str) -> None:
        """Take account of what `$G` answers."""
        self._on = {name for name in OUTPUTS if GripperOutput(name).is_on(modes)}

    def all_off(self) -> None:
        """A reset, an alarm or a restart has switched everything off."""
        self._on.clear()

    def check(self, line: str, name: str, on: bool, answers: Sequence[Message]) -> None:
        """Raise FirmwareError if Grbl, asked for its modes after `line`, does not say that an output is as it should.

        Noise can make a comment of a line, which Grbl takes as it takes any other: `ok` alone says too little.
        """
        modes = [message.text for message in answers if isinstance(message, Info) and message.kind == "GC"]
        if modes:
            self.note_modes(modes[-1])
        if not modes or self.on(name) != on:
            raise FirmwareError(spoilt_sentence(f"'{line}' has not switched what it should"))

    def on(self, name: str) -> bool:
        """Whether an output is on; ValueError if there is none of that name."""
        return checked(name) in self._on


def checked(name: str) -> Literal["coolant", "spindle"]:
    """`name`, if it is an output's; else ValueError."""
    for known in OUTPUTS:
        if name == known:
            return known
    raise ValueError(f"Grbl has no output {name!r}: its outputs are {' and '.join(OUTPUTS)}")


def line_for(name: str, on: bool, level: float | None) -> str:
    """The line that switches an output; ValueError if there is none of that name."""
    return GripperOutput(checked(name), FULL_SPEED if level is None else level).line(on)
