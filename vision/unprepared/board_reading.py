"""Reading a board of which nothing is known but the picture: neither the discs' size nor anyone's colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.unprepared.first_look import SQUARES, Discs, bare_board, find_discs, logarithmic, refined_faces
from vision.disc_size import DiscSize
from vision.finder import FoundBoard
from vision.pose import camera_from_grid
from vision.reading import Content, Reading
from vision.unprepared.round_shapes import edge_directions
from vision.unprepared.side_walls import disc_height, king_log_odds, measure
from vision.view import View

SQUARE_MM = 40.0
"""The board's own unit is the square; only proportions matter here."""
LETTERS = ".dDlL"
"""One letter for each Content."""
UNSURE = "?"

_SQUARE_PX = 64.0
"""Squares in the picture that is read: larger ones show nothing more."""
_COARSE = DiscSize(30.0, 8.0)
_FINE = DiscSize(20.0, 8.0)
"""Sizes that give ground images of 1 and 1.5 px/mm."""
_FIRST_HEIGHTS_MM = (0.0, 12.0)
_SURE = 0.6
"""Readings less probable than this are called unsure."""
_COLOUR_DOUBT = 0.01

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoardReading:
    """What the 64 squares hold, row by row from the top left as seen.

    view: the squares in the same order as places, seen in a picture `scale` times the size of the one that was read.
    reading: 64 places. unsure: (64,) squares of which the picture does not tell enough.
    """

    view: View
    scale: float
    reading: Reading
    unsure: NDArray[np.bool_]

    @property
    def rows(self) -> list[str]:
        """Eight rows of eight letters: '.' empty, d D dark man and king, l L light man and king, '?' unsure."""
        letters = [
            UNSURE if doubt or hidden else LETTERS[content]
            for content, doubt, hidden in zip(self.reading.contents, self.unsure, self.reading.hidden, strict=True)
        ]
        return ["".join(letters[8 * row : 8 * row + 8]) for row in range(8)]


def read_board(pixels: NDArray[np.uint8], board: FoundBoard) -> BoardReading:
    """Read the squares of a board found in a BGR picture."""
    small, grid, scale = _reduced(pixels, board)
    camera = camera_from_grid(grid, (small.shape[1], small.shape[0]), SQUARE_MM, board.bend)
    coarse = View(camera, _centres(), SQUARE_MM, _COARSE)
    discs = find_discs(logarithmic(coarse.ground(small)), coarse, _FIRST_HEIGHTS_MM)
    kings, disc, faces = _kings(small, camera, discs)
    view = View(camera, coarse.places_mm, SQUARE_MM, disc)
    return _assembled(view, scale, discs, kings, faces)


def _centres() -> Floats:
    columns, rows = np.meshgrid(np.arange(8), np.arange(8))
    return np.column_stack([(columns.ravel() + 0.5) * SQUARE_MM, (7.5 - rows.ravel()) * SQUARE_MM])


def _reduced(pixels: NDArray[np.uint8], board: FoundBoard) -> tuple[NDArray[np.uint8], Floats, float]:
    """The picture made small enough, the grid in it, and its scale."""
    sides = np.hypot(*(board.corners - np.roll(board.corners, 1, axis=0)).T)
    scale = min(1.0, _SQUARE_PX / (float(sides.max()) / 8))
    if scale == 1:
        return pixels, board.grid, 1.0
    small = np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    ratio = np.array([small.shape[1] / pixels.shape[1], small.shape[0] / pixels.shape[0]])
    return small, (board.grid + 0.5) * ratio - 0.5, scale


def _kings(pixels: NDArray[np.uint8], camera: CameraModel, discs: Discs) -> tuple[Floats, DiscSize, Floats]:
    """(64,) log odds that a disc found is a stack of two, the discs' size, and their faces' centres (64, 2) mm."""
    view = View(camera, _centres(), SQUARE_MM, _FINE)
    image = logarithmic(view.ground(pixels))
    radius, faces = refined_faces(image, view, discs, _FIRST_HEIGHTS_MM)
    places = np.flatnonzero(discs.occupied)
    odds = np.full(SQUARES, -np.inf)
    height = 0.26 * 2 * radius
    if len(places):
        bare = bare_board(image, view, discs.occupied)
        profiles = measure(image, bare, edge_directions(image), view, faces[places], discs.light[places], radius)
        height = disc_height(profiles, radius)
        odds[places] = king_log_odds(profiles, height)
    return odds, DiscSize(2 * radius, height), faces / view.scale + view.origin_mm


def _assembled(view: View, scale: float, discs: Discs, kings: Floats, faces: Floats) -> BoardReading:
    """faces: (64, 2) mm, where on the ground image the faces appear."""
    there = 1 / (1 + np.exp(-np.clip(discs.log_odds, -30, 30)))
    king = 1 / (1 + np.exp(-np.clip(kings, -30, 30)))
    colour = np.where(discs.light, 1 - _COLOUR_DOUBT, _COLOUR_DOUBT)
    probabilities = np.empty((SQUARES, len(Content)))
    probabilities[:, Content.EMPTY] = 1 - there
    probabilities[:, Content.DARK_MAN] = there * (1 - colour) * (1 - king)
    probabilities[:, Content.DARK_KING] = there * (1 - colour) * king
    probabilities[:, Content.LIGHT_MAN] = there * colour * (1 - king)
    probabilities[:, Content.LIGHT_KING] = there * colour * king
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    stacked = 1 + (kings > 0)
    lifts = np.array([view.lift(level * view.disc.height_mm) for level in (1, 2)])[stacked - 1][:, None]
    offsets = view.foot_mm + (faces - view.foot_mm) / lifts - view.places_mm
    offsets[~discs.occupied] = np.nan
    reading = Reading(probabilities, offsets, offsets, np.zeros(SQUARES, dtype=bool))
    return BoardReading(view, scale, reading, reading.confidence < _SURE)
