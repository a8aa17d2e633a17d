"""The one picture for people: the frame with what was seen drawn on it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.doubt import Doubt
from vision.ink import Ink, Pixels
from vision.legend import draw_legend, strip_height
from vision.reading import Content, Reading
from vision.signs import DARK, DOUBT, INK, LIGHT, PAPER, crown_badge, hatched, ring, tag
from vision.view import BOARD_SQUARES, View

SURE = 0.95
"""Probability below which the picture shows how sure the reading is."""
SHORT = {
    Doubt.OUT_OF_PICTURE: "",
    Doubt.HIDDEN: "hidden",
    Doubt.GLARE: "glare",
    Doubt.TOO_DARK: "dark",
    Doubt.SHADOW_EDGE: "shadow",
}
LEAST_WORDS_PX = 5.0
"""Capitals lower than this cannot be read: what they would say is left out."""
ROOM_FOR_TWO_RINGS_PX = 34.0
"""On smaller squares a king has its crown only."""
_RING = 64
_TURNS = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
_CORNERS = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])


def draw_reading(
    pixels: Pixels,
    view: View,
    reading: Reading,
    labels: Sequence[str] | None = None,
    doubts: Sequence[Doubt] | None = None,
) -> Pixels:
    """A copy of the frame with the board's grid and corners, and what each place holds drawn where it was seen.

    Its edge explains the signs; where the board leaves no room for that, a strip for it is added below the frame.

    Discs are ringed at their top, dark ones in blue and light ones in orange, kings twice and with a crown at the
    rim. What is less than `SURE` has a broken ring and its probability on a purple tag; hidden places are hatched.

    labels: (N,) what is written small in each place's corner, the squares' numbers where it is known how the board
    lies; without them columns are lettered and rows numbered as in the picture. doubts: (N,) why places cannot be
    read well (vision.doubt), which is written on those that are hidden or doubtful.
    """
    square_px = _square_px(view)
    strip = strip_height(pixels.shape[1], pixels.shape[0])
    top, bottom = _rows_of_board(view, square_px)
    below = pixels.shape[0] - bottom >= top
    if max(pixels.shape[0] - bottom, top) < strip:
        below = True
        pixels = np.asarray(
            cv2.copyMakeBorder(pixels, 0, strip, 0, 0, cv2.BORDER_CONSTANT, value=INK), dtype=np.uint8
        )
    ink = Ink((pixels.shape[1], pixels.shape[0]))
    _grid(ink, view, square_px)
    for index, centre in enumerate(view.places_mm):
        outline = _outline(view, centre)
        doubt = Doubt.NONE if doubts is None else doubts[index]
        if labels is not None and labels[index]:
            _corner_label(ink, view, reading, index, labels[index], square_px)
        if reading.hidden[index]:
            hatched(ink, outline, square_px)
            _reason(ink, doubt if doubt is not Doubt.NONE else Doubt.HIDDEN, outline.mean(axis=0), square_px)
            continue
        if reading.contents[index] != Content.EMPTY:
            _disc(ink, view, reading, index, square_px, reading.confidence[index] >= SURE)
    for index in np.flatnonzero(~reading.hidden & (reading.confidence < SURE)).tolist():
        middle = _outline(view, view.places_mm[index]).mean(axis=0)
        tag(
            ink,
            f"{int(100 * reading.confidence[index])}%",
            middle + (0, 0.36 * square_px),
            max(0.2 * square_px, LEAST_WORDS_PX + 1.5),
            DOUBT,
        )
        if doubts is not None:
            _reason(ink, doubts[index], middle - (0, 0.36 * square_px), square_px)
    if labels is None:
        _coordinates(ink, view, square_px)
    draw_legend(ink, strip, pixels.shape[1], pixels.shape[0] - strip if below else 0)
    return ink.on(pixels)


def _square_px(view: View) -> float:
    """About how large a square appears, px."""
    side = BOARD_SQUARES * view.square_mm
    corners = view.camera.project([(0, 0, 0), (side, 0, 0), (side, side, 0), (0, side, 0)])
    return float(np.sqrt(max(cv2.contourArea(corners.astype(np.float32)), 1.0))) / BOARD_SQUARES


def _outline(view: View, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners (4, 2) of the square around a place, px."""
    corners = centre + _CORNERS * view.square_mm / 2
    return view.camera.project(np.column_stack([corners, np.zeros(4)]))


