"""What the tag GameType says of a record: which game it is, who begins and how the squares are named (PDN 3.0)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from controller.draughts.parsing import BLACK_LEFT, WHITE_LEFT
from controller.draughts.pdn import GAME_TYPE
from controller.draughts.pieces import Colour

ENGLISH_DRAUGHTS = 21

_FIELDS = re.compile(
    r"(?P<type>\d{1,3})(?:,(?P<first>[BW])(?:,(?P<size>\d+,\d+)(?:,(?P<names>[ANS])(?P<corner>\d?)(?:,\d?)?)?)?)?"
)
_SQUARE_ONE = {"B": "1", "W": "2"}
"""Where English draughts has square 1, as the side that begins sees it, by that side: 1 the right below, which is so
for Black; 2 the left above, which is the same corner for White."""


@dataclass(frozen=True, slots=True)
class GameType:
    """What a GameType says.

    number: the game's, None if it names none. first: who begins. corners: the squares that algebraic moves may call
    a1, the likelier first. doubt: what is odd about it as the type of a game of English draughts, else empty.
    """

    number: int | None
    first: Colour
    corners: tuple[int, ...]
    doubt: str = ""


def read_game_type(text: str) -> GameType:
    """What a tag's value says; it may be any text, of which what makes no sense is doubted."""
    plain = "".join(text.split()).upper().rstrip(",")
    fields = _FIELDS.fullmatch(plain)
    if plain in ("", "?"):
        return GameType(None, Colour.BLACK, _corners(Colour.BLACK, "0"))
    if fields is None:
        number = re.match(r"\d{1,3}(?!\d)", plain)
        doubt = f"the GameType “{text}” cannot be read, and the game is taken for English draughts, {GAME_TYPE}"
        return GameType(int(number[0]) if number else None, Colour.BLACK, _corners(Colour.BLACK, "0"), doubt)
    first = Colour.WHITE if fields["first"] == "W" else Colour.BLACK
    doubt = ""
    if fields["size"] not in (None, "8,8"):
        doubt = f"the GameType “{text}” is that of another board, and English draughts is played on 8 by 8"
    elif fields["names"] == "N" and fields["corner"] != _SQUARE_ONE[fields["first"]]:
        doubt = f"the GameType “{text}” has square 1 in another corner than English draughts, {GAME_TYPE}"
    corner = fields["corner"] if fields["names"] in ("A", "S") else "0"
    return GameType(int(fields["type"]), first, _corners(first, corner or "0"), doubt)


def _corners(first: Colour, corner: str) -> tuple[int, ...]:
    """The corners that may be a1: 0 is the left below as the side that begins sees it, 3 the right above."""
    black = (first is Colour.BLACK) == (corner != "3")
    return (BLACK_LEFT, WHITE_LEFT) if black else (WHITE_LEFT, BLACK_LEFT)
