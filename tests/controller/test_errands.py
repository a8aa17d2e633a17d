"""What the human's hand is asked to do, and what is then where."""

from __future__ import annotations

from math import dist

import pytest
from laid_table import CALIBRATION, DARK, GEOMETRY, LIGHT, Table, laid

from controller.draughts import Colour, parse_move, read_fen
from controller.seat import errands
from controller.seat.sight import Sight, disagreements
from hardware.simulated.discs import DiscColour
from hardware.simulated.errand import Hover, Push
from hardware.simulated.requests import DiscTruth, TruthReply


def played(fen: str, text: str, crowned: bool = False, human: Colour = Colour.BLACK) -> Table:
    """A table on which the hand has made a legal move; it then shows what the rules say."""
    position = read_fen(fen)
    table = laid(position, human)
    move = parse_move(position, text)
    steps = errands.play(table.sight, move)
    if crowned:
        steps += errands.put_spare(table.sight, move.end, position.turn)
    table.do(steps)
    assert disagreements(table.sight, position.after(move)) == ()
    return table


def in_tray(table: Table, colour: DiscColour, side: Colour) -> int:
    places = table.sight.tray_centres(side)
    return sum(
        disc.colour is colour and min(dist((disc.x, disc.y), place) for place in places) < 12
        for disc in table.world.discs
    )


def test_a_step() -> None:
    played("B:W21-32:B1-12", "11-15")
    played("W:W21-32:B1-12", "22-18", human=Colour.WHITE)


def test_a_king_goes_whole() -> None:
    played("B:W30:BK3", "3-8")


def test_what_is_captured_goes_to_the_side_of_its_colour() -> None:
    table = played("B:W18,25:B14", "14x23")
    assert in_tray(table, LIGHT, Colour.WHITE) == 3
    assert in_tray(table, DARK, Colour.BLACK) == 2


def test_captured_kings_leave_disc_by_disc() -> None:
    table = played("B:WK18,K26:B14", "14x23x30", crowned=True)
    assert in_tray(table, LIGHT, Colour.WHITE) == 6
    assert in_tray(table, DARK, Colour.BLACK) == 1


def test_a_kings_round_trip_only_takes_discs_away() -> None:
    table = laid(read_fen("B:W7,8,15,16:BK3"))
    move = parse_move(read_fen("B:W7,8,15,16:BK3"), "3x10x19x12x3")
    steps = errands.play(table.sight, move)
    assert len(steps) == 4
    table.do(steps)
    assert disagreements(table.sight, read_fen("W:W:BK3")) == ()


def test_free_places_can_be_chosen_by_whoever_moves() -> None:
    position = read_fen("B:W18,25:B14")
    table = laid(position)
    steps = errands.play(table.sight, parse_move(position, "14x23"), choose=lambda places: places[-1])
    assert steps[-1].to_mm == CALIBRATION.tray_centre(32)


def test_a_crown_is_fetched_from_anywhere_when_the_right_side_of_the_tray_has_none() -> None:
    sight = laid(read_fen("B:W30:B3")).sight
    elsewhere = Table([(DARK, *sight.square_centre(29), 1), (DARK, 350.0, -60.0, 1), (LIGHT, 10.0, -60.0, 1)])
    elsewhere.do(errands.crown(elsewhere.sight, 29))
    assert [disc.colour for disc in elsewhere.sight.on_square(29)] == [DARK, DARK]
    with pytest.raises(errands.NothingToTakeError, match="there is no dark disc beside the board"):
        errands.crown(elsewhere.sight, 29)


def test_the_spare_on_the_own_side_is_taken_before_a_nearer_one() -> None:
    far, near = (-50.0, 20.0), (345.0, 300.0)
    table = Table([(DARK, 300.0, 300.0, 1), (DARK, *far, 1), (DARK, *near, 1)])
    (carry,) = errands.crown(table.sight, 29)
    assert carry.from_mm == far


