"""What the signs in the picture for people mean, in one line at its edge."""

from __future__ import annotations

import numpy as np

from vision.ink import Ink, box
from vision.signs import DARK, DOUBT, INK, LIGHT, PAPER, crown_badge, hatched, ring, tag

_HEIGHT = 0.018
"""Height of its capitals as a part of the picture's smaller side, within bounds."""
_LEAST_PX, _MOST_PX = 6.5, 40.0
_ENTRIES = ("dark", "light", "king", "doubt", "hidden")


def strip_height(width: int, height: int) -> int:
    """How many rows it takes in a picture of this size, px."""
    return round(3.4 * _capitals(width, height))


def draw_legend(ink: Ink, strip: int, width: int, top: int) -> None:
    """Explain rings, crowns, tags and hatching, from the left, in `strip` rows from `top` on of a picture of this
    width, px."""
    capitals = strip / 3.4
    sign, gap = 2.2 * capitals, 1.1 * capitals
    signs = [sign * (1.5 if entry == "doubt" else 1.0) for entry in _ENTRIES]
    widths = [
        one + 0.5 * capitals + ink.width_of(entry, capitals) for one, entry in zip(signs, _ENTRIES, strict=True)
    ]
    whole = sum(widths) + gap * (len(widths) + 1)
    if whole > width:
        return
    middle, left = top + strip / 2, 0.3 * capitals
    plate = box(left, top + 0.3 * capitals, left + whole, top + strip - 0.3 * capitals, 0.5 * capitals)
    ink.fill(plate, INK, 0.72)
    x = left + gap
    for entry, one, wide in zip(_ENTRIES, signs, widths, strict=True):
        _sign(ink, entry, x + one / 2, middle, sign)
        at = x + one + 0.5 * capitals + ink.width_of(entry, capitals) / 2
        ink.words(entry, (at, middle), capitals, PAPER)
        x += wide + gap


def _capitals(width: int, height: int) -> float:
    return float(np.clip(_HEIGHT * min(width, height), _LEAST_PX, _MOST_PX))


def _sign(ink: Ink, entry: str, x: float, y: float, size: float) -> None:
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    circle = (x, y) + 0.42 * size * np.column_stack([np.cos(turns), np.sin(turns)])
    if entry in ("dark", "light"):
        ring(ink, circle, DARK if entry == "dark" else LIGHT, 1.4 * size)
    elif entry == "king":
        ring(ink, circle, LIGHT, 1.2 * size)
        ring(ink, (x, y) + 0.28 * size * np.column_stack([np.cos(turns), np.sin(turns)]), LIGHT, 0.8 * size)
        crown_badge(ink, x + 0.34 * size, y - 0.36 * size, 1.3 * size, LIGHT)
    elif entry == "doubt":
        tag(ink, "83%", (x, y), 0.5 * size, DOUBT)
    else:
        half = 0.42 * size
        hatched(ink, box(x - half, y - half, x + half, y + half), size)
