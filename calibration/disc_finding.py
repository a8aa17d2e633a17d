"""Where a disc lies that was not there before, by comparing a picture with one of the bare table.

What is measured is the outline of the disc's upper face, which is a circle in the picture laid flat at that height.
Nothing has to be learnt for it, and no place has to be known: it works before there is a calibrated arm.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.disc_rim import rim_of
from calibration.errors import CalibrationError
from vision.camera_model import CameraModel
from vision.disc_size import DiscSize

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
PointXY = tuple[float, float]

COARSE_MM, FINE_MM = 1.0, 0.5
"""Sides of the pixels in the flat pictures in which discs are sought, and measured."""
DIFFERS = (26.0, 16.0, 10.0)
"""Grey levels (the largest of the three channels) by which what has come differs from the bare table: first clearly,
then, if nothing does, as little as a light disc differs from a light square."""
ROUND = 0.55
"""A thing whose outline fills less of the smallest circle around it is no disc."""
SIZES = (0.6, 1.7)
"""How large, in disc diameters, the circle around it may be: with its side wall and something of its shadow."""
CONTRAST = 24.0
"""Where the disc's face differs less than this from what is under it, its edge is not looked for."""
SEARCH_MM = (6.0, 2.0, 0.7)
"""From each place that fits best it is searched this far in the next round."""
COARSE_ROUNDS = 2
"""In so many rounds every other pixel, each way, is enough."""
STEPS = 3
EDGE = (0.25, 0.65)
"""A point counts as the disc's from the one to the other part of its face's colour on: rims are shaded on one
side."""
BLUR_MM = 0.6
"""How soft an edge is in the flat picture."""
DIAMETERS = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3)
"""Parts of the diameter that a disc is thought to have, at which its true one is looked for first."""
RIM_MM = 1.0
"""A rim that is farther from where the disc has been found, or so much larger or smaller, is not the disc's."""
LEAST_FIT = 0.45
"""A disc explains at least this part of what has changed at its place."""


class DiscNotFoundError(CalibrationError):
    """There is no disc where one was put, or more than one."""


@dataclass(frozen=True)
class SeenDisc:
    """A disc's centre, board mm, and how much of what has changed there it explains (0 to 1)."""

    centre: PointXY
    fit: float


def new_discs(
    bare: Pixels, now: Pixels, camera: CameraModel, disc: DiscSize, region_mm: tuple[float, float, float, float]
) -> list[SeenDisc]:
    """The discs that have come to lie in a region (left, near, right, far; board mm).

    Larger things, such as a hand, are not among them, nor are discs that touch one another.
    """
    left, near, right, far = region_mm
    flat = _region(camera, disc.height_mm, (left, near), (right - left, far - near))
    change = _change(flat.lay(bare), flat.lay(now))
    for differs in DIFFERS:
        found: list[SeenDisc] = []
        for near_mm in _round_things(change > differs, disc, (left, near)):
            with suppress(DiscNotFoundError):
                seen = measure_disc(bare, now, camera, disc, near_mm)
                # Two parts of one disc lead to the same one.
                if all(math.dist(seen.centre, other.centre) > disc.diameter_mm / 2 for other in found):
                    found.append(seen)
        if found:
            return found
    return []


@lru_cache(maxsize=2)
def _region(camera: CameraModel, height_mm: float, origin: PointXY, size_mm: PointXY) -> _Flat:
    """The same region is looked at again and again."""
    return _Flat(camera, height_mm, origin, size_mm, COARSE_MM)


def _round_things(changed: NDArray[np.bool_], disc: DiscSize, origin: PointXY) -> list[PointXY]:
    """The middles (board mm) of what is about as large as a disc and about as round."""
    left, near = origin
    mask = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for outline in outlines:
        (x, y), radius = cv2.minEnclosingCircle(outline)
        across = 2 * radius * COARSE_MM / disc.diameter_mm
        filled = cv2.contourArea(cv2.convexHull(outline)) / (np.pi * radius**2 + 1e-6)
        if SIZES[0] <= across <= SIZES[1] and filled >= ROUND:
            found.append((left + x * COARSE_MM, near + y * COARSE_MM))
    return found


