"""How the robot answers when its opponent offers a draw."""

from __future__ import annotations

from dataclasses import dataclass

from controller.draughts import Game
from controller.engine.interface import Engine, Limits

LOOKED_AT = Limits(nodes=30_000)
"""How far the robot thinks about an offer: it is answered at once."""

LEVEL, WORSE = 10, -40
"""Hundredths of a man, as the robot sees it: up to the first it stands no better; from the second down it is glad."""

LONG_GAME_PLIES = 60
LONG_QUIET_PLIES = 20
FEW_PIECES = 8


@dataclass(frozen=True, slots=True)
class DrawAnswer:
    """Whether the robot agrees, and what it says."""

    agreed: bool
    sentence: str


def no_draw(_: Game) -> DrawAnswer:
    """The answer of a robot that plays every game to its end."""
    return DrawAnswer(False, "I decline the draw: I play every game to its end.")


def answer_draw_offer(game: Game, engine: Engine) -> DrawAnswer:
    """The answer to an offer of the side to move, which the robot is not.

    It agrees where it stands worse, and where it is level once the game is long, quiet or down to few pieces. What
    `engine` knows of endings counts as it does in a move. Raises GameOverError when the game has ended.
    """
    score = -engine.choose(game, LOOKED_AT).score
    if score > LEVEL:
        return DrawAnswer(False, "I decline the draw: I think that I stand better.")
    pieces = game.position.pieces()
    fought_out = game.plies >= LONG_GAME_PLIES or game.quiet_plies >= LONG_QUIET_PLIES or len(pieces) <= FEW_PIECES
    if score <= WORSE or fought_out:
        return DrawAnswer(True, "I agree: the game is a draw.")
    return DrawAnswer(False, "I decline the draw for now: it is level, and there is much to play for.")
