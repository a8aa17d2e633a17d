"""Plans the transfers that turn the layout on the table into the one that a position wants.

A move is only the simplest difference between two layouts, so moves, jumps, crownings (the robot's own and the
human's), a forgotten captured disc and a dropped one are all planned by the same few rules:

1. a disc that is too many on one square and lacking on another of the same colour is carried straight there;
2. what is still too many goes to the tray, on the side where its colour lies;
3. what is still lacking comes from the tray.

A king is moved disc by disc when the gripper lifts one disc only: the top disc goes to the target and the lower one
on top of it. The stack is turned over, which two discs of a kind do not show, and neither a third transfer nor a
spare place is needed.

In a set whose kings are turned over a king is one disc like any other. The planner then carries discs where their
face is wanted, as far as there is a choice; what shows the wrong face at the end only a person can turn.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from math import dist

from controller.draughts import Colour, Piece, Position
from controller.errors import ControllerError
from controller.handling.kings import Kings
from controller.handling.layout import Centre, Layout, Stack, wanted_on
from controller.handling.places import BOARD, TRAY, Place, square

Centres = Mapping[Place, Centre]
"""The centre of every place, board mm."""


class NoSpareDiscError(ControllerError):
    """A crown is due, or a disc is missing, and none of its colour lies in the tray."""

    def __init__(self, colour: Colour, place: Place, for_crown: bool = True) -> None:
        why = f"the man on {place} is to be crowned" if for_crown else f"one is missing on {place}"
        super().__init__(f"please put a {disc_word(colour)} disc into the tray: {why}")
        self.colour = colour
        self.place = place


class TrayFullError(ControllerError):
    """A disc is to leave the board and no place of the tray is free."""

    def __init__(self) -> None:
        super().__init__("the tray is full: please take some discs out of it")


def disc_word(colour: Colour) -> str:
    """What people call a disc of this colour."""
    return "dark" if colour is Colour.BLACK else "light"


def holding(piece: Piece | None) -> str:
    """What a square should do, in words: "be empty", "hold a light man"."""
    if piece is None:
        return "be empty"
    return f"hold a {disc_word(piece.colour)} {'king' if piece.king else 'man'}"


@dataclass(frozen=True)
class Gripper:
    """What the planner has to know of the gripper."""

    lifts_stack: bool = False


@dataclass(frozen=True)
class Transfer:
    """Take the top `discs` at `source` and put them down on `target`."""

    source: Place
    target: Place
    discs: int
    colour: Colour

    def __str__(self) -> str:
        what = "a disc" if self.discs == 1 else "the stack"
        return f"{what} from {self.source} to {self.target}"


@dataclass
class _Differences:
    """How many discs each square has too many or lacks; worked off while the plan grows."""

    excess: dict[Place, tuple[Colour, int]]
    lacking: dict[Place, tuple[Colour, int]]


def plan_transfers(
    layout: Layout,
    position: Position,
    centres: Centres,
    human: Colour,
    gripper: Gripper,
    kings: Kings = Kings.STACKED,
) -> tuple[Transfer, ...]:
    """The transfers that turn `layout` into `position`; none if the board agrees already.

    Raises NoSpareDiscError or TrayFullError when the tray cannot give or take what is needed.
    """
    plan: list[Transfer] = []

    def add(transfer: Transfer) -> None:
        nonlocal layout
        layout = carried_out(layout, transfer, centres)
        plan.append(transfer)

    wanted = wanted_on(position, kings)
    crowns = _crowns(position, kings)
    differences = _differences(layout, wanted)
    while transfer := _within_board(layout, differences, centres, gripper, crowns):
        add(transfer)
        differences = _differences(layout, wanted)
    for place in sorted(differences.excess, key=lambda place: place.number):
        colour, count = differences.excess[place]
        for _ in range(count):
            add(Transfer(place, free_tray_place(layout, place, colour, human, centres), 1, colour))
    # A square that a wrong disc stood on is clear only now.
    differences = _differences(layout, wanted)
    while transfer := _within_board(layout, differences, centres, gripper, crowns):
        add(transfer)
        differences = _differences(layout, wanted)
    for place in sorted(differences.lacking, key=lambda place: place.number):
        colour, count = differences.lacking[place]
        for _ in range(count):
            add(Transfer(_spare_disc(layout, place, colour, centres, place in crowns), place, 1, colour))
    return tuple(plan)


def carried_out(layout: Layout, transfer: Transfer, centres: Centres) -> Layout:
    """The layout after a transfer: put down at the target's centre, or squarely on the disc that lies there."""
    below = layout.stacks.get(transfer.target)
    centre = below.centre if below else centres[transfer.target]
    crowned = layout.stacks[transfer.source].crowned
    rest = layout.take(transfer.source, transfer.discs)
    return rest.put(transfer.target, transfer.colour, transfer.discs, centre, crowned)


