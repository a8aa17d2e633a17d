"""Discs with two faces on the simulated table: the hand turns them, the camera shows it, the truth tells it."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.clock import VirtualClock
from hardware.simulated.control import TableControl
from hardware.simulated.discs import DiscColour, Face
from hardware.simulated.drawing.style import Style
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.errand import Turn
from hardware.simulated.faces import Faces
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.requests import DoErrand, Truth
from hardware.simulated.scene import Scene
from hardware.simulated.table import SimulatedTable, TableSetup

STACKS = [(DiscColour.DARK, 100.0, 60.0, 1), (DiscColour.LIGHT, 180.0, 140.0, 1)]


def faces_of(control: TableControl) -> dict[int, str]:
    return {disc["id"]: disc["face"] for disc in control.handle(Truth())["discs"]}


def test_the_hand_turns_a_disc_over_and_leaves_it_where_it_lay() -> None:
    clock = VirtualClock()
    table = SimulatedTable(clock, TableSetup(seed=2), STACKS, crown_up=[1])
    control = TableControl(table, clock)
    assert faces_of(control) == {0: "plain", 1: "crown"}
    before = table.discs
    control.handle(DoErrand((Turn((103.0, 58.0)), Turn((180.0, 140.0)))))
    while table.hand.busy:
        clock.sleep(0.1)
    assert faces_of(control) == {0: "crown", 1: "plain"}
    for old, new in zip(before, table.discs, strict=True):
        assert np.hypot(old.x - new.x, old.y - new.y) < 7.0
        assert new.z == 0.0
    assert [done.disc_ids for done in table.hand.done] == [(0,), (1,)]
    assert table.scene().discs[0].face is Face.CROWN


def test_a_turn_where_no_disc_lies_changes_nothing() -> None:
    clock = VirtualClock()
    table = SimulatedTable(clock, TableSetup(seed=2), STACKS)
    TableControl(table, clock).handle(DoErrand((Turn((300.0, 300.0)),)))
    while table.hand.busy:
        clock.sleep(0.1)
    assert {table.faces.of(disc.id) for disc in table.discs} == {Face.PLAIN}


def test_discs_that_lie_still_are_the_same_object_until_one_is_turned() -> None:
    faces = Faces()
    clock = VirtualClock()
    discs = SimulatedTable(clock, TableSetup(seed=2), STACKS).world.discs
    assert faces.on_lying(discs) is discs
    faces.turn(0)
    shown = faces.on_lying(discs)
    assert [disc.face for disc in shown] == [Face.CROWN, Face.PLAIN]
    assert faces.on_lying(discs) is shown
    faces.turn(0)
    assert faces.on_lying(discs) == discs


@pytest.mark.parametrize("style", [Style(), STYLES["cardboard"]], ids=["embossed", "printed"])
def test_the_camera_sees_which_face_is_up(style: Style) -> None:
    clock = VirtualClock()
    discs = SimulatedTable(clock, TableSetup(seed=2), STACKS).world.discs
    picture = Picture(TableGeometry(), style, seed=1)
    plain = picture.draw(Scene(discs)).astype(int)
    crowned = picture.draw(Scene(Faces([1]).on(discs))).astype(int)
    different = np.abs(plain - crowned).max(axis=2) > 16
    rows, columns = np.nonzero(different)
    middle = np.median(rows), np.median(columns)
    near = np.hypot(rows - middle[0], columns - middle[1]) < 25
    assert near.sum() > 40
    assert near.mean() > 0.8
