"""The folder of a running table: who owns it, and what lies in it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hardware.errors import TableProgramError

LONGEST_SOCKET_PATH = 107
"""Bytes; Linux has room for 108 with the closing zero (unix(7))."""


@dataclass(frozen=True)
class TableFolder:
    """The folder's path, absolute. `serial`, `camera` and `control` are there only while a table runs."""

    path: Path

    @property
    def serial(self) -> Path:
        """A symbolic link to the firmware's pseudo-terminal."""
        return self.path / "serial"

    @property
    def camera(self) -> Path:
        """A text file with the URL of the camera's stream."""
        return self.path / "camera"

    @property
    def control(self) -> Path:
        """The control socket; it is made last."""
        return self.path / "control"

    @property
    def config(self) -> Path:
        """Settings that fit the table."""
        return self.path / "config.toml"

    @property
    def calibration(self) -> Path:
        """The calibration that fits the table."""
        return self.path / "calibration.json"

    @property
    def lock(self) -> Path:
        """Held by the running table; stays there as a sign that the folder is a table's."""
        return self.path / "lock"

    def foreign(self) -> Path | None:
        """A file that a table would overwrite in a folder where none has been, if there is one.

        A calibration is kept by another name.
        """
        if os.path.lexists(self.lock):
            return None
        ours = (self.config, self.serial, self.camera, self.control)
        return next((path for path in ours if os.path.lexists(path)), None)

    def clear(self) -> None:
        """Take away what a table leaves that runs no more."""
        for path in (self.serial, self.camera, self.control):
            path.unlink(missing_ok=True)


@contextmanager
def claimed_folder(path: Path, now: datetime) -> Iterator[TableFolder]:
    """Make the folder if it is not there, and keep it for this process.

    Raises TableProgramError if another table has it, if it holds files of somebody else that a table would overwrite,
    if it is a file or may not be written to, or if its path is too long for a socket.
    """
    folder = TableFolder(path.absolute())
    length = len(os.fsencode(folder.control))
    if length > LONGEST_SOCKET_PATH:
        raise TableProgramError(
            f"The path of the control socket {folder.control} has {length} bytes and may have {LONGEST_SOCKET_PATH}: "
            "give a --dir with a shorter path."
        )
    if found := folder.foreign():
        raise TableProgramError(
            f"{folder.path} holds {found.name}, which no table has made: give --dir a folder of its own."
        )
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except (FileExistsError, NotADirectoryError) as error:
        raise TableProgramError(
            f"{folder.path} cannot be a folder, as there is a file: give another --dir."
        ) from error
    except OSError as error:
        raise TableProgramError(
            f"The folder {folder.path} cannot be used ({error.strerror}): give a --dir that you may write to."
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(descriptor, 200, 0).decode("utf-8", "replace").strip() or "another process"
            raise TableProgramError(
                f"{folder.path} is in use by the table with {owner}: stop it or give another --dir."
            ) from error
        os.ftruncate(descriptor, 0)
        started = now.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        os.pwrite(descriptor, f"process id {os.getpid()}, started at {started}\n".encode(), 0)
        yield folder
    finally:
        os.close(descriptor)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that whoever reads it meanwhile sees the old one or the new one. OSError if it cannot be."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
