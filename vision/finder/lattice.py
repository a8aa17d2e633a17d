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
_SEEDS = 16
_SUPPORTED_FIRST = 3
"""So many well-supported unit cells are tried for each other one."""
_WIDEST_STEP = 0.25
"""The widest step between neighbours, as a part of the saddle points' extent."""
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
    lines = _Lines(_doubled(saddles.rising), _doubled(saddles.falling))
    seeds = 0
    for quad in _unit_cells(saddles, lines):
        if taken[list(quad)].any():
            continue
        seeds += 1
        if seeds > _SEEDS:
            return
        grown = _grow(saddles, lines, quad)
        if grown is None:
            continue
        lattice, members = grown
        if len(members) >= 12:
            taken[members] = True
            yield lattice


def _doubled(angle: Floats) -> Floats:
    """(..., 2): the unit vector at twice the angle (rad), the same for both senses of a line."""
    return np.stack([np.cos(2 * angle), np.sin(2 * angle)], axis=-1).astype(np.float32)


def _along(step: Floats) -> Floats:
    """(..., 2): the unit vector at twice the angle of steps (..., 2)."""
    across, down = step[..., 0], step[..., 1]
    length = across * across + down * down
    return (
        np.stack([across * across - down * down, 2 * across * down], axis=-1) / np.maximum(length, 1e-12)[..., None]
    )


def _agree(one: Floats, other: Floats, angle_rad: float) -> NDArray[np.bool_]:
    """Whether lines (..., 2), doubled, are within an angle of each other."""
    return np.asarray(one[..., 0] * other[..., 0] + one[..., 1] * other[..., 1] > np.cos(2 * angle_rad))


def _close(one: Floats, other: Floats, reach: Floats) -> tuple[Ints, Ints, Floats]:
    """The pairs of points (N, 2) and (M, 2) px closer than `reach` (N,) px: their numbers, and the squared gaps."""
    here, there = one.astype(np.float32), other.astype(np.float32)
    gaps = (here * here).sum(axis=1)[:, None] + (there * there).sum(axis=1) - 2 * (here @ there.T)
    first, second = np.nonzero(gaps < (reach * reach)[:, None])
    return first, second, gaps[first, second]


def _nearest(first: Ints, second: Ints, gaps: Floats, count: int) -> Ints:
    """(count,): of the pairs of each first the second with the smallest gap; -1 without any."""
    nearest = np.full(count, -1, dtype=np.int64)
    # What is written last stays.
    order = np.argsort(-gaps, kind="stable")
    nearest[first[order]] = second[order]
    return nearest


@dataclass(frozen=True, eq=False)
class _Lines:
    """The two lines at each saddle point, doubled: (N, 2) each."""

    rising: Floats
    falling: Floats


def _neighbours(saddles: Saddles, lines: _Lines) -> Ints:
    """(N, 4): the nearest matching point along +rising, -rising, +falling, -falling (-1: none)."""
    points, count = saddles.points, len(saddles.points)
    # A board has eight squares side by side, of which the nearest may look twice as wide as the middle ones.
    widest = _WIDEST_STEP * float((points.max(axis=0) - points.min(axis=0)).max())
    mine, theirs, squared = _close(points, points, np.full(count, widest))
    swapped = (
        _agree(lines.rising[mine], lines.falling[theirs], 2 * _ANGLE_RAD)
        & _agree(lines.falling[mine], lines.rising[theirs], 2 * _ANGLE_RAD)
        & (mine != theirs)
    )
    mine, theirs, squared = mine[swapped], theirs[swapped], squared[swapped]
    step = (points[theirs] - points[mine]).astype(np.float32)
    direction = _along(step)
    nearest = np.empty((count, 4), dtype=np.int64)
    for axis, (here, there, angle) in enumerate(
        ((lines.rising, lines.falling, saddles.rising), (lines.falling, lines.rising, saddles.falling))
    ):
        along = _agree(direction, here[mine], _ANGLE_RAD) & _agree(direction, there[theirs], _ANGLE_RAD)
        one, other, gap = mine[along], theirs[along], squared[along]
        ahead = step[along, 0] * np.cos(angle)[one] + step[along, 1] * np.sin(angle)[one] > 0
        for side, half in enumerate((ahead, ~ahead)):
            nearest[:, 2 * axis + side] = _nearest(one[half], other[half], gap[half], count)
    return nearest


