"""Goes through a game with the engine and says what each move was worth.

From the last move back to the first every position is searched, so that what came to light later in the game counts
for the moves before it. Scores are in hundredths of a man, as the mover sees them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce

from controller.draughts import (
    Colour,
    DrawRules,
    Game,
    Move,
    PdnGame,
    Position,
    Remarks,
    Variation,
    notation,
    same_move,
)
from controller.engine.analysis_words import FORESEEN, Choice, explained
from controller.engine.interface import SURE_WIN, WIN, Engine, Limits

MOST_LOSS = 500
"""Scores count as no further from 0 than this where they are subtracted: a forced win is worth so much."""

SHARE_SPREAD = 60.0
"""Hundredths of a man: the logistic curve's spread, by which a man ahead is expected to make 84 % of the points."""

_LENGTHENINGS = 3
"""How often a line that is too short to show what was given away is looked into further."""

LONGEST_LINE = 10
"""Plies of the better line that an annotated game shows."""


class Grade(Enum):
    """How good a move was; the value is its name in reports."""

    ONLY = "only"
    """There was no other."""
    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"

    @property
    def is_fault(self) -> bool:
        """Whether something was given away that matters."""
        return self in FAULTS


FAULTS: Mapping[Grade, float] = {Grade.BLUNDER: 0.20, Grade.MISTAKE: 0.12, Grade.INACCURACY: 0.08}
"""The share of a game's points, as they could be expected, with which a move that gives it away is graded so."""

GLYPHS: Mapping[Grade, int] = {Grade.BLUNDER: 4, Grade.MISTAKE: 2, Grade.INACCURACY: 6}
"""The glyphs of PDN for them: ??, ? and ?!."""


@dataclass(frozen=True, slots=True)
class MoveAnalysis:
    """What a move was worth.

    before: the score with best play. after: the score after the move. best: the line that begins with the best move
    (the move played, if none is better); reply: what is expected to follow the move played. loss: hundredths of a man
    given away. share: the part of the game's points given away, as they could be expected. words: what a fault gave
    away, in a sentence without its number, else empty.
    """

    ply: int
    position: Position
    move: Move
    before: int
    after: int
    best: tuple[Move, ...]
    reply: tuple[Move, ...]
    loss: int
    share: float
    grade: Grade
    words: str

    @property
    def colour(self) -> Colour:
        """Who moved."""
        return self.position.turn

    @property
    def notation(self) -> str:
        """The move in PDN."""
        return notation(self.position, self.move)


@dataclass(frozen=True, slots=True)
class SideSummary:
    """One side's game in numbers.

    moves: those that it made; choices: those among them where there was a choice and something left to lose.
    accuracy: percent, the mean over its choices, of which the best counts 100, a blunder nothing, and what lies
    between in proportion to the share given away; mean_loss: hundredths of a man given away a choice. Both are None
    without choices.
    """

    moves: int
    choices: int
    accuracy: float | None
    mean_loss: float | None
    inaccuracies: int
    mistakes: int
    blunders: int


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """Every move of a game, in order, and both sides' sums."""

    moves: tuple[MoveAnalysis, ...]

    @property
    def faults(self) -> tuple[MoveAnalysis, ...]:
        """The moves that gave something away."""
        return tuple(move for move in self.moves if move.grade.is_fault)

    def summary(self, colour: Colour) -> SideSummary:
        """One side's game in numbers."""
        own = [move for move in self.moves if move.colour is colour]
        chosen = [
            move
            for move in own
            if move.grade is not Grade.ONLY and expected_share(move.before) >= FAULTS[Grade.INACCURACY]
        ]
        worth = [max(0.0, 1 - move.share / FAULTS[Grade.BLUNDER]) for move in chosen]
        counts = {grade: sum(move.grade is grade for move in own) for grade in FAULTS}
        return SideSummary(
            moves=len(own),
            choices=len(chosen),
            accuracy=100 * sum(worth) / len(chosen) if chosen else None,
            mean_loss=sum(move.loss for move in chosen) / len(chosen) if chosen else None,
            inaccuracies=counts[Grade.INACCURACY],
            mistakes=counts[Grade.MISTAKE],
            blunders=counts[Grade.BLUNDER],
        )


def analyse_game(
    game: Game, engine: Engine, limits: Limits, progress: Callable[[], None] | None = None
) -> GameAnalysis:
    """Judge every move of `game`; `limits` are those of each search. `progress` is called after each move.

    A move with which the engine finds fault is set against the engine's own by another search, so that no fault is
    found only because a search looked less far.
    """
    if not game.plies:
        return GameAnalysis(())
    games = _stages(game)
    found: list[MoveAnalysis] = []
    score, line = _score_at_end(games[-1], engine, limits)
    for ply in range(game.plies, 0, -1):
        analysis = _judged(ply, games[ply - 1], game.moves[ply - 1], _seen_a_ply_before(-score), line, engine, limits)
        found.append(analysis)
        score = analysis.before
        line = analysis.best if analysis.grade is not Grade.BEST else (analysis.move, *analysis.reply)
        if progress is not None:
            progress()
    return GameAnalysis(tuple(reversed(found)))


