"""Where the board is in a picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BoardNotFoundError
from vision.finder.board import FoundBoard, oriented_board
from vision.finder.lattice import lattices
from vision.finder.refine import refined_grid
from vision.finder.refusal import reason_for, refuse_tiny
from vision.finder.saddles import Floats, find_saddles
from vision.finder.surface import Surface
from vision.finder.window import Window, best_window, logarithm
from vision.markers import find_markers, marker_frames
from vision.sampling import Image

_LONG_SIDE = 1280
_RADIUS = 5.0
_FINE_RADIUS = 3.2
_MOST_FRAMES = 3
_ENOUGH_FOR_SECOND = 20
_WORTH_SAYING = 0.3
"""A second board is one when it is this part as large as the first (area)."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """A candidate, and where it is (places 0 to 8) in the picture that was searched."""

    window: Window
    surface: Surface

    @property
    def outline(self) -> NDArray[np.float32]:
        """(4, 2) px, the corners."""
        return self.surface.project(np.array([[0, 0], [8, 0], [8, 8], [0, 8]])).astype(np.float32)


def find_board(pixels: NDArray[np.uint8]) -> FoundBoard:
    """Find the board of 8 × 8 squares in a BGR picture.

    Markers at the board's corners are used when the squares alone do not tell; how far from the squares they stand is
    not known, so the squares fix the corners all the same. Raises BoardNotFoundError, whose sentence says what is
    wrong, when no board, or none certainly, is visible, or more than one.
    """
    refuse_tiny(pixels)
    scale = min(1.0, _LONG_SIDE / max(pixels.shape[:2]))
    full = _scaled(pixels, scale)
    seen = list(_search(full))
    boards = _boards(seen)
    if len(boards) != 1:
        frames = marker_frames(find_markers(full))[:_MOST_FRAMES]
        boards = _framed(boards, full, frames)
    if len(boards) > 1:
        raise BoardNotFoundError("two boards are in the picture: show the camera one of them only")
    if not boards:
        raise BoardNotFoundError(reason_for(full, [one.window for one in seen]))
    board = boards[0]
    surface = board.surface.scaled(1 / scale, (pixels.shape[1], pixels.shape[0]))
    grid, bend, _ = refined_grid(pixels, surface, board.window.seen > 0.9)
    return oriented_board(grid, 0 if board.window.dark_even else 1, board.window.score, bend)


def _search(full: NDArray[np.uint8], frame: Floats | None = None) -> Iterator[_Seen]:
    """Candidates, up to and with those of the first way of looking that shows a board.

    frame: (4, 2) px, four markers around the board, if it is to be sought among them.
    """
    for colours, channel, radius, scale in _attempts(full):
        found: list[NDArray[np.float32]] = []
        inside = None if frame is None else (frame + 0.5) * scale - 0.5
        for lattice in lattices(find_saddles(channel, radius, inside)):
            middle = lattice.points.mean(axis=0)
            # A second board is looked for elsewhere, and must show itself clearly.
            if found and (
                len(lattice.points) < _ENOUGH_FOR_SECOND
                or any(cv2.pointPolygonTest(outline, (middle[0], middle[1]), False) > 0 for outline in found)
            ):
                continue
            window = best_window(colours, lattice, inside)
            if window is None:
                continue
            if window.believable:
                found.append(_Seen(window, window.surface).outline)
            yield _Seen(window, window.surface.scaled(1 / scale, (full.shape[1], full.shape[0])))
        if found:
            return


def _boards(seen: list[_Seen]) -> list[_Seen]:
    """The boards among the candidates, the best first, each once."""
    boards: list[_Seen] = []
    for one in sorted((one for one in seen if one.window.believable), key=lambda one: -one.window.score):
        area = cv2.contourArea(one.outline)
        if all(
            cv2.intersectConvexConvex(one.outline, other.outline)[0] < 0.2 * area
            and area > _WORTH_SAYING * cv2.contourArea(other.outline)
            for other in boards
        ):
            boards.append(one)
    return boards


def _framed(boards: list[_Seen], full: NDArray[np.uint8], frames: list[Floats]) -> list[_Seen]:
    """The board that markers stand around, if they do around one; else the boards as they are."""
    for frame in frames:
        hull = frame.astype(np.float32)
        within = [
            one
            for one in boards
            if all(cv2.pointPolygonTest(hull, (float(x), float(y)), False) > 0 for x, y in one.outline)
        ]
        if len(within) == 1:
            return within
        if not boards:
            sought = _boards(list(_search(full, frame)))
            if len(sought) == 1:
                return sought
    return boards


def _attempts(full: NDArray[np.uint8]) -> Iterator[tuple[Image, Image, float, float]]:
    """Colours and a single channel to look at, both logarithmic, the radius (px) to look with, and the scale."""
    half = _scaled(full, 0.5)
    half_scale = half.shape[1] / full.shape[1]
    half_colours = logarithm(half)
    # The half size first: it is quick, and hides the grain of wood.
    yield half_colours, logarithm(np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY))), _RADIUS, half_scale
    colours, grey = logarithm(full), logarithm(np.asarray(cv2.cvtColor(full, cv2.COLOR_BGR2GRAY)))
    yield colours, grey, _RADIUS, 1.0
    # Squares of equal brightness differ in colour.
    for one, other in ((2, 1), (0, 1)):
        yield half_colours, _ratio(half_colours, one, other), _RADIUS, half_scale
    yield colours, grey, _FINE_RADIUS, 1.0
    for one, other in ((2, 1), (0, 1)):
        yield colours, _ratio(colours, one, other), _RADIUS, 1.0


def _scaled(pixels: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    if scale == 1:
        return pixels
    return np.asarray(cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _ratio(colours: Image, one: int, other: int) -> Image:
    return np.ascontiguousarray(colours[..., one] - colours[..., other])
