"""The calibration, and its one file: read, and written so that it is whole at every moment, the one before kept."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from calibration.draft import Draft, calibration_from, draft_of, read_draft_file, written
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
    """The same for a calibration that may not be finished. Without `keep_previous` an older previous one stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as stream:
        stream.write(written(draft))
        stream.flush()
        os.fsync(stream.fileno())
    if keep_previous and path.exists():
        previous = path.with_name(path.name + PREVIOUS)
        previous.unlink(missing_ok=True)
        os.link(path, previous)
    Path(stream.name).replace(path)


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
