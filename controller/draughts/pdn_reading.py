"""Game records read from PDN.

Reading is forgiving: strangers' files come with several games, CR LF, Latin-1, comments in braces or behind `;` and
`%`, variations, glyphs (`$1`) and marks of strength, captures with hyphens or step by step, algebraic squares, and
without results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from controller.draughts.errors import DraughtsError, FenError, IllegalMoveError, InvalidMoveError, PdnError
from controller.draughts.fen import read_fen
from controller.draughts.game import DrawRules, Game
from controller.draughts.legality import unfinished_jumps
from controller.draughts.parsing import BLACK_LEFT, WHITE_LEFT, is_algebraic, parse_move, read_path
from controller.draughts.pdn import PdnGame, Remarks, Variation
from controller.draughts.pdn_tokens import Kind, Token, decoded, plain_result, tokens
from controller.draughts.pieces import Colour
from controller.draughts.position import Position

DEEPEST = 16
"""Variations within variations that are followed; what lies deeper is kept as a comment."""

_GAME_TYPE = re.compile(r"\s*(\d+)(?:.*,\s*[AS](\d))?")


def read_pdn(text: str | bytes) -> tuple[PdnGame, ...]:
    """All games of a PDN file, given as text or as the file's bytes (UTF-8, else Latin-1).

    The games are read with the rules' own draws switched off, since records go on through them. Raises PdnError
    for the first game that cannot be followed.
    """
    return tuple(iterate_pdn(text))


def iterate_pdn(text: str | bytes) -> Iterator[PdnGame]:
    """The games of a PDN file one by one; raises PdnError as `read_pdn` does."""
    for record in iterate_pdn_records(text):
        if isinstance(record, PdnError):
            raise record
        yield record


def iterate_pdn_records(text: str | bytes) -> Iterator[PdnGame | PdnError]:
    """The games of a PDN file one by one; in place of one that cannot be followed, the error that says why."""
    record = _Record(1)
    for token in tokens(decoded(text)):
        if record.is_over_before(token):
            yield record.finished()
            record = _Record(record.number + 1)
        record.take(token)
        if record.ended:
            yield record.finished()
            record = _Record(record.number + 1)
    if record.begun:
        yield record.finished()


@dataclass
class _Line:
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
        return self.game.plies

    @property
    def remarks(self) -> Remarks:
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
        if _breaks_off(self.game.position, words, a1):
            self.broken_off = words
            return
        self.broken_off = ""
        self.game.play(parse_move(self.game.position, words, a1))

    def check_whole(self, a1: int) -> None:
        """Raise IllegalMoveError when a jump has been broken off."""
        if self.broken_off:
            parse_move(self.game.position, self.broken_off, a1)  # Says what is lacking.
            raise IllegalMoveError(f"{self.broken_off} is not a whole move.")

    def branch(self) -> _Line | None:
        """A line that stands in place of the last move; None before the first."""
        if not self.plies:
            return None
        return _Line(Game(self.game.positions[-2], self.game.rules), self.before + self.plies - 1)

    def is_next_number(self, text: str) -> bool:
        """Whether a word is the next move's number without its dot."""
        return text.isdecimal() and text == str((self.before + self.plies) // 2 + 1)


@dataclass
class _Record:
    """One game while it is being read."""

    number: int
    tags: dict[str, str] = field(default_factory=dict)
    lines: list[_Line] = field(default_factory=list)
    """The game's own moves, and the variations that are open."""
    preface: list[str] = field(default_factory=list)
    """Comments before the first move."""
    depth: int = 0
    """Parentheses that are open."""
    lost_depth: int = 0
    """Those among them that are open among words that cannot be followed."""
    doubts: list[str] = field(default_factory=list)
    a1: int | None = None
    """The square that algebraic moves call a1, once that is known."""
    result: str | None = None
    ended: bool = False
    error: PdnError | None = None

    @property
    def begun(self) -> bool:
        return bool(self.tags or self.lines or self.error)

    @property
    def plies(self) -> int:
        return self.lines[0].plies if self.lines else 0

    def is_over_before(self, token: Token) -> bool:
        """Whether `token` begins the next game."""
        in_moves = bool(self.lines or self.error)
        if token.kind is Kind.TAG:
            return in_moves or (token.name == "Event" and "Event" in self.tags)
        # The numbers begin anew: a game without tags after one without a result.
        return token.kind is Kind.NUMBER and token.text == "1" and not self.depth and self.plies > 1

    def take(self, token: Token) -> None:
        """Take in the next token of the file."""
        if token.kind is Kind.OPEN:
            self.depth += 1
        elif token.kind is Kind.CLOSE:
            self.depth = max(0, self.depth - 1)
        if token.kind is Kind.TAG:
            self.tags[token.name] = token.text
        elif token.kind is Kind.COMMENT and not self.lines:
            self.preface.append(token.text)
        elif token.kind is Kind.RESULT and not self.depth:
            if self.begun:
                self.result = token.text
                self.ended = True
        elif self.error is None:
            try:
                self._take_in_moves(token)
            except DraughtsError as error:
                self.error = error if isinstance(error, PdnError) else self._error(str(error))
                del self.lines[1:]  # What follows is only looked through for the game's end.

    def finished(self) -> PdnGame | PdnError:
        """The game as it has been read, or why it cannot be followed."""
        if self.error is not None:
            return self.error
        try:
            while len(self.lines) > 1:
                self._close()
            line = self._line()
            line.check_whole(self._corners()[0])
        except DraughtsError as error:
            return error if isinstance(error, PdnError) else self._error(str(error))
        result = self.result or plain_result(self.tags.get("Result", ""))
        if result in (None, "*"):
            outcome = line.game.outcome()
            result = outcome.result if outcome is not None else "*"
        return PdnGame(self.tags, line.game, line.remarks, result or "*", tuple(self.doubts))

    def _take_in_moves(self, token: Token) -> None:
        line = self._line()
        if token.kind is Kind.OPEN:
            self._open(line)
        elif token.kind is Kind.CLOSE:
            self._close()
        elif line.lost:
            line.lost.append(token.text if token.kind is Kind.COMMENT else token.written)
        elif token.kind is Kind.COMMENT:
            if token.text:
                line.remark(token.text)
        elif token.kind is Kind.GLYPH:
            line.add_glyphs((int(token.text),))
        elif token.kind is Kind.RESULT:  # What a variation would have come to.
            if token.text != "*":
                line.remark(token.text)
        elif token.kind is Kind.SETUP:
            self._set_up(line, token)
        elif token.kind is Kind.WORD and not line.is_next_number(token.text):
            self._take_word(line, token.text)

    def _take_word(self, line: _Line, text: str) -> None:
        try:
            line.take_move(text, self._corner(line, text))
        except DraughtsError as error:
            if line is self.lines[0]:
                raise
            if not isinstance(error, InvalidMoveError):
                self.doubts.append(str(self._error(f"in a variation, {error}", self.plies)))
            line.lost += [*line.broken_off.split(), text]
            line.broken_off = ""

    def _open(self, line: _Line) -> None:
        """A variation begins; or only a remark in parentheses, as one before the first move has to be."""
        branch = None if line.lost or len(self.lines) > DEEPEST else line.branch()
        if branch is not None:
            self.lines.append(branch)
        elif line.lost:
            self.lost_depth += 1
            line.lost.append("(")
        else:
            self.lines.append(_Line(Game(line.game.position), 0, lost=["("]))

    def _close(self) -> None:
        """A variation ends; what of it is no line of moves is a remark on the line it stands in."""
        if len(self.lines) < 2:
            return
        line = self.lines[-1]
        if self.lost_depth:
            self.lost_depth -= 1
            line.lost.append(")")
            return
        self.lines.pop()
        around = self.lines[-1]
        if line.lost[:1] == ["("]:
            line.lost = [*line.lost, ")"] if len(line.lost) > 1 else []
        if line.broken_off:
            line.lost.append(line.broken_off)
        if line.lost:
            line.remark(" ".join(line.lost).replace("( ", "(").replace(" )", ")"))
        if line.plies:
            own = Variation(line.game.moves, line.remarks)
            around.variations[around.plies] = (*around.variations.get(around.plies, ()), own)
            return
        if glyphs := line.glyphs.get(0):
            around.add_glyphs(glyphs)
        if text := line.comments.get(0):
            around.remark(text if text.startswith("(") else f"({text})")

    def _set_up(self, line: _Line, token: Token) -> None:
        """A position in the midst of the moves (an extension of PDN 3.0): only the game's first can be followed."""
        if line is not self.lines[0]:
            line.lost.append(token.written)
        elif line.plies:
            raise self._error("another position is set up here, and a game cannot go on from there.")
        else:
            self.lines = [_first_line(self._read_fen(token.text), line.comments)]

    def _line(self) -> _Line:
        """The line that is read now. Raises PdnError for tags with which no game can begin."""
        if not self.lines:
            kind = _GAME_TYPE.match(self.tags.get("GameType", ""))
            if kind is not None and kind[1] != "21":
                raise PdnError(self.number, 0, f"GameType {kind[1]} is another game; English draughts is 21.")
            fen = self.tags.get("FEN", "").strip()
            start = self._read_fen(fen) if fen else Position.start()
            preface = " ".join(text for text in self.preface if text)
            self.lines.append(_first_line(start, {0: preface} if preface else {}))
        return self.lines[-1]

    def _read_fen(self, text: str) -> Position:
        try:
            return read_fen(text)
        except FenError as error:
            raise PdnError(self.number, 0, str(error)) from error

    def _corners(self) -> tuple[int, ...]:
        """The squares that may be meant by a1, the likelier first.

        GameType says where it lies from the view of the side that begins: 0 is the left below, 3 the right above.
        """
        if self.a1 is not None:
            return (self.a1,)
        kind = _GAME_TYPE.match(self.tags.get("GameType", ""))
        return (WHITE_LEFT, BLACK_LEFT) if kind is not None and kind[2] == "3" else (BLACK_LEFT, WHITE_LEFT)

    def _corner(self, line: _Line, text: str) -> int:
        """The square that a1 means in a move: that with which the first algebraic move of the game is legal."""
        corners = self._corners()
        if self.a1 is None and is_algebraic(text):
            for corner in corners:
                if _breaks_off(line.game.position, text, corner) or _is_legal(line.game.position, text, corner):
                    self.a1 = corner
                    return corner
        return corners[0]

    def _error(self, reason: str, ply: int | None = None) -> PdnError:
        return PdnError(self.number, self.plies + 1 if ply is None else ply, reason)


def _first_line(start: Position, comments: dict[int, str]) -> _Line:
    game = Game(start, DrawRules(repetition=False, forty_moves=False))
    return _Line(game, 0 if start.turn is Colour.BLACK else 1, comments)


def _is_legal(position: Position, text: str, a1: int) -> bool:
    try:
        parse_move(position, text, a1)
    except DraughtsError:
        return False
    return True


def _breaks_off(position: Position, words: str, a1: int) -> bool:
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
