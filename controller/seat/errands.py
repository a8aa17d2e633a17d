"""What a human's hand can be asked to do at the table, as steps; pure functions of what lies where.

Discs are taken where they lie and put at the middle of squares and places; how exactly is the hand's affair. How the
board is put right again is in `controller.seat.put_back`. Whatever takes a disc raises NothingToTakeError when there
is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from math import dist

from controller.draughts import Colour, Move, square_between
from controller.errors import ControllerError
from controller.handling.kings import Kings
from controller.handling.layout import Centre
from controller.handling.plan import disc_word
from controller.seat.sight import AT_PLACE_MM, Sight, apart, colour_of
from hardware.simulated.discs import Disc
from hardware.simulated.errand import Carry, Hover, Push, Step, Turn

Choose = Callable[[Sequence[Centre]], Centre]
"""Picks one of several places that will do."""
REACH_S = 600.0
"""How long a hand that was told to stay over the board stays there, unless it is told to go."""
IN_FRONT_SQUARES = 1.5
"""How far in front of the board a disc is laid that the tray has no room for."""


class NothingToTakeError(ControllerError):
    """There is no disc where one was to be taken."""


def carry(sight: Sight, start: int, end: int) -> tuple[Step, ...]:
    """Take the piece on one square, whole, to another, whatever the rules say of it."""
    lowest = _discs_on(sight, start)[0]
    return () if start == end else (Carry(_centre(lowest), sight.square_centre(end), whole_stack=True),)


def remove(sight: Sight, squares: Sequence[int], choose: Choose | None = None) -> tuple[Step, ...]:
    """Take every disc on these squares to free places of the tray, on the side where its colour lies.

    `choose` picks among the free places; without it the nearest is taken.
    """
    steps: list[Step] = []
    for square in squares:
        for disc in reversed(sight.on_square(square)):
            step, sight = _to_tray(sight, disc, choose)
            steps.append(step)
    return tuple(steps)


def take_away(sight: Sight, square: int) -> tuple[Step, ...]:
    """Take the top disc on a square to the nearest free place of the tray."""
    step, _ = _to_tray(sight, _discs_on(sight, square)[-1], None)
    return (step,)


def put_spare(sight: Sight, square: int, colour: Colour) -> tuple[Step, ...]:
    """Put a disc of `colour` on a square, on whatever lies there: from its side of the tray, else from anywhere."""
    centre = sight.square_centre(square)
    spares = sight.spares(colour)
    own_side = [disc for disc in spares if _lies_at(disc, sight.tray_centres(colour))]
    spare = min(own_side or spares, key=lambda disc: apart(disc, centre), default=None)
    if spare is None:
        raise NothingToTakeError(f"there is no {disc_word(colour)} disc beside the board")
    return (Carry(_centre(spare), centre),)


def turn_over(sight: Sight, square: int) -> tuple[Step, ...]:
    """Turn the disc on a square over."""
    return (Turn(_centre(_discs_on(sight, square)[-1])),)


def crown(sight: Sight, square: int) -> tuple[Step, ...]:
    """Make the piece on a square a king: by a second disc of its colour, or by turning it over."""
    if sight.kings is Kings.TURNED:
        return turn_over(sight, square)
    return put_spare(sight, square, colour_of(_discs_on(sight, square)[-1]))


def crown_moved(sight: Sight, square: int, colour: Colour) -> tuple[Step, ...]:
    """Make a king of a man of `colour` that the same hand has just put on a square."""
    if sight.kings is Kings.TURNED:
        return (Turn(sight.square_centre(square)),)
    return put_spare(sight, square, colour)


def play(sight: Sight, move: Move, choose: Choose | None = None) -> tuple[Step, ...]:
    """Make a move as it should be made, all but the crown: the piece goes, what it captured leaves the board."""
    return (*carry(sight, move.start, move.end), *remove(sight, move.captured, choose))


def jumped_over(path: Sequence[int]) -> tuple[int, ...]:
    """The squares between those of a path that lie a jump apart, in order, each once."""
    between = (square_between(start, end) for start, end in pairwise(path))
    return tuple(dict.fromkeys(square for square in between if square is not None))


def push(sight: Sight, square: int, by_mm: tuple[float, float]) -> tuple[Step, ...]:
    """Push the piece on a square along the surface by (x, y) mm."""
    x, y = _centre(_discs_on(sight, square)[0])
    return (Push((x, y), (x + by_mm[0], y + by_mm[1])),)


def reach_in(sight: Sight, square: int | None = None, seconds: float = REACH_S) -> tuple[Step, ...]:
    """Hold the hand over a square, or over the middle of the board, and touch nothing."""
    middle = 4 * sight.calibration.square_mm
    return (Hover((middle, middle) if square is None else sight.square_centre(square), seconds),)


def make_room(sight: Sight, discs: int) -> tuple[Step, ...]:
    """Take up to so many discs out of the tray and lay them down in front of the board."""
    in_tray = [disc for colour in Colour for disc in sight.spares(colour) if _lies_at(disc, sight.all_tray_centres)]
    square_mm = sight.calibration.square_mm
    row = [((column + 0.5) * square_mm, -IN_FRONT_SQUARES * square_mm) for column in range(8)]
    free = [place for place in row if sight.clearance(place) >= square_mm]
    return tuple(Carry(_centre(disc), place) for disc, place in zip(in_tray[:discs], free, strict=False))


def _discs_on(sight: Sight, square: int) -> tuple[Disc, ...]:
    discs = sight.on_square(square)
    if not discs:
        raise NothingToTakeError(f"there is no disc on {square}")
    return discs


def _to_tray(sight: Sight, disc: Disc, choose: Choose | None) -> tuple[Step, Sight]:
    """Carry one disc to the tray; also the table afterwards."""
    start = _centre(disc)
    rest = sight.without([disc.id])
    free = rest.free_tray_places(colour_of(disc))
    to = choose(free) if choose is not None else min(free, key=lambda place: dist(place, start))
    return Carry(start, to), rest.with_disc(replace(disc, x=to[0], y=to[1], z=0.0, lean=(0.0, 0.0)))


def _lies_at(disc: Disc, places: Sequence[Centre]) -> bool:
    return any(apart(disc, place) < AT_PLACE_MM for place in places)


def _centre(disc: Disc) -> Centre:
    return disc.x, disc.y
