"""Makes the board show a position again, with as few carries as the discs' order allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import dist

from controller.draughts import SQUARES, Colour, Position
from controller.handling.kings import Kings
from controller.handling.layout import Centre, wanted_on
from controller.seat.sight import AT_PLACE_MM, FREE_MM, IN_LINE_MM, Sight, apart, colour_of
from hardware.simulated.discs import Disc, Face
from hardware.simulated.errand import Carry, Turn

AT_HOME_MM = 10.0
"""A disc this close to its square's centre need not be straightened."""


@dataclass(frozen=True)
class _Gap:
    """A square that lacks discs: what it wants, how many of them lie there already, and where to put the next."""

    square: int
    centre: Centre
    colour: Colour
    count: int
    lying: int


@dataclass(frozen=True)
class _Load:
    """Discs that can be taken together, from below."""

    discs: tuple[Disc, ...]

    @property
    def at(self) -> Centre:
        return self.discs[0].x, self.discs[0].y

    @property
    def colour(self) -> Colour:
        return colour_of(self.discs[0])


def put_back(sight: Sight, position: Position, at_home_mm: float = AT_HOME_MM) -> tuple[Carry | Turn, ...]:
    """The carries after which the board shows `position`, as far as there are discs enough.

    In a set whose kings are turned over, what then shows the wrong face is turned.

    A disc that lies well (within `at_home_mm` of the centre, flat, on its own kind) stays. Whatever else lies on or
    over the board, or in the tray off its places, goes to where its colour is lacking, or else into the tray; what
    then is still lacking comes from beside the board.
    """
    carries: list[Carry] = []
    while step := _next_carry(sight, position, at_home_mm):
        load, to, level = step
        carries.append(Carry(load.at, to, whole_stack=len(load.discs) > 1))
        sight = _after(sight, load, to, level)
    return (*carries, *_turns(sight, position))


def _turns(sight: Sight, position: Position) -> tuple[Turn, ...]:
    """The discs to turn over, in a set whose kings are turned, so that kings show their crown and men do not."""
    if sight.kings is not Kings.TURNED:
        return ()
    turns = []
    for square, piece in position.pieces().items():
        discs = sight.on_square(square)
        if discs and (discs[-1].face is Face.CROWN) is not piece.king:
            turns.append(Turn((discs[-1].x, discs[-1].y)))
    return tuple(turns)


def _next_carry(sight: Sight, position: Position, at_home_mm: float) -> tuple[_Load, Centre, int] | None:
    """What to take next, where to, and on how many discs it is put there."""
    settled, gaps = _compare(sight, position, at_home_mm)
    loose = [disc for disc in sight.discs if disc.id not in settled and _is_in_the_way(sight, disc)]
    loads = [_Load((disc,)) for disc in loose if sight.is_topmost(disc)]
    kings = [king for disc in loose if (king := _king_on(sight, disc, loose))]
    for candidates in (kings, loads):  # A king carried whole saves a carry.
        ways = [
            (dist(load.at, gap.centre), number, load, gap)
            for number, load in enumerate(candidates)
            for gap in gaps
            if gap.colour is load.colour and _fits(sight, settled, load, gap)
        ]
        if ways:
            *_, load, gap = min(ways, key=lambda way: way[:2])
            return load, gap.centre, gap.lying
    if loads:
        load = _to_clear_away(sight, settled, loads, gaps)
        without = sight.without(disc.id for disc in load.discs)
        place = min(without.free_tray_places(load.colour), key=lambda place: dist(place, load.at))
        return load, place, 0
    for gap in gaps:
        if spare := min(sight.spares(gap.colour), key=lambda disc: apart(disc, gap.centre), default=None):
            return _Load((spare,)), gap.centre, gap.lying
    return None


def _compare(sight: Sight, position: Position, at_home_mm: float) -> tuple[set[int], list[_Gap]]:
    """The discs that lie as `position` wants them, and the squares that lack some."""
    wanted = {place.number: goal for place, goal in wanted_on(position, sight.kings).items()}
    settled: set[int] = set()
    gaps = []
    for square in SQUARES:
        colour, count = wanted.get(square, (Colour.BLACK, 0))
        centre = sight.square_centre(square)
        lying = 0
        below: Disc | None = None
        for disc in sight.on_square(square):
            off = apart(disc, centre) if below is None else apart(disc, (below.x, below.y))
            near = off <= (at_home_mm if below is None else IN_LINE_MM)
            if lying == count or colour_of(disc) is not colour or not near or not sight.lies_flat(disc, lying):
                break
            settled.add(disc.id)
            lying, below = lying + 1, disc
        if lying < count:
            gaps.append(_Gap(square, centre if below is None else (below.x, below.y), colour, count, lying))
    return settled, gaps


def _is_in_the_way(sight: Sight, disc: Disc) -> bool:
    """Whether a disc lies on or over the board, or among the tray's places but on none of them."""
    side, radius = 8 * sight.calibration.square_mm, sight.calibration.disc.diameter_mm / 2
    if -radius < disc.x < side + radius and -radius < disc.y < side + radius:
        return True
    nearest = min(apart(disc, place) for place in sight.all_tray_centres)
    return AT_PLACE_MM < nearest < FREE_MM


def _king_on(sight: Sight, base: Disc, loose: Iterable[Disc]) -> _Load | None:
    """A loose disc with one of its own colour, and nothing else, on it."""
    above = [disc for disc in loose if disc.z > base.z and apart(disc, (base.x, base.y)) <= IN_LINE_MM]
    if len(above) != 1 or above[0].colour is not base.colour or not sight.lies_flat(base, 0):
        return None
    (top,) = above
    freed = sight.without([top.id])
    return _Load((base, top)) if sight.is_topmost(top) and freed.is_topmost(base) else None


def _fits(sight: Sight, settled: set[int], load: _Load, gap: _Gap) -> bool:
    """Whether a load can be put down in a gap: not too many discs, and nothing else lies in the way there."""
    if len(load.discs) > gap.count - gap.lying:
        return False
    taken = {disc.id for disc in load.discs}
    return not any(
        apart(disc, gap.centre) < FREE_MM for disc in sight.discs if disc.id not in settled and disc.id not in taken
    )


def _to_clear_away(sight: Sight, settled: set[int], loads: list[_Load], gaps: list[_Gap]) -> _Load:
    """The load to be put into the tray: one that is wanted nowhere, or whose going lets another one come home."""
    lacking = {gap.colour for gap in gaps}

    def promise(load: _Load) -> tuple[bool, bool]:
        rest = sight.without(disc.id for disc in load.discs)
        near = [gap for gap in gaps if dist(load.at, gap.centre) < FREE_MM]
        lets_in = any(
            gap.colour is other.colour and other is not load and _fits(rest, settled, other, gap)
            for gap in near
            for other in loads
        )
        return load.colour not in lacking, lets_in

    return max(loads, key=promise)


def _after(sight: Sight, load: _Load, to: Centre, level: int) -> Sight:
    """The table after a load was put down at `to`, on `level` discs."""
    sight = sight.without(disc.id for disc in load.discs)
    height = sight.calibration.disc.height_mm
    for number, disc in enumerate(load.discs):
        x, y = to[0] + disc.x - load.at[0], to[1] + disc.y - load.at[1]
        sight = sight.with_disc(replace(disc, x=x, y=y, z=(level + number) * height, lean=(0.0, 0.0)))
    return sight
