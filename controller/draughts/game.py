"""A game: its moves, and how it ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from controller.draughts.errors import DraughtsError, GameOverError, IllegalMoveError, InvalidMoveError
from controller.draughts.legality import why_not
from controller.draughts.moves import Move
from controller.draughts.notation import notation
from controller.draughts.pieces import Colour
from controller.draughts.position import Position, same_move

QUIET_PLIES = 80
"""Forty moves of each side: with no capture and no man moved in that time the game is a draw (WCDF rule 1.32)."""

REPETITIONS = 3
"""The occurrence of a position, the same side to move, with which the game is a draw."""


class Reason(Enum):
    """Why a game has ended."""

    NO_PIECES = "no_pieces"
    NO_MOVES = "no_moves"
    REPETITION = "repetition"
    FORTY_MOVES = "forty_moves"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game has ended; `winner` is None for a draw."""

    winner: Colour | None
    reason: Reason

    @property
    def result(self) -> str:
        """The result in PDN: `1-0` means that White has won."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Colour.WHITE else "0-1"

    @property
    def sentence(self) -> str:
        """The result and its reason in words."""
        if self.winner is None:
            return {
                Reason.REPETITION: "The game is a draw: the same position has come up for the third time.",
                Reason.FORTY_MOVES: "The game is a draw: in forty moves of each side nothing was captured and no man"
                " moved.",
            }.get(self.reason, "The game is a draw by agreement.")
        loser = self.winner.other.title
        cause = {
            Reason.NO_PIECES: f"{loser} has no pieces left",
            Reason.NO_MOVES: f"{loser} cannot move",
        }.get(self.reason, f"{loser} has resigned")
        return f"{self.winner.title} wins: {cause}."


@dataclass(frozen=True, slots=True)
class DrawRules:
    """Which draws the rules declare by themselves; each can be switched off."""

    repetition: bool = True
    forty_moves: bool = True


@dataclass(frozen=True, slots=True)
class _Played:
    move: Move
    after: Position
    quiet_plies: int


class Game:
    """A game from a start position on, with every move played.

    >>> game = Game()
    >>> game.play(game.position.legal_moves()[4])
    >>> game.notations()
    ('11-15',)
    """

    def __init__(self, start: Position | None = None, rules: DrawRules | None = None) -> None:
        self.start = start or Position.start()
        self.rules = rules or DrawRules()
        self._played: list[_Played] = []
        self._occurrences: Counter[Position] = Counter([self.start])
        self._ended: Outcome | None = None

    @property
    def position(self) -> Position:
        """The position now."""
        return self._played[-1].after if self._played else self.start

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played, in order."""
        return tuple(played.move for played in self._played)

    @property
    def plies(self) -> int:
        """The number of moves played by both sides."""
        return len(self._played)

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position of the game, from the start to now."""
        return (self.start, *(played.after for played in self._played))

    @property
    def quiet_plies(self) -> int:
        """Moves of both sides since the last capture or move of a man (or the start)."""
        return self._played[-1].quiet_plies if self._played else 0

    def quiet_positions(self) -> tuple[Position, ...]:
        """The positions that could still come up again: since the last capture or move of a man, the present last."""
        recent = [played.after for played in self._played[len(self._played) - self.quiet_plies :]]
        before = len(self._played) - self.quiet_plies
        return (self._played[before - 1].after if before else self.start, *recent)

    def occurrences(self, position: Position) -> int:
        """How often a position, with the same side to move, has come up in the game."""
        return self._occurrences.get(position, 0)

    def notations(self) -> tuple[str, ...]:
        """The moves played in the shortest PDN form."""
        return tuple(
            notation(before, played.move) for before, played in zip(self.positions, self._played, strict=False)
        )

    def play(self, move: Move) -> None:
        """Play a legal move of the side to move; any route of it will do.

        Raises GameOverError when the game has ended, IllegalMoveError when the move is not legal, InvalidMoveError
        for what is no Move.
        """
        if not isinstance(move, Move):
            raise InvalidMoveError(f"{move!r} is no Move: parse_move(game.position, text) makes one of a text.")
        if (outcome := self.outcome()) is not None:
            raise GameOverError(f"The game is over. {outcome.sentence}")
        before = self.position
        route = next((route for route in before.routes() if route.path == move.path), None)
        if route is None:
            reason = why_not(before, move.start, move.path)
            raise IllegalMoveError(reason or f"{move} leaves out squares on its way: name them all.")
        legal = next(own for own in before.legal_moves() if same_move(own, route))
        piece = before.piece_at(move.start)
        quiet = not legal.is_capture and piece is not None and piece.king
        after = before.after(legal)
        self._played.append(_Played(legal, after, self.quiet_plies + 1 if quiet else 0))
        self._occurrences[after] += 1

    def undo(self) -> Move:
        """Take back the last move, and with it a resignation or an agreed draw; return the move.

        Raises GameOverError when no move has been played.
        """
        if not self._played:
            raise GameOverError("There is no move to take back.")
        self._ended = None
        last = self._played.pop()
        self._occurrences[last.after] -= 1
        if not self._occurrences[last.after]:
            del self._occurrences[last.after]
        return last.move

    def take_back(self, plies: int) -> tuple[Move, ...]:
        """Take back the last `plies` moves, also those of a game that has ended; return them in the order of play.

        Raises GameOverError, and changes nothing, when fewer have been played, DraughtsError for less than none.
        """
        if plies < 0:
            raise DraughtsError(f"The number of moves to take back must not be negative, and is {plies}.")
        if plies > self.plies:
            raise GameOverError(f"There are {self.plies} moves to take back, not {plies}.")
        return tuple(reversed([self.undo() for _ in range(plies)]))

    def reopen(self) -> None:
        """Take back a resignation or an agreed draw, and no move. Raises GameOverError when there was none."""
        if self._ended is None:
            raise GameOverError("Nobody has resigned, and no draw was agreed.")
        self._ended = None

    def resign(self, colour: Colour) -> None:
        """End the game with a win for the other side. Raises GameOverError when it has ended already."""
        self._end(Outcome(colour.other, Reason.RESIGNATION))

    def agree_draw(self) -> None:
        """End the game as a draw. Raises GameOverError when it has ended already."""
        self._end(Outcome(None, Reason.AGREEMENT))

    def outcome(self) -> Outcome | None:
        """How the game has ended; None while it goes on."""
        if self._ended is not None:
            return self._ended
        position = self.position
        if not position.board_of(position.turn):
            return Outcome(position.turn.other, Reason.NO_PIECES)
        if not position.legal_moves():
            return Outcome(position.turn.other, Reason.NO_MOVES)
        if self.rules.repetition and self._occurrences[position] >= REPETITIONS:
            return Outcome(None, Reason.REPETITION)
        if self.rules.forty_moves and self.quiet_plies >= QUIET_PLIES:
            return Outcome(None, Reason.FORTY_MOVES)
        return None

    def copy(self) -> Game:
        """A game of its own with the same moves."""
        twin = Game(self.start, self.rules)
        twin._played = list(self._played)
        twin._occurrences = Counter(self._occurrences)
        twin._ended = self._ended
        return twin

    def _end(self, outcome: Outcome) -> None:
        if (ended := self.outcome()) is not None:
            raise GameOverError(f"The game is over already. {ended.sentence}")
        self._ended = outcome
