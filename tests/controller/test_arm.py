"""The arm's ways: over everything that stands there, and no higher than needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.known_geometry import calibration_of
from controller.draughts import Colour
from controller.handling.arm import Arm, Clearances
from controller.handling.layout import Layout, Stack
from controller.handling.places import ALL_PLACES, Place, square, tray_place
from controller.handling.ways import distance_to_segment
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
CENTRES = dict(zip(ALL_PLACES, (tuple(map(float, p)) for p in CALIBRATION.places_mm(False)), strict=True))
CLEAR = Clearances(above=6.0, beside=5.0, press=0.8, gap=0.4)
Point = tuple[float, float, float]


class RecordingGantry:
    """Stands in for the gantry: notes where it is sent, in board mm, and what the gripper does."""

    def __init__(self) -> None:
        self.position = CALIBRATION.to_machine(*CALIBRATION.park_mm)
        self.homed = True
        self.way: list[Point] = [CALIBRATION.park_mm]
        self.gripped_at: list[Point] = []
        self.released_at: list[Point] = []
        self.holding_disc = False

    def move_to(self, x: float | None = None, y: float | None = None, z: float | None = None) -> None:
        here = self.position
        self.position = tuple(a if b is None else b for a, b in zip(here, (x, y, z), strict=True))  # type: ignore[assignment]
        self.way.append(CALIBRATION.to_board(*self.position))

    def check_holding(self) -> None: ...

    def check_empty(self) -> None: ...

    def grip(self) -> None:
        self.gripped_at.append(self.way[-1])

    def release(self) -> None:
        self.released_at.append(self.way[-1])


def layout_of(stacks: dict[Place, int]) -> Layout:
    return Layout({p: Stack(Colour.WHITE, count, CENTRES[p], CENTRES[p]) for p, count in stacks.items()})


def carried(stacks: dict[Place, int], source: Place, target: Place) -> RecordingGantry:
    gantry = RecordingGantry()
    arm = Arm(gantry, CALIBRATION, CLEAR)  # type: ignore[arg-type]
    arm.carry(layout_of(stacks), source, target, 1, CENTRES[target])
    arm.park()
    return gantry


def test_a_man_is_picked_at_its_top_and_put_down_a_hair_above_the_board() -> None:
    gantry = carried({square(14): 1}, square(14), square(18))
    assert gantry.gripped_at == [pytest.approx((*CENTRES[square(14)], 8.0 - 0.8))]
    assert gantry.released_at == [pytest.approx((*CENTRES[square(18)], 8.0 + 0.4))]


def test_a_crown_is_put_on_top_of_the_man() -> None:
    gantry = carried({square(1): 1, tray_place(17): 1}, tray_place(17), square(1))
    assert gantry.released_at == [pytest.approx((*CENTRES[square(1)], 16.0 + 0.4))]


def test_the_lower_disc_is_left_where_only_the_top_one_is_taken() -> None:
    gantry = carried({square(14): 2}, square(14), square(18))
    assert gantry.gripped_at[0][2] == pytest.approx(16.0 - 0.8)


def heights_between(gantry: RecordingGantry, start: Sequence[float], end: Sequence[float]) -> list[float]:
    """The heights of the level ways from above one point to above another."""
    return [
        b[2]
        for a, b in zip(gantry.way, gantry.way[1:], strict=False)
        if np.allclose(a[:2], start, atol=1e-6) and np.allclose(b[:2], end, atol=1e-6)
    ]


def test_over_a_free_way_it_goes_low_and_over_a_king_high() -> None:
    a, b = square(15), square(18)  # Neighbours with nothing near; then with a king in between on a longer way.
    (low,) = heights_between(carried({a: 1}, a, b), CENTRES[a], CENTRES[b])
    assert low == pytest.approx(8.0 + 6.0)
    far = square(24)
    between = square(19)
    assert distance_to_segment(CENTRES[between], CENTRES[a], CENTRES[far]) < 1.0
    (high,) = heights_between(carried({a: 1, between: 2}, a, far), CENTRES[a], CENTRES[far])
    assert high == pytest.approx(16.0 + 8.0 + 6.0)


PLACES = st.sampled_from(ALL_PLACES)


@given(
    st.dictionaries(PLACES, st.sampled_from([1, 2]), min_size=1, max_size=24),
    PLACES,
    st.randoms(use_true_random=False),
)
def test_nothing_on_the_way_is_ever_touched(stacks: dict[Place, int], target: Place, chance: object) -> None:
    source = chance.choice(sorted(stacks, key=str))  # type: ignore[attr-defined]
    if target == source or stacks.get(target, 0) == 2:
        return
    gantry = carried(stacks, source, target)
    loaded = False
    for start, end in zip(gantry.way, gantry.way[1:], strict=False):
        if start in gantry.gripped_at:
            loaded = True
        if start in gantry.released_at:
            loaded = False
        level = np.hypot(end[0] - start[0], end[1] - start[1]) > 1e-6
        if not level:
            continue
        lowest = min(start[2], end[2]) - (8.0 if loaded else 0.0)
        width = 15.0 + (15.0 if loaded else 6.0)
        for place, count in stacks.items():
            discs = count - (place == source)
            if loaded and discs and distance_to_segment(CENTRES[place], start[:2], end[:2]) < width:
                assert lowest >= 8.0 * discs + CLEAR.above - 1e-6, (place, start, end)
