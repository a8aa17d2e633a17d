"""A file that is written beside the one it is to replace, which stays as it was until there is something better."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES
from pathlib import Path
from typing import TextIO

from controller.errors import ControllerError


@contextmanager
def draft_of(path: Path) -> Iterator[TextIO]:
    """A stream to write `path` with: what was written takes its name when the block ends, in whatever way.

    Where nothing was written all stays as it was. What is there and no file, such as a pipe, is written at once.
    Raises ControllerError, before the block, when the file could not be written.
    """
    target = path.resolve()
    try:
        draft = _draft_path(target)
        stream = (draft or target).open("w", encoding="utf-8")
    except OSError as error:
        raise ControllerError(f"cannot write {path}: {error.strerror}") from error
    if draft is None:
        with stream:
            yield stream
        return
    try:
        with stream:
            yield stream
    finally:
        _settle(draft, target)


def _draft_path(target: Path) -> Path | None:
    """Where to write meanwhile; None where that is the file itself. Raises OSError when it may not be written."""
    if target.exists():
        if not target.is_file():  # Opening a folder says what is wrong with it.
            return None
        if not os.access(target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
    return target.with_name(f".{target.name}.{os.getpid()}.draft")


def _settle(draft: Path, target: Path) -> None:
    """Let a draft take its name, or drop an empty one."""
    if not draft.stat().st_size:
        draft.unlink()
        return
    if target.exists():
        draft.chmod(target.stat().st_mode & 0o777)
    draft.replace(target)
