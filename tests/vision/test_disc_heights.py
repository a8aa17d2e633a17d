"""How high one disc of an unknown set is, and which are stacks, from how far everything on the board leans."""

import numpy as np
import pytest

from vision.disc_input import LEANS_PX, lean_px
from vision.disc_network import DiscEvidence
from vision.unprepared.disc_heights import stacks_of_board

DIAMETER = 0.7
OBLIQUE, OVERHEAD = np.array([4.0, -5.0, 10.0]), np.array([4.0, 4.0, 40.0])


def evidence(
    levels: np.ndarray, height: float, camera: np.ndarray, exact_px: float = 0.7, seams: float = 0.0
) -> DiscEvidence:
    """What a network that measures leans to within `exact_px` makes of discs and stacks all over a board; `seams` is
    how much more likely (natural logarithm) it calls what each really is."""
    random = np.random.default_rng(4)
    squares = random.permutation(64)[: len(levels)]
    bases = np.column_stack([squares % 8 + 0.5, squares // 8 + 0.5])
    leans = lean_px(bases, camera, DIAMETER, height * np.array([1.0, 2.0]))
    shown = leans[np.arange(len(levels)), levels - 1] + random.normal(0, exact_px, len(levels))
    cases = -0.5 * ((LEANS_PX[None, :] - shown[:, None]) / exact_px) ** 2
    both = np.stack([cases, cases], axis=1)
    both[np.arange(len(levels)), levels - 1] += seams
    return DiscEvidence(
        there=np.full(len(levels), 9.0),
        cases=both,
        marked=np.zeros(len(levels)),
        bases=bases,
        sideways=np.zeros(len(levels)),
        camera=camera,
        diameter=DIAMETER,
    )


@pytest.mark.parametrize("height", [0.1, 0.16, 0.25, 0.4])
@pytest.mark.parametrize("kings", [0, 3, 8])
def test_the_height_of_one_disc_and_the_stacks_are_found_among_men_and_kings(height: float, kings: int) -> None:
    levels = np.repeat([1, 2], [14 - kings, kings])
    found = stacks_of_board(evidence(levels, height, OBLIQUE), np.zeros(14))
    assert found.height == pytest.approx(height, rel=0.12)
    assert ((found.stacked > 0) == (levels == 2)).all()


def test_one_disc_that_is_misread_does_not_matter() -> None:
    seen = evidence(np.array([1] * 12), 0.2, OBLIQUE)
    astray = seen.cases.copy()
    astray[3] = -0.5 * ((LEANS_PX - 40) / 0.7) ** 2
    found = stacks_of_board(DiscEvidence(**{**vars(seen), "cases": astray}), np.zeros(12))
    assert found.height == pytest.approx(0.2, rel=0.1)
    assert (np.delete(found.stacked, 3) < 0).all()


def test_where_no_lean_is_seen_nothing_is_claimed() -> None:
    levels = np.repeat([1, 2], [9, 3])
    found = stacks_of_board(evidence(levels, 0.2, OVERHEAD, exact_px=3.0), np.zeros(12))
    assert np.abs(found.stacked).max() < 3.5


def test_seams_tell_stacks_where_no_lean_does() -> None:
    levels = np.repeat([1, 2], [9, 3])
    found = stacks_of_board(evidence(levels, 0.2, OVERHEAD, exact_px=3.0, seams=4.0), np.zeros(12))
    assert ((found.stacked > 0) == (levels == 2)).all()


def test_tall_single_discs_are_no_stacks() -> None:
    found = stacks_of_board(evidence(np.ones(20, dtype=int), 0.6, OBLIQUE), np.zeros(20))
    assert (found.stacked < 0).all()
    assert found.height == pytest.approx(0.6, rel=0.1)


def test_a_known_height_tells_a_board_of_nothing_but_kings() -> None:
    seen = evidence(np.full(4, 2), 0.2, OBLIQUE)
    assert (stacks_of_board(seen, np.zeros(4), known_height=0.2).stacked > 0).all()
