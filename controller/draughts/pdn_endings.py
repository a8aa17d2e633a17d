"""How a game ended, as its record says it: in words, in the tag Result, after the moves, and on the board."""

from __future__ import annotations

import re
from collections.abc import Sequence

from controller.draughts.pieces import Colour

_WHO = r"(?P<who>black|red|white)"
_LOST = r"(?:has )?(?:resign(?:s|ed)?|los(?:es|t)|g[ia]ves? up|forfeit(?:s|ed)?)(?: the game| on time)?"
_WON = r"(?:has )?(?:wins?|won)(?: the game| by resignation| by forfeit| on time)?"
_DRAWN = (
    r"(?:(?:the )?game )?(?:is |was )?(?:a |an )?(?:agreed )?(?:draw|drawn)(?: game)?"
    r"(?: is| was)?(?: agreed)?(?: by agreement| by repetition)?"
)
_ENDINGS = re.compile(
    rf"{_WHO} (?:(?P<lost>{_LOST})|(?P<won>{_WON}))|(?P<resigned>resign(?:s|ed))|(?P<drawn>{_DRAWN})"
)


def result_in_words(words: str, turn: Colour) -> str | None:
    """The result that words such as `Black resigns` or `draw agreed` at the end of the moves stand for.

    `turn` is the side to move, which is meant by `resigns` alone. None when the words are not understood.
    """
    ending = _ENDINGS.fullmatch(" ".join(re.sub(r"[^a-z]+", " ", words.lower()).split()))
    if ending is None:
        return None
    if ending["drawn"]:
        return "1/2-1/2"
    side = turn if ending["resigned"] else Colour.WHITE if ending["who"] == "white" else Colour.BLACK
    winner = side if ending["won"] else side.other
    return "1-0" if winner is Colour.WHITE else "0-1"


def settled_result(board: str | None, text: str | None, words: str | None, tag: str | None) -> tuple[str, str]:
    """The result of a game, one of RESULTS, and what to doubt of it, else nothing.

    What the final position says counts most, then what is written after the moves as a result and in words, then the
    tag Result; None is what says nothing. An unfinished game, `*`, gives way to each of the others.
    """
    said: Sequence[tuple[str, str | None]] = (
        ("the board", board),
        ("what follows the moves", text),
        ("what is said after the moves", words),
        ("the tag Result", tag),
    )
    sure = [(name, result) for name, result in said if result not in (None, "*")]
    if not sure:
        return "*", ""
    name, result = sure[0]
    other = next((other for other in sure if other[1] != result), None)
    if other is None and text is not None and tag is not None and text != tag:
        other = ("what follows the moves", text) if text == "*" else ("the tag Result", tag)
    doubt = f"{other[0]} says {other[1]}, and {name} {result}, which is taken for the result" if other else ""
    return result or "*", doubt