def _grid(ink: Ink, view: View, square_px: float) -> None:
    """The lines between the squares, faint; the edge of the playing area, plain; its corners, marked."""
    side = BOARD_SQUARES * view.square_mm
    steps = np.linspace(0, side, 17)  # A lens bends lines.
    thin = max(0.018 * square_px, 0.7)
    for number in range(1, BOARD_SQUARES):
        at = number * view.square_mm
        for line in ((np.full(17, at), steps), (steps, np.full(17, at))):
            seen = view.camera.project(np.column_stack([*line, np.zeros(17)]))
            ink.line(seen, INK, 2.4 * thin, 0.3)
            ink.line(seen, PAPER, thin, 0.6)
    edge = np.concatenate(
        [
            np.column_stack([steps, np.zeros(17)]),
            np.column_stack([np.full(17, side), steps]),
            np.column_stack([steps[::-1], np.full(17, side)]),
            np.column_stack([np.zeros(17), steps[::-1]]),
        ]
    )
    seen = view.camera.project(np.column_stack([edge, np.zeros(len(edge))]))
    ink.line(seen, INK, 5 * thin, 0.5, closed=True)
    ink.line(seen, PAPER, 2.2 * thin, 0.95, closed=True)
    arm = 0.4 * view.square_mm
    for x, y in ((0, 0), (side, 0), (side, side), (0, side)):
        inward = (1 if x == 0 else -1, 1 if y == 0 else -1)
        bracket = [(x + inward[0] * arm, y, 0), (x, y, 0), (x, y + inward[1] * arm, 0)]
        corner = view.camera.project(bracket)
        ink.line(corner, INK, 9 * thin, 0.8)
        ink.line(corner, PAPER, 5.5 * thin)


def _disc(ink: Ink, view: View, reading: Reading, index: int, square_px: float, sure: bool) -> None:
    content = Content(int(reading.contents[index]))
    tint = DARK if content in (Content.DARK_MAN, Content.DARK_KING) else LIGHT
    king = content in (Content.DARK_KING, Content.LIGHT_KING)
    top = np.nan_to_num(reading.tops_mm[index])
    stacked = king and not np.array_equal(reading.tops_mm[index], reading.offsets_mm[index], equal_nan=True)
    centre = view.places_mm[index] + top
    height = view.disc.height_mm * (2 if stacked else 1)
    radius = view.disc.diameter_mm / 2

    def rim(share: float) -> NDArray[np.float64]:
        points = centre + share * radius * np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])
        return view.camera.project(np.column_stack([points, np.full(_RING, height)]))

    outer = rim(1.0)
    ring(ink, outer, tint, square_px, broken=not sure)
    if king:
        if sure and square_px >= ROOM_FOR_TWO_RINGS_PX:
            ring(ink, rim(0.76), tint, 0.7 * square_px)
        crown_badge(ink, outer[:, 0].max() * 0.86 + outer[:, 0].min() * 0.14, outer[:, 1].min(), square_px, tint)


def _corner_label(ink: Ink, view: View, reading: Reading, index: int, label: str, square_px: float) -> None:
    """A number in that corner of a square which is left and down in the picture, unless a disc covers it."""
    height = 0.15 * square_px
    if height < LEAST_WORDS_PX:
        return
    centre = view.places_mm[index]
    corner = _CORNERS[(_outline(view, centre) @ (1.0, -1.0)).argmin()]
    at = centre + corner * 0.37 * view.square_mm
    if reading.contents[index] != Content.EMPTY and not reading.hidden[index]:
        disc = centre + np.nan_to_num(reading.offsets_mm[index])
        if np.linalg.norm(at - disc) < view.disc.diameter_mm / 2 + 0.05 * view.square_mm:
            return
    ink.words(label, view.camera.project([(*at, 0.0)])[0], height, PAPER, INK)


def _reason(ink: Ink, doubt: Doubt, at: NDArray[np.float64], square_px: float) -> None:
    """Why a place cannot be read."""
    words, height = SHORT.get(doubt, ""), 0.16 * square_px
    if words and height >= LEAST_WORDS_PX:
        ink.words(words, at, height, PAPER, INK)


def _coordinates(ink: Ink, view: View, square_px: float) -> None:
    """Letters and numbers along the edges of a board of which nobody knows how it lies."""
    height = max(0.2 * square_px, LEAST_WORDS_PX + 1)
    out = 0.3 * view.square_mm
    middles = (np.arange(BOARD_SQUARES) + 0.5) * view.square_mm
    for number, at in enumerate(middles):
        letter = view.camera.project([(at, -out, 0)])[0]
        figure = view.camera.project([(-out, at, 0)])[0]
        ink.words("abcdefgh"[number], letter, height, PAPER, INK)
        ink.words(str(number + 1), figure, height, PAPER, INK)


def _rows_of_board(view: View, square_px: float) -> tuple[float, float]:
    """From and to which row of the picture the board with its letters and numbers reaches, px."""
    side = BOARD_SQUARES * view.square_mm
    board = view.camera.project([(0, 0, 0), (side, 0, 0), (side, side, 0), (0, side, 0)])
    return float(board[:, 1].min() - 0.5 * square_px), float(board[:, 1].max() + 0.5 * square_px)
