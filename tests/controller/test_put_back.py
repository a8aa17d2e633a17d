"""The board put back: whatever happened to the discs, the hand makes it show the position again."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laid_table import CALIBRATION, DARK, LIGHT, Table, laid

from controller.demo.report import board_agrees
from controller.draughts import SQUARES, Colour, Piece, Position, read_fen
from controller.seat.put_back import AT_HOME_MM, put_back
from controller.seat.sight import Sight, disagreements
from controller.simulated_layout import DISC_COLOURS, starting_stacks
from hardware.simulated.discs import Disc
from hardware.simulated.errand import Carry


def put_back_on(table: Table, position: Position) -> int:
    """Let the hand put the board back; how many carries that took."""
    steps = put_back(table.sight, position)
    table.do(steps)
    assert board_agrees(table.world.stacks(), position, CALIBRATION, table.human)
    assert disagreements(table.sight, position) == ()
    assert put_back(table.sight, position) == ()
    return len(steps)


START = Position.start()


def test_what_lies_well_is_left_alone() -> None:
    assert put_back_on(laid(START), START) == 0


@pytest.mark.parametrize("human", Colour)
def test_every_displaced_disc_is_carried_once(human: Colour) -> None:
    table = laid(START, human)
    moves = ((9, 14), (10, 17), (24, 20), (1, 16))
    table.do(tuple(Carry(table.at(start), table.at(end)) for start, end in moves))
    assert put_back_on(table, START) == len(moves)


def test_two_colours_that_have_changed_places_take_one_carry_more() -> None:
    table = laid(START)
    aside = (160.0, -60.0)
    table.do((Carry(table.at(9), aside), Carry(table.at(24), table.at(9)), Carry(aside, table.at(24))))
    assert put_back_on(table, START) == 3


def test_a_disc_between_the_squares_comes_home_and_its_neighbours_stay() -> None:
    table = laid(START)
    x, y = table.at(9)
    table.do((Carry((x, y), (x + 20.0, y + 20.0)),))
    assert put_back_on(table, START) == 1


def test_a_disc_off_the_middle_of_its_square_is_straightened() -> None:
    table = laid(START)
    x, y = table.at(14)
    position = read_fen("B:W30:B14")
    table = Table([(DARK, x + AT_HOME_MM + 2, y, 1), (LIGHT, *table.at(30), 1)])
    assert put_back_on(table, position) == 1
    assert put_back(table.sight, position, at_home_mm=0.01) != ()


def test_a_king_that_has_moved_is_carried_whole() -> None:
    position = read_fen("B:WK30:BK3")
    table = laid(position)
    table.do((Carry(table.at(3), table.at(19), whole_stack=True),))
    assert put_back_on(table, position) == 1


def test_discs_stacked_wrongly_are_taken_apart_from_the_top() -> None:
    position = read_fen("B:W30:B3,14")
    table = laid(position)
    table.do((Carry(table.at(30), table.at(14)), Carry(table.at(3), table.at(14))))
    assert [len(stack.ids) for stack in table.world.stacks() if len(stack.ids) > 1] == [3]
    assert put_back_on(table, position) == 2


def test_a_king_under_construction_gets_its_second_disc_from_beside_the_board() -> None:
    position = read_fen("B:W30:BK3")
    x, y = laid(position).at(3)
    table = laid(read_fen("B:W30:B3"))
    del x, y
    assert put_back_on(table, position) == 1


def test_a_dropped_disc_is_fetched_from_the_table_when_it_is_nearer_than_the_tray() -> None:
    table = laid(START)
    table.do((Carry(table.at(12), (400.0, -70.0)),))
    before = {disc.id for disc in table.sight.spares(Colour.BLACK)}
    put_back_on(table, START)
    assert len(before - {disc.id for disc in table.sight.spares(Colour.BLACK)}) == 1


def test_a_disc_among_the_trays_places_but_on_none_goes_to_one() -> None:
    table = Table([*starting_stacks(START, CALIBRATION, Colour.BLACK), (DARK, -70.0, 200.0, 1)])
    assert put_back_on(table, START) == 1
    x, y = next((disc.x, disc.y) for disc in table.world.discs if disc.id == 28)
    assert min(abs(x - a) + abs(y - b) for a, b in CALIBRATION.tray_mm) < 12


def test_with_too_few_discs_it_does_what_can_be_done() -> None:
    position = read_fen("B:W30:BK3,K4")
    table = laid(read_fen("B:W30:B3,4"))
    spare = table.sight.spares(Colour.BLACK)[0]
    rest = Sight(tuple(disc for disc in table.world.discs if disc.id != spare.id), CALIBRATION, Colour.BLACK)
    assert len(put_back(rest, position)) == 1


def test_a_leaning_disc_is_taken_up_and_laid_down_again() -> None:
    x, y = laid(START).at(14)
    leaning = Disc(0, DARK, x + 3.0, y, 2.5, lean=(0.25, 0.0))
    other = Disc(1, LIGHT, *laid(START).at(30), 0.0)
    sight = Sight((leaning, other), CALIBRATION, Colour.BLACK)
    assert put_back(sight, read_fen("B:W30:B14")) == (Carry((x + 3.0, y), (x, y)),)
    assert (
        put_back(replace(sight, discs=(replace(leaning, z=0.0, lean=(0.0, 0.0)), other)), read_fen("B:W30:B14")) == ()
    )


@st.composite
def positions(draw: st.DrawFn) -> Position:
    squares = draw(st.lists(st.sampled_from(SQUARES), min_size=2, max_size=18, unique=True))
    pieces = {
        square: Piece(draw(st.sampled_from(Colour)), king=draw(st.integers(0, 4)) == 0 and number < 6)
        for number, square in enumerate(squares)
    }
    return Position.of(pieces, Colour.BLACK)


def scrambled(table: Table, chance: random.Random, deeds: int) -> None:
    """Let the hand carry discs from anywhere to anywhere, on and off the board and onto one another."""
    for _ in range(deeds):
        disc = chance.choice(table.world.discs)
        if chance.random() < 0.6:
            to = table.at(chance.choice(SQUARES))
        else:
            to = (chance.uniform(-100, 420), chance.uniform(-80, 320))
        table.do((Carry((disc.x, disc.y), to, whole_stack=chance.random() < 0.3),))


@settings(max_examples=60, deadline=None)
@given(positions(), st.sampled_from(Colour), st.integers(0, 2**32 - 1), st.integers(0, 12))
def test_after_any_scramble_the_board_shows_the_position_again(
    position: Position, human: Colour, seed: int, deeds: int
) -> None:
    table = laid(position, human, seed % 97)
    scrambled(table, random.Random(seed), deeds)
    steps = put_back(table.sight, position)
    table.do(steps)
    # Where discs touch, the hand's small errors shift them: then it looks once more.
    table.do(put_back(table.sight, position))
    assert board_agrees(table.world.stacks(), position, CALIBRATION, human)


@settings(max_examples=40, deadline=None)
@given(positions(), positions(), st.sampled_from(Colour))
def test_any_position_can_be_laid_from_any_other_that_has_the_discs(
    before: Position, after: Position, human: Colour
) -> None:
    def discs(position: Position, colour: Colour) -> int:
        return sum(2 if piece.king else 1 for piece in position.pieces().values() if piece.colour is colour)

    stacks = starting_stacks(before, CALIBRATION, human)
    for colour in Colour:
        missing = max(discs(after, colour) - discs(before, colour) - 2, 0)
        stacks += [
            (DISC_COLOURS[colour], 20.0 + 40.0 * n, -60.0 - 40.0 * (colour is human), 1) for n in range(missing)
        ]
    table = Table(stacks, human)
    steps = put_back(table.sight, after)
    table.do(steps)
    assert board_agrees(table.world.stacks(), after, CALIBRATION, human)
