"""The human's arm, seen from above: hand, forearm and sleeve as a relief of rounded limbs, and the light on it.

The frame is the hand's own: u to its right, w from the fingertips back along the forearm, mm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.people import Person
from hardware.simulated.drawing.view import Floats, Reals
from hardware.simulated.drawing.wood import smooth_noise
from hardware.simulated.scene import Point

PX_PER_MM = 2.5
SIDE, FRONT, BACK = 85.0, -20.0, 720.0
"""The sheet's extent, mm: to both sides, before and behind the fingertips."""
BLEND = 0.26
"""How widely limbs merge where they meet, as a part of their radius."""
CUFF_WIDTH_MM = 19.0
AROUND = 22.0
"""How far from a limb the relief feels it, mm."""


@dataclass(frozen=True)
class Limb:
    """A tapered round limb from (u, w, height) to (u, w, height), mm, with a radius at each end."""

    start: Point
    end: Point
    radius: float
    end_radius: float


HAND = (
    Limb((0, 126, 9), (0, 175, 9), 27, 27),
    Limb((6, 92, 8), (2, 128, 8), 31, 27),
    Limb((-4, 66, 17), (-2, 110, 12), 17, 24),
    Limb((12, 60, 20), (6, 110, 14), 17, 24),
    Limb((26, 66, 18), (12, 110, 12), 16, 24),
    Limb((37, 76, 14), (18, 112, 11), 13, 22),
    Limb((-30, 42, 11), (-12, 92, 12), 12, 20),
    Limb((-15.5, 8, 3), (-30, 42, 11), 8.6, 11.5),
    Limb((43, 54, 12), (37, 76, 14), 7.6, 10),
    Limb((37, 36, 1), (43, 54, 12), 7, 7.8),
    Limb((34, 42, 16), (27, 66, 18), 8.8, 11),
    Limb((25, 16, 2), (34, 42, 16), 7.8, 8.8),
    Limb((20, 30, 20), (12, 60, 20), 9.4, 12),
    Limb((14.5, -4, 3), (20, 30, 20), 8.2, 9.4),
    Limb((5, 26, 22), (-4, 64, 19), 9.2, 12),
    Limb((4, -13, 3), (5, 26, 22), 8, 9.2),
)
FOREARM = (
    Limb((0, 150, 11), (0, 262, 14), 27, 34),
    Limb((0, 262, 14), (0, 430, 18), 34, 43),
)
SLEEVE_ENDS = (168.0, 330.0, 800.0)
SLEEVE_RADII = (38.0, 46.0, 56.0)
NAILS = ((4.0, -14.0, 0.0), (14.5, -5.0, 0.1), (-14.5, 6.5, -0.5))
"""Places (u, w) and turns (radians) of the fingernails that show."""


def limbs_of(person: Person) -> tuple[Limb, ...]:
    """The limbs of skin and the sleeve of a large right arm with that person's sleeve."""
    return HAND + FOREARM + _sleeve(person.sleeve_mm)


