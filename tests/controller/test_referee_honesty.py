"""The referee is right as often as it says, also when people make wrong moves and the picture is poor."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from controller.draughts import Game, Move, Position, unfinished_jumps
from controller.handling.layout import contents_of
from controller.referee import judge, priors_of
from controller.verdict import Verdict, VerdictKind
from vision.reading import Content, Reading

READINGS = 1500
BLUNDERS = 0.06
"""How many looks find something that no rule allows."""


@dataclass(frozen=True, eq=False)
class Case:
    """What has happened, and the verdict on a noisy look at it."""

    move: Move | None
    lawful: bool
    verdict: Verdict
    doubtful: frozenset[int]

    @property
    def right(self) -> bool:
        if not self.lawful:
            return self.verdict.kind is VerdictKind.ILLEGAL
        if self.move is None:
            return self.verdict.kind is VerdictKind.UNCHANGED
        return (self.verdict.kind, self.verdict.move) == (VerdictKind.MOVE, self.move)


def a_position(chance: random.Random) -> Position:
    while True:
        game = Game()
        for _ in range(chance.randrange(70)):
            if game.outcome() is not None:
                break
            game.play(chance.choice(game.position.legal_moves()))
        if game.outcome() is None:
            return game.position


def blunder(contents: NDArray[np.int64], chance: random.Random) -> NDArray[np.int64]:
    """A disc on a wrong square, a disc gone, or one too many."""
    contents = contents.copy()
    full, free = np.flatnonzero(contents).tolist(), np.flatnonzero(contents == 0).tolist()
    kind = chance.random()
    if kind < 0.6:
        start, end = chance.choice(full), chance.choice(free)
        contents[end], contents[start] = contents[start], Content.EMPTY
    elif kind < 0.8:
        contents[chance.choice(full)] = Content.EMPTY
    else:
        contents[chance.choice(free)] = chance.choice((Content.DARK_MAN, Content.LIGHT_MAN))
    return contents


def looked_at(
    position: Position, contents: NDArray[np.int64], chance: random.Random, noise: np.random.Generator
) -> Reading:
    """An honest reading: each square gives a measurement of known noise, some squares a poor one, some none."""
    usual = chance.choice((3.0, 4.0, 6.0))
    signal = np.full(32, usual + 2)
    poor = noise.random(32) < chance.choice((0.0, 0.05, 0.2))
    signal[poor] = noise.uniform(0.3, usual, int(poor.sum()))
    measured = noise.normal(0, 1, (32, 5))
    measured[np.arange(32), contents] += signal
    logs = signal[:, None] * measured + np.log(priors_of(position))
    probabilities = np.exp(logs - logs.max(axis=1, keepdims=True)) + 1e-6
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    nowhere = np.full((32, 2), np.nan)
    return Reading(probabilities, nowhere, nowhere, noise.random(32) < chance.choice((0.0, 0.0, 0.08)))


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    chance, noise = random.Random(11), np.random.default_rng(11)
    found = []
    while len(found) < READINGS:
        position = a_position(chance)
        for _ in range(3):
            move = None if chance.random() < 0.3 else chance.choice(position.legal_moves())
            contents = contents_of(position if move is None else position.after(move))
            lawful = chance.random() >= BLUNDERS
            if not lawful:
                contents = blunder(contents, chance)
                if unfinished_jumps(position) or any(m.captured or m.crowns for m in position.legal_moves()):
                    continue  # Discs left standing and crowns left out have verdicts of their own.
                outcomes = [position, *(position.after(m) for m in position.legal_moves())]
                if any((contents_of(outcome) == contents).all() for outcome in outcomes):
                    continue
            reading = looked_at(position, contents, chance, noise)
            doubtful = frozenset((np.flatnonzero(reading.hidden | (reading.confidence < 0.99)) + 1).tolist())
            found.append(Case(move, lawful, judge(position, reading), doubtful))
    return found


def test_of_verdicts_called_99_percent_sure_99_percent_are_right(cases: list[Case]) -> None:
    sure = [
        case for case in cases if case.verdict.confidence >= 0.99 and case.verdict.kind is not VerdictKind.UNCLEAR
    ]
    assert len(sure) > READINGS / 2
    assert sum(case.right for case in sure) >= 0.99 * len(sure)


def test_moves_are_never_made_up(cases: list[Case]) -> None:
    moves = [case for case in cases if case.verdict.kind is VerdictKind.MOVE]
    assert len(moves) > READINGS / 4
    assert sum(not case.right for case in moves) <= 0.005 * len(moves)


def test_confidence_is_that_of_being_right(cases: list[Case]) -> None:
    believed = [case for case in cases if case.verdict.kind in (VerdictKind.MOVE, VerdictKind.UNCHANGED)]
    confidence = np.array([case.verdict.confidence for case in believed])
    expected, spread = confidence.sum(), np.sqrt((confidence * (1 - confidence)).sum())
    right = sum(case.right for case in believed)
    assert right >= expected - 3 * spread - 1


def test_wrong_moves_that_are_clear_to_see_are_called_wrong_or_unclear(cases: list[Case]) -> None:
    blunders = [case for case in cases if not case.lawful]
    assert len(blunders) > 20
    taken = [case for case in blunders if case.verdict.kind in (VerdictKind.MOVE, VerdictKind.UNFINISHED)]
    assert len(taken) <= 0.05 * len(blunders)


def test_unclear_names_squares_and_only_doubtful_ones_if_there_are_any(cases: list[Case]) -> None:
    unclear = [case for case in cases if case.verdict.kind is VerdictKind.UNCLEAR]
    assert len(unclear) > 30
    for case in unclear:
        assert case.verdict.squares
        assert all(str(square) in case.verdict.sentence for square in case.verdict.squares)
        if case.doubtful and case.verdict.move is None:
            assert set(case.verdict.squares) <= case.doubtful


def test_priors_let_a_disc_that_is_to_be_turned_show_either_face() -> None:
    position = Position.start()
    usual, open_ones = priors_of(position), priors_of(position, to_be_turned=(1, 30))
    assert usual[0, Content.DARK_MAN] > 5 * usual[0, Content.DARK_KING]
    assert open_ones[0, Content.DARK_MAN] == open_ones[0, Content.DARK_KING] > 5 * open_ones[0, Content.EMPTY]
    assert open_ones[29, Content.LIGHT_MAN] == open_ones[29, Content.LIGHT_KING]
    assert np.allclose(open_ones[1:29], usual[1:29])
    assert np.allclose(open_ones.sum(axis=1), 1)
