"""The endgame tables at a match: at the players' hands, and as the judge that ends a game."""

from __future__ import annotations

import os

from controller.draughts import Position
from controller.engine.endgame import EndgameTableError, Ending, lookup, tables_ready
from controller.engine.match.one_game import Adjudicator
from controller.engine.match.order import MatchOrder

_VALUES = {Ending.WIN: 1, Ending.DRAW: 0, Ending.LOSS: -1}


def adjudicator_for(order: MatchOrder) -> Adjudicator | None:
    """Have the tables at hand in this process, if the match is to have them; and the judge, if it is to have one.

    Raises EndgameTableError when games are to be adjudicated and there are no tables.
    """
    pieces = tables_ready(os.environ).pieces if order.tables else 0
    if not order.adjudicate:
        return None
    if not pieces:
        raise EndgameTableError("games cannot be adjudicated: there are no endgame tables")
    return _value


def _value(position: Position) -> int | None:
    known = lookup(position)
    return None if known is None else _VALUES[known.ending]