@lru_cache(maxsize=4)
def arm_sheet(person: Person, illumination: Illumination) -> NDArray[np.uint8]:
    """(rows, columns, 4) the lit arm from above: colour times alpha, and alpha (0–255).

    PX_PER_MM samples a mm of a large arm: a smaller one is drawn smaller.
    """
    shape = _shape(person.sleeve_mm, person.left)
    flesh = shape.flush * (_shade(shape.skin, illumination, 0.10) * shape.skin_alpha)[..., None]
    picture, alpha = flesh * np.asarray(person.skin, dtype=np.float32), shape.skin_alpha
    _, w = _grid()
    for height, cover, factor in ((shape.sleeve, shape.sleeve_alpha, 1.0), (shape.cuff, shape.cuff_alpha, 0.9)):
        colour = np.broadcast_to(np.asarray(person.sleeve, dtype=np.float32), (*w.shape, 3))
        if person.stripe is not None:
            stripes = np.clip(2.5 - np.abs((w + 0.10 * height) % 17.0 - 6.0), 0, 1)[..., None]
            colour = colour + stripes * (np.asarray(person.stripe, dtype=np.float32) - colour)
        cloth = colour * (factor * _shade(height, illumination, 0.0) * shape.weave)[..., None]
        picture = picture * (1 - cover[..., None]) + cloth * cover[..., None]
        alpha = alpha + cover - alpha * cover
    sheet = np.dstack([picture, alpha * 255])
    return np.asarray(np.rint(np.clip(sheet, 0, 255)), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class _Shape:
    """Heights (mm) and cover (0–1) of skin, sleeve and cuff, and how the skin's and the cloth's colours vary."""

    skin: Floats
    skin_alpha: Floats
    flush: Floats
    weave: Floats
    sleeve: Floats
    sleeve_alpha: Floats
    cuff: Floats
    cuff_alpha: Floats


@lru_cache(maxsize=4)
def _shape(sleeve_mm: float, left: bool) -> _Shape:
    u, w = _grid()
    if left:
        u = -u
    random = np.random.default_rng(19)
    skin, inside = _relief(HAND + FOREARM, u, w)
    knuckle = np.exp(-(((w - 62) / 9) ** 2)) + 0.8 * np.exp(-(((w + 4) / 10) ** 2))
    flush = 1 + knuckle[..., None] * np.asarray((-0.07, -0.05, 0.03), dtype=np.float32)
    _draw_nails(flush, u, w)
    mottle = 1 + 0.025 * smooth_noise(random, u.shape, (5 * PX_PER_MM, 5 * PX_PER_MM))
    mottle *= 1 + 0.02 * smooth_noise(random, u.shape, (PX_PER_MM, PX_PER_MM))
    flush *= mottle[..., None]
    weave = 1 + 0.05 * smooth_noise(random, u.shape, (0.5 * PX_PER_MM, 0.5 * PX_PER_MM))
    cloth = []
    for limbs, end in ((_sleeve(sleeve_mm), BACK), (_cuff(sleeve_mm), sleeve_mm + CUFF_WIDTH_MM)):
        height, reach = _relief(limbs, u, w)
        folds = smooth_noise(random, u.shape, (16 * PX_PER_MM, 40 * PX_PER_MM))
        folds = folds + 0.5 * smooth_noise(random, u.shape, (7 * PX_PER_MM, 22 * PX_PER_MM))
        height = height + 1.7 * folds * np.clip((w - sleeve_mm - 18) / 30, 0, 1)
        cover = np.clip((reach + 0.5 * folds) * PX_PER_MM + 0.5, 0, 1)
        bulge = 1.2 * np.cos(u / 14)
        cover = (
            cover * np.clip((w - sleeve_mm - bulge) * PX_PER_MM, 0, 1) * np.clip((end + bulge - w) * PX_PER_MM, 0, 1)
        )
        cloth += [np.asarray(height, dtype=np.float32), np.asarray(cover, dtype=np.float32)]
    alpha = np.asarray(np.clip(inside * PX_PER_MM + 0.5, 0, 1), dtype=np.float32)
    return _Shape(skin, alpha, np.asarray(flush, dtype=np.float32), weave, *cloth)


def _sleeve(end_mm: float) -> tuple[Limb, ...]:
    first = end_mm + 10
    radius = float(np.interp(first, SLEEVE_ENDS, SLEEVE_RADII))
    if first < SLEEVE_ENDS[1]:
        elbow = Limb((0, SLEEVE_ENDS[1], 16), (0, SLEEVE_ENDS[2], 20), SLEEVE_RADII[1], SLEEVE_RADII[2])
        return Limb((0, first, 12), (0, SLEEVE_ENDS[1], 16), radius, SLEEVE_RADII[1]), elbow
    return (Limb((0, first, 16), (0, SLEEVE_ENDS[2], 20), radius + 3, SLEEVE_RADII[2]),)


def _cuff(end_mm: float) -> tuple[Limb, ...]:
    radius = _sleeve(end_mm)[0].radius
    return (Limb((0, end_mm + 2, 12), (0, end_mm + 40, 12), radius - 1, radius + 1),)


def _grid() -> tuple[Floats, Floats]:
    columns = -SIDE + (np.arange(round(2 * SIDE * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    rows = FRONT + (np.arange(round((BACK - FRONT) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    u, w = np.meshgrid(columns, rows)
    return u.astype(np.float32), w.astype(np.float32)


def _relief(limbs: tuple[Limb, ...], all_u: Floats, all_w: Floats) -> tuple[Floats, Floats]:
    """The limbs' height (mm) and their signed distance (mm, positive inside), seen from above."""
    heights, insides = np.full_like(all_u, -50.0), np.full_like(all_u, -1e3)
    for limb in limbs:
        reach = max(limb.radius, limb.end_radius) + AROUND
        low, high = sorted((limb.start[1], limb.end[1]))
        rows = slice(*np.searchsorted(all_w[:, 0], (low - reach, high + reach)))
        u, w, height, inside = all_u[rows], all_w[rows], heights[rows], insides[rows]
        step_u, step_w = limb.end[0] - limb.start[0], limb.end[1] - limb.start[1]
        along = ((u - limb.start[0]) * step_u + (w - limb.start[1]) * step_w) / (step_u**2 + step_w**2)
        along = np.clip(along, 0, 1)
        away = np.hypot(u - limb.start[0] - along * step_u, w - limb.start[1] - along * step_w)
        radius = limb.radius + along * (limb.end_radius - limb.radius)
        middle = limb.start[2] + along * (limb.end[2] - limb.start[2])
        crest = middle + np.sqrt(np.maximum(radius**2 - away**2, 0)) * 0.9
        crest = np.where(away < radius, crest, middle - 4 * (away - radius))
        blend = BLEND * radius
        over = np.clip(0.5 + (crest - height) / (2 * blend), 0, 1)
        height += over * (crest - height) + blend * over * (1 - over)
        np.maximum(inside, radius - away, out=inside)
    return heights, insides


def _shade(height: Floats, illumination: Illumination, gloss: float) -> Floats:
    """Brightness of a relief: lamp, room light that comes from above, and darker grooves; a level place is 1."""
    smooth = cv2.GaussianBlur(height, (0, 0), 0.8 * PX_PER_MM)
    rows, columns = np.gradient(np.asarray(smooth, dtype=np.float32))
    tilt_u, tilt_w = -columns * PX_PER_MM, -rows * PX_PER_MM
    upright = 1 / np.sqrt(tilt_u**2 + tilt_w**2 + 1)
    light_x, light_y, light_z = illumination.direction
    facing = np.maximum((tilt_u * light_x - tilt_w * light_y + light_z) * upright, 0)
    groove = np.clip((height - cv2.GaussianBlur(height, (0, 0), 4 * PX_PER_MM)) / 14, -0.3, 0.12)
    direct = 0.52 * illumination.directed
    level = (0.58 + 0.52 * 0.84) / (0.58 + direct * light_z)
    lit = level * (0.34 + 0.24 * upright + direct * facing) + groove
    return np.asarray(lit + gloss * illumination.directed * facing**24, dtype=np.float32)


def _draw_nails(flesh: Reals, u: Floats, w: Floats) -> None:
    for place_u, place_w, turn in NAILS:
        across = (u - place_u) * math.cos(turn) + (w - place_w) * math.sin(turn)
        along = (w - place_w) * math.cos(turn) - (u - place_u) * math.sin(turn)
        nail = np.clip((1 - np.hypot(across / 4.2, along / 5.6)) * 6, 0, 1)[..., None]
        flesh *= 1 + nail * np.asarray((0.10, 0.05, 0.03), dtype=np.float32)
        rim = np.exp(-(((np.hypot(across / 4.2, along / 5.6) - 1) * 9) ** 2))[..., None]
        flesh *= 1 - 0.10 * rim
