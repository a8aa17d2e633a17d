"""The referee: weighs every legal move, and every way to leave one unfinished, against what the camera saw.

Each hypothesis says what each of the 32 squares would hold if it were true. Its likelihood is the product of the
reading's probabilities; squares that something hides say nothing. Beside the hypotheses stand, with a small weight,
all boards that differ from the best of them by one square or by one disc that lies elsewhere: people do make wrong
moves. A hypothesis is believed when it fits every square about as well as the likeliest content does, and nothing
else comes near it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from controller.draughts import Colour, Move, Position, unfinished_jumps, why_not
from controller.handling.layout import contents_of
from controller.verdict import Verdict, VerdictKind
from vision.reading import Content, Reading

BELIEVED = 0.99
"""Probability from which a hypothesis, or the content of a square, is believed."""
CROWN_BELIEVED = 0.9
"""The same for whether a man that has reached the far row has its crown: what it stands on is certain by then."""
MISFIT = 0.02
"""A believed hypothesis gives each square a content that is at least this likely."""
FLOOR = 1e-6
SQUARES = 32
ONE_SQUARE_WRONG = 1e-3
ONE_DISC_ELSEWHERE = 2e-4
"""How likely it is, against any one hypothesis, that one given square holds what no rule put there, or that one given
disc stands on one given wrong square: on a whole board together about one look in twelve."""
WORTH_A_THOUGHT = 1e-3
"""A hypothesis that weighs less than this beside the best one is not what makes a square unclear."""


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    """One thing that may have happened, with the contents (32,) that it would leave."""

    kind: VerdictKind
    contents: NDArray[np.int64]
    move: Move | None = None
    crown_missing: bool = False
    standing: tuple[int, ...] = ()
    """Captured discs that are still on the board."""


def priors_of(position: Position, to_be_turned: Collection[int] = ()) -> NDArray[np.float64]:
    """(32, 5) how likely each square is to hold each content after the side to move has done something.

    What some hypothesis allows gets nearly all the weight; everything else keeps a little, so that what the rules do
    not allow can still be seen. On the squares `to_be_turned` a man may stand where the position has a king, and the
    other way round: a person has been asked to turn that disc over.
    """
    contents = np.array([hypothesis.contents for hypothesis in _hypotheses(position)])
    return _priors(contents, to_be_turned)


def _priors(contents: NDArray[np.int64], to_be_turned: Collection[int] = ()) -> NDArray[np.float64]:
    """The same for hypotheses with these contents (H, 32)."""
    allowed = np.zeros((SQUARES, len(Content)))
    allowed[np.broadcast_to(np.arange(SQUARES), contents.shape), contents] = 1.0
    for square in to_be_turned:
        for kinds in (_of(Colour.BLACK), _of(Colour.WHITE)):
            allowed[square - 1, kinds] = allowed[square - 1, kinds].max()
    weights = np.where(allowed > 0, 1.0, 0.05)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def judge(position: Position, reading: Reading) -> Verdict:
    """The verdict on what the side to move has done, from a reading whose first 32 places are the squares 1–32.

    The reading is taken to have been made with the priors of `priors_of(position)`.
    """
    probabilities = np.clip(reading.probabilities[:SQUARES], FLOOR, 1.0)
    hidden = reading.hidden[:SQUARES]
    logs = np.where(hidden[:, None], 0.0, np.log(probabilities))
    hypotheses = list(_hypotheses(position))
    contents = np.array([hypothesis.contents for hypothesis in hypotheses])
    likelihoods = probabilities / _priors(contents)
    rows = np.arange(SQUARES)
    scores = logs[rows, contents].sum(axis=1)
    best = int(scores.argmax())
    weights = np.exp(scores - scores[best])
    weights /= weights.sum()
    # With and without its crown a move is the same move; which of the two it is may be less sure than the move.
    same = np.array([_same_deed(hypothesis, hypotheses[best]) for hypothesis in hypotheses])
    fit = np.where(hidden, 1.0, probabilities[rows, contents[best]])
    explained = float(weights[same].sum())
    confidence = explained / (1.0 + float(weights[best]) * _irregular(probabilities, hidden, contents, best, weights))
    crown_sure = float(weights[best]) >= CROWN_BELIEVED * explained
    if confidence >= BELIEVED and fit.min() >= MISFIT:
        found = tuple(int(content) for content in contents[best])
        if crown_sure:
            return replace(_believed(hypotheses[best], position, confidence), contents=found)
        ways = [hypotheses[i] for i in np.flatnonzero(same)]
        return _crown_in_doubt(ways, confidence * float(weights[best]) / explained)
    doubtful = hidden | (probabilities.max(axis=1) < BELIEVED)
    likeliest = np.where(hidden, contents[best], probabilities.argmax(axis=1))
    sure = _sure_of_illegal(likelihoods, hidden, likeliest, contents)
    if not doubtful.any() and sure > 0.5:
        return _illegal(position, likeliest, sure)
    if sure >= BELIEVED and not (hidden | (_colour_confidence(probabilities) < BELIEVED)).any():
        # Whether a disc is a man or a king does not matter any more; it is taken for what it was.
        before = contents_of(position)
        kept = doubtful & _same_colour(before, likeliest)
        return _illegal(position, np.where(kept, before, likeliest), sure)
    thinkable = contents[weights >= WORTH_A_THOUGHT * weights[best]]
    telling = (thinkable != contents[best]).any(axis=0) | (likeliest != contents[best])
    named = next(squares for squares in (doubtful & telling, doubtful, telling) if squares.any())
    squares = tuple(int(i) + 1 for i in np.flatnonzero(named))
    return Verdict(
        VerdictKind.UNCLEAR,
        f"I cannot see clearly what is on {listed(squares)}: please straighten the discs there",
        squares=squares,
        confidence=min(confidence, BELIEVED),
    )


def _colour_confidence(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """(32,) how sure it is whether a square is empty, or else of which colour what stands there is."""
    coloured = [probabilities[:, _of(colour)].sum(axis=1) for colour in Colour]
    return np.asarray(np.maximum.reduce([probabilities[:, Content.EMPTY], *coloured]))


def _same_colour(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(32,) where both hold something of one colour."""
    return np.asarray(np.logical_or.reduce([np.isin(one, _of(c)) & np.isin(other, _of(c)) for c in Colour]))


