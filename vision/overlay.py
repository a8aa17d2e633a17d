"""The one picture for people: the frame with what was seen drawn on it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Content, Reading
from vision.view import View

Pixels = NDArray[np.uint8]
Tint = tuple[int, int, int]
"""Blue, green, red."""

GRID: Tint = (90, 220, 120)
DARK: Tint = (255, 150, 40)
LIGHT: Tint = (60, 230, 255)
DOUBT: Tint = (60, 60, 255)
SHADE: Tint = (200, 80, 200)
SURE = 0.95
"""Probability below which the picture shows how sure the reading is."""
_SHIFT = 4
_RING = 48


def draw_reading(pixels: Pixels, view: View, reading: Reading, labels: Sequence[str] | None = None) -> Pixels:
    """A copy of the frame with every place outlined and what it holds drawn where it was seen.

    Discs are ringed at their top in the tint of their colour, kings doubly and with a K, doubtful places show the
    probability in red, hidden ones are hatched. `labels` (N,) are written small on the places that hold nothing.
    """
    picture = pixels.copy()
    half = view.square_mm / 2
    for index, (centre, content) in enumerate(zip(view.places_mm, reading.contents, strict=True)):
        corners = [(centre[0] + dx * half, centre[1] + dy * half, 0.0) for dx, dy in _CORNERS]
        outline = view.camera.project(corners)
        if reading.hidden[index]:
            _hatch(picture, outline)
            continue
        _line(picture, outline, GRID, 1)
        if content == Content.EMPTY:
            if labels is not None:
                _text(picture, labels[index], view.camera.project([(*centre, 0.0)])[0], GRID, 0.36)
        else:
            _draw_disc(picture, view, reading, index)
        sure = float(reading.confidence[index])
        if sure < SURE:
            _text(picture, f"{sure:.0%}", outline.mean(axis=0) + (0, 18), DOUBT, 0.42)
    return picture


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _draw_disc(picture: Pixels, view: View, reading: Reading, index: int) -> None:
    content = Content(int(reading.contents[index]))
    tint = DARK if content in (Content.DARK_MAN, Content.DARK_KING) else LIGHT
    king = content in (Content.DARK_KING, Content.LIGHT_KING)
    centre = view.places_mm[index] + np.nan_to_num(reading.tops_mm[index])
    height = view.disc.height_mm * (2 if king else 1)
    radius = view.disc.diameter_mm / 2
    for share in (1.0, 0.72) if king else (1.0,):
        angles = np.linspace(0, 2 * np.pi, _RING, endpoint=False)
        ring = np.column_stack(
            [
                centre[0] + share * radius * np.cos(angles),
                centre[1] + share * radius * np.sin(angles),
                np.full(_RING, height),
            ]
        )
        _line(picture, view.camera.project(ring), tint, 2)
    if king:
        _text(picture, "K", view.camera.project([(*centre, height)])[0], tint, 0.6)


def _hatch(picture: Pixels, outline: NDArray[np.float64]) -> None:
    left, right = outline[[0, 3]], outline[[1, 2]]
    for share in np.linspace(0, 1, 6):
        start, end = left[0] + share * (left[1] - left[0]), right[0] + share * (right[1] - right[0])
        _line(picture, np.array([start, end]), SHADE, 1)
    _line(picture, outline, SHADE, 1)


def _line(picture: Pixels, points: NDArray[np.float64], tint: Tint, thickness: int) -> None:
    """A closed line through points (N, 2) px, anti-aliased and true to a sixteenth of a pixel."""
    fixed = np.rint(np.asarray(points) * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(picture, [fixed], True, tint, thickness, cv2.LINE_AA, _SHIFT)


def _text(picture: Pixels, text: str, centre: NDArray[np.float64], tint: Tint, size: float) -> None:
    """Text around `centre`, with a dark rim so that it can be read on any ground."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, 1)
    corner = (round(float(centre[0]) - width / 2), round(float(centre[1]) + height / 2))
    for colour, thickness in (((20, 20, 20), 3), (tint, 1)):
        cv2.putText(picture, text, corner, cv2.FONT_HERSHEY_SIMPLEX, size, colour, thickness, cv2.LINE_AA)
