"""What somebody who sits at the table sees: every disc that lies there, and where the places are."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from calibration.calibration import Calibration
from controller.draughts import SQUARES, Colour, Piece, Position
from controller.handling.kings import Kings
from controller.handling.layout import Centre
from controller.handling.places import TRAY_PLACES, TRAY_SIDE
from controller.handling.plan import holding
from controller.simulated_layout import DISC_COLOURS
from hardware.simulated.discs import Disc, DiscColour, Face
from hardware.simulated.requests import TruthReply

AT_PLACE_MM = 12.0
"""A disc whose centre is this close to a tray place's lies on it."""
FREE_MM = 36.0
"""A place looks free when no disc's centre is nearer than this to its own."""
IN_LINE_MM = 8.0
"""A disc stands well on another one when their centres are this close."""
OVERHANG_MM = 5.0
"""A disc on another stack may stick out so far over one beside it without hindering anybody to take that."""
LEVEL_MM = 2.0
"""How far from its height above whole discs a disc that lies flat may seem to be."""
MOST_LEAN = 0.1
"""Tilt (radians) up to which a disc counts as flat."""


@dataclass(frozen=True)
class Sight:
    """The discs that lie on the table, who sits at its near side, and how kings are shown."""

    discs: tuple[Disc, ...]
    calibration: Calibration
    human: Colour
    kings: Kings = Kings.STACKED

    @staticmethod
    def of(truth: TruthReply, calibration: Calibration, human: Colour, kings: Kings = Kings.STACKED) -> Sight:
        """What a simulated table says of itself; discs in the air are left out."""
        return Sight(
            tuple(
                Disc(disc.id, DiscColour(disc.colour), disc.x_mm, disc.y_mm, disc.z_mm, face=Face(disc.face))
                for disc in truth.discs
                if disc.where == "lying"
            ),
            calibration,
            human,
            kings,
        )

    def square_centre(self, square: int) -> Centre:
        """The centre of a square, board mm."""
        return self.calibration.square_mm_centre(square, self.human is Colour.WHITE)

    def tray_centres(self, colour: Colour) -> list[Centre]:
        """The tray places on the side where discs of `colour` lie, board mm."""
        first = 1 if colour is self.human else TRAY_SIDE + 1
        return [self.calibration.tray_centre(number) for number in range(first, first + TRAY_SIDE)]

    @property
    def all_tray_centres(self) -> list[Centre]:
        """All tray places, board mm."""
        return [self.calibration.tray_centre(number) for number in range(1, TRAY_PLACES + 1)]

    def on_square(self, square: int) -> tuple[Disc, ...]:
        """The discs whose centres lie within a square, from below."""
        x, y = self.square_centre(square)
        half = self.calibration.square_mm / 2
        found = [disc for disc in self.discs if abs(disc.x - x) <= half and abs(disc.y - y) <= half]
        return tuple(sorted(found, key=lambda disc: disc.z))

    def is_on_board(self, disc: Disc) -> bool:
        """Whether a disc's centre lies on the playing area."""
        side = 8 * self.calibration.square_mm
        return 0 <= disc.x <= side and 0 <= disc.y <= side

    def is_topmost(self, disc: Disc) -> bool:
        """Whether nothing rests on a disc."""
        overlap = self.calibration.disc.diameter_mm - OVERHANG_MM
        return not any(other.z > disc.z and apart(other, (disc.x, disc.y)) < overlap for other in self.discs)

    def lies_flat(self, disc: Disc, level: int) -> bool:
        """Whether a disc lies flat on `level` others."""
        height = level * self.calibration.disc.height_mm
        return abs(disc.z - height) < LEVEL_MM and math.hypot(*disc.lean) < MOST_LEAN

    def spares(self, colour: Colour) -> tuple[Disc, ...]:
        """The discs of a colour beside the board that can be taken."""
        return tuple(
            disc
            for disc in self.discs
            if disc.colour is DISC_COLOURS[colour] and not self.is_on_board(disc) and self.is_topmost(disc)
        )

    def clearance(self, place: Centre) -> float:
        """Distance (mm) from a point to the disc that lies nearest."""
        return min((apart(disc, place) for disc in self.discs), default=math.inf)

    def free_tray_places(self, colour: Colour) -> list[Centre]:
        """Tray places that look free, those on the side of `colour`, or else those on the other.

        If there is none at all: the one with most room.
        """
        for side in (colour, colour.other):
            if free := [place for place in self.tray_centres(side) if self.clearance(place) >= FREE_MM]:
                return free
        return [max(self.all_tray_centres, key=self.clearance)]

    def without(self, disc_ids: Iterable[int]) -> Sight:
        """The table after these discs were taken away."""
        gone = set(disc_ids)
        return replace(self, discs=tuple(disc for disc in self.discs if disc.id not in gone))

    def with_disc(self, disc: Disc) -> Sight:
        """The table after a disc was laid down."""
        return replace(self, discs=(*self.discs, disc))


def apart(disc: Disc, point: Centre) -> float:
    """Horizontal distance (mm) of a disc's centre from a point."""
    return math.hypot(disc.x - point[0], disc.y - point[1])


def colour_of(disc: Disc) -> Colour:
    """Whose disc it is: Black's are the dark ones."""
    return Colour.BLACK if disc.colour is DiscColour.DARK else Colour.WHITE


def disagreements(sight: Sight, position: Position) -> tuple[str, ...]:
    """Where the discs on the playing area are not the pieces of `position`, in words; nothing if they agree.

    "9 should be empty", "14 should hold a light man", "a disc lies between the squares".
    """
    pieces = position.pieces()
    found = []
    counted = 0
    for square in SQUARES:
        discs = sight.on_square(square)
        counted += len(discs)
        if not _shows(discs, pieces.get(square), sight.kings):
            found.append(f"{square} should {holding(pieces.get(square))}")
    if stray := sum(sight.is_on_board(disc) for disc in sight.discs) - counted:
        found.append(f"{'a disc lies' if stray == 1 else f'{stray} discs lie'} off the squares")
    return tuple(found)


def _shows(discs: tuple[Disc, ...], piece: Piece | None, kings: Kings) -> bool:
    """Whether the discs on a square are this piece."""
    if piece is None:
        return not discs
    right_face = kings is Kings.STACKED or all((disc.face is Face.CROWN) is piece.king for disc in discs)
    return (
        tuple(colour_of(disc) for disc in discs) == (piece.colour,) * (kings.discs if piece.king else 1)
        and right_face
    )
