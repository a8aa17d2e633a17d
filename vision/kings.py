"""By what kings are told from men."""

from __future__ import annotations

from enum import Enum


class KingsBy(Enum):
    """What makes a king, in the set that is played with."""

    HEIGHT = "height"
    """A second disc on top."""
    FACE = "face"
    """The disc's other face is up, which shows a crown; no disc lies on another."""
