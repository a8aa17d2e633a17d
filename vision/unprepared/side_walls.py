"""How tall discs stand, from the side wall between a face's rim and the rim of the base, nearer the camera.

The ground image shows every horizontal circle as a circle; seen from a face, the base's circle is moved towards the
camera's foot by an amount that grows with the height. The arc of the base that faces the camera is an edge of the
right direction, beyond which the bare board begins: that tells the height, wherever on its square the disc stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_size import DiscSize
from vision.sampling import Image, sample
from vision.unprepared.faces import bare_board, logarithmic, refined_faces
from vision.unprepared.round_shapes import edge_directions
from vision.view import View

_FINE_MM = 20.0
"""A disc's diameter that gives a ground image of 2 px/mm."""
_LOWEST_MM = 12.0
"""At least so high faces are sought."""

Floats = NDArray[np.float64]

_STEP_PX = 0.5
_BEFORE_PX = 2.0
_ARC_RAD = np.linspace(np.radians(-55), np.radians(55), 23)
_MOST_UNLIKE = 0.6
"""Colours further from the bare board's than this (natural logarithm) are all alike."""
_SHADE_SHARE = 0.35
"""How much of a darkening counts as unlike: it may be a shadow."""
_TOLERANCE_PX = 1.0
_EDGE_WEIGHT = 4.0
_COLOUR_WEIGHT = 0.6
"""Log likelihood a pixel of profile."""
_LEAST_CONTRAST = 0.15
_PLAIN_CONTRAST = 0.5
_HEIGHT_WEIGHT = 5.0
_OFF_CENTRE_MM = 4.0
"""How far people put discs off their squares' centres (standard deviation, in a board of 40 mm squares)."""
_MOST_BY_PLACE = 3.0
_MANY = 6
"""So many discs of one colour are mostly men."""
_USUAL_MAN = 2.5
"""Log odds against a king that the middle one of many should have at least."""
_LEAST_ARC = 0.3
"""An arc of which other discs hide more than all but this part says nothing."""
_KING_COST = 1.2
"""Log odds against a king before looking."""
_STACK_COST = 0.6
"""The same while the height of one disc is sought: there may be many kings late in a game."""
_SHARES = np.geomspace(0.13, 0.55, 50)
"""Heights of discs that are tried, as parts of the diameter."""
USUAL_SHARE = 0.26
"""A disc's height as a part of its diameter."""
_SHARE_SPREAD = 0.22


@dataclass(frozen=True, eq=False)
class Profiles:
    """What lies between the faces of K discs and the camera.

    leans: (K,) how far (mm) a face appears moved for each mm of height. shifts: (K,) how far (mm) from its square's
    centre a face appears, away from the camera. walls: (K, S) how much the arc with the face's radius, moved by s
    steps towards the camera, looks like a disc's wall (0.5) or the bare board (-0.5). edges: (K, S) how well edges
    run along that arc, -1 to 1.
    """

    leans: Floats
    shifts: Floats
    walls: Floats
    edges: Floats
    scale: float

    def height_scores(self, height_mm: float) -> Floats:
        """(K,) log likelihood, but for a constant, that each disc's or stack's base lies so far below its face."""
        moved = height_mm * self.leans * self.scale
        shifts = (-_TOLERANCE_PX, -_TOLERANCE_PX / 2, 0.0, _TOLERANCE_PX / 2, _TOLERANCE_PX)
        edge = np.max([self._at(self.edges, moved + shift) for shift in shifts], axis=0)
        total = np.cumsum(self.walls, axis=1) * _STEP_PX
        off_centre = (self.shifts - height_mm * self.leans) / _OFF_CENTRE_MM
        placed = -np.minimum(off_centre**2 / 2, _MOST_BY_PLACE)
        return np.asarray(_EDGE_WEIGHT * edge + _COLOUR_WEIGHT * self._at(total, moved) + placed)

    def _at(self, values: Floats, moved: Floats) -> Floats:
        position = np.clip((moved + _BEFORE_PX) / _STEP_PX, 0, values.shape[1] - 1.001)
        low = position.astype(int)
        part = position - low
        each = np.arange(len(values))
        return np.asarray(values[each, low] * (1 - part) + values[each, low + 1] * part)


