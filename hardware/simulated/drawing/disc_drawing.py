"""Discs: top face, side wall and shadow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from hardware.simulated.discs import Disc, DiscColour, Face
from hardware.simulated.drawing.canvas import Canvas
from hardware.simulated.drawing.cylinder import (
    Attitude,
    Cylinder,
    distance_to_segment,
    inside_hull,
    see_cylinder,
    see_leaning_cylinder,
    smooth_step,
)
from hardware.simulated.drawing.disc_face import crown_slopes, face_up, printed_crown, relief, wood_of_disc
from hardware.simulated.drawing.glare import Glare
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.style import DiscFace, Style
from hardware.simulated.drawing.view import Floats, Reals, View, Window
from hardware.simulated.scene import Point

WALL_AMBIENT = 0.62
CACHED = 128
LONG_SHADOW = 1.0
"""Length of a shadow per mm of height from which on it may fall on a neighbouring disc; a shorter one ends before."""
STEEPNESS = 0.35
"""How steep a face's rounded rim is at most."""
DOME = 0.004
"""How steep its middle is towards the rim, as it bulges a little."""
UPRIGHT = (0.0, 0.0)
Patch = tuple[Window, Floats, Floats]
"""A window, colour times coverage there, and the part left uncovered; both (height, width, 3)."""


