"""The square network: what it says turns with the board, and it reads boards it has never seen."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_table import CALIBRATION, PLACES, VIEW, draw, lay, picture_of, random_contents

from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from vision.learnt_squares import square_places
from vision.reading import Content
from vision.square_network import camera_in_squares, evidence, flat_board, flat_map

SQUARE_MM = VIEW.square_mm
GROUPS = np.array([0, 1, 1, 2, 2])


def test_what_is_said_turns_with_the_board() -> None:
    random = np.random.default_rng(0)
    flat = random.integers(0, 255, (320, 320, 3)).astype(np.uint8)
    position = np.array([2.0, -5.0, 12.0])
    seen = evidence(flat, position, None, SQUARE_MM, sides=8)
    # A quarter turn counter-clockwise takes column x, row y to column y, row 8 - x.
    quarter = (position[1], 8 - position[0], 12.0)
    turned = evidence(np.rot90(flat).copy(), quarter, None, SQUARE_MM, sides=8)
    assert np.allclose(np.rot90(seen.logits.reshape(8, 8, 5)), turned.logits.reshape(8, 8, 5), atol=0.05)
    x, y = np.rot90(seen.offsets.reshape(8, 8, 2)).transpose(2, 0, 1)
    assert np.allclose(np.stack([y, -x], axis=-1), turned.offsets.reshape(8, 8, 2), atol=0.05)


@pytest.mark.parametrize(
    ("style", "light"),
    [("walnut", "window"), ("red-black", "glare"), ("black-on-black", "lamp"), ("light-squares", "evening")],
)
def test_it_reads_tables_it_knows_nothing_of(style: str, light: str) -> None:
    random = np.random.default_rng(11)
    picture = picture_of(STYLES[style], seed=5, illumination=ILLUMINATIONS[light])
    places, cells = square_places(VIEW)
    wrong = 0
    for _ in range(2):
        truth = lay(random_contents(random), random, 6.0, 3.0)
        flat = flat_board(draw(picture, truth), flat_map(CALIBRATION.camera, SQUARE_MM))
        seen = evidence(flat, camera_in_squares(CALIBRATION.camera, SQUARE_MM), None, SQUARE_MM, sides=4)
        contents = np.full(64, Content.EMPTY)
        contents[cells] = truth.contents[places]
        wrong += int((GROUPS[seen.probabilities.argmax(axis=1)] != GROUPS[contents]).sum())
        known = np.flatnonzero(contents)
        placed = np.zeros((64, 2))
        placed[cells] = np.nan_to_num(truth.bases_mm[places]) * (1, -1) / SQUARE_MM
        assert np.abs(seen.offsets - placed)[known].max() < 0.25
        assert (seen.hidden < 0.5).all()
    assert wrong <= 1


def test_the_view_knows_which_places_are_squares_of_the_board() -> None:
    places, cells = square_places(VIEW)
    assert places.tolist() == list(range(32))
    assert len(set(cells.tolist())) == 32
    columns, rows = (PLACES[:32] // SQUARE_MM).astype(int).T
    assert cells.tolist() == ((7 - rows) * 8 + columns).tolist()
