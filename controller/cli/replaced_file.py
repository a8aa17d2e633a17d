"""A file that is written beside the one it replaces, so that nothing is lost of what was there until it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from controller.errors import ControllerError


@contextmanager
def replaced_file(path: Path) -> Iterator[Callable[[str], None]]:
    """What writes text to `path` (UTF-8), which is replaced when the block ends; an exception leaves it as it was.

    Until then the text is in a draft beside it, `.NAME.draft`, which only a killed program leaves there. What is no
    file, such as /dev/null or a pipe, is written at once. Raises ControllerError, before the block or as soon as it
    comes to light, when the file cannot be written.
    """
    target = path.resolve()  # A link goes on pointing to the file.
    draft = target.with_name(f".{target.name}.draft") if target.is_file() or not target.exists() else None
    with _named(path):
        if target.is_file():
            os.close(os.open(target, os.O_WRONLY))  # What may only be read is not to be replaced.
        stream = (draft or target).open("w", encoding="utf-8")

    def write(text: str) -> None:
        with _named(path):
            stream.write(text)
            stream.flush()

    try:
        with _closed(stream):
            yield write
            if draft is not None:
                with _named(path):
                    os.fsync(stream.fileno())
        if draft is not None:
            with _named(path):
                if target.exists():
                    draft.chmod(target.stat().st_mode & 0o777)
                draft.replace(target)
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)


@contextmanager
def _closed(stream: TextIO) -> Iterator[None]:
    """Close a stream of which all has been flushed, or of which it has been said that it could not be."""
    try:
        yield
    finally:
        with suppress(OSError):
            stream.close()


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Have an error of the system name the file that is being written."""
    try:
        yield
    except OSError as error:
        raise ControllerError(f"cannot write {path}: {error.strerror or error}") from error
