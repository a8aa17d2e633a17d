"""The calibration, and its one file: read, and written so that it is whole at every moment, the one before kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from calibration.draft import Draft, calibration_from, draft_of, read_draft_file, written
from calibration.errors import CalibrationError
from calibration.values import (
    FORMAT_VERSION,
    SQUARES,
    TRAY_PLACES,
    ArmMap,
    ArmPart,
    Calibration,
    HardwareRecord,
    MilestoneRecord,
)

PREVIOUS = ".previous"


def load_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises CalibrationError when it is missing, is no calibration, is not finished, or was written by a newer version.
    """
    return calibration_from(read_draft_file(path), str(path))


def save_calibration(calibration: Calibration, path: Path) -> None:
    """Write atomically: after a crash the file is the old one or the new one, never half of each.

    The previous file is kept beside it with the ending `.previous`.
    """
    save_draft(draft_of(calibration), path)


def save_draft(draft: Draft, path: Path, keep_previous: bool = True) -> None:
    """The same for a calibration that may not be finished; that never takes the place of a previous one that is.

    Without `keep_previous` an older previous one stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    new = _written_beside(path, written(draft).encode())
    try:
        previous = path.with_name(path.name + PREVIOUS)
        if keep_previous and path.exists() and (_is_finished(path) or not _is_finished(previous)):
            _written_beside(previous, path.read_bytes()).replace(previous)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _written_beside(path: Path, content: bytes) -> Path:
    """A new file in the same folder, which others may read; safely on the disk."""
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, delete=False) as stream:
        try:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), 0o644)
        except BaseException:
            Path(stream.name).unlink(missing_ok=True)
            raise
    return Path(stream.name)


def _is_finished(path: Path) -> bool:
    try:
        load_calibration(path)
    except CalibrationError:
        return False
    return True


__all__ = [
    "FORMAT_VERSION",
    "SQUARES",
    "TRAY_PLACES",
    "ArmMap",
    "ArmPart",
    "Calibration",
    "HardwareRecord",
    "MilestoneRecord",
    "load_calibration",
    "save_calibration",
    "save_draft",
]