def _irregular(
    probabilities: NDArray[np.float64],
    hidden: NDArray[np.bool_],
    contents: NDArray[np.int64],
    best: int,
    weights: NDArray[np.float64],
) -> float:
    """How likely it is, against hypothesis `best` of `contents` (H, 32), that something near it has happened that
    none of the hypotheses, of these `weights` (H,), says."""
    here = contents[best]
    rows = np.arange(SQUARES)
    ratios = np.where(hidden[:, None], 1.0, probabilities / probabilities[rows, here][:, None])
    others = ratios.copy()
    others[rows, here] = 0.0
    mass = ONE_SQUARE_WRONG * float(others.max(axis=1).sum())
    for kinds in (_of(Colour.BLACK), _of(Colour.WHITE)):
        left = ratios[np.isin(here, kinds), Content.EMPTY].sum()
        come = ratios[here == Content.EMPTY][:, kinds].max(axis=1).sum()
        mass += ONE_DISC_ELSEWHERE * float(left * come)
    # What is itself a hypothesis has its weight already.
    counted = _usual((contents != here).sum(axis=1)) * weights / weights[best]
    return max(mass - float(counted[np.arange(len(contents)) != best].sum()), 0.0)


def _sure_of_illegal(
    likelihoods: NDArray[np.float64],
    hidden: NDArray[np.bool_],
    likeliest: NDArray[np.int64],
    contents: NDArray[np.int64],
) -> float:
    """Probability that the board shows the `likeliest` contents (32,), which none of the hypotheses of `contents`
    (H, 32) says."""
    logs = np.where(hidden[:, None], 0.0, np.log(likelihoods))
    rows = np.arange(SQUARES)
    legal = logs[rows, contents].sum(axis=1)
    # However many squares differ, it may be one blunder.
    wrong = np.maximum((contents != likeliest).sum(axis=1).min(), 1)
    odds = np.logaddexp.reduce(legal) - logs[rows, likeliest].sum() - np.log(_usual(np.minimum(wrong, 2)))
    return float(1 / (1 + np.exp(np.clip(odds, -50, 50))))


