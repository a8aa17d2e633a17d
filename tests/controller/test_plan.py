"""Plans of transfers: every move of the game, and every mess, ends with the position on the board."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Game, Piece, Position, read_fen
from controller.handling.layout import Layout, Stack, wanted_on
from controller.handling.places import ALL_PLACES, Area, Place, square, tray_place
from controller.handling.plan import (
    Gripper,
    NoSpareDiscError,
    Transfer,
    TrayFullError,
    carried_out,
    plan_transfers,
)
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

HUMAN = Colour.BLACK
CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
CENTRES = {
    place: (float(x), float(y))
    for place, (x, y) in zip(ALL_PLACES, CALIBRATION.places_mm(human_is_white=False), strict=True)
}
SPARES = {
    tray_place(1): Colour.BLACK,
    tray_place(2): Colour.BLACK,
    tray_place(17): Colour.WHITE,
    tray_place(18): Colour.WHITE,
}


def laid_out(position: Position, tray: dict[Place, Colour] | None = None) -> Layout:
    stacks = {
        place: Stack(colour, count, CENTRES[place], CENTRES[place])
        for place, (colour, count) in wanted_on(position).items()
    }
    for place, colour in (SPARES if tray is None else tray).items():
        stacks[place] = Stack(colour, 1, CENTRES[place], CENTRES[place])
    return Layout(stacks)


def after(layout: Layout, plan: tuple[Transfer, ...]) -> Layout:
    for transfer in plan:
        layout = carried_out(layout, transfer, CENTRES)
    return layout


def on_board(layout: Layout) -> dict[Place, tuple[Colour, int]]:
    return {p: (s.colour, s.count) for p, s in layout.stacks.items() if p.area is Area.BOARD}


def discs(layout: Layout, colour: Colour) -> int:
    return sum(stack.count for stack in layout.stacks.values() if stack.colour is colour)


def planned(start: str, end: str, gripper: Gripper = Gripper()) -> list[str]:  # noqa: B008 (frozen)
    layout = laid_out(read_fen(start))
    wanted = read_fen(end)
    plan = plan_transfers(layout, wanted, CENTRES, HUMAN, gripper)
    assert on_board(after(layout, plan)) == wanted_on(wanted)
    return [f"{t.source}>{t.target}" + ("*" if t.discs == 2 else "") for t in plan]


def test_a_plain_move_is_one_transfer() -> None:
    assert planned("W:W22:B1", "B:W18:B1") == ["22>18"]


def test_a_jump_carries_the_man_first_and_the_captured_disc_to_the_side_of_its_colour() -> None:
    first, second = planned("W:W22:B17,3", "B:W13:B3")
    assert first == "22>13"
    source, target = second.split(">")
    assert source == "17"
    assert tray_place(int(target[1:])).is_left  # The human plays Black, so dark discs lie on the left.


def test_a_king_moves_in_two_transfers_with_a_gripper_that_lifts_one_disc() -> None:
    assert planned("W:WK22:B1", "B:WK18:B1") == ["22>18", "22>18"]


def test_a_king_moves_in_one_transfer_with_jaws() -> None:
    assert planned("W:WK22:B1", "B:WK18:B1", Gripper(lifts_stack=True)) == ["22>18*"]


def test_a_captured_king_leaves_disc_by_disc() -> None:
    plan = planned("W:W22:BK17,3", "B:W13:B3")
    assert [step.split(">")[0] for step in plan] == ["22", "17", "17"]


def test_a_man_is_crowned_with_the_nearest_spare_disc_of_its_colour() -> None:
    plan = planned("W:W6:B28", "B:WK1:B28")
    assert plan == ["6>1", "T17>1"]


def test_the_robot_crowns_the_humans_man_too() -> None:
    wanted = Position.of(
        {20: Piece(Colour.WHITE, False), 32: Piece(Colour.BLACK, True), 1: Piece(Colour.BLACK, False)}, Colour.WHITE
    )
    layout = laid_out(wanted).take(square(32), 1)
    (transfer,) = plan_transfers(layout, wanted, CENTRES, HUMAN, Gripper())
    assert (transfer.source.is_left, transfer.target) == (True, square(32))


def test_a_captured_disc_of_the_needed_colour_becomes_the_crown() -> None:
    position = Position.of({32: Piece(Colour.BLACK, True), 9: Piece(Colour.WHITE, False)}, Colour.BLACK)
    layout = laid_out(position).take(square(32), 1).put(square(14), Colour.BLACK, 1, CENTRES[square(14)])
    plan = plan_transfers(layout, position, CENTRES, HUMAN, Gripper())
    assert [str(t.source) for t in plan] == ["14"]


def test_a_kings_round_trip_that_ends_where_it_began_only_clears_the_captured() -> None:
    plan = planned("W:WK31:B26,27,18,19,1", "B:WK31:B1")
    assert sorted(step.split(">")[0] for step in plan) == ["18", "19", "26", "27"]


def test_no_spare_disc_asks_for_one_of_the_colour_and_says_for_which_square() -> None:
    position = Position.of({1: Piece(Colour.WHITE, True), 9: Piece(Colour.BLACK, False)}, Colour.BLACK)
    layout = laid_out(position, tray={}).take(square(1), 1)
    with pytest.raises(NoSpareDiscError, match=r"a light disc .* man on 1"):
        plan_transfers(layout, position, CENTRES, HUMAN, Gripper())


def test_a_full_tray_is_said() -> None:
    tray = {tray_place(n): Colour.BLACK for n in range(1, 33)}
    layout = laid_out(read_fen("W:W22:B17"), tray)
    with pytest.raises(TrayFullError):
        plan_transfers(layout, Position.of({13: Piece(Colour.WHITE, False)}, Colour.BLACK), CENTRES, HUMAN, Gripper())


def test_the_last_free_place_of_a_side_is_kept_while_the_other_side_has_room() -> None:
    tray = {tray_place(n): Colour.BLACK for n in range(1, 16)}
    layout = laid_out(read_fen("W:W22:B17,3"), tray)
    _, captured = plan_transfers(layout, read_fen("B:W13:B3"), CENTRES, HUMAN, Gripper())
    assert not captured.target.is_left


def test_a_place_that_a_carelessly_put_neighbour_reaches_into_is_not_used() -> None:
    x, y = CENTRES[tray_place(17)]
    stacks = dict(laid_out(read_fen("W:W22:B17,3"), tray={}).stacks)
    stacks[tray_place(17)] = Stack(Colour.WHITE, 1, (x, y + 10.0), (x, y + 10.0))
    layout = Layout(stacks)
    position = read_fen("W:W22:B3")
    wanted = Position.of({3: Piece(Colour.BLACK, False), 17: Piece(Colour.BLACK, False)}, Colour.WHITE)
    (removed,) = plan_transfers(layout, wanted, CENTRES, Colour.BLACK, Gripper())
    assert position.piece_at(22) is not None
    assert removed.target not in (tray_place(17), tray_place(18))


@pytest.mark.parametrize("lifts_stack", [False, True])
def test_whole_random_games_can_be_carried_out(lifts_stack: bool) -> None:
    for seed in range(20):
        chance = random.Random(seed)
        game = Game()
        layout = laid_out(game.position)
        total = {colour: discs(layout, colour) for colour in Colour}
        while game.outcome() is None and game.plies < 160:
            game.play(chance.choice(game.position.legal_moves()))
            try:
                plan = plan_transfers(layout, game.position, CENTRES, HUMAN, Gripper(lifts_stack))
            except NoSpareDiscError:  # More kings than spare discs: rightly asked for.
                break
            layout = after(layout, plan)
            assert on_board(layout) == wanted_on(game.position)
            assert {colour: discs(layout, colour) for colour in Colour} == total
            assert all(s.count == 1 for p, s in layout.stacks.items() if p.area is Area.TRAY)


PIECES = st.dictionaries(
    st.integers(1, 32), st.builds(Piece, st.sampled_from(list(Colour)), st.just(False)), max_size=10
)


@settings(max_examples=150, deadline=None)
@given(PIECES, PIECES)
def test_any_mess_is_put_right_without_losing_a_disc(lying: dict[int, Piece], wanted: dict[int, Piece]) -> None:
    layout = laid_out(Position.of(lying, Colour.BLACK))
    target = Position.of(wanted, Colour.BLACK)
    total = {colour: discs(layout, colour) for colour in Colour}
    try:
        plan = plan_transfers(layout, target, CENTRES, HUMAN, Gripper())
    except NoSpareDiscError:
        short = [c for c in Colour if sum(p.colour is c for p in wanted.values()) > total[c]]
        assert short
        return
    layout = after(layout, plan)
    assert on_board(layout) == wanted_on(target)
    assert {colour: discs(layout, colour) for colour in Colour} == total
