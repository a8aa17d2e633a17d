"""Reading a board of which nothing is known but the picture: neither the discs' size nor anyone's colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.finder import FoundBoard
from vision.pose import camera_from_grid
from vision.reading import Content, Reading
from vision.unprepared.first_look import SQUARES, Discs, bare_board, find_discs, logarithmic, refined_faces
from vision.unprepared.round_shapes import edge_directions
from vision.unprepared.side_walls import USUAL_SHARE, disc_height, king_log_odds, measure
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
"""Heights at which faces are sought while the discs' height is unknown."""
_TALLER_MM = 7.0
_SURE = 0.6
"""Readings less probable than this are called unsure."""
_COLOUR_DOUBT = 0.01

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoardReading:
    """What the 64 squares hold, row by row from the top left as seen.

    view: the squares in the same order as places, of 40 mm each, seen in `picture`, which is the one that was read or
    a smaller copy. reading: 64 places. unsure: (64,) squares of which the picture does not tell enough.
    """

    view: View
    picture: NDArray[np.uint8]
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


def read_board(
    pixels: NDArray[np.uint8], board: FoundBoard, disc: DiscSize | None = None, square_mm: float = SQUARE_MM
) -> BoardReading:
    """Read the squares of a board found in a BGR picture.

    disc: the discs' size if it is known, on a board with squares of `square_mm`.
    """
    small, grid = _reduced(pixels, board)
    camera = camera_from_grid(grid, (small.shape[1], small.shape[0]), SQUARE_MM, board.bend)
    coarse = View(camera, _centres(), SQUARE_MM, _COARSE)
    discs = find_discs(logarithmic(_ground(small, coarse)), coarse, _FIRST_HEIGHTS_MM)
    known = None
    if disc is not None:
        known = DiscSize(disc.diameter_mm * SQUARE_MM / square_mm, disc.height_mm * SQUARE_MM / square_mm)
    kings, size, faces = _kings(small, camera, discs, known, _FIRST_HEIGHTS_MM)
    if 2 * size.height_mm > _FIRST_HEIGHTS_MM[1] + _TALLER_MM:
        # Faces of tall discs appear beyond where the first look sought them.
        heights = (0.7 * size.height_mm, 2.2 * size.height_mm)
        discs = find_discs(logarithmic(_ground(small, coarse)), coarse, heights)
        kings, size, faces = _kings(small, camera, discs, known, heights)
    return _assembled(View(camera, coarse.places_mm, SQUARE_MM, size), small, discs, kings, faces)


def _centres() -> Floats:
    columns, rows = np.meshgrid(np.arange(8), np.arange(8))
    return np.column_stack([(columns.ravel() + 0.5) * SQUARE_MM, (7.5 - rows.ravel()) * SQUARE_MM])


def _reduced(pixels: NDArray[np.uint8], board: FoundBoard) -> tuple[NDArray[np.uint8], Floats]:
    """The picture made small enough, and the grid in it."""
    sides = np.hypot(*(board.corners - np.roll(board.corners, 1, axis=0)).T)
    scale = min(1.0, _SQUARE_PX / (float(sides.max()) / 8))
    if scale == 1:
        return pixels, board.grid
    small = np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    ratio = np.array([small.shape[1] / pixels.shape[1], small.shape[0] / pixels.shape[0]])
    return small, (board.grid + 0.5) * ratio - 0.5


def _ground(pixels: NDArray[np.uint8], view: View) -> NDArray[np.uint8]:
    """The ground image of a picture, by the quick way where the lens is straight."""
    if any(view.camera.distortion):
        return view.ground(pixels)
    width, height = view.ground_size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    board = np.column_stack([corners / view.scale + view.origin_mm, np.zeros(4)])
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), view.camera.project(board).astype(np.float32))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    ground = cv2.warpPerspective(pixels, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(ground, dtype=np.uint8)


def _kings(
    pixels: NDArray[np.uint8],
    camera: CameraModel,
    discs: Discs,
    known: DiscSize | None,
    heights_mm: tuple[float, float],
) -> tuple[Floats, DiscSize, Floats]:
    """(64,) log odds that a disc found is a stack of two, the discs' size, where their faces appear (64, 2; mm)."""
    view = View(camera, _centres(), SQUARE_MM, _FINE)
    image = logarithmic(_ground(pixels, view))
    directions = edge_directions(image)
    radius, faces = refined_faces(directions, view, discs, heights_mm)
    places = np.flatnonzero(discs.occupied)
    odds = np.full(SQUARES, -np.inf)
    height = USUAL_SHARE * 2 * radius
    if len(places):
        bare = bare_board(image, view, discs.occupied)
        squares = view.to_ground(view.places_mm[places])
        light = discs.light[places]
        profiles = measure(image, bare, directions, view, faces[places], squares, light, radius)
        height = disc_height(profiles, radius) if known is None else known.height_mm
        odds[places] = king_log_odds(profiles, light, height)
    return odds, DiscSize(2 * radius, height), faces / view.scale + view.origin_mm


def _assembled(view: View, picture: NDArray[np.uint8], discs: Discs, kings: Floats, faces: Floats) -> BoardReading:
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
    return BoardReading(view, picture, reading, reading.confidence < _SURE)
