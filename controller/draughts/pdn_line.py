"""A line of moves while it is read from PDN: the game's own or a variation."""

from __future__ import annotations

from dataclasses import dataclass, field

from controller.draughts.errors import DraughtsError, IllegalMoveError, InvalidMoveError
from controller.draughts.game import DrawRules, Game
from controller.draughts.legality import unfinished_jumps
from controller.draughts.parsing import parse_move, read_path
from controller.draughts.pdn import Remarks, Variation
from controller.draughts.pieces import Colour
from controller.draughts.position import Position


@dataclass
class Line:
    """The moves of a game, or of a variation, while they are read.

    before: the plies from Black's first move to the line's, for its numbers. broken_off: the first steps of a jump
    that is written step by step. lost: the words from the one on that could not be followed.
    """

    game: Game
    before: int
    comments: dict[int, str] = field(default_factory=dict)
    glyphs: dict[int, tuple[int, ...]] = field(default_factory=dict)
    variations: dict[int, tuple[Variation, ...]] = field(default_factory=dict)
    broken_off: str = ""
    lost: list[str] = field(default_factory=list)

    @property
    def plies(self) -> int:
        """The moves that have been read."""
        return self.game.plies

    @property
    def remarks(self) -> Remarks:
        """What has been remarked on them."""
        return Remarks(self.comments, self.glyphs, self.variations)

    def remark(self, text: str) -> None:
        """Add a comment on the last move."""
        self.comments[self.plies] = f"{self.comments.get(self.plies, '')} {text}".strip()

    def add_glyphs(self, glyphs: tuple[int, ...]) -> None:
        """Add glyphs to the last move."""
        self.glyphs[self.plies] = (*self.glyphs.get(self.plies, ()), *glyphs)

    def take_move(self, text: str, a1: int) -> None:
        """Play a move, or keep the first steps of one. Raises DraughtsError when it cannot be followed."""
        if self.broken_off and not _carries_on(self.broken_off, text, a1):
            self.check_whole(a1)
        words = f"{self.broken_off} {text}".strip()
        if breaks_off(self.game.position, words, a1):
            self.broken_off = words
            return
        self.broken_off = ""
        self.game.play(parse_move(self.game.position, words, a1))

    def check_whole(self, a1: int) -> None:
        """Raise IllegalMoveError when a jump has been broken off."""
        if self.broken_off:
            parse_move(self.game.position, self.broken_off, a1)  # Says what is lacking.
            raise IllegalMoveError(f"{self.broken_off} is not a whole move.")

    def branch(self) -> Line | None:
        """A line that stands in place of the last move; None before the first."""
        if not self.plies:
            return None
        return Line(Game(self.game.positions[-2], self.game.rules), self.before + self.plies - 1)

    def is_next_number(self, text: str) -> bool:
        """Whether a word is the next move's number without its dot."""
        return text.isdecimal() and text == str((self.before + self.plies) // 2 + 1)


def first_line(start: Position, comments: dict[int, str]) -> Line:
    """The line of a game's own moves from `start` on; the rules' own draws are off, as records go on through them."""
    game = Game(start, DrawRules(repetition=False, forty_moves=False))
    return Line(game, 0 if start.turn is Colour.BLACK else 1, comments)


def is_legal(position: Position, text: str, a1: int) -> bool:
    """Whether a move's text is one legal move."""
    try:
        parse_move(position, text, a1)
    except DraughtsError:
        return False
    return True


def breaks_off(position: Position, words: str, a1: int) -> bool:
    """Whether `words` are the first steps of a jump that is written step by step."""
    if not position.can_capture():
        return False
    try:
        path, _ = read_path(words, a1)
    except InvalidMoveError:
        return False
    return any(jump.path == path for jump in unfinished_jumps(position)) and not any(
        (move.start, move.end) == (path[0], path[-1]) for move in position.legal_moves()
    )


def _carries_on(words: str, text: str, a1: int) -> bool:
    """Whether the move `text` begins where the moves `words` end."""
    try:
        return read_path(words, a1)[0][-1] == read_path(text, a1)[0][0]
    except InvalidMoveError:
        return False
