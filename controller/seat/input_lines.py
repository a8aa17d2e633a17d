"""Lines typed at a terminal, or read from a script, without ever waiting for them."""

from __future__ import annotations

import codecs
import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from controller.seat.line_editor import LineEditor

PROMPT = "> "
_CHUNK = 4096
_ERASE_LINE = "\r\x1b[K"


class _Keys:
    """What a file descriptor has to give, as text, without waiting for it."""

    def __init__(self, descriptor: int) -> None:
        self.ended = False
        self._descriptor = descriptor
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def read(self) -> str:
        if self.ended or not select.select([self._descriptor], [], [], 0)[0]:
            return ""
        try:
            chunk = os.read(self._descriptor, _CHUNK)
        except OSError:  # The terminal has gone.
            chunk = b""
        self.ended = not chunk
        return self._decoder.decode(chunk, final=self.ended)


class ScriptLines:
    """Lines of a pipe, a file, or a terminal that edits its lines itself."""

    live = False

    def __init__(self, descriptor: int) -> None:
        self._keys = _Keys(descriptor)
        self._begun = ""

    @property
    def ended(self) -> bool:
        """Whether the input has ended and every line was taken."""
        return self._keys.ended and not self._begun

    def take(self) -> list[str]:
        """The lines that have come since the last call."""
        *lines, self._begun = (self._begun + self._keys.read()).split("\n")
        if self._keys.ended and self._begun:
            lines, self._begun = [*lines, self._begun], ""
        return [line.rstrip("\r") for line in lines]

    def poll(self) -> None:
        """Nothing is shown while a script is read."""

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Nothing has to make room for what is printed."""
        yield


class PromptLines:
    """A prompt at the foot of a terminal that stays usable while other things are printed above it.

    What prints does so inside `aside`. `poll` shows what was typed since; call it often.
    """

    live = True

    def __init__(self, descriptor: int, screen: TextIO) -> None:
        self._keys = _Keys(descriptor)
        self._editor = LineEditor()
        self._screen = screen
        self._lines: list[str] = []

    @property
    def ended(self) -> bool:
        """Whether Ctrl-D was typed, or the terminal is gone, and every line was taken."""
        return (self._editor.ended or self._keys.ended) and not self._lines

    def take(self) -> list[str]:
        """The lines that were typed since the last call."""
        self.poll()
        lines, self._lines = self._lines, []
        return lines

    def poll(self) -> None:
        """Read the keys pressed since the last call and show them."""
        if keys := self._keys.read():
            for line in self._editor.feed(keys):
                self._screen.write(f"{_ERASE_LINE}{PROMPT}{line}\n")
                self._lines.append(line)
            self._show()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Print above the prompt."""
        self._screen.write(_ERASE_LINE)
        self._screen.flush()
        try:
            yield
        finally:
            self._show()

    def _show(self) -> None:
        room = shutil.get_terminal_size().columns - len(PROMPT) - 1
        self._screen.write(f"{_ERASE_LINE}{PROMPT}{self._editor.text[-room:]}")
        self._screen.flush()

    def close(self) -> None:
        """Leave the terminal with an empty line."""
        self._screen.write(_ERASE_LINE)
        self._screen.flush()


InputLines = ScriptLines | PromptLines


@contextmanager
def input_lines() -> Iterator[InputLines]:
    """The lines of standard input: with a prompt if both it and standard output are a terminal."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):  # No stdin at all (`<&-`): nothing is ever typed.
        descriptor = os.open(os.devnull, os.O_RDONLY)
    if not (os.isatty(descriptor) and sys.stdout.isatty()):
        yield ScriptLines(descriptor)
        return
    before = termios.tcgetattr(descriptor)
    lines = PromptLines(descriptor, sys.stdout)
    tty.setcbreak(descriptor)  # Keys come one by one and unseen; Ctrl-C stays Ctrl-C.
    try:
        yield lines
    finally:
        lines.close()
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
