"""How Grbl collects the characters of a line: comments and blanks are dropped, letters made upper case.

Source: Grbl 1.1 `protocol.c` as its documentation describes it.
"""

from __future__ import annotations

from dataclasses import dataclass

LINE_LENGTH = 79
"""Characters of a line that count, without spaces and comments; longer is error:11."""


@dataclass(frozen=True)
class Line:
    """A whole line as the interpreter gets it."""

    text: str
    too_long: bool


class LineReader:
    """Takes one byte (7 bit) after the other."""

    def __init__(self) -> None:
        self._text = bytearray()
        self._comment = ""
        self._too_long = False

    def take(self, byte: int) -> Line | None:
        """The line that this byte ends, or None while it goes on."""
        if byte in b"\r\n":
            line = Line(self._text.decode("ascii"), self._too_long)
            self._text.clear()
            self._comment, self._too_long = "", False
            return line
        if self._comment or self._too_long:
            if byte == ord(")") and self._comment == "(":
                self._comment = ""
        elif byte <= 0x20 or byte == ord("/"):
            pass
        elif byte in b"(;":
            self._comment = chr(byte)
        elif len(self._text) >= LINE_LENGTH:
            self._too_long = True
        else:
            self._text += bytes([byte]).upper()
        return None
