"""How the discs lie on a simulated table when a game begins."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.calibration import Calibration
from controller.draughts import Colour, Position
from controller.handling.kings import Kings
from controller.handling.layout import wanted_on
from controller.handling.places import TRAY_SIDE
from hardware.simulated.discs import DiscColour
from hardware.simulated.physics.interface import StackOfDiscs

DISC_COLOURS = {Colour.BLACK: DiscColour.DARK, Colour.WHITE: DiscColour.LIGHT}
DISCS_A_SIDE = 12
SPARE_DISCS = 2
"""Discs of each colour that lie in the tray from the start."""


def starting_stacks(
    position: Position, calibration: Calibration, human: Colour = Colour.BLACK, kings: Kings = Kings.STACKED
) -> list[StackOfDiscs]:
    """The discs of `position` on their squares, and the spare discs of each colour in the tray on its side."""
    stacks = [
        (DISC_COLOURS[colour], *calibration.square_mm_centre(place.number, human is Colour.WHITE), count)
        for place, (colour, count) in wanted_on(position, kings).items()
    ]
    for first, colour in ((1, human), (TRAY_SIDE + 1, human.other)):
        for number in range(first, first + SPARE_DISCS):
            stacks.append((DISC_COLOURS[colour], *calibration.tray_centre(number), 1))
    return stacks


def stacks_in_trays(tray_mm: Sequence[tuple[float, float]], human: Colour = Colour.BLACK) -> list[StackOfDiscs]:
    """All discs of a set, and the spare ones, in the trays, whose places (board mm) are given."""
    return [
        (DISC_COLOURS[colour], *tray_mm[first + number], 1)
        for first, colour in ((0, human), (TRAY_SIDE, human.other))
        for number in range(DISCS_A_SIDE + SPARE_DISCS)
    ]


def starting_crowns(position: Position, kings: Kings) -> frozenset[int]:
    """The discs of `starting_stacks`, by their numbers, that lie crown up."""
    if kings is not Kings.TURNED:
        return frozenset()
    pieces = position.pieces()
    return frozenset(disc for disc, place in enumerate(wanted_on(position, kings)) if pieces[place.number].king)
