"""The order of transfers: the same work, never slower than as it was planned, and as quick as the best of all."""

from __future__ import annotations

import random
from itertools import groupby, permutations

import pytest

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Game, Position, read_fen
from controller.handling.kings import Kings
from controller.handling.layout import Layout, wanted_on
from controller.handling.order import PAYS_S, Ways, in_best_order, whither
from controller.handling.places import ALL_PLACES, Area, tray_place
from controller.handling.plan import Gripper, NoSpareDiscError, Transfer, carried_out, plan_transfers
from controller.rehearsal import DiscSet, layout_of_position
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

HUMAN = Colour.BLACK
CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())
CENTRES = {
    place: (float(x), float(y))
    for place, (x, y) in zip(ALL_PLACES, CALIBRATION.places_mm(human_is_white=False), strict=True)
}
DISCS = DiscSet(HUMAN, Gripper(), Kings.STACKED, CENTRES)
PARK = CALIBRATION.park_mm[:2]
WAYS = Ways(PARK, PARK, CENTRES)


def laid(fen: str) -> Layout:
    return layout_of_position(read_fen(fen), DISCS)


def planned(layout: Layout, wanted: Position) -> tuple[Transfer, ...]:
    return plan_transfers(layout, wanted, CENTRES, HUMAN, DISCS.gripper)


def after(layout: Layout, transfers: tuple[Transfer, ...]) -> Layout:
    for transfer in transfers:
        layout = carried_out(layout, transfer, CENTRES)
    return layout


def on_board(layout: Layout) -> dict[object, object]:
    return {p: (s.colour, s.count) for p, s in layout.stacks.items() if p.area is Area.BOARD}


@pytest.mark.parametrize("seed", range(12))
def test_whole_games_come_to_the_same_positions_no_slower(seed: int) -> None:
    chance = random.Random(seed)
    game = Game()
    layout = layout_of_position(game.position, DISCS)
    while game.outcome() is None and game.plies < 120:
        game.play(chance.choice(game.position.legal_moves()))
        try:
            plan = planned(layout, game.position)
        except NoSpareDiscError:
            break
        best = in_best_order(plan, layout, HUMAN, WAYS)
        assert WAYS.seconds_of(best, layout) <= WAYS.seconds_of(plan, layout) + 1e-9
        before, layout = layout, after(layout, best)
        assert on_board(layout) == wanted_on(game.position)
        assert layout.discs() == before.discs()
        assert all(stack.count == 1 for place, stack in layout.stacks.items() if place.area is Area.TRAY)


TRIPLE_JUMP = ("W:W31:B26,18,11,12", "B:W8:B12")
KING_JUMP = ("W:W31:BK26,K19,3", "B:W15:B3")
CROWNED_IN_CAPTURE = ("W:W13,14,19,24,25,27,29:B4,6,7,11,15,20", "B:WK1,13,14,24,25,27,29:B4,7,11,20")


@pytest.mark.parametrize(
    ("start", "end"), [TRIPLE_JUMP, KING_JUMP, CROWNED_IN_CAPTURE, ("W:W6,K22:B28,25", "B:WK1,K29:B28")]
)
def test_no_possible_order_of_a_move_is_quicker(start: str, end: str) -> None:
    layout = laid(start)
    plan = planned(layout, read_fen(end))
    best = WAYS.seconds_of(in_best_order(plan, layout, HUMAN, WAYS), layout)
    for order in permutations(plan):
        places = [{t.source, t.target} for t in order]
        clash = any(
            places[i] & places[j] and plan.index(order[i]) > plan.index(order[j])
            for i in range(len(order))
            for j in range(i + 1, len(order))
        )
        moves = [key for key, _ in groupby(order, key=whither)]
        in_two = len(moves) > len(set(moves))  # A king is not left so.
        if not clash and not in_two:
            assert best <= WAYS.seconds_of(order, layout) + PAYS_S


def test_a_crown_is_fetched_on_the_way_to_the_captured_discs() -> None:
    start, end = CROWNED_IN_CAPTURE
    layout = laid(start)
    plan = planned(layout, read_fen(end))
    best = in_best_order(plan, layout, HUMAN, WAYS)
    assert WAYS.seconds_of(best, layout) < WAYS.seconds_of(plan, layout) - 1.0


def test_a_king_is_never_put_on_its_square_before_that_is_clear() -> None:
    layout = laid("W:WK22,18:B1")
    wanted = read_fen("B:WK18,14:B1")  # The man on 18 must go first.
    best = in_best_order(planned(layout, wanted), layout, HUMAN, WAYS)
    assert on_board(after(layout, best)) == wanted_on(wanted)


def test_a_king_is_not_left_in_two_while_others_are_carried() -> None:
    layout = laid("W:WK26,29:BK22,1")
    best = in_best_order(planned(layout, read_fen("B:WK17,29:B1")), layout, HUMAN, WAYS)
    assert [str(transfer.source) for transfer in best] == ["26", "26", "22", "22"]


def test_many_transfers_are_bettered_in_bounded_work() -> None:
    layout = laid("W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12")
    wanted = read_fen("W:W21,32:B1")
    plan = planned(layout, wanted)
    assert len(plan) > 12
    best = in_best_order(plan, layout, HUMAN, WAYS)
    assert on_board(after(layout, best)) == wanted_on(wanted)
    assert WAYS.seconds_of(best, layout) <= WAYS.seconds_of(plan, layout)


def test_the_last_free_place_of_a_side_stays_free() -> None:
    layout = laid("W:W22:B17,3")
    for number in range(3, 16):
        layout = layout.put(tray_place(number), Colour.BLACK, 1, CENTRES[tray_place(number)])
    plan = planned(layout, read_fen("B:W13:B3"))
    best = in_best_order(plan, layout, HUMAN, WAYS)
    assert all(not transfer.target.is_left for transfer in best)


def test_nothing_to_do_stays_nothing() -> None:
    assert in_best_order((), laid("W:W22:B17"), HUMAN, WAYS) == ()
