"""The reason in an unclear verdict's sentence."""

from __future__ import annotations

from controller.unclear import causes_of, explained
from controller.verdict import Verdict, VerdictKind
from vision.doubt import Doubt


def seen(**squares: Doubt) -> list[Doubt]:
    found = [Doubt.NONE] * 32
    for name, doubt in squares.items():
        found[int(name[1:]) - 1] = doubt
    return found


def unclear(*squares: int) -> Verdict:
    return Verdict(VerdictKind.UNCLEAR, "I cannot see clearly", squares=squares, confidence=0.4)


def test_the_cause_is_named_with_its_squares_and_something_to_do() -> None:
    verdict = explained(unclear(14, 18, 22), seen(s14=Doubt.GLARE, s18=Doubt.GLARE, s3=Doubt.TOO_DARK))
    assert "glare on 14 and 18" in verdict.sentence
    assert "14, 18 and 22" in verdict.sentence
    assert "please shade" in verdict.sentence
    assert (verdict.kind, verdict.squares, verdict.confidence) == (VerdictKind.UNCLEAR, (14, 18, 22), 0.4)


def test_the_graver_cause_decides_what_to_do() -> None:
    verdict = explained(unclear(14, 18), seen(s14=Doubt.GLARE, s18=Doubt.HIDDEN))
    assert "something hides 18; glare on 14" in verdict.sentence
    assert "please take away" in verdict.sentence


def test_without_a_known_cause_the_sentence_stays() -> None:
    assert explained(unclear(14), seen(s3=Doubt.GLARE)) == unclear(14)


def test_other_verdicts_stay() -> None:
    verdict = Verdict(VerdictKind.ILLEGAL, "that is no move", squares=(14,))
    assert explained(verdict, seen(s14=Doubt.GLARE)) == verdict


def test_every_cause_has_words() -> None:
    for doubt in Doubt:
        causes = causes_of((5,), seen(s5=doubt))
        assert causes == ({} if doubt is Doubt.NONE else {doubt: (5,)})
        if causes:
            assert "please" in explained(unclear(5), seen(s5=doubt)).sentence
