"""What can be wrong with endgame tables."""

from __future__ import annotations

from pathlib import Path

from controller.errors import ControllerError


class EndgameTableError(ControllerError):
    """Endgame tables cannot be built, kept or read."""


class BrokenTableError(EndgameTableError):
    """A file is no endgame table, or not a whole one; `reason` says what is wrong with `path`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the endgame table {path} is broken ({reason})")
        self.path = path
        self.reason = reason
