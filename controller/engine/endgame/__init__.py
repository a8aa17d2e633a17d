"""Endgame tables: who wins, and in how many moves, for every position of few pieces."""

from controller.engine.endgame.errors import BrokenTableError, EndgameTableError
from controller.engine.endgame.lookup import EndgameValue, Ending, lookup
from controller.engine.endgame.readiness import (
    PIECES_AT_HAND,
    Readiness,
    attach_tables,
    tables_directory,
    tables_ready,
)

__all__ = [
    "PIECES_AT_HAND",
    "BrokenTableError",
    "EndgameTableError",
    "EndgameValue",
    "Ending",
    "Readiness",
    "attach_tables",
    "lookup",
    "tables_directory",
    "tables_ready",
]