def annotated(record: PdnGame, analysis: GameAnalysis) -> PdnGame:
    """The record with the faults marked by glyphs, explained in comments and the better lines as variations.

    What was remarked before stays.
    """
    comments, glyphs = dict(record.remarks.comments), dict(record.remarks.glyphs)
    variations = dict(record.remarks.variations)
    for move in analysis.faults:
        glyph, ply = GLYPHS[move.grade], move.ply
        if glyph not in glyphs.get(ply, ()):
            glyphs[ply] = (*glyphs.get(ply, ()), glyph)
        comments[ply] = f"{comments.get(ply, '')} {move.words} ({score_change(move)})".strip()
        variations[ply] = (*variations.get(ply, ()), Variation(move.best[:LONGEST_LINE]))
    tags = {**record.tags, "Annotator": record.tags.get("Annotator", "Crownhead")}
    return replace(record, tags=tags, remarks=Remarks(comments, glyphs, variations))


def move_label(analysis: MoveAnalysis, start: Position) -> str:
    """A move with its number in a game from `start`: `12. 11-15` for Black, `12. … 23-18` for White."""
    number, white = divmod(analysis.ply - 1 + (start.turn is Colour.WHITE), 2)
    return f"{number + 1}. {'… ' if white else ''}{analysis.notation}"


def score_change(analysis: MoveAnalysis) -> str:
    """The scores before and after a move: `+5 → −110`, `won in 7 → +30`."""
    return f"{score_text(analysis.before)} → {score_text(analysis.after)}"


def score_text(score: int) -> str:
    """A score as its side sees it: hundredths of a man with a sign, or in how many moves of its own it wins."""
    if abs(score) >= SURE_WIN:
        moves = (WIN - abs(score) + 1) // 2
        return f"{'won' if score > 0 else 'lost'}{f' in {moves}' if moves else ''}"
    return f"{'−' if score < 0 else '+' if score > 0 else ''}{abs(score)}"


def expected_share(score: int) -> float:
    """The share of a game's points that a side may expect with a score, 0 to 1: a logistic curve."""
    if abs(score) >= SURE_WIN:
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + math.exp(-score / SHARE_SPREAD))


def _stages(game: Game) -> list[Game]:
    """The game as it stood before each move and at its end, by the rules of drawing.

    Where the players went on in spite of a draw, a game begins anew, which knows nothing of what was before.
    """
    stage = Game(game.start, DrawRules())
    stages = [stage.copy()]
    for move in game.moves:
        if stage.outcome() is not None:
            stage = Game(stage.position, DrawRules())
            stages[-1] = stage.copy()
        stage.play(move)
        stages.append(stage.copy())
    return stages


def _score_at_end(stage: Game, engine: Engine, limits: Limits) -> tuple[int, tuple[Move, ...]]:
    """The score of the last position, as its side to move sees it, and what would follow."""
    outcome = stage.outcome()
    if outcome is not None:
        return (0 if outcome.winner is None else -WIN), ()
    reply = engine.choose(stage, limits)
    return reply.score, reply.pv


def _judged(
    ply: int,
    stage: Game,
    move: Move,
    after: int,
    reply: tuple[Move, ...],
    engine: Engine,
    limits: Limits,
) -> MoveAnalysis:
    """What a move was worth that led to the score `after` and would be followed by `reply`."""
    position = stage.position
    played = (move, *reply)
    if len(position.legal_moves()) == 1:
        return MoveAnalysis(ply, position, move, after, after, played, reply, 0, 0.0, Grade.ONLY, "")
    own = engine.choose(stage, limits)
    before, best = own.score, own.pv
    grade, share = _grade(before, after)
    if grade.is_fault and not same_move(own.move, move):  # The other move is looked at as closely as this one.
        before, best = _looked_into(stage, own.move, own.score, engine, limits)
        grade, share = _grade(before, after)
    if same_move(own.move, move) or before <= after:
        return MoveAnalysis(ply, position, move, after, after, played, reply, 0, 0.0, Grade.BEST, "")
    words = ""
    if grade.is_fault:
        played = _lengthened(position, played, engine, limits)
        best = _lengthened(position, best, engine, limits)
        words = explained(position, Choice(played, after), Choice(best, before))
    loss = _bounded(before) - _bounded(after)
    return MoveAnalysis(ply, position, move, before, after, best, played[1:], loss, share, grade, words)


def _looked_into(stage: Game, move: Move, score: int, engine: Engine, limits: Limits) -> tuple[int, tuple[Move, ...]]:
    """The lower of `score` and what a search after `move` finds, with what it expects."""
    after = stage.copy()
    after.play(move)
    outcome = after.outcome()
    if outcome is not None:
        return (WIN - 1 if outcome.winner is not None else 0), (move,)
    reply = engine.choose(after, limits)
    return min(score, _seen_a_ply_before(-reply.score)), (move, *reply.pv)


def _lengthened(position: Position, line: tuple[Move, ...], engine: Engine, limits: Limits) -> tuple[Move, ...]:
    """A line long enough to show what happens: a search may have ended its line before what it has counted on."""
    for _ in range(_LENGTHENINGS):
        if len(line) >= FORESEEN:
            break
        end = reduce(Position.after, line, position)
        if not end.legal_moves():
            break
        line = (*line, *engine.choose(Game(end), limits).pv)
    return line


def _grade(before: int, after: int) -> tuple[Grade, float]:
    """The grade of a move from one score to another, and the share of the points that it gives away."""
    share = max(0.0, expected_share(before) - expected_share(after))
    grade = next((grade for grade, least in FAULTS.items() if share >= least), Grade.GOOD)
    return grade, share


def _seen_a_ply_before(score: int) -> int:
    """A score as it was one ply before: what is forced was a ply further away."""
    if abs(score) < SURE_WIN:
        return score
    return score - 1 if score > 0 else score + 1


def _bounded(score: int) -> int:
    return max(-MOST_LOSS, min(MOST_LOSS, score))
