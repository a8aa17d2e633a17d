"""What the endgame tables say of a position."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from controller.draughts import Colour, Position
from controller.engine.choosing import missing_core

_FAR = 20_000
"""ENDGAME_FAR of core/endgame.h: a win or loss whose distance the table does not know."""


class Ending(Enum):
    """How the game ends for the side to move when both sides play as well as can be."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class EndgameValue:
    """How a position ends, and in how many plies; None for a draw, and where the table only knows who wins.

    The winner takes the shortest way to the last move, the loser the longest.
    """

    ending: Ending
    plies: int | None = None


def lookup(position: Position) -> EndgameValue | None:
    """The value of a position for its side to move, whatever the draw rules; None if no table attached has it."""
    if missing_core() is not None:
        return None
    from controller.engine import _core  # noqa: PLC0415

    if not position.black or not position.white or position.contradictions():
        return None
    if (position.black | position.white).bit_count() > _core.endgame_pieces():
        return None
    if not position.legal_moves():
        return EndgameValue(Ending.LOSS, 0)
    plies = _core.endgame_value(*position.state, position.turn is Colour.BLACK)
    if not plies:
        return EndgameValue(Ending.DRAW)
    return EndgameValue(Ending.WIN if plies > 0 else Ending.LOSS, None if abs(plies) == _FAR else abs(plies))
