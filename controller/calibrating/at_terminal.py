"""A person at a terminal who helps with calibrating."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import Enum
from typing import TextIO

from controller.calibrating.helper import Wish
from controller.errors import ControllerError

SMALLEST_SQUARE_MM, LARGEST_SQUARE_MM = 5.0, 150.0
LARGEST_STEP_MM = 40.0
"""The tip goes no farther down at a time, whatever is typed."""


class Verdict(Enum):
    """What a person thinks of what a step has found."""

    ACCEPT = "accept"
    AGAIN = "again"
    LEAVE = "leave"


@dataclass(frozen=True)
class Corners:
    """The board's four outer corners (px) as a person has pointed them out; the step is to be done again."""

    px: tuple[tuple[float, float], ...]


class TerminalHelper:
    """Asks in sentences and waits for Enter."""

    def __init__(self, output: TextIO, answers: TextIO | None = None) -> None:
        self._output, self._answers = output, answers or sys.stdin

    def please(self, wish: Wish, sentence: str) -> None:
        """Ask, and wait for Enter."""
        self._ask(f"→ {sentence} Then press Enter: ")

    def over_board(self) -> bool:
        """Ask whether the tip is over the board's squares."""
        while True:
            answer = self._ask("→ Is the tip of the gripper over the board's squares? (Enter: yes; n: no) ").lower()
            if answer in ("", "y", "yes"):
                return True
            if answer in ("n", "no"):
                return False

    def square_mm(self) -> float:
        """Ask how large the board's squares are."""
        while True:
            answer = self._ask("→ How many mm wide is a square? (Measure all eight in a row, and divide by 8.) ")
            try:
                size = float(answer.replace(",", "."))
            except ValueError:
                size = 0.0
            if SMALLEST_SQUARE_MM <= size <= LARGEST_SQUARE_MM:
                return size
            self.say(f"a number of mm from {SMALLEST_SQUARE_MM:.0f} to {LARGEST_SQUARE_MM:.0f}, please")

    def lower_by(self) -> float | None:
        """By how many mm the tip shall go down; Enter for 1, t when it touches."""
        while True:
            answer = self._ask("  lower the tip by how many mm? (Enter: 1; t: it touches; -2: up by 2) ").lower()
            if answer in ("t", "touches"):
                return None
            try:
                by = float(answer.replace(",", ".")) if answer else 1.0
            except ValueError:
                self.say("a number of mm, or t, please")
                continue
            if abs(by) <= LARGEST_STEP_MM:
                return by
            self.say(f"no more than {LARGEST_STEP_MM:.0f} mm at a time, please")

    def say(self, sentence: str) -> None:
        """Print a line."""
        print(f"  {sentence}", file=self._output, flush=True)

    def judge(self, words: tuple[str, ...], takes_corners: bool = False) -> Verdict | Corners:
        """Show what a step has found and ask what to do; `takes_corners`: the board's may be pointed out instead."""
        for word in words:
            self.say(word)
        corners = "; c: say where the board's corners are" if takes_corners else ""
        while True:
            answer = self._ask(f"  accept this? (Enter: yes; a: do it again{corners}; q: leave) ").lower()
            if answer in ("", "y", "yes"):
                return Verdict.ACCEPT
            if answer in ("a", "again"):
                return Verdict.AGAIN
            if answer in ("q", "quit"):
                return Verdict.LEAVE
            if takes_corners and answer in ("c", "corners"):
                return self._corners()

    def _corners(self) -> Corners:
        """Ask for the four outer corners, in the order in which they go round the board."""
        found: list[tuple[float, float]] = []
        while len(found) < 4:
            answer = self._ask(f"  corner {len(found) + 1} of 4, going round the board, as x,y in the picture (px): ")
            try:
                x, y = (float(part) for part in answer.split(","))
            except ValueError:
                self.say("two numbers with a comma between them, please")
                continue
            found.append((x, y))
        return Corners(tuple(found))

    def _ask(self, question: str) -> str:
        print(question, end="", file=self._output, flush=True)
        line = self._answers.readline()
        if not line:
            raise ControllerError("calibrating needs a person who answers: run it at a terminal")
        return line.strip()
