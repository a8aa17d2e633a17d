"""Game records written as PDN 3.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.draughts.errors import PdnError
from controller.draughts.fen import write_fen
from controller.draughts.game import Game
from controller.draughts.moves import Move
from controller.draughts.notation import notation
from controller.draughts.pdn import GAME_TYPE, RESULTS, PdnGame, Remarks
from controller.draughts.pieces import Colour
from controller.draughts.position import Position

_WIDTH = 80
_ROSTER = ("Event", "Site", "Date", "Round", "Black", "White")


def write_pdn(game: Game, tags: Mapping[str, str] | None = None, remarks: Remarks | None = None) -> str:
    """A game as PDN, lines of at most 80 columns in the moves.

    `tags` gives or replaces tags such as `Black`; a result there stands for a game that has not ended by itself.
    Raises PdnError for a result that is none.
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
    words = _line(game.start, game.moves, remarks or Remarks(), 0 if game.start.turn is Colour.BLACK else 1)
    return "\n".join([*lines, "", *_wrapped([*words, result]), ""])


def write_record(record: PdnGame) -> str:
    """A game as it was read, with its tags, remarks and result, as PDN. Reading that gives the same again."""
    return write_pdn(record.game, {**record.tags, "Result": record.result}, record.remarks)


def _line(position: Position, moves: Sequence[Move], remarks: Remarks, plies_before: int) -> list[str]:
    """The words of a line of moves from `position`, which `plies_before` follows the first move of Black's."""
    words = [*_glyphs(remarks, 0), *_comment(remarks, 0)]
    numbered = False
    for ply, move in enumerate(moves, start=1):
        number, second = divmod(plies_before + ply - 1, 2)
        if not second:
            words.append(f"{number + 1}.")
        elif not numbered:
            words.append(f"{number + 1}...")
        remarked = [*_comment(remarks, ply), *_variations(position, remarks, ply, plies_before + ply - 1)]
        words += [notation(position, move), *_glyphs(remarks, ply), *remarked]
        numbered = not remarked
        position = position.after(move)
    return words


def _variations(position: Position, remarks: Remarks, ply: int, plies_before: int) -> list[str]:
    words = []
    for variation in remarks.variations.get(ply, ()):
        inside = _line(position, variation.moves, variation.remarks, plies_before)
        inside[0] = f"({inside[0]}"
        inside[-1] += ")"
        words += inside
    return words


def _glyphs(remarks: Remarks, ply: int) -> list[str]:
    return [f"${glyph}" for glyph in remarks.glyphs.get(ply, ())]


def _comment(remarks: Remarks, ply: int) -> list[str]:
    text = " ".join(remarks.comments.get(ply, "").split())
    return ("{" + text.replace("{", "(").replace("}", ")") + "}").split() if text else []


def _wrapped(words: list[str]) -> list[str]:
    """Words in lines of at most 80 columns, except where one word is longer.

    No line begins with a bracket: in a comment that would look like the tags of the next game.
    """
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH and not word.startswith("["):
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def _escaped(value: str) -> str:
    return " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
