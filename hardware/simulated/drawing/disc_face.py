"""The top of a disc: its relief, its grain, and the light on it."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from hardware.simulated.discs import Face
from hardware.simulated.drawing.emblem import crown
from hardware.simulated.drawing.style import DiscFace, Style
from hardware.simulated.drawing.view import Floats, Reals
from hardware.simulated.drawing.wood import grain, seamless

SHEET_PX_PER_MM = 2.0
GROOVE = 0.68
"""Radius of the groove in a grooved face as a part of the disc's."""
HOLLOW = 0.74
"""Radius of the hollow in a dished face."""
RING_MM = 2.3
"""From ring to ring of a ridged face."""
CROWN = 0.60
"""Radius of the circle around an embossed crown."""
PRINT = 0.88
"""Radius of the circle around a printed crown with its ring."""
TEETH = 48
CROWN_PX = 160


def relief(face: DiscFace, x: Reals, y: Reals, radius: float) -> tuple[Reals, Reals]:
    """Slope and shade of the face at points (mm, from the middle).

    slope: how steeply it falls outwards, as a part of what a rounded rim does; shade: how much of the room's light
    hollows lose. A crown's slopes are separate: see `crown_slopes`.
    """
    out = np.hypot(x, y)
    rim = np.clip((out - radius + 1.3) / 1.3, 0, 1)
    if face is DiscFace.GROOVED:
        groove = (out - GROOVE * radius) / 0.55
        hollow = np.exp(-(groove**2))
        return rim - 1.5 * groove * hollow, 0.10 * hollow + 0.05 * rim
    if face is DiscFace.RIDGED:
        rings = np.where(out > 0.22 * radius, 1.0, 0.0) * np.where(out < radius - 1.6, 1.0, 0.0)
        phase = 2 * np.pi * (radius - out) / RING_MM
        return rim + 0.9 * rings * np.sin(phase), 0.05 * rim + 0.09 * rings * (1 - np.cos(phase)) / 2
    if face is DiscFace.DISHED:
        wall = (out - HOLLOW * radius) / 0.9
        bank = np.exp(-(wall**2))
        inner = (out - 0.30 * radius) / 0.5
        return rim - 1.3 * bank - 0.8 * inner * np.exp(-(inner**2)), 0.07 * bank + 0.05 * rim
    if face is DiscFace.CROWNED:
        wall = (out - (radius - 3.4)) / 0.5
        ring = (out - (CROWN + 0.06) * radius) / 0.4
        milled = np.where(out > radius - 3.2, 0.45, 0.0) * np.sin(TEETH * np.arctan2(y, x))
        slope = rim - 1.1 * np.exp(-(wall**2)) - 1.2 * ring * np.exp(-(ring**2)) + 0.4 * milled
        return slope, 0.10 * np.exp(-(wall**2)) + 0.06 * (1 - milled) * (out > radius - 3.2)
    return rim, 0.05 * rim


def face_up(style: Style, face: Face) -> DiscFace:
    """The relief of the face of a disc that is up."""
    if face is Face.PLAIN:
        return style.disc_face
    return DiscFace.CROWNED if style.crown_print is None else DiscFace.FLAT


def crown_slopes(x: Reals, y: Reals, radius: float) -> tuple[Floats, Floats]:
    """How steeply an embossed crown falls in x and in y, in the measure of `relief`; x, y turned with the disc."""
    scale = CROWN_PX / (2 * CROWN * radius)
    columns, rows = CROWN_PX / 2 + x * scale - 0.5, CROWN_PX / 2 - y * scale - 0.5
    falls = [
        np.asarray(cv2.remap(part, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), dtype=np.float32)
        for part in _crown()
    ]
    return falls[0], falls[1]


def printed_crown(x: Reals, y: Reals, radius: float) -> Floats:
    """How much of the printed crown's colour points (mm, from the middle, turned with the disc) have, 0–1."""
    scale = CROWN_PX / (2 * PRINT * radius)
    columns, rows = CROWN_PX / 2 + x * scale - 0.5, CROWN_PX / 2 - y * scale - 0.5
    mask = _printed()
    return np.asarray(cv2.remap(mask, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT))


def wood_of_disc(x: Reals, y: Reals) -> Floats:
    """The grain at points (mm) of a large tile of wood that faces are cut from, turned and shifted for each."""
    columns, rows = (x + 100) * SHEET_PX_PER_MM, (y + 100) * SHEET_PX_PER_MM
    return np.asarray(cv2.remap(_sheet(), columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP))


@lru_cache(maxsize=1)
def _sheet() -> Floats:
    pattern = grain(np.random.default_rng(11), (900, 900), SHEET_PX_PER_MM, 0.13)
    return np.ascontiguousarray(seamless(pattern, 100))


@lru_cache(maxsize=1)
def _printed() -> Floats:
    """(CROWN_PX, CROWN_PX) the printed crown in its ring."""
    return np.ascontiguousarray(crown(CROWN_PX, ring=0.9))


@lru_cache(maxsize=1)
def _crown() -> tuple[Floats, Floats]:
    height = cv2.GaussianBlur(crown(CROWN_PX), (0, 0), 2.2)
    rows, columns = np.gradient(np.asarray(height, dtype=np.float32))
    return np.ascontiguousarray(-columns * 9), np.ascontiguousarray(rows * 9)
