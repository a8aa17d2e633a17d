"""The human's arm: a sleeve, and a hand whose thumb and fingers meet round a disc.

The arm is modelled once, seen from above, as a relief of rounded limbs in a frame of its own (u to the hand's right,
w from the fingertips back along the forearm, mm), and shaded. For each picture this sheet is laid on a plane that
rises from the fingertips towards the elbow, and looked at from the camera.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.soft_shadow import SoftShadows
from hardware.simulated.drawing.style import Colour, Style
from hardware.simulated.drawing.view import Floats, View
from hardware.simulated.drawing.wood import smooth_noise
from hardware.simulated.scene import HandPose, Point

PX_PER_MM = 2.5
LEFT, RIGHT, FRONT, BACK = -75.0, 85.0, -20.0, 560.0
"""The sheet's extent, mm."""
RISE = 0.13
"""How much the arm rises for each mm back from the fingertips."""
LIFT = 7.0
"""Height of the sheet above the fingertips' lowest point, mm."""
SLEEVE_FROM = 158.0


@dataclass(frozen=True)
class Limb:
    """A tapered round limb from (u, w, height) to (u, w, height), mm, with a radius at each end."""

    start: Point
    end: Point
    radius: float
    end_radius: float


HAND = (
    Limb((0, 126, 12), (0, 175, 10), 27, 27),
    Limb((6, 92, 16), (2, 124, 13), 31, 27),
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
SLEEVE = (
    Limb((0, 168, 12), (0, 330, 16), 38, 46),
    Limb((0, 330, 16), (0, 640, 20), 46, 54),
)
CUFF = (Limb((0, 160, 12), (0, 176, 12), 37, 38.5),)
NAILS = ((4.0, -14.0, 0.0), (14.5, -5.0, 0.1), (-14.5, 6.5, -0.5))
"""Places (u, w) and turns (radians) of the fingernails that show."""


class HandPainter:
    """Draws the human's arm."""

    def __init__(self, view: View, style: Style, light: Floats, seed: int) -> None:
        self._view, self._light = view, light
        random = np.random.default_rng((seed, 31))
        skin = style.skin[int(random.integers(len(style.skin)))]
        sleeve = style.sleeves[int(random.integers(len(style.sleeves)))]
        self._colour, self._alpha = _sheet(skin, sleeve, style.light)

    def cast_shadow(self, shadows: SoftShadows, pose: HandPose) -> None:
        """Add the arm's shadows: the fingers' and the arm's have edges of different softness."""
        placed = [(_place(limb.start, pose), _place(limb.end, pose), limb.radius) for limb in (*HAND, *SLEEVE)]
        shadows.add_limbs(limb for limb in placed if limb[2] < 10)
        shadows.add_limbs(limb for limb in placed if limb[2] >= 10)

    def draw(self, canvas: Canvas, pose: HandPose) -> None:
        """Draw hand and sleeve over whatever is there."""
        corners = [_place((u, w, LIFT), pose) for u in (LEFT, RIGHT) for w in np.linspace(FRONT, BACK, 8)]
        camera = self._view.position
        window = self._view.window_around([corner for corner in corners if corner[2] < camera[2] * 0.8])
        if window.empty:
            return
        right, back = _axes(pose)
        x, y, z = pose.pinch_mm
        camera_x, camera_y, camera_z = (float(value) for value in camera)
        ray_x, ray_y = self._view.ground_x[window.slices] - camera_x, self._view.ground_y[window.slices] - camera_y
        camera_back = (camera_x - x) * back[0] + (camera_y - y) * back[1]
        camera_right = (camera_x - x) * right[0] + (camera_y - y) * right[1]
        ray_back, ray_right = ray_x * back[0] + ray_y * back[1], ray_x * right[0] + ray_y * right[1]
        along = (camera_z - z - LIFT - RISE * camera_back) / (camera_z + RISE * ray_back)
        columns = (camera_right + along * ray_right - LEFT) * PX_PER_MM - 0.5
        rows = (camera_back + along * ray_back - FRONT) * PX_PER_MM - 0.5
        colour = cv2.remap(self._colour, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        alpha = cv2.remap(self._alpha, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        part = canvas.part(window)
        part *= (1 - np.asarray(alpha, dtype=np.float32))[..., None]
        part += np.asarray(colour, dtype=np.float32) * self._light[window.slices][..., None]


def _axes(pose: HandPose) -> tuple[tuple[float, float], tuple[float, float]]:
    """The hand's right and backward directions on the board."""
    turn = math.radians(pose.turn_deg)
    return (math.cos(turn), math.sin(turn)), (math.sin(turn), -math.cos(turn))


def _place(point: Point, pose: HandPose) -> Point:
    """Board mm of a point (u, w, height) of the hand's frame."""
    right, back = _axes(pose)
    u, w, height = point
    x, y, z = pose.pinch_mm
    return x + u * right[0] + w * back[0], y + u * right[1] + w * back[1], z + RISE * max(w, 0) + height


def _grid() -> tuple[Floats, Floats]:
    columns = LEFT + (np.arange(round((RIGHT - LEFT) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    rows = FRONT + (np.arange(round((BACK - FRONT) * PX_PER_MM), dtype=np.float32) + 0.5) / PX_PER_MM
    u, w = np.meshgrid(columns, rows)
    return u.astype(np.float32), w.astype(np.float32)


def _relief(limbs: tuple[Limb, ...], u: Floats, w: Floats) -> tuple[Floats, Floats]:
    """The limbs' height (mm) and their signed distance (mm, positive inside), seen from above."""
    height = np.full_like(u, -50.0)
    inside = np.full_like(u, -1e3)
    for limb in limbs:
        step_u, step_w = limb.end[0] - limb.start[0], limb.end[1] - limb.start[1]
        along = ((u - limb.start[0]) * step_u + (w - limb.start[1]) * step_w) / (step_u**2 + step_w**2)
        along = np.clip(along, 0, 1)
        away = np.hypot(u - limb.start[0] - along * step_u, w - limb.start[1] - along * step_w)
        radius = limb.radius + along * (limb.end_radius - limb.radius)
        middle = limb.start[2] + along * (limb.end[2] - limb.start[2])
        crest = middle + np.sqrt(np.maximum(radius**2 - away**2, 0)) * 0.9
        crest = np.where(away < radius, crest, middle - 4 * (away - radius))
        blend = 2.2
        over = np.clip(0.5 + (crest - height) / (2 * blend), 0, 1)
        height = height + over * (crest - height) + blend * over * (1 - over)
        inside = np.maximum(inside, radius - away)
    return np.asarray(height, dtype=np.float32), np.asarray(inside, dtype=np.float32)


def _shade(height: Floats, light: tuple[float, float, float], gloss: float) -> Floats:
    """Brightness of a relief: lamp, room light that comes from above, and darker grooves."""
    smooth = cv2.GaussianBlur(height, (0, 0), 0.8 * PX_PER_MM)
    rows, columns = np.gradient(np.asarray(smooth, dtype=np.float32))
    normal = np.stack([-columns * PX_PER_MM, -rows * PX_PER_MM, np.ones_like(height)])
    normal /= np.linalg.norm(normal, axis=0)
    direction = np.asarray((light[0], -light[1], light[2]), dtype=np.float32)
    direction /= np.linalg.norm(direction)
    facing = np.maximum(np.tensordot(direction, normal, axes=1), 0)
    groove = np.clip((height - cv2.GaussianBlur(height, (0, 0), 4 * PX_PER_MM)) / 14, -0.3, 0.12)
    lit = 0.34 + 0.24 * normal[2] + 0.52 * facing + groove
    return np.asarray(lit + gloss * facing**24, dtype=np.float32)


@lru_cache(maxsize=8)
def _sheet(skin: Colour, sleeve: Colour, light: tuple[float, float, float]) -> tuple[Floats, Floats]:
    """The arm from above: colour times alpha (rows, columns, 3), and alpha (rows, columns)."""
    u, w = _grid()
    random = np.random.default_rng(17)
    height, inside = _relief(HAND, u, w)
    alpha = np.clip(inside * PX_PER_MM + 0.5, 0, 1)
    mottle = 1 + 0.025 * smooth_noise(random, u.shape, (5 * PX_PER_MM, 5 * PX_PER_MM))
    mottle *= 1 + 0.02 * smooth_noise(random, u.shape, (PX_PER_MM, PX_PER_MM))
    flesh = np.asarray(skin, dtype=np.float32) * (_shade(height, light, 0.10) * mottle)[..., None]
    knuckle = np.exp(-(((w - 62) / 9) ** 2)) + 0.8 * np.exp(-(((w + 4) / 10) ** 2))
    flesh *= 1 + knuckle[..., None] * np.asarray((-0.07, -0.05, 0.03), dtype=np.float32)
    _draw_nails(flesh, u, w)
    picture = flesh * alpha[..., None]
    cloth_colour = np.asarray(sleeve, dtype=np.float32)
    for limbs, factor in ((SLEEVE, 1.0), (CUFF, 0.9)):
        height, inside = _relief(limbs, u, w)
        folds = smooth_noise(random, u.shape, (16 * PX_PER_MM, 40 * PX_PER_MM))
        folds = folds + 0.5 * smooth_noise(random, u.shape, (7 * PX_PER_MM, 22 * PX_PER_MM))
        shape = height + 1.7 * folds * np.clip((w - SLEEVE_FROM - 18) / 30, 0, 1)
        weave = 1 + 0.05 * smooth_noise(random, u.shape, (0.5 * PX_PER_MM, 0.5 * PX_PER_MM))
        cloth = cloth_colour * (factor * _shade(np.asarray(shape, dtype=np.float32), light, 0.0) * weave)[..., None]
        cover = np.clip((inside + 0.5 * folds) * PX_PER_MM + 0.5, 0, 1)
        cover = cover * np.clip((w - SLEEVE_FROM - 1.2 * np.cos(u / 14)) * PX_PER_MM, 0, 1)
        picture = picture * (1 - cover[..., None]) + cloth * cover[..., None]
        alpha = alpha + cover - alpha * cover
    return np.ascontiguousarray(picture, dtype=np.float32), np.ascontiguousarray(alpha, dtype=np.float32)


def _draw_nails(flesh: Floats, u: Floats, w: Floats) -> None:
    for place_u, place_w, turn in NAILS:
        across = (u - place_u) * math.cos(turn) + (w - place_w) * math.sin(turn)
        along = (w - place_w) * math.cos(turn) - (u - place_u) * math.sin(turn)
        nail = np.clip((1 - np.hypot(across / 4.2, along / 5.6)) * 6, 0, 1)[..., None]
        flesh *= 1 + nail * np.asarray((0.10, 0.05, 0.03), dtype=np.float32)
        rim = np.exp(-(((np.hypot(across / 4.2, along / 5.6) - 1) * 9) ** 2))[..., None]
        flesh *= 1 - 0.10 * rim
