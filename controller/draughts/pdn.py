"""Game records as text: PDN, the portable draughts notation (version 3.0).

Reading is forgiving: strangers' files come with several games, CR LF, Latin-1, comments in braces or behind `;` and
`%`, variations, glyphs (`$1`), captures with hyphens or step by step, and without results.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from controller.draughts.errors import DraughtsError, FenError, InvalidMoveError, PdnError
from controller.draughts.fen import read_fen, write_fen
from controller.draughts.game import DrawRules, Game
from controller.draughts.legality import unfinished_jumps
from controller.draughts.parsing import parse_move, read_path
from controller.draughts.pieces import Colour
from controller.draughts.position import Position

GAME_TYPE = "21,B,8,8,N1,0"
"""English draughts in PDN's GameType: type 21, Black begins, 8 × 8, numbered squares with 1 at Black's side."""

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_WIDTH = 80
_ROSTER = ("Event", "Site", "Date", "Round", "Black", "White")
_OTHER_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "½-½": "1/2-1/2", "0-0": "*"}

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<escape>%[^\n]*)
    | (?P<rest>;[^\n]*)
    | (?P<comment>\{[^}]*(?:\}|\Z))
    | (?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:\\.|[^\\\n])*?|[^\n]*?)"\s*\])
    | (?P<open>\()
    | (?P<close>\))
    | (?P<glyph>\$\d+)
    | (?P<strength>[!?]+|(?<=[\d!?])\*)
    | (?P<result>(?:1/2-1/2|½-½|[012]-[012]|\*)(?![\dx-]))
    | (?P<number>\d+\s*\.(?:\s*\.)*)
    | (?P<word>[^\s{}()\[\];$!?*]+)
    | (?P<other>.)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class PdnGame:
    """A game of a PDN file: its tags, moves, comments by the ply they follow (0: before the first) and result."""

    tags: Mapping[str, str]
    game: Game
    comments: Mapping[int, str]
    result: str


def write_pdn(game: Game, tags: Mapping[str, str] | None = None, comments: Mapping[int, str] | None = None) -> str:
    """A game as PDN, lines of at most 80 columns in the moves.

    `tags` gives or replaces tags such as `Black`; a result there stands for a game that has not ended by itself.
    `comments` go behind the ply they are numbered with (0: before the first move). Raises PdnError for a result that
    is none.
    """
    outcome = game.outcome()
    given = dict(tags or {})
    result = outcome.result if outcome is not None else given.get("Result", "*")
    if result not in RESULTS:
        raise PdnError(1, 0, f"“{result}” is no result: it must be one of {', '.join(RESULTS)}.")
    heading = {name: given.pop(name, "????.??.??" if name == "Date" else "?") for name in _ROSTER}
    heading |= {"Result": result, "GameType": GAME_TYPE}
    if game.start != Position.start():
        heading |= {"SetUp": "1", "FEN": write_fen(game.start)}
    heading |= {name: value for name, value in given.items() if name not in {*heading, "SetUp", "FEN"}}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in heading.items()]
    return "\n".join([*lines, "", *_wrapped(_movetext(game, comments or {}, result)), ""])


def read_pdn(text: str | bytes) -> tuple[PdnGame, ...]:
    """All games of a PDN file, given as text or as the file's bytes (UTF-8, else Latin-1).

    The games are read with the rules' own draws switched off, since records go on through them. Raises PdnError
    for the first game that cannot be followed.
    """
    return tuple(iterate_pdn(text))


def iterate_pdn(text: str | bytes) -> Iterator[PdnGame]:
    """The games of a PDN file one by one; raises PdnError as `read_pdn` does."""
    record = _Record(1)
    for token in _tokens(_decoded(text)):
        if token.kind == "tag" and (record.in_moves or (token.name == "Event" and "Event" in record.tags)):
            yield record.finished()
            record = _Record(record.number + 1)
        record.take(token)
        if record.ended:
            yield record.finished()
            record = _Record(record.number + 1)
    if record.begun:
        yield record.finished()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    name: str = ""


@dataclass
class _Record:
    """One game while it is being read."""

    number: int
    tags: dict[str, str] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    game: Game | None = None
    result: str | None = None
    ended: bool = False
    broken_off: str = ""

    @property
    def in_moves(self) -> bool:
        return self.game is not None

    @property
    def begun(self) -> bool:
        return bool(self.tags) or self.in_moves

    @property
    def plies(self) -> int:
        return self.game.plies if self.game is not None else 0

    def take(self, token: _Token) -> None:
        """Take in the next token of the file."""
        if token.kind == "tag":
            self.tags[token.name] = token.text
        elif token.kind == "comment":
            self.comments[self.plies] = f"{self.comments.get(self.plies, '')} {token.text}".strip()
        elif token.kind == "result":
            if not self.begun:
                return
            self.result = token.text
            self.ended = True
        elif token.kind == "word":
            self._take_move(token.text)

    def finished(self) -> PdnGame:
        """The game as it has been read. Raises PdnError."""
        game = self._started()
        if self.broken_off:
            raise self._error(self._why(self.broken_off))
        result = self.result or _plain_result(self.tags.get("Result", ""))
        if result in (None, "*"):
            outcome = game.outcome()
            result = outcome.result if outcome is not None else "*"
        return PdnGame(self.tags, game, self.comments, result or "*")

    def _started(self) -> Game:
        if self.game is None:
            kind = re.split(r"[,;\s]", self.tags.get("GameType", "21").strip())[0]
            if kind.isdigit() and kind != "21":
                raise PdnError(self.number, 0, f"GameType {kind} is another game; English draughts is 21.")
            start = Position.start()
            if fen := self.tags.get("FEN", "").strip():
                try:
                    start = read_fen(fen)
                except FenError as error:
                    raise PdnError(self.number, 0, str(error)) from error
            self.game = Game(start, DrawRules(repetition=False, forty_moves=False))
        return self.game

    def _take_move(self, text: str) -> None:
        game = self._started()
        if self.broken_off and not _carries_on(self.broken_off, text):
            raise self._error(self._why(self.broken_off))
        words = f"{self.broken_off} {text}".strip()
        if self._breaks_off(game.position, words):
            self.broken_off = words
            return
        self.broken_off = ""
        try:
            game.play(parse_move(game.position, words))
        except DraughtsError as error:
            raise self._error(str(error)) from error

    @staticmethod
    def _breaks_off(position: Position, words: str) -> bool:
        """Whether `words` are the first steps of a jump that is written step by step."""
        try:
            path, _ = read_path(words)
        except InvalidMoveError:
            return False
        return any(jump.path == path for jump in unfinished_jumps(position)) and not any(
            (move.start, move.end) == (path[0], path[-1]) for move in position.legal_moves()
        )

    def _why(self, words: str) -> str:
        try:
            parse_move(self._started().position, words)
        except DraughtsError as error:
            return str(error)
        return f"{words} is not a whole move."

    def _error(self, reason: str) -> PdnError:
        return PdnError(self.number, self.plies + 1, reason)


def _tokens(text: str) -> Iterator[_Token]:
    """The tokens that matter, variations left out."""
    depth = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "tag":
            depth = 0
            yield _Token("tag", re.sub(r"\\(.)", r"\1", match["value"]), match["name"])
        elif depth:
            continue
        elif kind == "comment":
            yield _Token("comment", " ".join(match[kind].strip("{}").split()))
        elif kind == "rest":
            yield _Token("comment", " ".join(match[kind][1:].split()))
        elif kind == "result":
            yield _Token("result", _plain_result(match[kind]) or "*")
        elif kind == "word" and (word := match[kind].strip(".,")):
            yield _Token("word", word)


def _carries_on(words: str, text: str) -> bool:
    """Whether the move `text` begins where the moves `words` end."""
    try:
        return read_path(words)[0][-1] == read_path(text)[0][0]
    except InvalidMoveError:
        return False


def _plain_result(text: str) -> str | None:
    text = "".join(text.split())
    return text if text in RESULTS else _OTHER_RESULTS.get(text)


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        decoded = text
    else:
        data = text.removeprefix(BOM_UTF8)
        try:
            decoded = data.decode("utf-8")
        except UnicodeDecodeError:
            decoded = data.decode("latin-1")
    return decoded.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _movetext(game: Game, comments: Mapping[int, str], result: str) -> list[str]:
    """The words of the moves, comments and result."""
    words = _comment(comments.get(0))
    first = 0 if game.start.turn is Colour.BLACK else 1
    for ply, text in enumerate(game.notations(), start=1):
        number, second = divmod(ply - 1 + first, 2)
        if not second:
            words.append(f"{number + 1}.")
        elif ply == 1 or comments.get(ply - 1):
            words.append(f"{number + 1}...")
        words += [text, *_comment(comments.get(ply))]
    return [*words, result]


def _comment(text: str | None) -> list[str]:
    if not text:
        return []
    return ("{" + text.replace("{", "(").replace("}", ")") + "}").split()


def _wrapped(words: list[str]) -> list[str]:
    """Words in lines of at most 80 columns, except where one word is longer."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
