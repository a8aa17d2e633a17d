"""Kings told from men by the face that is up: how surely, how honestly, and what is learnt when."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from drawn_table import PLACES, START, VIEW, Truth, draw, lay, picture_of
from numpy.typing import NDArray

from hardware.simulated.discs import Face
from hardware.simulated.drawing.styles import STYLES
from vision.crown_face import flat_contents, flat_priors, learn_faces, told_by_face
from vision.reader import KingsBy, learn, read, update
from vision.reading import Content, Reading
from vision.view import Pixels, View

KINGS = (Content.DARK_KING, Content.LIGHT_KING)


def table(contents: NDArray[np.int64], random: np.random.Generator, off_mm: float = 5.0) -> Truth:
    """Single discs, those of kings with the crown up."""
    flat = lay(flat_contents(contents), random, off_mm)
    faces = [Face.CROWN if content in KINGS else Face.PLAIN for content in contents[contents != Content.EMPTY]]
    discs = tuple(replace(disc, face=face) for disc, face in zip(flat.discs, faces, strict=True))
    return replace(flat, contents=contents, discs=discs)


def mixed(random: np.random.Generator) -> NDArray[np.int64]:
    contents = np.zeros(64, dtype=np.int64)
    squares = random.permutation(32)
    contents[squares[:9]] = Content.DARK_MAN + (random.random(9) < 0.4)
    contents[squares[9:18]] = Content.LIGHT_MAN + (random.random(9) < 0.4)
    contents[32 + random.permutation(16)[:3]] = Content.LIGHT_KING
    contents[48 + random.permutation(16)[:3]] = Content.DARK_KING
    return contents


def found_in(truth: Truth) -> Reading:
    """What a reader that knows nothing of faces would say of it."""
    probabilities = np.full((64, 5), 1e-6)
    probabilities[np.arange(64), flat_contents(truth.contents)] = 1.0
    return Reading(probabilities, truth.bases_mm, truth.bases_mm, np.zeros(64, dtype=np.bool_))


def smaller(pixels: Pixels, view: View, scale: float) -> tuple[Pixels, View]:
    """The same scene from a camera with fewer pixels."""
    width, height = (round(side * scale) for side in view.camera.size)
    matrix = np.array(view.camera.matrix)
    matrix[:2] *= scale
    matrix[:2, 2] += (scale - 1) / 2
    rows = tuple(tuple(float(value) for value in row) for row in matrix)
    camera = replace(view.camera, matrix=rows, size=(width, height))
    small = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8), replace(view, camera=camera)


@dataclass(frozen=True, eq=False)
class Seen:
    truth: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    @property
    def right(self) -> NDArray[np.bool_]:
        return np.asarray(self.probabilities.argmax(axis=1) == self.truth)[self.truth != Content.EMPTY]

    @property
    def sure(self) -> NDArray[np.float64]:
        return np.asarray(self.probabilities.max(axis=1))[self.truth != Content.EMPTY]


@pytest.fixture(scope="module", params=[1.0, 0.66], ids=["46 px a square", "30 px a square"])
def seen(request: pytest.FixtureRequest) -> tuple[Seen, Seen]:
    """Faces before any king is known, and after one of each colour is: embossed, printed, on wood and on plastic."""
    parts: list[list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = [[], []]
    for number, style in enumerate(("walnut", "green-buff", "cardboard", "club-blue", "pine")):
        random = np.random.default_rng((5, number))
        picture = picture_of(STYLES[style], seed=number)
        start = table(START, random)
        known = np.where(np.arange(64) < 32, START, -1)
        pixels, view = smaller(draw(picture, start), VIEW, request.param)
        faces = learn_faces(pixels, view, found_in(start), known)
        kings = table(START + (np.arange(64) % 8 == 0) * (START != Content.EMPTY), random)
        pixels, view = smaller(draw(picture, kings), VIEW, request.param)
        taught = learn_faces(pixels, view, found_in(kings), np.where(np.arange(64) < 32, kings.contents, -1))
        for _ in range(2):
            truth = table(mixed(random), random)
            pixels, view = smaller(draw(picture, truth), VIEW, request.param)
            for part, known_faces in zip(parts, (faces, taught), strict=True):
                reading = told_by_face(found_in(truth), known_faces, pixels, view, None)
                part.append((truth.contents, reading.probabilities))
    first, second = (Seen(*(np.concatenate(column) for column in zip(*part, strict=True))) for part in parts)
    return first, second


def test_crowns_are_told_from_plain_faces(seen: tuple[Seen, Seen]) -> None:
    novel, taught = seen
    assert len(novel.right) > 200
    assert novel.right.mean() >= 0.97
    assert taught.right.mean() >= 0.985


def test_probabilities_of_faces_are_honest(seen: tuple[Seen, Seen]) -> None:
    for one in seen:
        assert one.right[one.sure >= 0.99].all() or one.right[one.sure >= 0.99].mean() >= 0.99
        expected, spread = one.sure.sum(), np.sqrt((one.sure * (1 - one.sure)).sum())
        assert one.right.sum() >= expected - 2 * spread - 1
        assert (one.sure >= 0.9).mean() > 0.75


@pytest.fixture(scope="module")
def game() -> tuple:
    random = np.random.default_rng(8)
    picture = picture_of(STYLES["pine"], seed=2)
    known = np.where(np.arange(64) < 32, START, -1)
    return picture, random, learn(draw(picture, table(START, random)), VIEW, known, KingsBy.FACE)


def test_the_reader_tells_kings_by_their_faces_when_it_is_told_to(game: tuple) -> None:
    picture, random, appearance = game
    truth = table(mixed(random), random)
    reading = read(draw(picture, truth), VIEW, appearance)
    right = reading.contents == truth.contents
    assert right.mean() > 0.9
    assert right[reading.confidence > 0.99].all()
    occupied = truth.contents != Content.EMPTY
    assert np.allclose(reading.tops_mm[occupied], reading.offsets_mm[occupied])
    error = (reading.offsets_mm - truth.bases_mm)[occupied]
    assert np.sqrt(np.mean(error**2)) < 1.0
    assert np.allclose(reading.probabilities.sum(axis=1), 1)


def test_what_the_rules_allow_weighs_in(game: tuple) -> None:
    picture, random, appearance = game
    truth = table(START, random)
    pixels = draw(picture, truth)
    plain = read(pixels, VIEW, appearance)
    priors = np.ones((64, 5))
    priors[:, KINGS] = 1e-3
    told = read(pixels, VIEW, appearance, priors)
    assert (told.probabilities[:, KINGS] < plain.probabilities[:, KINGS] + 1e-12)[START != Content.EMPTY].all()


def test_a_confirmed_king_makes_the_next_ones_surer(game: tuple) -> None:
    picture, random, appearance = game
    contents = START.copy()
    contents[[0, 2, 25, 27]] += 1
    later = update(appearance, draw(picture, table(contents, random)), VIEW, contents)
    assert later.faces is not None
    assert (later.faces.kings_seen > 0).all()
    truth = table(mixed(random), random)
    pixels = draw(picture, truth)
    kings = np.isin(truth.contents, KINGS)
    before, after = (
        read(pixels, VIEW, one).probabilities[kings, truth.contents[kings]] for one in (appearance, later)
    )
    assert after.mean() >= before.mean() - 1e-3
    assert after.min() > 0.5


def test_a_king_that_has_not_been_turned_is_not_learnt_from() -> None:
    random = np.random.default_rng(9)
    start = table(START, random)
    said = START.copy()
    said[3] = Content.DARK_KING
    faces = learn_faces(draw(picture_of(seed=3), start), VIEW, found_in(start), said)
    assert faces.kings_seen.tolist() == [0, 0]
    assert faces.men_seen[0] == 13  # Eleven on the board, two in the tray.


def test_a_face_burnt_out_by_glare_is_as_likely_a_king_as_before_looking(game: tuple) -> None:
    picture, random, appearance = game
    truth = table(START, random)
    pixels = draw(picture, truth)
    x, y = np.rint(VIEW.camera.project([(*(PLACES[0] + truth.bases_mm[0]), VIEW.disc.height_mm)])[0]).astype(int)
    cv2.circle(pixels, (int(x), int(y)), 8, (255, 255, 255), -1)
    reading = told_by_face(found_in(truth), appearance.faces, pixels, VIEW, None)
    assert reading.probabilities[0, Content.DARK_KING] == pytest.approx(0.5, abs=0.01)


def test_flat_contents_and_priors_know_no_stacks() -> None:
    assert flat_contents(np.array([0, 1, 2, 3, 4, -1])).tolist() == [0, 1, 1, 3, 3, -1]
    assert flat_priors(np.array([[0.1, 0.2, 0.3, 0.1, 0.3]]), 1)[0] == pytest.approx([0.1, 0.5, 0, 0.4, 0])
    assert flat_priors(None, 2).tolist() == [[1, 2, 0, 2, 0]] * 2