def measure_disc(bare: Pixels, now: Pixels, camera: CameraModel, disc: DiscSize, near_mm: PointXY) -> SeenDisc:
    """The exact place of the disc whose centre is within some 10 mm of `near_mm`.

    Raises DiscNotFoundError if what has changed there does not look like one disc.
    """
    half = disc.diameter_mm * 0.5 + 14.0
    origin = (near_mm[0] - half, near_mm[1] - half)
    flat = _Flat(camera, disc.height_mm, origin, (2 * half, 2 * half), FINE_MM)
    foot = camera.position_mm
    window = _Window(flat.x.astype(np.float32), flat.y.astype(np.float32), flat.lay(bare), flat.lay(now))
    fits = [_Fit(part, foot, disc) for part in (window.lit_alike(disc).halved(), window.lit_alike(disc))]
    centre = np.array(near_mm)
    best = -np.inf
    for number, reach in enumerate(SEARCH_MM):
        # What lies there tells its colour better the nearer the middle is known.
        fit = fits[number >= COARSE_ROUNDS]
        fit.learn_face(centre)
        steps = np.linspace(-reach, reach, 2 * STEPS + 1)
        scores = {(x, y): fit.score(centre + (x, y)) for x in steps for y in steps}
        (x, y), best = max(scores.items(), key=lambda one: one[1])
        centre = centre + (x, y)
    if best < LEAST_FIT:
        raise DiscNotFoundError(
            f"no single disc is to be seen near x {near_mm[0]:.0f}, y {near_mm[1]:.0f} mm, where one should lie"
        )
    about = float(centre[0]), float(centre[1])
    rim = rim_of(bare, now, camera, disc, about, size_known=True)
    exact = rim is not None and math.dist(rim.centre, about) < RIM_MM
    return SeenDisc(rim.centre if rim is not None and exact else about, float(best))


class _Flat:
    """A rectangle of the plane at some height, laid flat."""

    def __init__(
        self, camera: CameraModel, height_mm: float, origin: PointXY, size_mm: PointXY, step_mm: float
    ) -> None:
        width, height = (int(np.ceil(side / step_mm)) for side in size_mm)
        self.x, self.y = np.meshgrid(origin[0] + np.arange(width) * step_mm, origin[1] + np.arange(height) * step_mm)
        points = np.column_stack([self.x.ravel(), self.y.ravel(), np.full(self.x.size, height_mm)])
        pixels = camera.project(points).astype(np.float32).reshape(height, width, 2)
        self._columns, self._rows = np.ascontiguousarray(pixels[..., 0]), np.ascontiguousarray(pixels[..., 1])

    def lay(self, pixels: Pixels) -> Floats:
        """The picture laid flat (rows, columns, 3)."""
        flat = cv2.remap(pixels, self._columns, self._rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.GaussianBlur(flat, (3, 3), 0), dtype=np.float32)


