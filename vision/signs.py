"""The signs of the picture for people: rings around discs, crowns, tags, hatching, and their colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.ink import Ink, Tint, box

INK: Tint = (24, 20, 16)
PAPER: Tint = (248, 250, 252)
DARK: Tint = (240, 176, 64)
"""Sky blue, for dark discs."""
LIGHT: Tint = (20, 160, 250)
"""Orange, for light discs: told from blue by every kind of colour vision."""
DOUBT: Tint = (168, 44, 150)
"""Purple."""

_CROWN = np.array([(-1.0, 0.7), (-1.0, -0.45), (-0.5, 0.1), (0.0, -0.8), (0.5, 0.1), (1.0, -0.45), (1.0, 0.7)])


def ring(ink: Ink, rim: ArrayLike, tint: Tint, square_px: float, broken: bool = False) -> None:
    """A ring along a disc's rim (N, 2), px; broken where it is not sure that the disc is there, or which."""
    width = max(0.05 * square_px, 1.2)
    for colour, wide, opacity in ((INK, width + max(0.035 * square_px, 1.0), 0.75), (tint, width, 1.0)):
        if broken:
            ink.dashes(rim, colour, wide, opacity)
        else:
            ink.line(rim, colour, wide, opacity, closed=True)


def crown_badge(ink: Ink, x: float, y: float, square_px: float, tint: Tint) -> None:
    """A crown on a small round badge."""
    radius = max(0.17 * square_px, 4.5)
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    ink.fill((x, y) + (radius + max(0.02 * square_px, 0.8)) * circle, INK, 0.9)
    ink.fill((x, y) + radius * circle, tint)
    ink.fill((x, y) + 0.58 * radius * _CROWN, INK)


def tag(ink: Ink, words: str, centre: ArrayLike, height: float, tint: Tint) -> None:
    """White words on a small plate."""
    x, y = np.asarray(centre, dtype=np.float64)
    capitals = 0.66 * height
    across = ink.width_of(words, capitals) / 2 + 0.4 * height
    down = 0.62 * height
    ink.fill(box(x - across - 1, y - down - 1, x + across + 1, y + down + 1, 0.5 * down), PAPER, 0.9)
    ink.fill(box(x - across, y - down, x + across, y + down, 0.5 * down), tint, 0.95)
    ink.words(words, (x, y), capitals, PAPER)


def hatched(ink: Ink, outline: NDArray[np.float64], square_px: float) -> None:
    """A square (4, 2), px, of which nothing is known."""
    ink.fill(outline, INK, 0.35)
    first, second, third, fourth = outline
    for share in np.linspace(0.25, 1.75, 7):
        near, far = min(share, 1.0), max(share - 1.0, 0.0)
        start = first + near * (second - first) if share <= 1 else second + far * (third - second)
        end = first + near * (fourth - first) if share <= 1 else fourth + far * (third - fourth)
        ink.line([start, end], PAPER, max(0.02 * square_px, 0.8), 0.75)
