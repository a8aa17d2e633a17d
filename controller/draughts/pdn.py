"""Game records as values: what a game of a PDN file holds (PDN 3.0, the portable draughts notation)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from controller.draughts.errors import PdnError
from controller.draughts.game import Game
from controller.draughts.moves import Move

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts in PDN's GameType: type 21, Black begins, 8 × 8, numbered squares with 1 at Black's side."""

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""White has won, Black has won, a draw, not finished."""

STRENGTHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "*": 7}
"""The glyphs that marks of strength stand for: good, poor, very good, very poor, speculative, doubtful, forced."""


@dataclass(frozen=True)
class Remarks:
    """What is remarked on a line of moves, by the ply it follows: 1 for the line's first move, 0 for before it.

    `glyphs` are PDN's numbers for what is often said ($1 a good move, see STRENGTHS). `variations` are lines that
    might have been played in place of that ply's move.
    """

    comments: Mapping[int, str] = field(default_factory=dict)
    glyphs: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    variations: Mapping[int, tuple[Variation, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Variation:
    """Legal moves, one at least, and what is remarked on them, plies counted from the variation's own first move."""

    moves: tuple[Move, ...]
    remarks: Remarks = field(default_factory=Remarks)


@dataclass(frozen=True)
class PdnGame:
    """A game of a PDN file: its tags, moves, remarks and result (one of RESULTS).

    `doubts` says, a sentence each, what may have been misunderstood: variations that could not be followed and words
    that are no moves, which are kept as comments, results that contradict each other, an odd GameType.
    """

    tags: Mapping[str, str]
    game: Game
    remarks: Remarks
    result: str
    doubts: tuple[str, ...] = ()

    @property
    def comments(self) -> Mapping[int, str]:
        """The comments on the game's own moves, by the ply they follow (0: before the first)."""
        return self.remarks.comments


@dataclass(frozen=True)
class PdnPart:
    """A part of a file: its text, as it stands there, and the game in it, or why that cannot be followed.

    All parts' texts together are the file's. Behind the last game there may be text without one: `record` is None.
    """

    text: str
    record: PdnGame | PdnError | None
