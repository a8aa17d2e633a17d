"""The words of a PDN file."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from controller.draughts.pdn import RESULTS, STRENGTHS

_OTHER_RESULTS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "½-½": "1/2-1/2", "0-0": "*"}
"""As in games to two points; 0-0 is a game that both have lost."""

_SQUARE = r"(?:\d{1,2}|[a-hA-H][1-8])"
_TAG_LINE = r"[ \t]*\[[ \t]*\w+[ \t]*\"[^\n]*\"[ \t]*\]"
"""How a line begins that, even in the midst of a comment, is taken for a game's tags: the comment is not closed."""

_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<escape>%[^\n]*)
    | (?P<rest>;[^\n]*)
    | (?P<comment>\{{[^}}\n]*(?:\n(?!{_TAG_LINE})[^}}\n]*)*\}}? | \[%[^\]\n]*\])
    | (?P<tag>\[\s*(?P<name>\w+)\s*"(?P<value>(?:\\.|[^\\\n])*?|[^\n]*?)"\s*\])
    | (?P<setup>/\s*FEN\s*"(?P<fen>[^"\n]*)"\s*/)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<glyph>\$\d{{1,3}})
    | (?P<strength>[!?]+|(?<=[\d!?])\*)
    | (?P<result>(?:1/2\s?[-–]\s?1/2|½\s?[-–]\s?½|[012]\s?[-–]\s?[012]|\*)(?![\dx:–-]))
    | (?P<number>(?P<count>\d{{1,9}})\s*\.(?:\s*\.)*)
    | (?P<move>{_SQUARE}(?:[ \t]*[-–x×:X][ \t]*{_SQUARE})+(?![\w.-]))
    | (?P<word>[^\s{{}}()\[\];$!?*]+)
    | (?P<other>.)
    """,
    re.VERBOSE,
)


class Kind(Enum):
    """What a token is."""

    TAG = auto()
    COMMENT = auto()
    UNCLOSED = auto()
    """A comment whose brace is not closed, up to the next game's tags."""
    BRACE = auto()
    """A closing brace without an opening one."""
    SETUP = auto()
    OPEN = auto()
    CLOSE = auto()
    GLYPH = auto()
    RESULT = auto()
    NUMBER = auto()
    WORD = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `text` is what it means.

    A tag's value, a comment's words, the position set up in the midst of moves as FEN, a glyph's or a move's number,
    one of RESULTS, or a word that should be a move. `name` is a tag's name. `written` is how it stands in the file,
    `start` how many characters stand before it.
    """

    kind: Kind
    text: str
    written: str
    start: int
    name: str = ""


def tokens(text: str) -> Iterator[Token]:
    """The tokens that matter, in order; whatever the text, nothing is raised."""
    for match in _TOKEN.finditer(text):
        kind, written, start = match.lastgroup, match[0], match.start()
        if kind == "tag":
            yield Token(Kind.TAG, re.sub(r"\\(.)", r"\1", match["value"]), written, start, match["name"])
        elif kind == "comment":
            inside = _comment(written.removeprefix("{").removesuffix("}"))
            unclosed = written.startswith("{") and not written.endswith("}")
            yield Token(Kind.UNCLOSED if unclosed else Kind.COMMENT, inside, written, start)
        elif kind == "rest":
            yield Token(Kind.COMMENT, _comment(written[1:]), written, start)
        elif kind == "setup":
            yield Token(Kind.SETUP, match["fen"], written, start)
        elif kind == "open":
            yield Token(Kind.OPEN, "", written, start)
        elif kind == "close":
            yield Token(Kind.CLOSE, "", written, start)
        elif kind == "glyph":
            yield Token(Kind.GLYPH, str(int(written[1:])), written, start)
        elif kind == "strength":
            yield Token(Kind.GLYPH, str(STRENGTHS[written[:2]]), written, start)
        elif kind == "result":
            yield Token(Kind.RESULT, plain_result(written) or "*", written, start)
        elif kind == "number":
            yield Token(Kind.NUMBER, str(int(match["count"])), written, start)
        elif kind == "other" and written == "}":
            yield Token(Kind.BRACE, "", written, start)
        elif kind in ("move", "word") and (word := written.strip(".,")):
            yield Token(Kind.WORD, word, written, start)


def plain_result(text: str) -> str | None:
    """The one of RESULTS that a result, however written, stands for; None if it is none."""
    text = "".join(text.split()).replace("–", "-")
    return text if text in RESULTS else _OTHER_RESULTS.get(text)


def decoded(text: str | bytes) -> str:
    """A file's text, lines ending in a newline alone. Bytes are UTF-8, else UTF-16 with its mark, else Windows-1252
    or Latin-1, of which nothing can fail.
    """
    if isinstance(text, bytes):
        text = _decoded_bytes(text)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _comment(text: str) -> str:
    """A comment's words. Braces, which one in braces cannot hold, become parentheses."""
    return " ".join(text.split()).replace("{", "(").replace("}", ")")


def _decoded_bytes(data: bytes) -> str:
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.removeprefix(BOM_UTF8).decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")