def _unit_cells(saddles: Saddles, lines: _Lines) -> list[tuple[int, int, int, int]]:
    """Four points each, at places (0,0), (1,0), (0,1), (1,1) of some lattice; the strongest cells first."""
    count = len(saddles.points)
    if count < 4:
        return []
    nearest = _neighbours(saddles, lines)
    points = saddles.points
    cells = [np.empty((0, 4), dtype=np.int64)]
    for along in (0, 1):
        for across in (2, 3):
            origin = np.flatnonzero((nearest[:, along] >= 0) & (nearest[:, across] >= 0))
            right, below = nearest[origin, along], nearest[origin, across]
            width = np.hypot(*(points[right] - points[origin]).T)
            height = np.hypot(*(points[below] - points[origin]).T)
            expected = points[right] + points[below] - points[origin]
            one, other, gap = _close(expected, points, 0.3 * np.minimum(width, height))
            alike = _agree(lines.rising[origin[one]], lines.rising[other], 2 * _ANGLE_RAD) & _agree(
                lines.falling[origin[one]], lines.falling[other], 2 * _ANGLE_RAD
            )
            last = _nearest(one[alike], other[alike], gap[alike], len(origin))
            far_height = np.hypot(*(points[last] - points[right]).T)
            far_width = np.hypot(*(points[last] - points[below]).T)
            good = (last >= 0) & (width < 1.5 * far_width) & (far_width < 1.5 * width)
            good &= (height < 1.5 * far_height) & (far_height < 1.5 * height)
            cells.append(np.column_stack([origin, right, below, last])[good])
    found = np.concatenate(cells)
    if not len(found):
        return []
    contrast = saddles.strength[found]
    # Squares of a board are alike: a cell with one weak corner is a chance meeting.
    rank = contrast.min(axis=1) * (contrast.min(axis=1) / contrast.max(axis=1))
    order = np.argsort(-rank, kind="stable")
    return _ranked(found[order])


def _ranked(cells: Ints) -> list[tuple[int, int, int, int]]:
    """Each of the cells (M, 4) once, in their order, those that share two sides with others being preferred.

    Chance cells seldom share sides; those of a board do, unless noise or discs leave few of its corners.
    """
    _, first = np.unique(np.sort(cells, axis=1), axis=0, return_index=True)
    unique = cells[np.sort(first)]
    sides = np.sort(unique[:, [[0, 1], [0, 2], [1, 3], [2, 3]]], axis=2)
    number = sides[..., 0] * (int(cells.max()) + 1) + sides[..., 1]
    _, inverse, count = np.unique(number.ravel(), return_inverse=True, return_counts=True)
    shared = (count[inverse] > 1).reshape(number.shape).sum(axis=1) >= 2
    turn = np.where(shared, shared.cumsum(), _SUPPORTED_FIRST * (~shared).cumsum())
    return [(a, b, c, d) for a, b, c, d in unique[np.argsort(turn, kind="stable")].tolist()]


def _fit(cells: Ints, points: Floats) -> Floats | None:
    fitted, _ = cv2.findHomography(cells.astype(np.float64), points, 0)
    if fitted is None:
        return None
    homography = np.asarray(fitted, dtype=np.float64)
    if not np.isfinite(homography).all():
        return None
    # The sign that puts the points in front.
    weight = cells @ homography[2, :2] + homography[2, 2]
    if np.count_nonzero(weight < 0) > len(weight) / 2:
        homography = -homography
        weight = -weight
    return homography if (weight > 0).all() else None


def _grow(saddles: Saddles, lines: _Lines, quad: tuple[int, int, int, int]) -> tuple[Lattice, Ints] | None:
    members = np.array(quad)
    cells = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    step = saddles.points[members[1]] - saddles.points[members[0]]
    columns = _doubled(np.arctan2(step[1], step[0]))
    if columns @ lines.rising[members[0]] < columns @ lines.falling[members[0]]:
        # Exchange the axes, so that the line along the columns' direction is the rising one at (0, 0).
        cells = cells[:, ::-1].copy()
    homography = _fit(cells, saddles.points[members])
    for _ in range(_ROUNDS):
        if homography is None:
            return None
        matched = _match(saddles, lines, homography, cells)
        if matched is None:
            return None
        new_cells, new_members = matched
        if len(new_members) < 4 or (new_cells.max(axis=0) - new_cells.min(axis=0)).max() > _WIDEST:
            return None
        same = len(new_members) == len(members) and np.array_equal(np.sort(new_members), np.sort(members))
        cells, members = new_cells, new_members
        homography = _fit(cells, saddles.points[members])
        if same:
            break
    if homography is None:
        return None
    return Lattice(cells, saddles.points[members], homography), members


def _match(saddles: Saddles, lines: _Lines, homography: Floats, cells: Ints) -> tuple[Ints, Ints] | None:
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
    weight = (places @ homography[2, :2] + homography[2, 2])[:, None]
    right = (homography[:2, 0] - expected * homography[2, 0]) / weight
    down = (homography[:2, 1] - expected * homography[2, 1]) / weight
    step = np.minimum(np.hypot(*right.T), np.hypot(*down.T))
    place, member, gap = _close(expected, saddles.points, _TOLERANCE * step)
    even = (places.sum(axis=1) % 2 == 0)[place, None]
    rising, falling = lines.rising[member], lines.falling[member]
    fits = _agree(_along(right)[place], np.where(even, rising, falling), _ANGLE_RAD) & _agree(
        _along(down)[place], np.where(even, falling, rising), _ANGLE_RAD
    )
    best = _nearest(place[fits], member[fits], gap[fits], len(places))
    return places[best >= 0], best[best >= 0]
