"""The learnt reader on pictures of the simulated table: what it sees, how exactly, and how honestly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from drawn_table import PLACES, START, VIEW, Truth, draw, lay, picture_of, random_contents

from hardware.simulated.drawing.style import Style
from vision.errors import CannotLearnError
from vision.reader import UNKNOWN, learn, read, update
from vision.reading import Content, Reading

STYLES = {
    "red and black": Style(
        dark_discs=(36, 36, 150), light_discs=(215, 220, 225), dark_squares=(38, 38, 40), light_squares=(40, 44, 170)
    ),
    "green and buff": Style(light_discs=(60, 60, 200), dark_squares=(60, 100, 40), light_squares=(160, 210, 225)),
    "discs like their squares": Style(light_discs=(138, 180, 205), dark_discs=(60, 60, 60)),
}


@dataclass(frozen=True, eq=False)
class Session:
    truths: list[Truth]
    readings: list[Reading]

    def joined(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(reading, name) for reading in self.readings])

    @property
    def contents(self) -> np.ndarray:
        return np.concatenate([truth.contents for truth in self.truths])


@pytest.fixture(scope="module")
def session() -> Session:
    """Readings of 36 positions with discs up to 8 mm off-centre and kings leaning by up to 5 mm, on three tables."""
    truths, readings = [], []
    for seed in range(3):
        random = np.random.default_rng((77, seed))
        picture = picture_of(seed=seed)
        appearance = learn(draw(picture, lay(START, random, 5.0)), VIEW, START)
        for _ in range(12):
            truth = lay(random_contents(random), random, 8.0, 5.0)
            truths.append(truth)
            readings.append(read(draw(picture, truth), VIEW, appearance))
    return Session(truths, readings)


def test_no_disc_is_missed_invented_or_taken_for_the_other_colour(session: Session) -> None:
    seen, true = session.joined("probabilities").argmax(axis=1), session.contents
    colours = np.array([0, 1, 1, 2, 2])
    assert (colours[seen] == colours[true]).all()


def test_kings_are_told_from_men_by_height(session: Session) -> None:
    seen, true = session.joined("probabilities").argmax(axis=1), session.contents
    occupied = true != Content.EMPTY
    kings = np.isin(true, (Content.DARK_KING, Content.LIGHT_KING))
    assert kings.sum() > 130
    assert np.mean(seen[occupied] == true[occupied]) >= 0.995


def test_centres_are_measured_to_a_fraction_of_a_millimetre(session: Session) -> None:
    occupied = session.contents != Content.EMPTY
    bases = np.concatenate([truth.bases_mm for truth in session.truths])
    tops = np.concatenate([truth.tops_mm for truth in session.truths])
    for measured, true in ((session.joined("offsets_mm"), bases), (session.joined("tops_mm"), tops)):
        error = (measured - true)[occupied]
        assert np.sqrt(np.mean(error**2, axis=0)).max() < 0.7
        assert np.abs(np.mean(error, axis=0)).max() < 0.25
        assert np.isnan(measured[~occupied]).all()


def test_probabilities_are_honest(session: Session) -> None:
    probabilities = session.joined("probabilities")
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert probabilities.min() > 0
    assert probabilities.max() < 1
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == session.contents
    assert right[confidence >= 0.99].mean() >= 0.999
    assert (confidence >= 0.99).mean() > 0.97
    # said to be right as often as it is, to within two standard deviations and a rounding
    expected, spread = confidence.sum(), np.sqrt((confidence * (1 - confidence)).sum())
    assert right.sum() >= expected - 2 * spread - 1


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_other_boards(style: Style) -> None:
    random = np.random.default_rng(5)
    picture = picture_of(style, seed=4)
    appearance = learn(draw(picture, lay(START, random, 4.0)), VIEW, START)
    for _ in range(3):
        truth = lay(random_contents(random), random, 6.0, 3.0)
        reading = read(draw(picture, truth), VIEW, appearance)
        assert np.flatnonzero(reading.contents != truth.contents).tolist() == []


@pytest.fixture(scope="module")
def table() -> tuple:
    random = np.random.default_rng(31)
    picture = picture_of(seed=9)
    return picture, learn(draw(picture, lay(START, random, 5.0)), VIEW, START), random


def test_the_picture_may_get_brighter_darker_or_tinted(table: tuple) -> None:
    picture, appearance, random = table
    truth = lay(random_contents(random), random, 6.0, 3.0)
    pixels = draw(picture, truth)
    for gain in ((1.06, 1.06, 1.06), (0.9, 0.9, 0.9), (0.95, 1.0, 1.05)):
        reading = read(np.clip(pixels * np.array(gain), 0, 255).astype(np.uint8), VIEW, appearance)
        assert (reading.contents == truth.contents).all()


def test_crowded_tray_with_stacks_beside_it(table: tuple) -> None:
    picture, appearance, random = table
    contents = np.zeros(64, dtype=np.int64)
    contents[[48, 50, 52, 54, 57, 59, 61, 63]] = Content.DARK_MAN
    contents[[32, 34, 36, 41, 43, 45]] = [Content.LIGHT_KING, Content.LIGHT_MAN] * 3
    contents[[3, 12, 20, 28, 7, 19]] = Content.DARK_KING
    for _ in range(4):
        truth = lay(contents, random, 10.0, 3.0)
        reading = read(draw(picture, truth), VIEW, appearance)
        assert (reading.contents == contents).all()


def test_what_is_hidden_is_said_to_be_hidden_and_nothing_else_suffers(table: tuple) -> None:
    picture, appearance, random = table
    truth = lay(START, random, 5.0)
    pixels = draw(picture, truth)
    left, top = VIEW.camera.project([(170.0, 170.0, 0.0), (390.0, 390.0, 0.0)]).min(axis=0).astype(int)
    mask = np.zeros(pixels.shape[:2], dtype=np.bool_)
    mask[top : top + 220, left : left + 260] = True
    pixels[mask] = (90, 120, 180)
    reading = read(pixels, VIEW, appearance, obstructed=mask[::4, ::4])
    spots = np.rint(VIEW.camera.project(np.column_stack([PLACES, np.zeros(64)]))).astype(int)
    covered = mask[spots[:, 1], spots[:, 0]]
    assert covered.sum() >= 4
    assert reading.hidden[covered].all()
    assert np.isnan(reading.offsets_mm[reading.hidden]).all()
    assert np.allclose(reading.probabilities[reading.hidden], 0.2)
    clear = ~reading.hidden
    assert clear.sum() > 40
    assert (reading.contents[clear] == START[clear]).all()


def test_priors_shift_the_odds(table: tuple) -> None:
    picture, appearance, random = table
    pixels = draw(picture, lay(START, random, 5.0))
    impossible = np.ones((64, 5))
    impossible[:, [Content.DARK_KING, Content.LIGHT_KING]] = 1e-3
    plain, told = read(pixels, VIEW, appearance), read(pixels, VIEW, appearance, priors=impossible)
    men = START == Content.DARK_MAN
    before = plain.probabilities[men, Content.DARK_KING] / plain.probabilities[men, Content.DARK_MAN]
    after = told.probabilities[men, Content.DARK_KING] / told.probabilities[men, Content.DARK_MAN]
    assert (after < before).all()
    assert np.allclose(after, 1e-3 * before, atol=2e-6)


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(CannotLearnError, match=r"640 × 480.*1280 × 720"):
        learn(np.zeros((480, 640, 3), np.uint8), VIEW, START)


def test_a_tray_of_unknown_contents_does_not_matter() -> None:
    random = np.random.default_rng(8)
    picture = picture_of(seed=2)
    known = START.copy()
    known[32:] = UNKNOWN
    appearance = learn(draw(picture, lay(START, random, 5.0)), VIEW, known)
    truth = lay(random_contents(random), random, 6.0, 3.0)
    assert (read(draw(picture, truth), VIEW, appearance).contents == truth.contents).all()


def test_drifting_light_is_followed(table: tuple) -> None:
    picture, appearance, random = table
    across = np.linspace(-1, 1, 1280)[None, :, None]
    for step in range(1, 9):
        truth = lay(random_contents(random), random, 5.0, 2.0)
        light = (1 - 0.05 * step) * (1 + 0.04 * step * across) * (1 + 0.02 * step * np.array([-1.0, 0.0, 1.0]))
        pixels = np.clip(draw(picture, truth) * light, 0, 255).astype(np.uint8)
        assert (read(pixels, VIEW, appearance).contents == truth.contents).all()
        appearance = update(appearance, pixels, VIEW, truth.contents)


def test_what_lay_under_the_discs_becomes_known(table: tuple) -> None:
    picture, appearance, random = table
    empty = np.where(START == Content.EMPTY, START, 0)
    empty[[12, 19]] = Content.DARK_MAN, Content.LIGHT_MAN
    assert not appearance.look.fine.seen[VIEW.surfaces == 1].all()
    later = update(appearance, draw(picture, lay(empty, random, 3.0)), VIEW, empty)
    x, y = np.rint(VIEW.to_ground(PLACES[:12])).astype(int).T
    assert not appearance.look.fine.seen[y, x].any()
    assert later.look.fine.seen[y, x].all()


@pytest.mark.parametrize(
    "wrong",
    [np.where(START == 1, 3, np.where(START == 3, 1, 0)), np.roll(START, 4), np.zeros(64, int), START[:32]],
    ids=["colours swapped", "a row further", "no discs", "too few"],
)
def test_a_picture_of_something_else_is_refused(table: tuple, wrong: np.ndarray) -> None:
    picture, appearance, random = table
    pixels = draw(picture, lay(START, random, 4.0))
    if wrong.tolist() != np.where(START == 1, 3, np.where(START == 3, 1, 0)).tolist():
        with pytest.raises(CannotLearnError):
            learn(pixels, VIEW, wrong)
    with pytest.raises(CannotLearnError):
        update(appearance, pixels, VIEW, wrong)