@dataclass(frozen=True, eq=False)
class _Window:
    """Part of two flat pictures: where each point is (board mm), and its colours without and with the disc."""

    x: Floats
    y: Floats
    bare: Floats
    now: Floats

    def halved(self) -> _Window:
        """Every other point, each way."""
        few = np.s_[::2, ::2]
        return _Window(self.x[few], self.y[few], self.bare[few], self.now[few])

    def lit_alike(self, disc: DiscSize) -> _Window:
        """The bare picture in the light of the other one: by what is the same in both around the disc."""
        height, width = self.x.shape
        middle = self.x[0, width // 2], self.y[height // 2, 0]
        around = np.hypot(self.x - middle[0], self.y - middle[1]) > disc.diameter_mm / 2 + 6.0
        ratios = (self.now[around] + 4.0) / (self.bare[around] + 4.0)
        lit = np.asarray(self.bare * np.median(ratios, axis=0), dtype=np.float32)
        return _Window(self.x, self.y, lit, self.now)


class _Fit:
    """How well a disc at some place explains the change in a window."""

    def __init__(self, window: _Window, foot: NDArray[np.float64], disc: DiscSize) -> None:
        self._window, self._foot = window, foot
        self._radius = disc.diameter_mm / 2
        self._lift = disc.height_mm / (foot[2] - disc.height_mm)

    def learn_face(self, centre: NDArray[np.float64]) -> None:
        """Take the colour at the middle for the disc's, and find out where it shows."""
        window = self._window
        inside = np.hypot(window.x - centre[0], window.y - centre[1]) < 0.6 * self._radius
        apart = np.median(window.now[inside], axis=0) - window.bare
        strength = (apart**2).sum(axis=2)
        part = ((window.now - window.bare) * apart).sum(axis=2) / (strength + 1.0)
        self._shown = np.clip((part - EDGE[0]) / (EDGE[1] - EDGE[0]), 0.0, 1.0)
        self._weight = strength / (strength + 3 * CONTRAST**2)

    def score(self, centre: NDArray[np.float64]) -> float:
        """1 for a disc that explains all, 0 for one that explains nothing."""
        across, along = self._window.x - np.float32(centre[0]), self._window.y - np.float32(centre[1])
        away = np.sqrt(across * across + along * along)
        # Between the face and the foot, as seen from the camera, is the wall, whose shade is not known.
        foot_x, foot_y = (centre - self._foot[:2]) * -self._lift
        walls = (across - np.float32(foot_x)) ** 2 + (along - np.float32(foot_y)) ** 2 < (self._radius + 1.0) ** 2
        told = (away < self._radius + 7.0) & ~(walls & (away > self._radius - 0.3))
        away, shown, weight = away[told], self._shown[told], self._weight[told]
        expected = np.clip((self._radius - away) / BLUR_MM + 0.5, 0.0, 1.0)
        missed = float((weight * (shown - expected) ** 2).sum())
        return 1.0 - missed / (float((weight * expected).sum()) + 1e-6)


def _change(bare: Floats, now: Floats) -> Floats:
    """(rows, columns) by how many grey levels each point has changed."""
    light = np.median((now + 4.0) / (bare + 4.0), axis=(0, 1))
    return np.asarray(np.abs(now - bare * light).max(axis=2), dtype=np.float32)


def measure_diameter(bare: Pixels, now: Pixels, camera: CameraModel, disc: DiscSize, near_mm: PointXY) -> float:
    """How many mm across the disc near a point (board mm) is; `disc` is about its size.

    Raises DiscNotFoundError as `measure_disc` does.
    """
    diameters = np.array([disc.diameter_mm * part for part in DIAMETERS])
    for _ in range(2):
        fits = np.array([_fit_of(bare, now, camera, DiscSize(float(d), disc.height_mm), near_mm) for d in diameters])
        best = int(np.clip(fits.argmax(), 1, len(fits) - 2))
        step = float(diameters[1] - diameters[0])
        diameters = diameters[best] + np.linspace(-step, step, len(DIAMETERS))
    before, here, after = fits[best - 1 : best + 2]
    bend = before - 2 * here + after
    if max(before, here, after) <= 0:
        raise DiscNotFoundError("no single disc is to be seen where one should lie")
    about = float(diameters[len(DIAMETERS) // 2] + (0.5 * step * (before - after) / bend if bend < 0 else 0.0))
    thought = DiscSize(about, disc.height_mm)
    rim = rim_of(
        bare, now, camera, thought, measure_disc(bare, now, camera, thought, near_mm).centre, size_known=False
    )
    return about + 2 * rim.growth_mm if rim is not None and abs(rim.growth_mm) < RIM_MM / 2 else about


def colour_at(now: Pixels, camera: CameraModel, disc: DiscSize, at_mm: PointXY) -> tuple[float, float, float]:
    """The mean colour (blue, green, red) of a disc's face about a point (board mm)."""
    x, y = (int(value) for value in camera.project([(*at_mm, disc.height_mm)])[0])
    blue, green, red = now[max(y - 4, 0) : y + 5, max(x - 4, 0) : x + 5].reshape(-1, 3).mean(axis=0)
    return float(blue), float(green), float(red)


def _fit_of(bare: Pixels, now: Pixels, camera: CameraModel, disc: DiscSize, near_mm: PointXY) -> float:
    try:
        return measure_disc(bare, now, camera, disc, near_mm).fit
    except DiscNotFoundError:
        return 0.0
