"""The gantry's own shadow: where a lamp throws it, found out from where it falls.

From a point in the shadow the lamp is seen behind the gantry. So each such point leaves only those lamps that stand,
seen from it, behind one of the gantry's parts; what all points of all shadows so far leave is where the lamp can be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera_model import CameraModel
from vision.silhouette import Box, Mask

SCALE = 4
STEEPEST = 4.0
"""How far (mm) at most a lamp throws a shadow for each mm of height, along x and along y."""
CELLS_PER_SLOPE = 16
"""The directions in which a lamp can be are kept on a grid: so many of its cells on a slope of 1."""
DISTANCES_MM = (1500.0, 1100.0, 800.0, 1e5)
"""How far from the board's middle the lamp may be: the rays of a near one spread."""
MOST_POINTS = 40
"""So many points of a shadow are asked where the lamp can be."""
FEW_POINTS = 6
"""And so many of what lay outside of a lamp's shadow, before the next one is tried; at most TRIES are."""
TRIES = 8
MARGIN_MM = 17.0
"""How far a shadow may reach beyond where it is expected."""
MARGIN_PX = 7
"""The same in px of the smaller picture."""
LOWEST_MM = 1.0
"""What is lower than this is thought to be so high."""
WIDEST_LEFT_PX = 5
"""A shadow is the gantry's if nothing of it that is so wide (in the smaller picture) lies where it throws none."""
BRIGHTENED, MOST_BRIGHTENED = 1.05, 0.02
"""Under a shadow no more than this share becomes brighter by this ratio."""
FAR_PX = 1e4
"""Where points that are behind the camera, or nearly, are drawn."""

Floats = NDArray[np.float64]
_AXIS = np.arange(-STEEPEST, STEEPEST + 0.5 / CELLS_PER_SLOPE, 1 / CELLS_PER_SLOPE)
_X, _Y = np.meshgrid(_AXIS, _AXIS)


@dataclass(frozen=True)
class Lamp:
    """Where a lamp is: mm from the board's middle, and how far aside (x, y) for each mm up."""

    distance_mm: float
    slope_x: float
    slope_y: float


