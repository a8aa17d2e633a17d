"""Reading a board of which nothing is known but the picture: neither the discs' size nor anyone's colours."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.disc_network import disc_evidence
from vision.disc_size import DiscSize
from vision.face_colours import face_colours
from vision.finder import FoundBoard
from vision.pose import camera_from_grid
from vision.reading import Content, Reading
from vision.square_network import SquareEvidence, camera_in_squares, evidence, flat_board, flat_map
from vision.unprepared.colour_groups import regrouped
from vision.unprepared.counts import with_at_most
from vision.unprepared.cover import covered_squares
from vision.unprepared.disc_heights import stacks_of_board
from vision.unprepared.side_walls import stacks_by_walls
from vision.view import View

SQUARE_MM = 40.0
"""The board's own unit is the square; only proportions matter here."""
LETTERS = ".dDlL"
"""One letter for each Content."""
UNSURE = "?"
SQUARES = 64

_SQUARE_PX = 64.0
"""Squares in the picture that is read: larger ones show nothing more."""
_SIDES = 4
"""From so many sides the square network looks at the board."""
_SURE = 0.6
"""Readings less probable than this are called unsure."""
_HIDDEN = 0.5
_THERE = 0.15
"""Squares on which a disc is at least so likely are looked at as if there were one."""
_ENOUGH, _ASTRAY = 2.5, 0.2
"""Discs, and the part of them that may seem to lie astray, by which it is known on which squares they lie."""
_BARE = 3.0
"""Natural log odds against a disc on a square of the other colour."""
_USUAL_DISC = DiscSize(30.0, 8.0)
"""On an empty board."""
_BY_BOARD = 0.8
"""How much the square network's log odds of a stack count beside what the disc network sees, which looks at the same
pixels; fitted to drawn scenes that neither was trained on."""
_BY_WALLS, _WALLS_MOST = 1.0, 6.0
"""How much the side walls' log odds of a stack count, and at most."""
_MARKED = 2.0
"""Log odds beyond which a face surely bears a mark, or surely does not."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoardReading:
    """What the 64 squares hold, row by row from the top left as seen.

    view: the squares in the same order as places, of 40 mm each, seen in `picture`, which is the one that was read or
    a smaller copy. reading: 64 places. unsure: (64,) squares of which the picture does not tell enough. bare: (64,)
    squares of the colour on which no disc lies; where they are hidden, nothing is missed.
    """

    view: View
    picture: NDArray[np.uint8]
    reading: Reading
    unsure: NDArray[np.bool_]
    bare: NDArray[np.bool_]

    @property
    def rows(self) -> list[str]:
        """Eight rows of eight letters: '.' empty, d D dark man and king, l L light man and king, '?' unsure."""
        doubtful = self.unsure | self.reading.hidden
        contents = np.where(self.bare & self.reading.hidden, Content.EMPTY, self.reading.contents)
        doubtful &= ~(self.bare & self.reading.hidden)
        letters = [UNSURE if doubt else LETTERS[content] for content, doubt in zip(contents, doubtful, strict=True)]
        return ["".join(letters[8 * row : 8 * row + 8]) for row in range(8)]


@dataclass(frozen=True, eq=False)
class _Discs:
    """What was found out about the discs on some `squares` (K,), and of what size they are."""

    squares: NDArray[np.int64]
    size: DiscSize
    bases: Floats
    """(K, 2) the centres of the lowest discs, squares."""
    tops: Floats
    light: Floats
    """(K,) log odds of light against dark."""
    king: Floats
    """(K,) log odds of king against man."""


def read_board(
    pixels: NDArray[np.uint8],
    board: FoundBoard,
    disc: DiscSize | None = None,
    square_mm: float = SQUARE_MM,
    most: int | None = None,
) -> BoardReading:
    """Read the squares of a board found in a BGR picture.

    disc: the discs' size if it is known, on a board with squares of `square_mm`. most: pieces that a colour can have
    on the board, if that is known.
    """
    small, grid = _reduced(pixels, board)
    camera = camera_from_grid(grid, (small.shape[1], small.shape[0]), SQUARE_MM, board.bend)
    known = None
    if disc is not None:
        known = DiscSize(disc.diameter_mm * SQUARE_MM / square_mm, disc.height_mm * SQUARE_MM / square_mm)
    flat = flat_board(small, flat_map(camera, SQUARE_MM))
    seen = evidence(flat, camera_in_squares(camera, SQUARE_MM), known, SQUARE_MM, _SIDES)
    bare = _bare_squares(seen)
    # A disc on one of them is not impossible.
    seen.logits[bare, Content.EMPTY] += _BARE
    discs = _discs(small, camera, seen, known)
    size = _USUAL_DISC if discs is None else discs.size
    hidden = np.asarray((seen.hidden > _HIDDEN) | covered_squares(pixels, board))
    return _assembled(View(camera, _centres(), SQUARE_MM, size), small, seen, discs, bare, hidden, most)


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


def _bare_squares(seen: SquareEvidence) -> NDArray[np.bool_]:
    """(64,) the squares of one colour, if discs lie on those of the other one only; else none."""
    there = (1 - seen.probabilities[:, Content.EMPTY]) * (1 - seen.hidden)
    odd = np.arange(SQUARES) // 8 % 2 != np.arange(SQUARES) % 2
    counts = np.array([there[~odd].sum(), there[odd].sum()])
    more = int(counts.argmax())
    if counts[more] < _ENOUGH or counts[1 - more] > _ASTRAY * counts[more]:
        return np.zeros(SQUARES, dtype=np.bool_)
    return np.asarray(odd != (more == 1))


def _discs(
    picture: NDArray[np.uint8], camera: CameraModel, seen: SquareEvidence, known: DiscSize | None
) -> _Discs | None:
    """The discs, each looked at closely: for their height, then, knowing it, for stacks; None if there are none."""
    there = 1 - seen.probabilities[:, Content.EMPTY]
    there[seen.hidden > _HIDDEN] = 0
    squares = np.flatnonzero(there > _THERE)
    sure = there > max(0.5, 0.9 * float(there.max(initial=0)))
    if not len(squares) or not sure.any():
        return None
    if known is None:
        diameter = float(np.clip(np.average(seen.diameters[sure], weights=there[sure]), 0.25, 1.0))
    else:
        diameter = known.diameter_mm / SQUARE_MM
    position = camera_in_squares(camera, SQUARE_MM)
    middles = np.column_stack([squares % 8 + 0.5, squares // 8 + 0.5])
    centres = middles + seen.offsets[squares]

    def project(points: Floats) -> Floats:
        return camera.project(_on_board(points, 0.0))

    closer = disc_evidence(picture, project, centres, position, diameter)
    logits = seen.logits[squares]
    # Where most discs look like stacks to it they are tall ones, rather.
    by_board = seen.stacked[squares] - max(0.0, float(np.median(seen.stacked[squares])))
    others = _BY_BOARD * by_board
    light = np.logaddexp(logits[:, Content.LIGHT_MAN], logits[:, Content.LIGHT_KING]) - np.logaddexp(
        logits[:, Content.DARK_MAN], logits[:, Content.DARK_KING]
    )
    known_height = None if known is None else known.height_mm / SQUARE_MM
    stacks = stacks_of_board(closer, others, known_height)
    on_top = logits[:, Content.EMPTY] < np.logaddexp.reduce(logits[:, 1:], axis=1)
    size = DiscSize(diameter * SQUARE_MM, stacks.height * SQUARE_MM)
    view = View(camera, _centres(), SQUARE_MM, size)
    if on_top.any():
        walls = stacks_by_walls(picture, view, squares[on_top], light[on_top] > 0)
        others[on_top] += np.clip(_BY_WALLS * walls, -_WALLS_MOST, _WALLS_MOST)
        stacks = stacks_of_board(closer, others, known_height)
    size = DiscSize(diameter * SQUARE_MM, stacks.height * SQUARE_MM)
    view = View(camera, _centres(), SQUARE_MM, size)
    stacked = stacks.stacked > 0
    tops = closer.tops(stacked, stacks.height)
    colours = face_colours(picture, view, _on_board(tops, 0.0)[:, :2], stacked)
    light = regrouped(colours, middles, light)
    king = np.logaddexp(stacks.stacked, _king_by_face(closer.marked))
    return _Discs(squares, size, closer.bases, tops, light, king)


def _on_board(points: Floats, height: float) -> Floats:
    """(N, 3) mm of points (N, 2) in squares as the flat board has them, and a height in squares."""
    flat = points * (SQUARE_MM, -SQUARE_MM) + (0.0, 8 * SQUARE_MM)
    return np.column_stack([flat, np.full(len(points), height * SQUARE_MM)])


def _king_by_face(marked: Floats) -> Floats:
    """(K,) log odds that a mark makes a king: where some discs surely bear one and others surely do not."""
    some, others = (marked > _MARKED).sum(), (marked < -_MARKED).sum()
    if some == 0 or others < max(some, 2):
        return np.full(len(marked), -np.inf)
    return marked - _MARKED / 2


def _assembled(
    view: View,
    picture: NDArray[np.uint8],
    seen: SquareEvidence,
    discs: _Discs | None,
    bare: NDArray[np.bool_],
    hidden: NDArray[np.bool_],
    most: int | None,
) -> BoardReading:
    probabilities = np.zeros((SQUARES, len(Content)))
    there = 1 - seen.probabilities[:, Content.EMPTY]
    probabilities[:, Content.EMPTY] = 1 - there
    # Where none was looked at closely, one is as likely dark as light and most likely a man.
    probabilities[:, [Content.DARK_MAN, Content.LIGHT_MAN]] = 0.5 * there[:, None]
    offsets = np.full((SQUARES, 2), np.nan)
    tops = offsets.copy()
    if discs is not None:
        light = 1 / (1 + np.exp(-np.clip(discs.light, -30, 30)))
        king = 1 / (1 + np.exp(-np.clip(discs.king, -30, 30)))
        here = there[discs.squares]
        for content, share in (
            (Content.DARK_MAN, (1 - light) * (1 - king)),
            (Content.DARK_KING, (1 - light) * king),
            (Content.LIGHT_MAN, light * (1 - king)),
            (Content.LIGHT_KING, light * king),
        ):
            probabilities[discs.squares, content] = here * share
        for where, centres in ((offsets, discs.bases), (tops, discs.tops)):
            where[discs.squares] = _on_board(centres, 0.0)[:, :2] - view.places_mm[discs.squares]
    if most is not None:
        probabilities[~hidden] = with_at_most(probabilities[~hidden], most)
    nothing = (probabilities.argmax(axis=1) == Content.EMPTY) | hidden
    offsets[nothing] = np.nan
    tops[nothing] = np.nan
    reading = Reading(probabilities, offsets, tops, hidden)
    return BoardReading(view, picture, reading, reading.confidence < _SURE, bare)
