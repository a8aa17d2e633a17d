"""Game records read from PDN.

Reading is forgiving: strangers' files come with several games, CR LF, Latin-1, comments in braces or behind `;` and
`%`, variations, glyphs (`$1`) and marks of strength, captures with hyphens or step by step, algebraic squares, with
`Black resigns` in place of a result and without any. What is read in spite of something odd says so in its doubts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from controller.draughts.errors import DraughtsError, FenError, InvalidMoveError, PdnError
from controller.draughts.fen import read_fen
from controller.draughts.game import Game
from controller.draughts.parsing import is_algebraic, read_path
from controller.draughts.pdn import PdnGame, PdnPart, Variation
from controller.draughts.pdn_endings import result_in_words, settled_result
from controller.draughts.pdn_game_type import ENGLISH_DRAUGHTS, GameType, read_game_type
from controller.draughts.pdn_line import Line, breaks_off, first_line, is_legal
from controller.draughts.pdn_tokens import Kind, Token, decoded, plain_result, tokens
from controller.draughts.pieces import Colour
from controller.draughts.position import Position

DEEPEST = 16
"""Variations within variations that are followed; what lies deeper is kept as a comment."""

_SHOWN = 60
"""Characters of a comment or of words that a sentence quotes."""


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
    for part in iterate_pdn_parts(text):
        if part.record is not None:
            yield part.record


def iterate_pdn_parts(text: str | bytes) -> Iterator[PdnPart]:
    """The games of a PDN file one by one, as `iterate_pdn_records` has them, each with its text in the file.

    The text is decoded, its lines end in a newline alone; nothing else is lost or changed.
    """
    text = decoded(text)
    record, start = _Record(1), 0
    for token in tokens(text):
        if record.is_over_before(token):
            yield PdnPart(text[start : token.start], record.finished())
            record, start = _Record(record.number + 1), token.start
        record.take(token)
    if record.begun:
        yield PdnPart(text[start:], record.finished())
    elif record.unclosed is not None:
        yield PdnPart(text[start:], record.unclosed)
    elif text[start:]:
        yield PdnPart(text[start:], None)


@dataclass
class _Record:
    """One game while it is being read."""

    number: int
    tags: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    """The game's own moves, and the variations that are open."""
    preface: list[str] = field(default_factory=list)
    """Comments before the first move."""
    depth: int = 0
    """Parentheses that are open."""
    opened_at: int = 0
    """The ply at which the outermost of them stands."""
    lost_depth: int = 0
    """Those among them that are open among words that cannot be followed."""
    ending: list[str] = field(default_factory=list)
    """Words behind the last move that are no moves, such as `Black resigns`."""
    unclosed: PdnError | None = None
    """What is wrong with a comment before the game that is not closed."""
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
        if self.ended:
            return not self._is_behind(token)
        in_moves = bool(self.lines or self.error)
        if token.kind is Kind.TAG:
            return in_moves or (token.name == "Event" and "Event" in self.tags)
        # The numbers begin anew: a game without tags after one without a result.
        return token.kind is Kind.NUMBER and token.text == "1" and not self.depth and self.plies > 1

    def _is_behind(self, token: Token) -> bool:
        """Whether `token`, which follows the result, is still about this game: words such as `Black resigned`."""
        if self.ending and token.kind in (Kind.WORD, Kind.NUMBER):
            return not (token.kind is Kind.NUMBER and token.text == "1") and not _is_move(token)
        return token.kind is Kind.CLOSE or _is_no_move(token)

    def take(self, token: Token) -> None:
        """Take in the next token of the file."""
        if token.kind is Kind.BRACE:
            self._doubt("a } stands here without a { before it", self.plies)
            return
        if token.kind is Kind.COMMENT and token.written.startswith("{") and "{" in token.written[1:]:
            self._doubt(
                f"another {{ stands in the comment “{{{_short(token.text)}”, as if a }} were lacking", self.plies
            )
        if token.kind is Kind.OPEN:
            self.opened_at = self.opened_at if self.depth else self.plies
            self.depth += 1
        elif token.kind is Kind.CLOSE:
            if not self.depth:
                self._doubt("a ) stands here without a ( before it", self.plies)
                return
            self.depth -= 1
        if token.kind is Kind.TAG:
            self.tags[token.name] = token.text
        elif token.kind is Kind.UNCLOSED and not self.begun:
            self.unclosed = self._unclosed(token, 0)
            self.doubts.append(str(self.unclosed))
            self.preface.append(token.text)
        elif (token.kind is Kind.COMMENT and not self.lines) or (not self.begun and _is_no_move(token)):
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
        try:
            if self.error is None and self.depth:
                raise self._error("the ( that stands here is not closed: put a ) where it ends.", self.opened_at)
            if self.error is None:
                while len(self.lines) > 1:
                    self._close()
                self._line().check_whole(self._corners()[0])
                if self.ending and not self.tags and not self.plies and self._meant() is None:
                    read_path(self.ending[0])  # Nothing but words: no game, and this says so.
        except DraughtsError as error:
            self.error = error if isinstance(error, PdnError) else self._error(str(error))
        game_type = self._game_type()
        if self.error is not None:
            if game_type.doubt and game_type.number in (None, ENGLISH_DRAUGHTS):
                reason = f"{self.error.reason.rstrip('.')}; {game_type.doubt}."
                return PdnError(self.number, self.error.ply, reason)
            return self.error
        line = self._line()
        if game_type.doubt:
            self._doubt(game_type.doubt)
        result = self._settled_result(line)
        return PdnGame(self.tags, line.game, line.remarks, result, tuple(self.doubts))

    def _meant(self) -> str | None:
        """The result that the words behind the moves stand for; None if there are none that are understood."""
        return result_in_words(" ".join(self.ending), self._line().game.position.turn) if self.ending else None

    def _settled_result(self, line: Line) -> str:
        words, meant = " ".join(self.ending), self._meant()
        if words:
            line.remark(words)
            if meant is None:
                self._doubt(f"“{_short(words)}” behind the moves is not understood and kept as a comment", line.plies)
        tag = self.tags.get("Result", "").strip()
        if plain_result(tag) is None and tag not in ("", "?"):
            self._doubt(f"the tag Result says “{_short(tag)}”, which is none of PDN's results")
        outcome = line.game.outcome()
        board = outcome.result if outcome is not None else None
        result, doubt = settled_result(board, self.result, meant, plain_result(tag))
        if doubt:
            self._doubt(doubt)
        return result

    def _take_in_moves(self, token: Token) -> None:
        line = self._line()
        if token.kind is Kind.UNCLOSED:
            raise self._unclosed(token, self.plies)
        if token.kind is Kind.OPEN:
            self._open(line)
        elif token.kind is Kind.CLOSE:
            self._close()
        elif line.lost:
            line.lost.append(token.text if token.kind is Kind.COMMENT else token.written)
        elif token.kind is Kind.COMMENT:
            if token.text:
                line.remark(token.text)
        elif self.ending and line is self.lines[0] and not _is_move(token):
            self.ending.append(token.written)
        elif token.kind is Kind.GLYPH:
            line.add_glyphs((int(token.text),))
        elif token.kind is Kind.RESULT:  # What a variation would have come to.
            if token.text != "*":
                line.remark(token.text)
        elif token.kind is Kind.SETUP:
            self._set_up(line, token)
        elif token.kind is Kind.WORD and not line.is_next_number(token.text):
            self._take_word(line, token.text)

    def _take_word(self, line: Line, text: str) -> None:
        if line is self.lines[0] and not line.plies:
            line = self._settle_who_begins(line, text)
        try:
            if self.ending and line is self.lines[0]:  # It was not the end: says what is wrong with the first word.
                read_path(self.ending[0])
            line.take_move(text, self._corner(line, text))
        except DraughtsError as error:
            if line is self.lines[0]:
                if isinstance(error, InvalidMoveError) and not self.ending and not _has_digit(text):
                    self.ending.append(text)
                    return
                raise
            if not isinstance(error, InvalidMoveError):
                self.doubts.append(str(self._error(f"in a variation, {error}", self.plies)))
            line.lost += [*line.broken_off.split(), text]
            line.broken_off = ""

    def _open(self, line: Line) -> None:
        """A variation begins; or only a remark in parentheses, as one before the first move has to be."""
        branch = None if line.lost or len(self.lines) > DEEPEST else line.branch()
        if branch is not None:
            self.lines.append(branch)
        elif line.lost:
            self.lost_depth += 1
            line.lost.append("(")
        else:
            self.lines.append(Line(Game(line.game.position), 0, lost=["("]))

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

    def _set_up(self, line: Line, token: Token) -> None:
        """A position in the midst of the moves (an extension of PDN 3.0): only the game's first can be followed."""
        if line is not self.lines[0]:
            line.lost.append(token.written)
        elif line.plies:
            raise self._error("another position is set up here, and a game cannot go on from there.")
        else:
            self.lines = [first_line(self._read_fen(token.text), line.comments)]

    def _line(self) -> Line:
        """The line that is read now. Raises PdnError for tags with which no game can begin."""
        if not self.lines:
            kind = self._game_type()
            if kind.number not in (None, ENGLISH_DRAUGHTS):
                raise self._error(
                    f"GameType {kind.number} is another game; English draughts is {ENGLISH_DRAUGHTS}.", 0
                )
            fen = self.tags.get("FEN", "").strip()
            start = self._read_fen(fen) if fen else replace(Position.start(), turn=kind.first)
            preface = " ".join(text for text in self.preface if text)
            self.lines.append(first_line(start, {0: preface} if preface else {}))
        return self.lines[-1]

    def _read_fen(self, text: str) -> Position:
        try:
            return read_fen(text)
        except FenError as error:
            raise PdnError(self.number, 0, str(error)) from error

    def _settle_who_begins(self, line: Line, text: str) -> Line:
        """Have Black begin after all, where GameType says that White does and the first move is one of Black's."""
        black_first = Position.start()
        if (
            self._game_type().first is Colour.WHITE
            and line.game.start == replace(black_first, turn=Colour.WHITE)
            and not self.tags.get("FEN", "").strip()
            and not any(is_legal(line.game.start, text, corner) for corner in self._corners())
            and any(is_legal(black_first, text, corner) for corner in self._corners())
        ):
            self._doubt(f"the GameType “{self.tags.get('GameType', '')}” says that White begins, and Black does")
            self.lines = [first_line(black_first, line.comments)]
        return self.lines[0]

    def _game_type(self) -> GameType:
        return read_game_type(self.tags.get("GameType", ""))

    def _corners(self) -> tuple[int, ...]:
        """The squares that may be meant by a1, the likelier first."""
        return self._game_type().corners if self.a1 is None else (self.a1,)

    def _corner(self, line: Line, text: str) -> int:
        """The square that a1 means in a move: that with which the first algebraic move of the game is legal."""
        corners = self._corners()
        if self.a1 is None and is_algebraic(text):
            for corner in corners:
                if breaks_off(line.game.position, text, corner) or is_legal(line.game.position, text, corner):
                    self.a1 = corner
                    return corner
        return corners[0]

    def _unclosed(self, token: Token, ply: int) -> PdnError:
        return self._error(f"the comment “{{{_short(token.text)}” is not closed: put a }} where it ends.", ply)

    def _doubt(self, reason: str, ply: int = 0) -> None:
        sentence = str(self._error(f"{reason}.", ply))
        if sentence not in self.doubts:
            self.doubts.append(sentence)

    def _error(self, reason: str, ply: int | None = None) -> PdnError:
        return PdnError(self.number, self.plies + 1 if ply is None else ply, reason)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _is_no_move(token: Token) -> bool:
    return token.kind is Kind.WORD and not _has_digit(token.text)


def _is_move(token: Token) -> bool:
    """Whether a word has the form of a move."""
    if token.kind is not Kind.WORD:
        return False
    try:
        read_path(token.text)
    except InvalidMoveError:
        return False
    return True
