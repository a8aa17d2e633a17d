"""The arm by hand on a table with a camera: under the guard's eye as in a game."""

from __future__ import annotations

import numpy as np
import pytest

from controller import arm_by_hand as by_hand
from controller.draughts import Colour, Game
from controller.errors import ControllerError
from controller.handling.places import square
from controller.settings import Settings
from controller.simulated_layout import starting_stacks
from controller.table import Table, open_simulated_table
from hardware.clock import VirtualClock
from hardware.frame import Frame
from hardware.simulated.errand import Errand, Hover
from hardware.simulated.table import SimulatedTable, TableSetup
from tests.controller.handled_arm import VirtualArm

SAID: list[str] = []


@pytest.fixture
def laid() -> tuple[SimulatedTable, Table]:
    clock = VirtualClock()
    calibration = VirtualArm().calibration
    stacks = starting_stacks(Game().position, calibration)
    simulated, table = open_simulated_table(Settings(), clock, TableSetup(), stacks)
    clock.sleep(1.0)
    return simulated, table


def test_a_disc_is_carried_by_hand_under_the_guard(laid: tuple[SimulatedTable, Table]) -> None:
    simulated, table = laid
    by_hand.watch_over(table)
    by_hand.make_ready(table, SAID.append)
    by_hand.pick(table, square(11), Colour.BLACK, lying=1)
    assert len(simulated.world.carried) == 1
    by_hand.put(table, square(15), Colour.BLACK, lying=0, held=1)
    table.arm.park()
    x, y = table.calibration.square_mm_centre(15, human_is_white=False)
    assert simulated.world.nearest_stack(x, y, 2.0) is not None
    assert (simulated.world.knocked, simulated.world.dropped) == (0, 0)


def test_something_that_moves_over_the_table_is_not_taken_for_clear(
    laid: tuple[SimulatedTable, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, table = laid
    pictures = [np.full((720, 1280, 3), 90, dtype=np.uint8) for _ in range(2)]
    pictures[1][200:500, 300:900] = 200
    frames = iter(Frame(pixels, table.clock.now() + 0.6 * i, i) for i, pixels in enumerate(pictures))
    monkeypatch.setattr(table.camera, "frame", lambda: next(frames))
    with pytest.raises(ControllerError, match="keep clear"):
        by_hand.watch_over(table)
    assert table.guard.refusal() is not None


def test_an_arm_that_stands_over_the_board_when_the_command_begins_may_leave_it(
    laid: tuple[SimulatedTable, Table],
) -> None:
    simulated, table = laid
    by_hand.watch_over(table)
    by_hand.make_ready(table, SAID.append)
    by_hand.pick(table, square(10), Colour.BLACK, lying=1)
    by_hand.watch_over(table)  # As the next command does: the arm and its disc hide a part of the table.
    waited: list[str | None] = []
    table.gantry.on_wait = waited.append
    table.gantry.home()
    by_hand.put(table, square(15), Colour.BLACK, lying=0, held=1)
    table.arm.park()
    assert waited == []
    simulated.hand.do(Errand((Hover(table.calibration.square_mm_centre(10, human_is_white=False), 8.0),)))
    table.clock.sleep(4.0)
    assert table.guard.refusal() == "a hand is over the table"  # Also where the arm has been.
