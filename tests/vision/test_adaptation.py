"""Getting used to a board: corrections learnt from squares whose contents are known."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.adaptation import adapt
from vision.reading import Content

FEATURES = 12


def _squares(random: np.random.Generator, count: int, blind: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features that tell the contents, and logits that do too, unless blind to dark men, which they call empty."""
    contents = random.choice([Content.EMPTY, Content.DARK_MAN, Content.LIGHT_MAN], count)
    features = np.abs(random.normal(0, 0.3, (count, FEATURES)))
    features[np.arange(count), contents] += 2.0
    logits = np.full((count, 5), -4.0)
    said = np.where((contents == Content.DARK_MAN) & blind, Content.EMPTY, contents)
    logits[np.arange(count), said] = 1.0
    return features, logits, contents


def test_what_the_network_cannot_see_on_this_board_is_learnt_from_one_known_position() -> None:
    random = np.random.default_rng(4)
    features, logits, contents = _squares(random, 64, blind=True)
    adaptation = adapt(features, logits, contents, None)
    features, logits, contents = _squares(random, 64, blind=True)
    assert (logits.argmax(axis=1) != contents).any()
    assert (adaptation.corrected(logits, features).argmax(axis=1) == contents).all()


def test_where_the_network_is_right_little_is_corrected() -> None:
    features, logits, contents = _squares(np.random.default_rng(5), 64, blind=False)
    corrected = adapt(features, logits, contents, None).corrected(logits, features)
    assert (corrected.argmax(axis=1) == contents).all()


def test_man_and_king_of_a_colour_are_corrected_alike() -> None:
    features, logits, contents = _squares(np.random.default_rng(6), 64, blind=True)
    corrected = adapt(features, logits, contents, None).corrected(logits, features)
    before = logits[:, Content.DARK_KING] - logits[:, Content.DARK_MAN]
    assert np.allclose(corrected[:, Content.DARK_KING] - corrected[:, Content.DARK_MAN], before)


@given(st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_the_squares_learnt_from_become_no_less_likely_together(seed: int, count: int) -> None:
    features, logits, contents = _squares(np.random.default_rng(seed), count, blind=True)
    corrected = adapt(features, logits, contents, None).corrected(logits, features)

    def likelihood(values: np.ndarray) -> float:
        groups = np.logaddexp.reduce(values, axis=1)
        men = values[np.arange(count), contents]
        kings = np.where(contents > 0, values[np.arange(count), np.minimum(contents + 1, 4)], -np.inf)
        return float((np.logaddexp(men, kings) - groups).sum())

    assert likelihood(corrected) >= likelihood(logits) - 1e-9


def test_only_the_latest_squares_are_remembered() -> None:
    random = np.random.default_rng(8)
    adaptation = None
    for _ in range(12):
        adaptation = adapt(*_squares(random, 64, blind=True), adaptation)
    assert adaptation is not None
    assert len(adaptation.groups) == 640