def test_a_disc_is_taken_off_and_put_on() -> None:
    table = laid(read_fen("B:W30:BK3"))
    table.do(errands.take_away(table.sight, 3))
    assert disagreements(table.sight, read_fen("B:W30:B3")) == ()
    table.do(errands.put_spare(table.sight, 14, Colour.WHITE))
    assert disagreements(table.sight, read_fen("B:W30,14:B3")) == ()


def test_any_piece_goes_anywhere_even_onto_another() -> None:
    table = laid(read_fen("B:W30:B3"))
    table.do(errands.carry(table.sight, 30, 3))
    assert disagreements(table.sight, read_fen("B:W30:B3")) == (
        "3 should hold a dark man",
        "30 should hold a light man",
    )


@pytest.mark.parametrize(
    ("path", "squares"),
    [
        ((11, 15), ()),
        ((11, 18), (15,)),
        ((11, 18, 25), (15, 22)),
        ((3, 10, 19, 12, 3), (7, 15, 16, 8)),
        ((1, 32), ()),
    ],
)
def test_what_a_path_jumps_over(path: tuple[int, ...], squares: tuple[int, ...]) -> None:
    assert errands.jumped_over(path) == squares


def test_nothing_is_taken_where_nothing_lies() -> None:
    sight = laid(read_fen("B:W30:B3")).sight
    for errand in (
        lambda: errands.carry(sight, 14, 18),
        lambda: errands.take_away(sight, 14),
        lambda: errands.push(sight, 14, (5, 5)),
        lambda: errands.crown(sight, 14),
    ):
        with pytest.raises(errands.NothingToTakeError, match="there is no disc on 14"):
            errand()
    assert errands.remove(sight, [14]) == ()


def test_a_push_starts_where_the_disc_is() -> None:
    table = Table([(DARK, 144.0, 61.0, 1)], Colour.WHITE)
    assert errands.push(table.sight, 26, (-5.0, 3.0)) == (Push((144.0, 61.0), (139.0, 64.0)),)


def test_the_hand_reaches_in_over_a_square_or_the_middle() -> None:
    sight = Sight((), CALIBRATION, Colour.WHITE)
    assert errands.reach_in(sight, 29, 3.0) == (Hover((20.0, 20.0), 3.0),)
    assert errands.reach_in(sight)[0].over_mm == (160.0, 160.0)


def test_room_is_made_in_a_full_tray() -> None:
    table = Table([(DARK if n < 16 else LIGHT, *place, 1) for n, place in enumerate(GEOMETRY.tray_mm)])
    table.do(errands.make_room(table.sight, 3))
    free = [place for place in table.sight.all_tray_centres if table.sight.clearance(place) > 15]
    assert len(free) == 3
    assert not any(table.sight.is_on_board(disc) for disc in table.world.discs)


def test_the_truth_of_a_running_table_is_seen_without_what_is_in_the_air() -> None:
    discs = (
        DiscTruth(0, "dark", 20.0, 20.0, 0.0, "lying"),
        DiscTruth(1, "light", 20.0, 20.0, 8.0, "lying"),
        DiscTruth(2, "dark", 60.0, 60.0, 40.0, "carried"),
        DiscTruth(3, "dark", 60.0, 60.0, 40.0, "hand"),
    )
    truth = TruthReply(0, discs, (), 0, 0, None, (0, 0, 0), False, False, "off", "window", False, 0, 0.0)
    sight = Sight.of(truth, CALIBRATION, Colour.WHITE)
    assert [disc.id for disc in sight.on_square(29)] == [0, 1]
    assert disagreements(sight, read_fen("B:W30:BK29")) == (
        "29 should hold a dark king",
        "30 should hold a light man",
    )


def test_discs_off_the_squares_are_counted() -> None:
    table = Table([(DARK, 60.0, 20.0, 1), (DARK, 20.0, 60.0, 1), (DARK, -50.0, 20.0, 1)], Colour.WHITE)
    assert disagreements(table.sight, read_fen("B:W:B25")) == (
        "25 should hold a dark man",
        "2 discs lie off the squares",
    )