class DiscPainter:
    """Draws discs of one size under one light.

    What one disc looks like where it lies is kept: most discs lie still from picture to picture.
    """

    def __init__(
        self,
        view: View,
        style: Style,
        illumination: Illumination,
        light: Floats,
        diameter_mm: float,
        height_mm: float,
    ) -> None:
        self._view, self._style, self._illumination, self._light = view, style, illumination, light
        self._radius, self._height = diameter_mm / 2, height_mm
        self._glare = Glare(view.position, illumination)
        self._bodies = lru_cache(maxsize=CACHED)(self._body)
        self._shadows = lru_cache(maxsize=CACHED)(self._shadow)
        level = math.hypot(*illumination.direction[:2]) / illumination.direction[2]
        self._casts_on_discs = level > LONG_SHADOW

    def draw(self, canvas: Canvas, discs: Sequence[Disc]) -> None:
        """Draw the discs and their shadows, all shadows first, then the bodies from far to near."""
        for disc in discs:
            self.draw_shadow(canvas, disc)
        for disc in self._far_to_near(discs):
            self.draw_body(canvas, disc, self._shading(disc, discs))

    def draw_shadow(self, canvas: Canvas, disc: Disc) -> None:
        """Darken the surface where the disc takes the lamp's light, and, close to it, the room's."""
        window, shade = self._shadows(disc)
        if not window.empty:
            part = canvas.part(window)
            part *= shade

    def draw_body(self, canvas: Canvas, disc: Disc, shading: tuple[Disc, ...] = ()) -> None:
        """Draw the disc itself, over whatever is there; `shading` are the discs whose shadows fall on it."""
        seen = self._bodies(disc, shading)
        if seen is not None:
            window, colour, uncovered = seen
            part = canvas.part(window)
            part *= uncovered
            part += colour

    def _shading(self, disc: Disc, discs: Sequence[Disc]) -> tuple[Disc, ...]:
        """The discs whose shadows may fall on this one."""
        if not self._casts_on_discs:
            return ()
        found = []
        for other in discs:
            above = other.z + self._height - disc.z
            if other is disc or above <= 0.5:
                continue
            x, y, z = self._illumination.towards(other.x, other.y, other.z)
            end = other.x - x / z * above, other.y - y / z * above
            reach = 2 * self._radius + self._soft(above)
            to_end = math.dist(end, (other.x, other.y)) + reach
            along = (disc.x - other.x) * -x + (disc.y - other.y) * -y
            if math.dist((disc.x, disc.y), (other.x, other.y)) < to_end and along > -0.2 * self._radius:
                found.append(other)
        return tuple(found)

    def _soft(self, height_mm: float) -> float:
        """Half the width of the soft edge of a shadow cast from a height."""
        return self._illumination.penumbra * height_mm + 0.6

    def _shadow(self, disc: Disc) -> tuple[Window, Floats]:
        if disc.lean != UPRIGHT:
            return self._leaning_shadow(disc)
        low, high = disc.z, disc.z + self._height
        soft = self._soft(high)
        reach = self._radius + soft + 6
        to_light = self._illumination.towards(disc.x, disc.y, disc.z)
        slope_x, slope_y = (-part / to_light[2] for part in to_light[:2])
        start, end = ((disc.x + slope_x * z, disc.y + slope_y * z) for z in (low, high))
        middles = (start, end, (disc.x, disc.y))
        corners = [(x + a, y + b, 0.0) for x, y in middles for a in (-reach, reach) for b in (-reach, reach)]
        window = self._view.window_around(corners)
        x, y = self._view.at_height(window, 0.0)
        inside = self._radius - distance_to_segment(x, y, start, end)
        lamp = smooth_step((inside + soft) / (2 * soft))
        room = np.exp(-np.maximum(np.hypot(x - disc.x, y - disc.y) - self._radius, 0) / 3.0) * math.exp(-low / 8)
        return window, self._darkening(lamp, room)

    def _leaning_shadow(self, disc: Disc) -> tuple[Window, Floats]:
        attitude = self._attitude(disc)
        foot = attitude.rim(self._radius, 0.0)
        cast = [self._illumination.cast(point) for point in (*foot, *attitude.rim(self._radius, self._height))]
        below = [(x, y) for x, y, _ in foot]
        soft = self._soft(disc.z + self._height)
        reach = soft + 6
        corners = [(x + a, y + b, 0.0) for x, y in (*cast, *below) for a in (-reach, reach) for b in (-reach, reach)]
        window = self._view.window_around(corners)
        x, y = self._view.at_height(window, 0.0)
        lamp = smooth_step((inside_hull(x, y, cast) + soft) / (2 * soft))
        low = (max(min(z for _, _, z in foot), 0.0) + disc.z) / 2
        room = np.exp(-np.maximum(-inside_hull(x, y, below), 0) / 3.0) * math.exp(-low / 8)
        return window, self._darkening(lamp, room)

    def _darkening(self, lamp: Reals, room: Reals) -> Floats:
        """(height, width, 3) what is left of the light, from the parts of lamp and room that are taken away."""
        shade = (1 - self._illumination.shadow * 0.75 * lamp) * (1 - 0.34 * room)
        return np.ascontiguousarray(np.repeat(shade[..., None], 3, axis=2), dtype=np.float32)

    def _body(self, disc: Disc, shading: tuple[Disc, ...]) -> Patch | None:
        attitude, from_above = None, True
        if disc.lean == UPRIGHT:
            seen = see_cylinder(self._view, disc.x, disc.y, self._radius, disc.z, disc.z + self._height)
        else:
            attitude = self._attitude(disc)
            leaning = see_leaning_cylinder(self._view, attitude, self._radius, self._height)
            seen, from_above = leaning if leaning is not None else (None, True)
        if seen is None:
            return None
        to_light = self._illumination.towards(disc.x, disc.y, disc.z)
        if attitude is not None:
            turned = attitude.turn @ to_light
            to_light = (float(turned[0]), float(turned[1]), float(turned[2]))
        top = seen.top[..., None]
        face = self._face(seen, disc, to_light)
        if attitude is not None:
            face = face * self._face_light(attitude, to_light[2], from_above)
        wall = self._wall(seen, disc, to_light)
        if shading:
            wall, face = self._shaded(seen, disc, shading, wall, face)
        light = self._light[seen.window.slices]
        colour = wall * (seen.body[..., None] - top) + face * top
        colour = colour * light
        if self._glare.visible:
            colour += self._glare.veil(face * light, self._mirrored(seen, disc, attitude)) * top
        uncovered = np.repeat(1 - seen.body[..., None], 3, axis=2)
        return seen.window, np.asarray(colour, dtype=np.float32), np.asarray(uncovered, dtype=np.float32)

    def _attitude(self, disc: Disc) -> Attitude:
        half = self._height / 2
        return Attitude((disc.x - half * disc.lean[0], disc.y - half * disc.lean[1], disc.z), disc.lean)

    def _colour(self, disc: Disc) -> Floats:
        base = self._style.dark_discs if disc.colour is DiscColour.DARK else self._style.light_discs
        tint = np.random.default_rng((disc.id, 5)).normal(1, 0.03)
        return np.asarray(base, dtype=np.float32) * np.float32(tint)

    def _face(self, seen: Cylinder, disc: Disc, to_light: Point) -> Floats:
        """The face's colour, lit; `to_light` in the disc's frame."""
        x, y, out = seen.x, seen.y, np.hypot(seen.x, seen.y)
        random = np.random.default_rng((disc.id, 7))
        angle, shift_x, shift_y = (float(value) for value in random.uniform(0, (2 * math.pi, 400, 400)))
        cosine, sine = math.cos(angle), math.sin(angle)
        dark = disc.colour is DiscColour.DARK
        grain = self._style.disc_grain[dark]
        sideways = x * to_light[0] + y * to_light[1]
        towards = sideways / np.maximum(out, 1e-3)
        kind = face_up(self._style, disc.face)
        slope, shade = relief(kind, x, y, self._radius)
        steep = slope * towards
        if kind is DiscFace.CROWNED:
            fall_x, fall_y = crown_slopes(x * cosine + y * sine, y * cosine - x * sine, self._radius)
            light_x, light_y = to_light[0] * cosine + to_light[1] * sine, to_light[1] * cosine - to_light[0] * sine
            steep = steep + fall_x * light_x + fall_y * light_y
        directed = self._illumination.directed
        lit = 1 + ((0.55 if dark else 0.34) * directed) * steep - shade
        if grain > 0:
            wood = wood_of_disc(x * cosine + y * sine + shift_x, y * cosine - x * sine + shift_y)
            lit = (1 + (wood - 1) * grain) * lit
        gloss = (7.0 * directed) * np.clip(1 + sideways / self._radius, 0, 2) * (1 + 0.8 * steep)
        colour = self._colour(disc)
        if disc.face is Face.CROWN and self._style.crown_print is not None:
            ink = printed_crown(x * cosine + y * sine, y * cosine - x * sine, self._radius)[..., None]
            colour = colour + ink * (np.asarray(self._style.crown_print, dtype=np.float32) - colour)
        return np.asarray(lit[..., None] * colour + gloss[..., None], dtype=np.float32)

    def _face_light(self, attitude: Attitude, facing: float, from_above: bool) -> float:
        """How much brighter or darker a leaning disc's face is than a level one."""
        level = self._illumination.direction[2]
        sign = 1.0 if from_above else -1.0
        share = self._illumination.shadow
        up = sign * float(attitude.turn[2, 2])
        return share * max(sign * facing, 0.0) / level + (1 - share) * (0.65 + 0.35 * up)

    def _wall(self, seen: Cylinder, disc: Disc, to_light: Point) -> Floats:
        """The side wall's colour, lit, darker towards whatever it stands on."""
        facing = (seen.wall_x * to_light[0] + seen.wall_y * to_light[1]) / self._radius
        ambient, direct = WALL_AMBIENT * self._illumination.room, 0.75 * self._illumination.directed
        lit = (ambient + direct * np.maximum(facing, 0)) * (1 - 0.38 * seen.depth**3)
        lit = lit * (1 - 0.25 * np.exp(-seen.depth * (self._height / 0.7)))
        return np.asarray(lit[..., None] * self._colour(disc), dtype=np.float32)

    def _shaded(
        self, seen: Cylinder, disc: Disc, shading: tuple[Disc, ...], wall: Floats, face: Floats
    ) -> tuple[Floats, Floats]:
        """Wall and face under the shadows of other discs."""
        share = 0.75 * self._illumination.shadow
        heights = disc.z + self._height * (1 - seen.depth)
        for other in shading:
            on_wall = self._blocked(other, disc.x + seen.wall_x, disc.y + seen.wall_y, heights)
            on_face = self._blocked(other, disc.x + seen.x, disc.y + seen.y, disc.z + self._height)
            wall, face = wall * (1 - share * on_wall)[..., None], face * (1 - share * on_face)[..., None]
        return wall, face

    def _blocked(self, other: Disc, x: Floats, y: Floats, z: Floats | float) -> Floats:
        """How much of the lamp another disc hides from points (board mm), 0–1."""
        to_light = self._illumination.towards(other.x, other.y, other.z)
        slope_x, slope_y = to_light[0] / to_light[2], to_light[1] / to_light[2]
        low, high = np.maximum(other.z - z, 0.0), np.maximum(other.z + self._height - z, 0.0)
        # Seen from the point along the lamp's light, the other disc's axis moves from one offset to the next.
        away_x, away_y = x - other.x, y - other.y
        steep = max(slope_x**2 + slope_y**2, 1e-9)
        level = np.clip(-(away_x * slope_x + away_y * slope_y) / steep, low, high)
        distance = np.hypot(away_x + level * slope_x, away_y + level * slope_y)
        soft = self._soft(float(np.max(high)))
        return np.asarray(smooth_step((self._radius - distance + soft) / (2 * soft)) * np.clip(high, 0, 1))

    def _mirrored(self, seen: Cylinder, disc: Disc, attitude: Attitude | None) -> Floats:
        """The lamp's mirror image on the face, grey levels. Its rim is rounded, its middle not quite even."""
        finish = self._style.disc_finish
        tilt_x, tilt_y = np.random.default_rng((disc.id, 13)).normal(0, 2 * finish.waviness + 0.004, 2)
        slope, _ = relief(face_up(self._style, disc.face), seen.x, seen.y, self._radius)
        outwards = (STEEPNESS * slope + DOME * np.hypot(seen.x, seen.y) / self._radius) / np.maximum(
            np.hypot(seen.x, seen.y), 1e-3
        )
        normal_x, normal_y = tilt_x + outwards * seen.x, tilt_y + outwards * seen.y
        x, y, z = disc.x + seen.x, disc.y + seen.y, np.full_like(seen.x, disc.z + self._height)
        if attitude is not None:
            normal = attitude.turn.T @ np.stack([normal_x, normal_y, np.ones_like(normal_x)]).reshape(3, -1)
            upwards = np.maximum(normal[2], 0.05)
            normal_x, normal_y = ((part / upwards).reshape(seen.x.shape) for part in normal[:2])
            points = attitude.turn.T @ np.stack([seen.x, seen.y, np.full_like(seen.x, self._height)]).reshape(3, -1)
            x, y, z = (
                np.asarray(foot + part.reshape(seen.x.shape), dtype=np.float32)
                for foot, part in zip(attitude.foot, points, strict=True)
            )
        return self._glare.mirrored(x, y, z, normal_x, normal_y, finish)

    def _far_to_near(self, discs: Sequence[Disc]) -> list[Disc]:
        """Sorted so that what hides another comes after it: stacks from far to near, each from below."""
        x, y = (float(value) for value in self._view.position[:2])

        def order(disc: Disc) -> tuple[float, float]:
            base = disc
            while below := [d for d in discs if d.z < base.z - 0.1 and self._overlap(d, base)]:
                base = max(below, key=lambda d: d.z)
            return -math.hypot(base.x - x, base.y - y), disc.z

        return sorted(discs, key=order)

    def _overlap(self, one: Disc, other: Disc) -> bool:
        return math.hypot(one.x - other.x, one.y - other.y) < 1.8 * self._radius