def measure(
    image: Image,
    bare: Image,
    directions: tuple[Image, Image],
    view: View,
    faces: Floats,
    squares: Floats,
    light: NDArray[np.bool_],
    radius_mm: float,
) -> Profiles:
    """Profiles below the faces (K, 2; ground px) of K discs of one radius, those `light` (K,) of the lighter colour.

    squares: (K, 2) ground px, the centres of the squares that the discs stand on.

    image, bare: (height, width, 3) ground images on a logarithmic scale, as it is and as the bare board would be.
    directions: of the image's edges, as in vision.round_shapes.
    """
    foot = (view.foot_mm - view.origin_mm) * view.scale
    camera_height = float(view.camera.position_mm[2])
    towards = foot - faces
    distance = np.hypot(*towards.T)
    unit = towards / np.maximum(distance, 1e-6)[:, None]
    longest = (
        2.3 * _SHARES[-1] * 2 * radius_mm * (distance.max(initial=0.0) / view.scale / camera_height) * view.scale
    )
    steps = np.arange(-_BEFORE_PX, longest + 8, _STEP_PX)
    angle = np.arctan2(unit[:, 1], unit[:, 0])[:, None] + _ARC_RAD
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    points = (
        faces[:, None, None, :]
        + steps[None, :, None, None] * unit[:, None, None, :]
        + radius_mm * view.scale * normal[:, None, :, :]
    )
    difference = (sample(image, points) - sample(bare, points)).astype(np.float64)
    brightness = difference.mean(axis=-1)
    colour2 = ((difference - brightness[..., None]) ** 2).sum(axis=-1)
    shaded = np.where(brightness < 0, _SHADE_SHARE, 1.0) * brightness
    unlike = np.minimum(np.sqrt(4 * colour2 + shaded**2), _MOST_UNLIKE)
    along = (
        sample(directions[0], points) * np.cos(2 * angle)[:, None]
        + sample(directions[1], points) * np.sin(2 * angle)[:, None]
    )
    leans = distance / view.scale / camera_height
    # What belongs to other discs says nothing.
    weight = np.cos(_ARC_RAD) * ~_on_others(points, faces, unit, leans, radius_mm * view.scale)
    total = weight.sum(axis=2)
    told = total > _LEAST_ARC * np.cos(_ARC_RAD).sum()
    total = np.maximum(total, 1e-6)
    walls = _walls((unlike * weight).sum(axis=2) / total, told, steps, leans * 2 * radius_mm * view.scale, light)
    shifts = -((faces - squares) * unit).sum(axis=1) / view.scale
    return Profiles(leans, shifts, walls, np.where(told, (along * weight).sum(axis=2) / total, 0.0), view.scale)


def _on_others(points: Floats, faces: Floats, unit: Floats, leans: Floats, radius_px: float) -> NDArray[np.bool_]:
    """(K, S, A) which points (K, S, A, 2) lie on another disc's face or on its wall, as wide as is usual."""
    away = faces[:, None] - faces[None]
    reach = np.hypot(away[..., 0], away[..., 1])
    found = np.zeros(points.shape[:3], dtype=bool)
    for one, other in zip(*np.nonzero((reach > 0) & (reach < 5 * radius_px)), strict=True):
        length = USUAL_SHARE * 2 * radius_px * leans[other]
        offset = points[one] - faces[other]
        along = np.clip(offset @ unit[other], 0, length)
        nearest = offset - along[..., None] * unit[other]
        found[one] |= np.hypot(nearest[..., 0], nearest[..., 1]) < radius_px + 1
    return found