def free_tray_place(layout: Layout, near: Place, colour: Colour, human: Colour, centres: Centres) -> Place:
    """The one of `free_tray_places` that is nearest to `near`."""
    places = free_tray_places(layout, colour, human, centres)
    return min(places, key=lambda place: dist(centres[place], centres[near]))


def free_tray_places(layout: Layout, colour: Colour, human: Colour, centres: Centres) -> list[Place]:
    """The free tray places where a disc of `colour` may go: on its side, as long as more than one is free there.

    That one stays free as a buffer. The other side is used when the right one is full. TrayFullError if both are.
    """
    own_side = colour is human
    by_side: tuple[list[Place], list[Place]] = ([], [])
    for place in TRAY:
        if place not in layout.stacks and not _crowded(layout, centres[place]):
            by_side[place.is_left is not own_side].append(place)
    for places, keep in ((by_side[0], 1), (by_side[1], 1), (by_side[0], 0), (by_side[1], 0)):
        if len(places) > keep:
            return places
    raise TrayFullError


def _crowded(layout: Layout, centre: Centre, needed_mm: float = 32.0) -> bool:
    """Whether a disc of a neighbouring place lies so far off its centre that a disc put here would touch it."""
    return any(dist(stack.centre, centre) < needed_mm for stack in layout.stacks.values())


def _crowns(position: Position, kings: Kings) -> frozenset[Place]:
    """The squares on which a face with a crown is wanted."""
    if kings is not Kings.TURNED:
        return frozenset()
    return frozenset(square(number) for number, piece in position.pieces().items() if piece.king)


def _spare_disc(layout: Layout, target: Place, colour: Colour, centres: Centres, crowned: bool) -> Place:
    spare = layout.tray_of(colour)
    if not spare:
        raise NoSpareDiscError(colour, target, for_crown=target in layout.stacks)
    return min(
        spare,
        key=lambda place: (layout.stacks[place].crowned is not crowned, dist(centres[place], centres[target])),
    )


def _differences(layout: Layout, wanted: Mapping[Place, tuple[Colour, int]]) -> _Differences:
    excess: dict[Place, tuple[Colour, int]] = {}
    lacking: dict[Place, tuple[Colour, int]] = {}
    for place in BOARD:
        stack, goal = layout.stacks.get(place), wanted.get(place)
        if stack and (goal is None or goal[0] is not stack.colour):
            excess[place] = (stack.colour, stack.count)
            if goal:
                lacking[place] = goal
        elif goal:
            surplus = (stack.count if stack else 0) - goal[1]
            if surplus:
                (excess if surplus > 0 else lacking)[place] = (goal[0], abs(surplus))
    return _Differences(excess, lacking)


def _within_board(
    layout: Layout, differences: _Differences, centres: Centres, gripper: Gripper, crowns: Container[Place]
) -> Transfer | None:
    """The shortest way to carry a disc from a square where it is too many to one where it is lacking, with the face
    that is wanted there if that can be."""
    ways = [
        (
            layout.stacks[source].crowned is not (target in crowns),
            dist(centres[source], centres[target]),
            source.number,
            target.number,
            source,
            target,
        )
        for source, (colour, _) in differences.excess.items()
        for target, (wanted_colour, _) in differences.lacking.items()
        if colour is wanted_colour and source != target and _accepts(layout.stacks.get(target), colour)
    ]
    if not ways:
        return None
    *_, source, target = min(ways, key=lambda way: way[:4])
    colour, count = differences.excess[source]
    whole = gripper.lifts_stack and count == 2 and differences.lacking[target][1] == 2
    return Transfer(source, target, 2 if whole else 1, colour)


def _accepts(stack: Stack | None, colour: Colour) -> bool:
    return stack is None or stack.colour is colour
