"""The rules of English draughts: positions, moves, games and their notation, without any input or output."""

from controller.draughts.errors import (
    AmbiguousMoveError,
    DraughtsError,
    FenError,
    GameOverError,
    IllegalMoveError,
    InvalidMoveError,
    PdnError,
    PositionError,
)
from controller.draughts.fen import read_fen, write_fen
from controller.draughts.game import DrawRules, Game, Outcome, Reason
from controller.draughts.legality import unfinished_jumps, why_not
from controller.draughts.moves import Move
from controller.draughts.notation import notation, notations
from controller.draughts.parsing import parse_move, why_not_text
from controller.draughts.pdn import PdnGame, PdnPart, Remarks, Variation
from controller.draughts.pdn_reading import iterate_pdn, iterate_pdn_parts, iterate_pdn_records, read_pdn
from controller.draughts.pdn_writing import write_pdn, write_record
from controller.draughts.perft import perft, perft_divided
from controller.draughts.pieces import Colour, Piece
from controller.draughts.position import Position, same_move
from controller.draughts.squares import (
    SQUARES,
    column_of,
    crowning_row,
    crowning_squares,
    forward,
    neighbours,
    row_of,
    square_at,
    square_between,
)

__all__ = [
    "SQUARES",
    "AmbiguousMoveError",
    "Colour",
    "DraughtsError",
    "DrawRules",
    "FenError",
    "Game",
    "GameOverError",
    "IllegalMoveError",
    "InvalidMoveError",
    "Move",
    "Outcome",
    "PdnError",
    "PdnGame",
    "PdnPart",
    "Piece",
    "Position",
    "PositionError",
    "Reason",
    "Remarks",
    "Variation",
    "column_of",
    "crowning_row",
    "crowning_squares",
    "forward",
    "iterate_pdn",
    "iterate_pdn_parts",
    "iterate_pdn_records",
    "neighbours",
    "notation",
    "notations",
    "parse_move",
    "perft",
    "perft_divided",
    "read_fen",
    "read_pdn",
    "row_of",
    "same_move",
    "square_at",
    "square_between",
    "unfinished_jumps",
    "why_not",
    "why_not_text",
    "write_fen",
    "write_pdn",
    "write_record",
]