class ArmShadow:
    """Knows from where a lamp may throw the gantry's shadow: the better, the more shadows it has seen."""

    def __init__(self, camera: CameraModel, middle_mm: float) -> None:
        """`middle_mm` is the board's middle on x and on y, board mm."""
        self._camera = camera
        self._middle_mm = np.array([middle_mm, middle_mm, 0.0])
        self.forget()

    def forget(self) -> None:
        """The light has changed: the lamp may be anywhere."""
        self._lamp: Lamp | None = None
        self._possible = {distance: np.ones(_X.shape, dtype=np.bool_) for distance in DISTANCES_MM}

    def explains(
        self,
        bodies: Sequence[Sequence[Box]],
        mask: Mask,
        pixels: NDArray[np.uint8],
        reference: NDArray[np.uint8],
        first_too: bool,
    ) -> bool:
        """Whether what `mask` (any scale) shows is but darker, and lies where one lamp throws the bodies' shadow.

        Each body is somewhere on its way between its boxes (board mm). Unless `first_too`, it must be a lamp that has
        thrown a shadow before.
        """
        if self._lamp is None and not first_too:
            return False
        corners = [np.concatenate([_corners(box) for box in boxes]) for boxes in bodies]
        if not corners or not _only_darker(mask, pixels, reference):
            return False
        width, height = (side // SCALE for side in self._camera.size)
        small = cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
        if self._lamp is not None and not self._outside(self._lamp, corners, small).any():
            return True
        # One lamp throws all shadows: what a hand looks like fits none of those that threw the earlier ones.
        possible = self._left(self._possible, corners, _wide(small), MOST_POINTS)
        left = {distance: cells.copy() for distance, cells in possible.items()}
        for _ in range(TRIES):
            if (likeliest := _likeliest(left)) is None:
                return False
            lamp, cell = likeliest
            outside = self._outside(lamp, corners, small)
            if not outside.any():
                self._lamp, self._possible = lamp, possible
                return True
            left[lamp.distance_mm][cell] = False
            left = self._left(left, corners, outside, FEW_POINTS)
        return False

    def _left(self, possible: dict[float, Mask], corners: list[Floats], shaded: Mask, most: int) -> dict[float, Mask]:
        """Where, of what is possible at each distance, a lamp can be that leaves some points of a mask in shadow."""
        rows, columns = np.nonzero(shaded)
        step = max(1, len(rows) // most)
        pixels = SCALE * (np.column_stack([columns[::step], rows[::step]]) + 0.5)
        left = dict(possible)
        grown = [_grown(body) for body in corners]
        for point in self._camera.to_plane(pixels)[:, :2]:
            behind = np.zeros(_X.shape, np.uint8)
            for body in grown:
                slopes = (body[:, :2] - point) / np.maximum(body[:, 2:], LOWEST_MM)
                cells = np.clip((slopes + STEEPEST) * CELLS_PER_SLOPE, -FAR_PX, FAR_PX)
                hull = cv2.convexHull(cells.astype(np.float32).reshape(-1, 1, 2))
                cv2.fillConvexPoly(behind, np.rint(hull).astype(np.int32), 1)
            for distance in DISTANCES_MM:
                left[distance] = left[distance] & self._seen_there(behind, point, distance)
        return left

    def _seen_there(self, behind: NDArray[np.uint8], point: Floats, distance_mm: float) -> Mask:
        """For lamps by their direction from the board's middle: which stand in those directions from a point."""
        height = distance_mm / np.sqrt(1 + _X**2 + _Y**2)
        x, y = (
            (slope + (self._middle_mm[axis] - point[axis]) / height + STEEPEST) * CELLS_PER_SLOPE
            for axis, slope in enumerate((_X, _Y))
        )
        seen = cv2.remap(behind, x.astype(np.float32), y.astype(np.float32), cv2.INTER_NEAREST)
        return np.asarray(seen > 0)

    def _outside(self, lamp: Lamp, corners: list[Floats], small: Mask) -> Mask:
        """What of a mask lies widely where the lamp throws no shadow."""
        return _wide(np.asarray(small & ~self._shadow(corners, self._place_of(lamp), small.shape)))

    def _place_of(self, lamp: Lamp) -> Floats:
        """The lamp's place, board mm."""
        towards = np.array([lamp.slope_x, lamp.slope_y, 1.0])
        return np.asarray(self._middle_mm + lamp.distance_mm * towards / np.linalg.norm(towards))

    def _shadow(self, corners: list[Floats], lamp: Floats, shape: tuple[int, ...]) -> Mask:
        """Where bodies with these corners throw a shadow on the table; the lamp is a point (board mm)."""
        shadow = np.zeros(shape, np.uint8)
        for body in corners:
            below = np.minimum(body[:, 2:], 0.8 * lamp[2])  # What is as high as the lamp throws no end of a shadow.
            ground = lamp[:2] + (body[:, :2] - lamp[:2]) * (lamp[2] / (lamp[2] - below))
            flat = self._camera.project(np.column_stack([ground, np.zeros(len(ground))])) / SCALE
            flat = np.clip(np.nan_to_num(flat), -FAR_PX, FAR_PX)
            hull = cv2.convexHull(flat.astype(np.float32).reshape(-1, 1, 2))
            cv2.fillConvexPoly(shadow, np.rint(hull).astype(np.int32), 1)
        return cv2.dilate(shadow, np.ones((2 * MARGIN_PX + 1,) * 2, np.uint8)) > 0


def _likeliest(possible: dict[float, Mask]) -> tuple[Lamp, tuple[int, int]] | None:
    """The lamp that is farthest within where it can be, and its cell; None if it can be nowhere."""
    surest, found = 0.0, None
    for distance, cells in possible.items():
        if cells.any():
            within = cv2.distanceTransform(np.pad(cells, 1).astype(np.uint8), cv2.DIST_L2, 3)[1:-1, 1:-1]
            row, column = divmod(int(within.argmax()), within.shape[1])
            if within[row, column] > surest:
                surest = float(within[row, column])
                found = Lamp(distance, float(_AXIS[column]), float(_AXIS[row])), (row, column)
    return found


def _wide(mask: Mask) -> Mask:
    """The middles of all places in a mask that are too wide to be let pass."""
    return np.asarray(cv2.erode(mask.astype(np.uint8), np.ones((WIDEST_LEFT_PX,) * 2, np.uint8)) > 0)


def _grown(body: Floats) -> Floats:
    """The corners of a body that is wider by the margin."""
    grown = body.copy()
    grown[:, :2] += MARGIN_MM * np.sign(body[:, :2] - body[:, :2].mean(axis=0))
    return grown


def _corners(box: Box) -> NDArray[np.float64]:
    """(8, 3) the corners of a box."""
    return np.array(list(product(*zip(box.lower_mm, box.upper_mm, strict=True))))


def _only_darker(mask: Mask, pixels: NDArray[np.uint8], reference: NDArray[np.uint8]) -> bool:
    size = (mask.shape[1], mask.shape[0])
    now, before = (cv2.resize(picture, size, interpolation=cv2.INTER_AREA)[mask] for picture in (pixels, reference))
    if not len(now):
        return False
    brighter = now.mean(axis=1) + 2 > BRIGHTENED * (before.mean(axis=1) + 2)
    return float(brighter.mean()) <= MOST_BRIGHTENED
