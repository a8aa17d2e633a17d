"""Why squares are unclear, in words: "glare on 14 and 18"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controller.referee import listed
from controller.verdict import Verdict, VerdictKind
from vision.doubt import Doubt

_ADVICE = {
    Doubt.OUT_OF_PICTURE: "please turn the camera so that it sees the whole board",
    Doubt.HIDDEN: "please take away what lies over the board",
    Doubt.GLARE: "please shade the board from what is mirrored in it",
    Doubt.TOO_DARK: "please give me more light",
    Doubt.SHADOW_EDGE: "please move what throws a shadow on the board",
}
_WORDS = {
    Doubt.OUT_OF_PICTURE: "the camera does not see {}",
    Doubt.HIDDEN: "something hides {}",
    Doubt.GLARE: "glare on {}",
    Doubt.TOO_DARK: "too dark on {}",
    Doubt.SHADOW_EDGE: "a shadow's edge on {}",
}


def explained(verdict: Verdict, doubts: Sequence[Doubt]) -> Verdict:
    """An unclear verdict with the reason in its sentence, as far as one is known; any other as it is.

    doubts: of the squares 1–32 in order, others may follow (vision.doubt.doubts).
    """
    causes = causes_of(verdict.squares, doubts)
    if verdict.kind is not VerdictKind.UNCLEAR or not causes:
        return verdict
    reasons = "; ".join(_WORDS[doubt].format(listed(squares)) for doubt, squares in causes.items())
    advice = _ADVICE[next(iter(causes))]
    sentence = f"I cannot see clearly what is on {listed(verdict.squares)} ({reasons}): {advice}"
    return replace(verdict, sentence=sentence)


def causes_of(squares: Sequence[int], doubts: Sequence[Doubt]) -> dict[Doubt, tuple[int, ...]]:
    """Which of these squares are unclear for which reason, the graver ones first; none for squares without one."""
    found = {doubt: tuple(square for square in squares if doubts[square - 1] is doubt) for doubt in _WORDS}
    return {doubt: those for doubt, those in found.items() if those}
