"""What can be wrong with moves, positions and game records; every message is one sentence for people."""

from __future__ import annotations


class DraughtsError(ValueError):
    """Base of all errors of the rules."""


class PositionError(DraughtsError):
    """A square or a position that cannot be."""


class InvalidMoveError(DraughtsError):
    """A text that cannot be read as a move."""


class IllegalMoveError(DraughtsError):
    """A readable move that the rules forbid in this position."""


class AmbiguousMoveError(DraughtsError):
    """A text that fits several legal moves which capture different pieces."""


class GameOverError(DraughtsError):
    """A move in a game that has ended, or an `undo` in one that has not begun."""


class FenError(DraughtsError):
    """A text that is no FEN, or the FEN of a position that cannot be."""


class PdnError(DraughtsError):
    """A game record that cannot be followed.

    `game` counts the file's games from 1; `ply` counts the moves of both players from 1, 0 before the first.
    """

    def __init__(self, game: int, ply: int, reason: str) -> None:
        place = f"game {game}, move {(ply + 1) // 2} (ply {ply})" if ply else f"game {game}"
        super().__init__(f"PDN {place}: {reason}")
        self.game = game
        self.ply = ply
        self.reason = reason
