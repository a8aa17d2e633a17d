"""Warnings as sentences for people, where Python would show a place in the program."""

from __future__ import annotations

import sys
import warnings
from typing import TextIO


def say_warnings_as(program: str) -> None:
    """From now on print what is warned of as `program: sentence` on stderr; what is meant for programmers is not."""

    def say(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del filename, lineno, file, line
        if issubclass(category, UserWarning):
            print(f"{program}: {message}", file=sys.stderr)

    warnings.showwarning = say
