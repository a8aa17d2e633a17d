"""What is concluded from a set's size: no colour has more than so many pieces."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vision.reading import Content
from vision.unprepared.counts import with_at_most


def row(content: Content, sure: float) -> list[float]:
    """A square that most likely holds this; else it is empty, or holds a man."""
    other = Content.DARK_MAN if content is Content.EMPTY else Content.EMPTY
    values = [0.0] * len(Content)
    values[content], values[other] = sure, 1 - sure
    return values


@given(arrays(np.float64, (5, 5), elements=st.floats(0.01, 1.0)), st.integers(1, 3))
def test_it_is_bayes_rule_over_all_boards(weights: np.ndarray, most: int) -> None:
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    chances = np.zeros((5, 5))
    for board in itertools.product(Content, repeat=5):
        dark = sum(one in (Content.DARK_MAN, Content.DARK_KING) for one in board)
        light = sum(one in (Content.LIGHT_MAN, Content.LIGHT_KING) for one in board)
        if dark <= most and light <= most:
            chance = np.prod([probabilities[i, one] for i, one in enumerate(board)])
            for i, one in enumerate(board):
                chances[i, one] += chance
    found = with_at_most(probabilities, most)
    if found is not probabilities:  # As it is where far too many seem to lie there.
        assert found == pytest.approx(chances / chances.sum(axis=1, keepdims=True), abs=1e-9)


def test_of_thirteen_discs_the_least_sure_is_none() -> None:
    squares = [row(Content.DARK_MAN, 0.999)] * 12 + [row(Content.DARK_MAN, 0.74)] + [row(Content.EMPTY, 0.99)] * 19
    contents = with_at_most(np.array(squares), 12).argmax(axis=1)
    assert list(contents) == [Content.DARK_MAN] * 12 + [Content.EMPTY] * 20


def test_thirteen_sure_discs_stay_thirteen() -> None:
    squares = [row(Content.LIGHT_KING, 0.9999)] * 13 + [row(Content.EMPTY, 0.99)] * 19
    assert (with_at_most(np.array(squares), 12).argmax(axis=1)[:13] == Content.LIGHT_KING).all()


def test_few_discs_tell_nothing_new() -> None:
    squares = np.array([row(Content.DARK_MAN, 0.7)] * 5 + [row(Content.EMPTY, 0.8)] * 10)
    assert with_at_most(squares, 12) == pytest.approx(squares, abs=1e-3)


def test_of_another_game_nothing_is_concluded() -> None:
    squares = np.array([row(Content.DARK_MAN, 0.9)] * 16 + [row(Content.EMPTY, 0.9)] * 48)
    assert with_at_most(squares, 12) is squares
