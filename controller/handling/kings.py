"""How a set of discs shows its kings."""

from __future__ import annotations

from enum import Enum

from vision.kings import KingsBy


class Kings(Enum):
    """What makes a king of a man; the values are those of the settings file."""

    STACKED = "stacked"
    """A second disc of its colour on top, which the arm can put there."""
    TURNED = "turned"
    """The crown on the disc's other face: a king is one disc, which only a person can turn over."""

    @property
    def discs(self) -> int:
        """How many discs a king is."""
        return 2 if self is Kings.STACKED else 1

    @property
    def told_by(self) -> KingsBy:
        """What vision tells them by."""
        return KingsBy.HEIGHT if self is Kings.STACKED else KingsBy.FACE
