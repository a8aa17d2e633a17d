"""Which way a board lies in a picture is told by a position that it is known to show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.draughts import Position, read_fen
from controller.orientation import Orientation, all_orientations, best_fit, fit
from vision.reading import Content, Reading

MIDDLE = read_fen("B:W18,K22,30,31:B1,5,K9,12")


def seen(position: Position, orientation: Orientation, sure: float = 0.97) -> Reading:
    """A reading of the 64 squares of a board that lies so."""
    contents = np.zeros(64, dtype=np.int64)
    contents[orientation.cells] = orientation.contents(position)
    probabilities = np.full((64, len(Content)), (1 - sure) / 4)
    probabilities[np.arange(64), contents] = sure
    nowhere = np.full((64, 2), np.nan)
    return Reading(probabilities, nowhere, nowhere, np.zeros(64, dtype=np.bool_))


def test_with_white_at_the_bottom_the_squares_run_as_printed() -> None:
    cells = Orientation().cells
    assert list(cells[:8]) == [1, 3, 5, 7, 8, 10, 12, 14]
    assert cells[28] == 56
    assert cells[31] == 62


def test_turned_by_a_quarter_square_one_goes_where_the_corner_goes() -> None:
    assert Orientation(1).cells[0] == 8 * 6  # row 0, column 1 goes to row 6, column 0
    assert Orientation(2).cells[0] == 63 - 1
    assert Orientation(1).turned_by(3) == Orientation(0)


def test_a_mirrored_board_has_its_squares_on_the_other_colour() -> None:
    straight, mirrored = Orientation().cells, Orientation(mirrored=True).cells
    assert not set(straight) & set(mirrored)
    assert sorted([*straight, *mirrored]) == list(range(64))


@given(st.sampled_from(all_orientations()))
def test_an_uneven_position_tells_how_the_board_lies(orientation: Orientation) -> None:
    found = best_fit(seen(MIDDLE, orientation), MIDDLE)
    assert found.orientation == orientation
    assert found.differing == ()


@given(st.integers(0, 3), st.booleans())
def test_at_the_start_the_dark_discs_are_blacks(turns: int, mirrored: bool) -> None:
    orientation = Orientation(turns, mirrored)
    assert best_fit(seen(Position.start(), orientation), Position.start()).orientation == orientation


def test_what_differs_is_named() -> None:
    other = read_fen("B:W17,K22,30,31:B1,5,K9,12")
    assert fit(seen(other, Orientation()), MIDDLE, Orientation()).differing == (17, 18)


@pytest.mark.parametrize("orientation", all_orientations())
def test_places_lie_where_the_cells_are(orientation: Orientation) -> None:
    places = orientation.places_mm(40.0)
    rows, columns = np.divmod(orientation.cells, 8)
    assert np.allclose(places[:, 0], 40 * columns + 20)
    assert np.allclose(places[:, 1], 300 - 40 * rows)
