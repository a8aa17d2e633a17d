"""The line that somebody is typing: keys in, the text so far and whole lines out."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z]|[^\[O])?")
"""A key that sends an escape sequence, as far as it has come (ECMA-48, 5.4; SS3 for cursor keys)."""
_UNFINISHED = re.compile(r"\x1b(\[[0-9;?]*[ -/]*|O)?$")
UP, DOWN = ("\x1b[A", "\x1bOA"), ("\x1b[B", "\x1bOB")
ENTER, BACKSPACE, KILL_LINE, KILL_WORD, END_OF_INPUT = "\r\n", "\x7f\x08", "\x15", "\x17", "\x04"


class LineEditor:
    """Understands printable keys, backspace, Ctrl-U, Ctrl-W, the up and down keys for earlier lines, and Ctrl-D."""

    def __init__(self) -> None:
        self.text = ""
        """What stands on the line now."""
        self.ended = False
        """Whether Ctrl-D was typed on an empty line."""
        self._earlier: list[str] = []
        self._looking_at: int | None = None
        self._pending = ""

    def feed(self, keys: str) -> list[str]:
        """Take in what was typed and return the lines that it completed."""
        keys = self._pending + keys
        self._pending = ""
        lines: list[str] = []
        while keys and not self.ended:
            if keys[0] == "\x1b":
                if _UNFINISHED.match(keys):  # The rest of the key is still to come.
                    self._pending = keys
                    break
                match = _ESCAPE.match(keys)
                length = match.end() if match else 1
                self._look(keys[:length])
                keys = keys[length:]
                continue
            if keys[0] in ENTER:
                lines.append(self._complete())
            else:
                self._edit(keys[0])
            keys = keys[1:]
        return lines

    def _edit(self, key: str) -> None:
        if key in BACKSPACE:
            self.text = self.text[:-1]
        elif key == KILL_LINE:
            self.text = ""
        elif key == KILL_WORD:
            self.text = self.text.rstrip().rpartition(" ")[0]
            self.text += " " if self.text else ""
        elif key == END_OF_INPUT:
            self.ended = not self.text
        elif key.isprintable():
            self.text += key

    def _complete(self) -> str:
        line, self.text, self._looking_at = self.text, "", None
        if line.strip() and self._earlier[-1:] != [line]:
            self._earlier.append(line)
        return line

    def _look(self, key: str) -> None:
        """Step through the earlier lines."""
        count = len(self._earlier)
        at = count if self._looking_at is None else self._looking_at
        if key in UP:
            at = max(at - 1, 0)
        elif key in DOWN:
            at = min(at + 1, count)
        else:
            return
        if count:
            self._looking_at = at
            self.text = self._earlier[at] if at < count else ""
