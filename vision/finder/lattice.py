"""Growing a regular lattice through saddle points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.finder.saddles import Floats, Saddles

_ANGLE_RAD = float(np.radians(18))
"""How well the lines at a point must agree with the direction to its neighbour."""
_SEEDS = 40
_ROUNDS = 24
_WIDEST = 13
"""A lattice wider than this is no board: growing stops."""
_TOLERANCE = 0.2
"""How far a point may lie from where the lattice expects it, in lattice steps."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lattice:
    """Saddle points with whole-numbered places on a plane.

    cells: (N, 2) places (column, row). points: (N, 2) px. homography: 3 × 3, places to px. At places of even
    column + row the line along the columns' direction is the rising one (see Saddles).
    """

    cells: Ints
    points: Floats
    homography: Floats


def project(homography: Floats, places: NDArray[np.generic]) -> Floats:
    """Pixels (..., 2) of lattice places (..., 2)."""
    homogeneous = np.concatenate([places, np.ones((*places.shape[:-1], 1))], axis=-1) @ homography.T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(homogeneous[..., :2] / homogeneous[..., 2:], dtype=np.float64)


def in_front(homography: Floats, places: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Which of the places (..., 2) lie on the visible side of the plane's horizon."""
    weight = np.asarray(places, dtype=np.float64) @ homography[2, :2] + homography[2, 2]
    return np.asarray(weight > 0.02 * abs(homography[2, 2]))


def lattices(saddles: Saddles) -> Iterator[Lattice]:
    """Lattices of at least 12 points, grown from the strongest unit cells that no earlier lattice took."""
    taken = np.zeros(len(saddles.points), dtype=bool)
    seeds = 0
    for quad in _unit_cells(saddles):
        if taken[list(quad)].any():
            continue
        seeds += 1
        if seeds > _SEEDS:
            return
        grown = _grow(saddles, quad)
        if grown is None:
            continue
        lattice, members = grown
        if len(members) >= 12:
            taken[members] = True
            yield lattice


def _angle_between(one: Floats, other: Floats) -> Floats:
    """Angle (rad, 0 to π/2) between directions that are known up to half a turn."""
    return np.asarray(np.abs((one - other + np.pi / 2) % np.pi - np.pi / 2))


def _neighbours(saddles: Saddles) -> tuple[Ints, Floats]:
    """(N, 4): the nearest matching point along +rising, -rising, +falling, -falling (-1: none), and how far it is."""
    points = saddles.points
    step = points[None] - points[:, None]
    distance = np.hypot(step[..., 0], step[..., 1])
    np.fill_diagonal(distance, np.inf)
    direction = np.arctan2(step[..., 1], step[..., 0])
    swapped = (_angle_between(saddles.rising[:, None], saddles.falling[None]) < 2 * _ANGLE_RAD) & (
        _angle_between(saddles.falling[:, None], saddles.rising[None]) < 2 * _ANGLE_RAD
    )
    nearest = np.full((len(points), 4), -1, dtype=np.int64)
    length = np.full((len(points), 4), np.inf)
    for axis, (mine, theirs) in enumerate(((saddles.rising, saddles.falling), (saddles.falling, saddles.rising))):
        along = (
            swapped
            & (_angle_between(direction, mine[:, None]) < _ANGLE_RAD)
            & (_angle_between(direction, theirs[None]) < _ANGLE_RAD)
        )
        ahead = np.cos(direction - mine[:, None]) > 0
        for side, half in enumerate((ahead, ~ahead)):
            reach = np.where(along & half, distance, np.inf)
            best = reach.argmin(axis=1)
            length[:, 2 * axis + side] = reach[np.arange(len(points)), best]
            nearest[:, 2 * axis + side] = np.where(np.isfinite(length[:, 2 * axis + side]), best, -1)
    return nearest, length


def _unit_cells(saddles: Saddles) -> list[tuple[int, int, int, int]]:
    """Four points each, at places (0,0), (1,0), (0,1), (1,1) of some lattice; the strongest cells first."""
    count = len(saddles.points)
    if count < 4:
        return []
    nearest, _ = _neighbours(saddles)
    points = saddles.points
    cells = []
    for along in (0, 1):
        for across in (2, 3):
            origin = np.flatnonzero((nearest[:, along] >= 0) & (nearest[:, across] >= 0))
            if not len(origin):
                continue
            right, below = nearest[origin, along], nearest[origin, across]
            expected = points[right] + points[below] - points[origin]
            gap = np.hypot(*(points[None] - expected[:, None]).transpose(2, 0, 1))
            alike = (_angle_between(saddles.rising[origin][:, None], saddles.rising[None]) < 2 * _ANGLE_RAD) & (
                _angle_between(saddles.falling[origin][:, None], saddles.falling[None]) < 2 * _ANGLE_RAD
            )
            gap[~alike] = np.inf
            last = gap.argmin(axis=1)
            sides = np.stack(
                [
                    np.hypot(*(points[right] - points[origin]).T),
                    np.hypot(*(points[below] - points[origin]).T),
                    np.hypot(*(points[last] - points[right]).T),
                    np.hypot(*(points[last] - points[below]).T),
                ]
            )
            close = gap[np.arange(len(origin)), last] < 0.3 * sides[:2].min(axis=0)
            regular = (sides[0] < 1.5 * sides[3]) & (sides[3] < 1.5 * sides[0])
            regular &= (sides[1] < 1.5 * sides[2]) & (sides[2] < 1.5 * sides[1])
            good = close & regular
            cells.append(np.column_stack([origin, right, below, last])[good])
    if not cells:
        return []
    found = np.concatenate(cells)
    contrast = saddles.strength[found]
    # Squares of a board are alike: a cell with one weak corner is a chance meeting.
    rank = contrast.min(axis=1) * (contrast.min(axis=1) / contrast.max(axis=1))
    order = np.argsort(-rank, kind="stable")
    unique: dict[tuple[int, ...], tuple[int, int, int, int]] = {}
    for a, b, c, d in found[order].tolist():
        unique.setdefault(tuple(sorted((a, b, c, d))), (a, b, c, d))
    return list(unique.values())


def _fit(cells: Ints, points: Floats) -> Floats | None:
    fitted, _ = cv2.findHomography(cells.astype(np.float64), points, 0)
    if fitted is None:
        return None
    homography = np.asarray(fitted, dtype=np.float64)
    if not np.isfinite(homography).all():
        return None
    # The sign that puts the points in front.
    weight = cells @ homography[2, :2] + homography[2, 2]
    if np.median(weight) < 0:
        homography = -homography
        weight = -weight
    return homography if (weight > 0).all() else None


def _grow(saddles: Saddles, quad: tuple[int, int, int, int]) -> tuple[Lattice, Ints] | None:
    members = np.array(quad)
    cells = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    if (
        _angle_between(
            saddles.rising[members[:1]],
            np.arctan2(*(saddles.points[members[1]] - saddles.points[members[0]])[::-1])[None],
        )[0]
        > _angle_between(
            saddles.falling[members[:1]],
            np.arctan2(*(saddles.points[members[1]] - saddles.points[members[0]])[::-1])[None],
        )[0]
    ):
        # Exchange the axes, so that the line along the columns' direction is the rising one at (0, 0).
        cells = cells[:, ::-1].copy()
    homography = _fit(cells, saddles.points[members])
    for _ in range(_ROUNDS):
        if homography is None:
            return None
        matched = _match(saddles, homography, cells)
        if matched is None:
            return None
        new_cells, new_members = matched
        if len(new_members) < 4 or np.ptp(new_cells, axis=0).max() > _WIDEST:
            return None
        same = len(new_members) == len(members) and np.array_equal(np.sort(new_members), np.sort(members))
        cells, members = new_cells, new_members
        homography = _fit(cells, saddles.points[members])
        if same:
            break
    if homography is None:
        return None
    return Lattice(cells, saddles.points[members], homography), members


def _match(saddles: Saddles, homography: Floats, cells: Ints) -> tuple[Ints, Ints] | None:
    """Places next to the known ones, and the saddle points that lie there."""
    low, high = cells.min(axis=0) - 2, cells.max(axis=0) + 3
    places = np.stack(np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1])), axis=-1)
    known = np.zeros(places.shape[:2], dtype=np.uint8)
    known[cells[:, 1] - low[1], cells[:, 0] - low[0]] = 1
    # One step beyond what is known, two once there is enough to extrapolate from.
    reach = np.ones((3, 3), np.uint8) if len(cells) < 9 else np.ones((5, 5), np.uint8)
    near = np.asarray(cv2.dilate(known, reach), dtype=bool) & in_front(homography, places)
    places = places[near]
    if not len(places):
        return None
    expected = project(homography, places)
    right = project(homography, places + [0.5, 0]) - project(homography, places - [0.5, 0])
    down = project(homography, places + [0, 0.5]) - project(homography, places - [0, 0.5])
    step = np.minimum(np.hypot(*right.T), np.hypot(*down.T))
    angle_right, angle_down = np.arctan2(right[:, 1], right[:, 0]), np.arctan2(down[:, 1], down[:, 0])
    even = (places.sum(axis=1) % 2 == 0)[:, None]
    along = np.where(even, saddles.rising[None], saddles.falling[None])
    across = np.where(even, saddles.falling[None], saddles.rising[None])
    gap = np.hypot(*(saddles.points[None] - expected[:, None]).transpose(2, 0, 1))
    gap[
        (_angle_between(along, angle_right[:, None]) > _ANGLE_RAD)
        | (_angle_between(across, angle_down[:, None]) > _ANGLE_RAD)
    ] = np.inf
    best = gap.argmin(axis=1)
    good = gap[np.arange(len(places)), best] < _TOLERANCE * step
    return places[good], best[good]