def _walls(unlike: Floats, told: NDArray[np.bool_], steps: Floats, reach: Floats, light: NDArray[np.bool_]) -> Floats:
    """(K, S) from -0.5, as unlike as the bare board is far from the discs, to 0.5, as walls are just below the face.

    reach: (K,) how far (px) the base of a thing as tall as the diameter would lie from its face.
    """
    surely_wall = told & (steps >= 0.5) & (steps <= np.maximum(_SHARES[0] * reach, 1.0)[:, None])
    surely_bare = told & (steps > np.maximum(0.7 * reach, 6.0)[:, None])
    walls = np.zeros_like(unlike)
    for colour in (False, True):
        mine = light == colour
        if not surely_wall[mine].any() or not surely_bare[mine].any():
            continue
        high = float(np.median(unlike[mine][surely_wall[mine]]))
        low = float(np.quantile(unlike[mine][surely_bare[mine]], 0.4))
        apart = max(high - low, _LEAST_CONTRAST)
        # Walls hardly unlike the board, or board in shade hardly unlike walls, tell less.
        trust = min(1.0, apart / _PLAIN_CONTRAST)
        walls[mine] = trust * np.clip((unlike[mine] - (high + low) / 2) / apart, -0.5, 0.5)
    walls[~told] = 0
    return walls


def disc_height(profiles: Profiles, radius_mm: float) -> float:
    """The height (mm) of one disc that explains best what is seen of all, some of which may be stacks of two."""
    best = (-np.inf, USUAL_SHARE)
    for share in _SHARES:
        men, kings = _man_and_king(profiles, share * 2 * radius_mm)
        usual = -0.5 * (np.log(share / USUAL_SHARE) / _SHARE_SPREAD) ** 2
        total = float(np.maximum(men, kings - _STACK_COST).sum()) + _HEIGHT_WEIGHT * usual
        best = max(best, (total, float(share)))
    return best[1] * 2 * radius_mm


def king_log_odds(profiles: Profiles, light: NDArray[np.bool_], disc_height_mm: float) -> Floats:
    """(K,) log odds that what was measured are stacks of two; `light` (K,) as for `measure`."""
    men, kings = _man_and_king(profiles, disc_height_mm)
    odds = np.asarray(kings - men - _KING_COST)
    for colour in (False, True):
        mine = light == colour
        if mine.sum() >= _MANY:
            # Where many of one colour look undecided, it is their shadows or the dark of their walls that looks so.
            odds[mine] -= max(0.0, float(np.median(odds[mine])) + _USUAL_MAN)
    return odds


def _man_and_king(profiles: Profiles, height_mm: float) -> tuple[Floats, Floats]:
    return profiles.height_scores(height_mm), profiles.height_scores(2 * height_mm)


def stacks_by_walls(
    picture: NDArray[np.uint8], view: View, squares: NDArray[np.int64], light: NDArray[np.bool_]
) -> Floats:
    """(K,) log odds of a stack against a single disc on some squares (K,), by the walls below their faces.

    view: of the 64 squares, row by row from the top left as seen, 40 mm each. Its disc's height only says how high
    faces are sought: the height is measured anew. light: (K,) of which of the two colours each is.
    """
    disc = view.disc
    fine = replace(view, disc=DiscSize(_FINE_MM, disc.height_mm))
    image = logarithmic(_ground(picture, fine))
    directions = edge_directions(image)
    occupied = np.zeros(len(view.places_mm), dtype=np.bool_)
    occupied[squares] = True
    heights = (0.0, max(_LOWEST_MM, 2.2 * disc.height_mm))
    radius, faces = refined_faces(directions, fine, occupied, disc.diameter_mm / 2, heights)
    bare = bare_board(image, fine, occupied)
    middles = fine.to_ground(view.places_mm[squares])
    profiles = measure(image, bare, directions, fine, faces[squares], middles, light, radius)
    return king_log_odds(profiles, light, disc_height(profiles, radius))


def _ground(pixels: NDArray[np.uint8], view: View) -> NDArray[np.uint8]:
    """The ground image of a picture, by the quick way where the lens is straight."""
    if any(view.camera.distortion):
        return view.ground(pixels)
    width, height = view.ground_size
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64)
    board = np.column_stack([corners / view.scale + view.origin_mm, np.zeros(4)])
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), view.camera.project(board).astype(np.float32))
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    ground = cv2.warpPerspective(pixels, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(ground, dtype=np.uint8)