def _usual(changes: NDArray[np.int64]) -> NDArray[np.float64]:
    """How likely it is that so many squares differ from a hypothesis in one given way, against that hypothesis."""
    return np.select([changes == 1, changes == 2], [ONE_SQUARE_WRONG, ONE_DISC_ELSEWHERE], 0.0)


def _crown_in_doubt(ways: Sequence[_Hypothesis], confidence: float) -> Verdict:
    """The verdict on a move that is certain while its crown cannot be told; `ways` are the move with and without."""
    crowned = next(way for way in ways if not way.crown_missing)
    assert crowned.move is not None
    square = crowned.move.end
    return Verdict(
        VerdictKind.UNCLEAR,
        f"I cannot see whether the man on {square} has its crown: please crown it and press the button",
        crowned.move,
        squares=(square,),
        confidence=confidence,
        contents=tuple(int(content) for content in crowned.contents),
    )


def _hypotheses(position: Position) -> Iterator[_Hypothesis]:
    yield _Hypothesis(VerdictKind.UNCHANGED, contents_of(position))
    for move in position.legal_moves():
        yield from _ways_to_make(position, move)
    for jump in unfinished_jumps(position):
        for standing in _subsets(jump.captured):
            yield _Hypothesis(
                VerdictKind.UNFINISHED, _after(position, jump, standing, crown=False), move=jump, standing=standing
            )


def _ways_to_make(position: Position, move: Move) -> Iterator[_Hypothesis]:
    for standing in _subsets(move.captured):
        kind = VerdictKind.UNFINISHED if standing else VerdictKind.MOVE
        for crown_missing in (False, True) if move.crowns else (False,):
            contents = _after(position, move, standing, crown=not crown_missing)
            yield _Hypothesis(kind, contents, move, crown_missing, standing)


def _same_deed(one: _Hypothesis, other: _Hypothesis) -> bool:
    return (one.kind, one.move, one.standing) == (other.kind, other.move, other.standing)


