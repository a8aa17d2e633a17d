"""Rehearsing on virtual time: the figures, and how near they come to the best that the machine can do."""

from __future__ import annotations

import random

import pytest

from controller.draughts import Colour, Game, parse_move, read_fen
from controller.handling.kings import Kings
from controller.handling.places import ALL_PLACES, Area
from controller.handling.plan import Gripper
from controller.rehearsal import DiscSet, Grips, RehearsedMove, layout_of_position, rehearse
from tests.controller.handled_arm import VirtualArm

GRIPS = Grips(0.15, 0.15)


def disc_set(arm: VirtualArm, lifts_stack: bool = False) -> DiscSet:
    places = arm.calibration.places_mm(human_is_white=False)
    centres = {place: (float(x), float(y)) for place, (x, y) in zip(ALL_PLACES, places, strict=True)}
    return DiscSet(Colour.BLACK, Gripper(lifts_stack), Kings.STACKED, centres)


def rehearsed(game: Game, lifts_stack: bool = False) -> list[RehearsedMove]:
    handled = VirtualArm()
    handled.arm.home()
    moves = list(rehearse(game, handled.arm, handled.clock, disc_set(handled, lifts_stack), GRIPS))
    assert handled.board_mm == pytest.approx(handled.calibration.park_mm, abs=0.02)
    return moves


def played(fen: str, *moves: str) -> Game:
    game = Game(read_fen(fen))
    for move in moves:
        game.play(parse_move(game.position, move))
    return game


def test_a_game_is_no_slower_than_the_bounds_by_more_than_eight_hundredths() -> None:
    game, chance = Game(), random.Random(5)
    while game.outcome() is None and game.plies < 40:
        game.play(chance.choice(game.position.legal_moves()))
    moves = rehearsed(game)
    assert len(moves) == game.plies
    assert sum(move.seconds for move in moves) <= 1.08 * sum(move.bound for move in moves)
    assert all(1.0 <= move.ratio <= 1.10 for move in moves)
    plain = [move.seconds for move in moves if move.transfers == 1]
    assert max(plain) < 3.43 + 0.3  # From the farthest row.
    assert sum(plain) / len(plain) < 3.43


@pytest.mark.parametrize(
    ("fen", "move", "seconds"),
    [
        ("W:W22:B1", "22-18", 3.43),
        ("W:W22:B17,3", "22x13", 7.08),
        ("W:W31:B26,18,11,12", "31x22x15x8", 15.84),
        ("W:WK22:B1", "22-18", 9.73),
        ("W:W6:B28", "6-1", 7.91),
    ],
)
def test_no_kind_of_move_takes_longer_than_the_design_allows(fen: str, move: str, seconds: float) -> None:
    (rehearsed_move,) = rehearsed(played(fen, move))
    assert rehearsed_move.seconds <= seconds


def test_jaws_move_a_king_in_one_transfer() -> None:
    (move,) = rehearsed(played("W:WK22:B1", "22-18"), lifts_stack=True)
    assert (move.transfers, move.seconds <= 3.87) == (1, True)


def test_the_bound_is_that_of_the_lines_that_were_gone() -> None:
    handled = VirtualArm()
    handled.arm.home()
    lines: list[tuple[object, object]] = []
    game = played("W:W22:B1", "22-18")
    (move,) = rehearse(game, handled.arm, handled.clock, disc_set(handled), GRIPS)
    handled = VirtualArm()
    handled.arm.home()
    handled.arm.on_line = lambda start, target: lines.append((start, target))
    discs = disc_set(handled)
    layout = layout_of_position(game.start, discs)
    places = {str(place): place for place in layout.stacks}
    source = places["22"]
    target = next(place for place in ALL_PLACES if place.area is Area.BOARD and place.number == 18)
    handled.arm.carry(layout, source, target, 1, discs.centres[target])
    handled.arm.park(layout.take(source, 1).put(target, Colour.WHITE, 1, discs.centres[target]))
    assert move.bound == pytest.approx(sum(handled.arm.speeds.seconds(*line) for line in lines) + 0.3)


def test_a_crown_that_the_tray_cannot_give_is_thought_to_be_put_there_by_a_person() -> None:
    game = played("W:W5,6,7:B28", "5-1", "28-32", "6-2", "32-28", "7-3")  # The third crown, of two spare discs.
    assert [move.transfers for move in rehearsed(game)] == [2, 2, 2, 2, 2]


def test_every_side_begins_with_two_spare_discs() -> None:
    discs = disc_set(VirtualArm())
    layout = layout_of_position(Game().position, discs)
    assert {colour: len(layout.tray_of(colour)) for colour in Colour} == dict.fromkeys(Colour, 2)
    assert all(place.is_left for place in layout.tray_of(Colour.BLACK))
