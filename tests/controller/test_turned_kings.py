"""Games with a set whose kings are turned over: what is carried, what is asked for, and what the camera checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scene import SETTINGS, set_scene

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Piece, Position, read_fen
from controller.events import EventKind
from controller.handling.kings import Kings
from controller.handling.layout import Layout, Stack, to_be_turned, wanted_on
from controller.handling.places import ALL_PLACES, TRAY, square, tray_place
from controller.handling.plan import Gripper, NoSpareDiscError, carried_out, plan_transfers
from controller.settings import DiscsSettings
from controller.turning import no_crown_seen, please_turn, turned_by_hand
from hardware.clock import VirtualClock
from hardware.simulated.errand import PressButton, Turn
from hardware.simulated.geometry import TableGeometry

TURNED = replace(SETTINGS, discs=DiscsSettings(kings="turned"))
CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
CENTRES = dict(zip(ALL_PLACES, map(tuple, CALIBRATION.view(False).places_mm.tolist()), strict=True))


def laid(position: Position, *, tray: int = 0, crowned: bool | None = None) -> Layout:
    """The discs of a position, with `tray` discs of each colour beside it."""
    stacks = {}
    for place, (colour, count) in wanted_on(position, Kings.TURNED).items():
        king = position.pieces()[place.number].king
        stacks[place] = Stack(colour, count, CENTRES[place], CENTRES[place], king if crowned is None else crowned)
    for number in range(1, tray + 1):
        stacks[tray_place(number)] = Stack(Colour.BLACK, 1, CENTRES[TRAY[number - 1]], CENTRES[TRAY[number - 1]])
    return Layout(stacks)


def plan(layout: Layout, position: Position) -> tuple[str, ...]:
    return tuple(
        str(transfer) for transfer in plan_transfers(layout, position, CENTRES, Colour.BLACK, Gripper(), Kings.TURNED)
    )


def test_a_king_is_one_disc_that_moves_and_leaves_in_one_transfer_each() -> None:
    before, after = read_fen("W:WK18:BK14,1"), read_fen("B:WK9:B1")
    transfers = plan(laid(before), after)
    assert len(transfers) == 2
    assert transfers[0] == "a disc from 18 to 9"
    assert transfers[1].startswith("a disc from 14 to T")


def test_no_crown_is_ever_fetched() -> None:
    after = read_fen("B:WK2:B20")
    layout = laid(read_fen("W:W6:B20"), tray=3)
    assert plan(layout, after) == ("a disc from 6 to 2",)
    moved = Layout({**layout.take(square(6), 1).put(square(2), Colour.WHITE, 1, CENTRES[square(2)]).stacks})
    assert plan(moved, after) == ()
    assert to_be_turned(moved, after, Kings.TURNED) == (2,)
    assert to_be_turned(turned_by_hand(moved, (2,)), after, Kings.TURNED) == ()
    assert to_be_turned(moved, after, Kings.STACKED) == ()


def test_faces_go_where_they_are_wanted_as_far_as_there_is_a_choice() -> None:
    layout = laid(read_fen("W:W18,K17:B1"))
    wanted = read_fen("B:WK14,13:B1")
    transfers = plan_transfers(layout, wanted, CENTRES, Colour.BLACK, Gripper(), Kings.TURNED)
    assert {(str(t.source), str(t.target)) for t in transfers} == {("17", "14"), ("18", "13")}
    for transfer in transfers:
        layout = carried_out(layout, transfer, CENTRES)
    assert to_be_turned(layout, wanted, Kings.TURNED) == ()


def test_a_missing_disc_is_not_called_a_crown() -> None:
    with pytest.raises(NoSpareDiscError, match="one is missing on 5"):
        plan(laid(read_fen("B:W30:B1")), read_fen("B:W30:B1,5"))


@pytest.mark.parametrize(
    ("fen", "squares", "words"),
    [
        ("B:W30:BK29", (29,), "please turn the dark disc on 29 over: it is a king"),
        ("B:W30,K3:BK29", (3, 29), "please turn the discs on 3 and 29 over: they are kings"),
        ("B:W30,7:BK29", (7, 29), "please turn the discs on 7 and 29 over: 29 is a king and 7 is a man"),
        ("B:W30,7:B5", (7,), "please turn the light disc on 7 over: it is a man"),
    ],
)
def test_one_sentence_says_what_to_turn_and_why(fen: str, squares: tuple[int, ...], words: str) -> None:
    assert please_turn(squares, read_fen(fen)) == words
    assert "press the button" in no_crown_seen(squares, read_fen(fen))


def test_kings_of_both_sides_are_turned_by_the_human_seen_and_played_as_one_disc(tmp_path: Path) -> None:
    start = read_fen("W:W6,20,21,12,28:B27,5,4,3,14")
    scene = set_scene(tmp_path, start, ["6-2", "2-6", "6-1"], settings=TURNED)
    scene.human_does(PressButton())  # The disc has not been turned: it is asked for again.
    scene.human_does(Turn(scene.at(2)), PressButton())
    scene.human_does(scene.carry(27, 32))  # Its own king the human forgets to turn, until reminded.
    scene.human_does(Turn(scene.at(32)))
    scene.human_does(scene.carry(32, 27))
    scene.act()
    asked = scene.heard(EventKind.ASKED)
    assert asked[0] == "please turn the light disc on 2 over: it is a king"
    assert asked[1].startswith("I do not see yet that the light disc on 2 is turned")
    assert asked[2:] == ["please turn the dark disc on 32 over: it is a king"]
    assert [str(move) for move in scene.game.moves] == ["6-2", "27-32", "2-6", "32-27", "6-1"]
    assert scene.heard(EventKind.TRANSFER) == [f"I carry a disc from {way}" for way in ("6 to 2", "2 to 6", "6 to 1")]
    assert scene.board_agrees()


def test_kings_that_lie_face_down_at_the_start_are_asked_for_before_anything_moves(tmp_path: Path) -> None:
    start = read_fen("B:WK6,28,30,31,32:B13,12,5,11,14")
    scene = set_scene(tmp_path, start, [], settings=TURNED, crowns_up=())
    scene.human_does(Turn(scene.at(6)), PressButton())
    scene.act()
    assert scene.heard(EventKind.ASKED)[0] == "please turn the light disc on 6 over: it is a king"
    assert len(scene.heard(EventKind.ASKED)) == 1
    assert scene.heard(EventKind.TRANSFER) == []
    assert scene.board_agrees()


def test_the_layout_knows_which_piece_is_meant() -> None:
    position = Position.of({3: Piece(Colour.WHITE, True), 29: Piece(Colour.BLACK, False)}, Colour.BLACK)
    assert wanted_on(position, Kings.TURNED) == {square(3): (Colour.WHITE, 1), square(29): (Colour.BLACK, 1)}
    assert wanted_on(position) == {square(3): (Colour.WHITE, 2), square(29): (Colour.BLACK, 1)}