def _subsets(squares: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for count in range(len(squares) + 1):
        yield from combinations(squares, count)


def _after(position: Position, move: Move, standing: tuple[int, ...], crown: bool) -> NDArray[np.int64]:
    """(32,) contents when `move` was made, the captured discs on `standing` left where they were."""
    contents = contents_of(position)
    piece = contents[move.start - 1]
    contents[move.start - 1] = Content.EMPTY
    for square in move.captured:
        if square not in standing:
            contents[square - 1] = Content.EMPTY
    if move.crowns and crown:
        piece = Content.DARK_KING if position.turn is Colour.BLACK else Content.LIGHT_KING
    contents[move.end - 1] = piece
    return contents


def _believed(hypothesis: _Hypothesis, position: Position, confidence: float) -> Verdict:
    move = hypothesis.move
    if move is None:
        return Verdict(VerdictKind.UNCHANGED, "nothing has moved", confidence=confidence)
    if hypothesis.kind is VerdictKind.MOVE:
        missing = hypothesis.crown_missing
        sentence = f"you played {move}" + (", the crown is still to come" if missing else "")
        return Verdict(
            VerdictKind.MOVE, sentence, move, missing, squares=(move.start, move.end), confidence=confidence
        )
    if move in position.legal_moves():
        sentence = f"please take the captured {_discs(hypothesis.standing)} off the board"
        return Verdict(VerdictKind.UNFINISHED, sentence, move, squares=hypothesis.standing, confidence=confidence)
    rest = [str(m) for m in position.legal_moves() if m.path[: len(move.path)] == move.path]
    sentence = f"the jump goes on: {' or '.join(rest) or 'jump again'}"
    return Verdict(VerdictKind.UNFINISHED, sentence, move, squares=(move.end,), confidence=confidence)


def _illegal(position: Position, contents: NDArray[np.int64], confidence: float) -> Verdict:
    """Say in one sentence what is wrong with squares that are all clear to see and fit no hypothesis."""
    before = contents_of(position)
    changed = tuple(int(i) + 1 for i in np.flatnonzero(before != contents))
    sentence = _complaint(position, before, contents, changed)
    return Verdict(VerdictKind.ILLEGAL, sentence, squares=changed, confidence=confidence)


def _complaint(
    position: Position, before: NDArray[np.int64], contents: NDArray[np.int64], changed: tuple[int, ...]
) -> str:
    yours, mine = _of(position.turn), _of(position.turn.other)
    gone, come = _left(before, contents, yours, changed), _left(contents, before, yours, changed)
    mine_gone, mine_come = _left(before, contents, mine, changed), _left(contents, before, mine, changed)
    if mine_come:
        return f"my {_discs(mine_come)} {_verb(mine_come, 'does', 'do')} not belong there: {_put_back(changed)}"
    if len(gone) == len(come) == 1:
        return _why_not(position, gone[0], come[0], mine_gone)
    if len(gone) > 1 and len(gone) == len(come):
        return f"more than one of your discs has moved ({listed(gone)}): {_put_back(changed)}"
    if len(gone) > len(come):
        are, them = _verb(gone, "is", "are"), _verb(gone, "it", "them")
        return f"your {_discs(gone)} {are} missing from the board: please put {them} back"
    if len(come) > len(gone):
        return f"there is a disc too many of yours on {listed(come)}: please take it away"
    if mine_gone:
        return f"my {_discs(mine_gone)} {_verb(mine_gone, 'is', 'are')} gone without a jump: {_put_back(mine_gone)}"
    return f"the number of discs on {listed(changed)} is not right: {_put_back(changed)}"


def _why_not(position: Position, start: int, end: int, taken: tuple[int, ...]) -> str:
    """Why one disc of the player's that went from `start` to `end`, with `taken` gone, is no legal move."""
    reason = why_not(position, start, end)
    if reason is not None:
        return f"{start} to {end} is not allowed: {reason}"
    legal = [move for move in position.legal_moves() if (move.start, move.end) == (start, end)]
    takes = " or ".join(listed(move.captured) if move.captured else "nothing" for move in legal)
    return f"{start} to {end} takes {takes}, but {listed(taken) if taken else 'nothing'} is gone"


def _left(
    first: NDArray[np.int64], second: NDArray[np.int64], kinds: tuple[Content, Content], changed: tuple[int, ...]
) -> tuple[int, ...]:
    """The changed squares that hold a disc of these kinds in the first contents and none of them in the second."""
    return tuple(s for s in changed if first[s - 1] in kinds and second[s - 1] not in kinds)


def _of(colour: Colour) -> tuple[Content, Content]:
    if colour is Colour.BLACK:
        return Content.DARK_MAN, Content.DARK_KING
    return Content.LIGHT_MAN, Content.LIGHT_KING


def _put_back(squares: tuple[int, ...]) -> str:
    return f"please put {listed(squares)} back as {'it was' if len(squares) == 1 else 'they were'}"


def _verb(squares: tuple[int, ...], one: str, many: str) -> str:
    return one if len(squares) == 1 else many


def _discs(squares: tuple[int, ...]) -> str:
    return f"{'disc' if len(squares) == 1 else 'discs'} on {listed(squares)}"


def listed(squares: tuple[int, ...]) -> str:
    """Squares as people say them: "9", "9 and 14", "9, 14 and 18"."""
    words = [str(square) for square in squares]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
