"""Traces rays through a board with discs under area lights, in the ground image of a camera.

Lengths are squares, the board is [0, 8] × [0, 8] on the plane z = 0; light is linear, 1 is white paper fully lit.
Every pixel of the ground image is one ray from the camera through that point of the ground, so that the board's own
picture is a flat texture and only what stands on it has to be traced.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

GROUND_SQUARES = 10
"""The ground image shows the board and one square around it."""
CELLS = 20
"""The ground image is cut into so many by so many cells, each with a list of the discs that matter there."""
MOST_IN_CELL = 24
GROUND, OCCLUDER = -1, -2
"""What a pixel shows, besides the numbers of discs."""

# Columns of the array of discs.
X, Y, BASE, RADIUS, HEIGHT, BEVEL, FACE, RINGS, RELIEF, TURN, EMBLEM, EMBLEM_SIZE, MILLING, GRAIN, GLOSS, ROUGH = (
    range(16)
)
BLUE, GREEN, RED, MARK_BLUE, MARK_GREEN, MARK_RED, MARK_STRENGTH, DISH = range(16, 24)
DISC_COLUMNS = 24
# Columns of the array of lights.
LX, LY, LZ, LSIZE, LBLUE, LGREEN, LRED = range(7)
# Columns of the array of occluders: capsules from one point to another.
AX, AY, AZ, BX, BY, BZ, CRADIUS, CBLUE, CGREEN, CRED, CROUGHNESS = range(11)


@njit(cache=True)
def _list(lists: Any, counts: Any, low_x: float, low_y: float, high_x: float, high_y: float, disc: int) -> None:
    size = GROUND_SQUARES / CELLS
    first_x, last_x = math.floor((low_x + 1) / size), math.floor((high_x + 1) / size)
    first_y, last_y = math.floor((low_y + 1) / size), math.floor((high_y + 1) / size)
    for row in range(max(first_y, 0), min(last_y, CELLS - 1) + 1):
        for column in range(max(first_x, 0), min(last_x, CELLS - 1) + 1):
            if counts[row, column] < MOST_IN_CELL:
                lists[row, column, counts[row, column]] = disc
                counts[row, column] += 1


@njit(cache=True)
def _seen_from(discs: Any, x: float, y: float, z: float, extra: float) -> Any:
    """For each cell the discs that may lie between its ground and a point above."""
    lists = np.zeros((CELLS, CELLS, MOST_IN_CELL), np.int32)
    counts = np.zeros((CELLS, CELLS), np.int32)
    for disc in range(len(discs)):
        cx, cy, radius = discs[disc, X], discs[disc, Y], discs[disc, RADIUS] + extra
        low = z / (z - discs[disc, BASE])
        top = z / max(z - discs[disc, BASE] - discs[disc, HEIGHT], 0.3)
        bx, by, br = x + (cx - x) * low, y + (cy - y) * low, radius * low
        tx, ty, tr = x + (cx - x) * top, y + (cy - y) * top, radius * top
        _list(
            lists,
            counts,
            min(bx - br, tx - tr),
            min(by - br, ty - tr),
            max(bx + br, tx + tr),
            max(by + br, ty + tr),
            disc,
        )
    return lists, counts


@njit(cache=True, fastmath=True)
def _hit(
    disc: Any, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, least: float, most: float
) -> Any:
    """(distance along the ray, 1 for the face or 2 for the side), or (most, 0)."""
    best, kind = most, 0
    top = disc[BASE] + disc[HEIGHT]
    if abs(dz) > 1e-9:
        t = (top - oz) / dz
        if least < t < best:
            px, py = ox + t * dx - disc[X], oy + t * dy - disc[Y]
            if px * px + py * py < disc[RADIUS] * disc[RADIUS]:
                best, kind = t, 1
    fx, fy = ox - disc[X], oy - disc[Y]
    a = dx * dx + dy * dy
    if a > 1e-12:
        b = fx * dx + fy * dy
        c = fx * fx + fy * fy - disc[RADIUS] * disc[RADIUS]
        under = b * b - a * c
        if under > 0:
            root = math.sqrt(under)
            for sign in (-1.0, 1.0):
                t = (-b + sign * root) / a
                if least < t < best:
                    z = oz + t * dz
                    if disc[BASE] <= z <= top:
                        best, kind = t, 2
    return best, kind


@njit(cache=True, fastmath=True)
def _capsule(c: Any, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, most: float) -> float:
    """Distance along a ray (unit direction) at which it meets a capsule, or `most`."""
    ax, ay, az = c[BX] - c[AX], c[BY] - c[AY], c[BZ] - c[AZ]
    fx, fy, fz = ox - c[AX], oy - c[AY], oz - c[AZ]
    aa = ax * ax + ay * ay + az * az
    ad = ax * dx + ay * dy + az * dz
    af = ax * fx + ay * fy + az * fz
    qa = aa - ad * ad
    qb = aa * (dx * fx + dy * fy + dz * fz) - af * ad
    qc = aa * (fx * fx + fy * fy + fz * fz) - af * af - c[CRADIUS] * c[CRADIUS] * aa
    under = qb * qb - qa * qc
    best = most
    if under >= 0 and qa > 1e-12:
        t = (-qb - math.sqrt(under)) / qa
        along = af + t * ad
        if 0 < along < aa and 1e-4 < t < best:
            best = t
    for end in range(2):
        ex, ey, ez = ox - c[3 * end], oy - c[3 * end + 1], oz - c[3 * end + 2]
        b = ex * dx + ey * dy + ez * dz
        under = b * b - (ex * ex + ey * ey + ez * ez - c[CRADIUS] * c[CRADIUS])
        if under > 0:
            t = -b - math.sqrt(under)
            if 1e-4 < t < best:
                best = t
    return best


@njit(cache=True, fastmath=True)
def _lit(
    px: float,
    py: float,
    pz: float,
    light: Any,
    discs: Any,
    lists: Any,
    counts: Any,
    capsules: Any,
    samples: int,
    own: int,
) -> float:
    """The part of a light that reaches a point."""
    # What lies between a point at some height and the light is what lies over the ground where the ray would start.
    back = pz / max(light[LZ] - pz, 0.05)
    gx, gy = px - (light[LX] - px) * back, py - (light[LY] - py) * back
    column, row = int((gx + 1) * CELLS / GROUND_SQUARES), int((gy + 1) * CELLS / GROUND_SQUARES)
    inside = 0 <= column < CELLS and 0 <= row < CELLS
    near = counts[row, column] if inside else 0
    if near == 0 and len(capsules) == 0:
        return 1.0
    free = 0
    phase = np.random.random() * 2 * math.pi
    for sample in range(samples):
        angle = phase + sample * 2.39996
        reach = light[LSIZE] * math.sqrt((sample + np.random.random()) / samples)
        dx = light[LX] + reach * math.cos(angle) - px
        dy = light[LY] + reach * math.sin(angle) - py
        dz = light[LZ] - pz
        blocked = False
        for k in range(near):
            _, kind = _hit(discs[lists[row, column, k]], px, py, pz, dx, dy, dz, 1e-4, 1.0)
            if kind:
                blocked = True
                break
        if not blocked and len(capsules):
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            for c in range(len(capsules)):
                if _capsule(capsules[c], px, py, pz, dx / length, dy / length, dz / length, length) < length:
                    blocked = True
                    break
        if not blocked:
            free += 1
    return free / samples


@njit(cache=True, fastmath=True)
def _open_sky(px: float, py: float, pz: float, discs: Any, lists: Any, counts: Any, own: int) -> float:
    """The part of the sky a point sees past the discs around it."""
    column, row = int((px + 1) * CELLS / GROUND_SQUARES), int((py + 1) * CELLS / GROUND_SQUARES)
    if not (0 <= column < CELLS and 0 <= row < CELLS):
        return 1.0
    sky = 1.0
    for k in range(counts[row, column]):
        disc = lists[row, column, k]
        if disc == own:
            continue
        above = discs[disc, BASE] + discs[disc, HEIGHT] - pz
        if above <= 1e-3:
            continue
        distance = math.hypot(px - discs[disc, X], py - discs[disc, Y])
        gap = max(distance - discs[disc, RADIUS], 0.004)
        wide = math.asin(min(discs[disc, RADIUS] / max(distance, discs[disc, RADIUS] * 1.001), 1.0)) / math.pi
        sky *= 1 - wide * (1 - gap / math.sqrt(gap * gap + above * above))
    return sky


@njit(cache=True, fastmath=True)
def _noise(noise: Any, u: float, v: float) -> float:
    size = len(noise)
    x, y = u % size, v % size
    x0, y0 = int(x), int(y)
    fx, fy = x - x0, y - y0
    x0, y0 = x0 % size, y0 % size
    x1, y1 = (x0 + 1) % size, (y0 + 1) % size
    return (noise[y0, x0] * (1 - fx) + noise[y0, x1] * fx) * (1 - fy) + (
        noise[y1, x0] * (1 - fx) + noise[y1, x1] * fx
    ) * fy


@njit(cache=True, fastmath=True)
def _face(disc: Any, u: float, v: float, noise: Any, emblems: Any, out: Any) -> None:
    """Albedo (out[0:3]) and slope (out[3:5]) of a disc's face at (u, v), which runs from -1 to 1."""
    rho = math.sqrt(u * u + v * v)
    c, s = math.cos(disc[TURN]), math.sin(disc[TURN])
    ru, rv = c * u - s * v, s * u + c * v
    tone = 1 + disc[GRAIN] * _noise(noise, 200 + disc[TURN] * 91 + 9 * ru, disc[TURN] * 57 + 70 * rv)
    slope = 0.0
    edge = 1 - disc[BEVEL]
    if rho > edge:
        slope = 1.6 * (rho - edge) / max(disc[BEVEL], 1e-3)
    elif disc[RINGS] > 0:
        wave = math.sin(rho * disc[RINGS] * 2 * math.pi)
        slope = disc[RELIEF] * wave
        tone *= 1 - 0.25 * disc[RELIEF] * max(0.0, math.cos(rho * disc[RINGS] * 2 * math.pi))
    if disc[DISH] > 0 and abs(rho - disc[DISH]) < 0.07:
        slope -= 0.8 * (1 - abs(rho - disc[DISH]) / 0.07)
        tone *= 0.93
    if rho > 1e-6:
        out[3], out[4] = slope * u / rho, slope * v / rho
    else:
        out[3], out[4] = 0.0, 0.0
    mark = 0.0
    if disc[EMBLEM] >= 0 and disc[EMBLEM_SIZE] > 0:
        size = emblems.shape[1]
        column, row = (
            int((ru / disc[EMBLEM_SIZE] * 0.5 + 0.5) * size),
            int((rv / disc[EMBLEM_SIZE] * 0.5 + 0.5) * size),
        )
        if 0 <= column < size and 0 <= row < size:
            mark = emblems[int(disc[EMBLEM]), row, column] * disc[MARK_STRENGTH]
    for k in range(3):
        out[k] = max((disc[BLUE + k] * (1 - mark) + disc[MARK_BLUE + k] * mark) * tone, 0.003)


@njit(cache=True, fastmath=True, parallel=False)
def trace(
    texture: Any,
    gloss: Any,
    camera: Any,
    discs: Any,
    lights: Any,
    capsules: Any,
    ambient: Any,
    noise: Any,
    emblems: Any,
    board_rough: float,
    samples: int,
    seed: int,
) -> Any:
    """The ground image (S, S, 3) float32, and what each of its pixels shows (S, S) int16.

    texture: (S, S, 3) albedo of the ground, row 0 at y = -1, column 0 at x = -1. gloss: (S, S) its reflectance.
    camera: (3,) where the camera is. ambient: (8,) light from all round: blue, green, red, then by how much it
    is stronger from one side (x, y), from above, and the reflected part of the ground. noise: a square tile.
    """
    np.random.seed(seed)
    size = len(texture)
    scale = size / GROUND_SQUARES
    picture = np.zeros((size, size, 3), np.float32)
    shown = np.full((size, size), GROUND, np.int16)
    seen_lists, seen_counts = _seen_from(discs, camera[0], camera[1], camera[2], 0.0)
    near_lists, near_counts = _seen_from(discs, 4.0, 4.0, 1e6, 0.55)
    shadow_lists = np.zeros((len(lights), CELLS, CELLS, MOST_IN_CELL), np.int32)
    shadow_counts = np.zeros((len(lights), CELLS, CELLS), np.int32)
    for k in range(len(lights)):
        lists, counts = _seen_from(
            discs, lights[k, LX], lights[k, LY], lights[k, LZ], 0.12 + lights[k, LSIZE] / lights[k, LZ] * 0.5
        )
        shadow_lists[k], shadow_counts[k] = lists, counts
    out = np.zeros(5)
    albedo = np.zeros(3)
    for i in range(size):
        for j in range(size):
            gx = (j + np.random.random()) / scale - 1
            gy = (i + np.random.random()) / scale - 1
            dx, dy, dz = gx - camera[0], gy - camera[1], -camera[2]
            column, row = int((gx + 1) * CELLS / GROUND_SQUARES), int((gy + 1) * CELLS / GROUND_SQUARES)
            best, kind, which = 1.0, 0, GROUND
            for k in range(seen_counts[row, column]):
                t, hit = _hit(
                    discs[seen_lists[row, column, k]], camera[0], camera[1], camera[2], dx, dy, dz, 1e-4, best
                )
                if hit:
                    best, kind, which = t, hit, seen_lists[row, column, k]
            length = math.sqrt(dx * dx + dy * dy + dz * dz)
            if len(capsules):
                nearest = best * length
                for c in range(len(capsules)):
                    t = _capsule(
                        capsules[c], camera[0], camera[1], camera[2], dx / length, dy / length, dz / length, nearest
                    )
                    if t < nearest:
                        nearest, which, kind = t, OCCLUDER, c
                if which == OCCLUDER:
                    best = nearest / length
            px, py, pz = camera[0] + best * dx, camera[1] + best * dy, camera[2] + best * dz
            nx, ny, nz = 0.0, 0.0, 1.0
            shine, rough, own = 0.0, 0.2, -1
            if which == GROUND:
                for k in range(3):
                    albedo[k] = texture[i, j, k]
                shine, rough = gloss[i, j], board_rough
                pz = 0.0
            elif which == OCCLUDER:
                c = capsules[kind]
                ax, ay, az = c[BX] - c[AX], c[BY] - c[AY], c[BZ] - c[AZ]
                along = ((px - c[AX]) * ax + (py - c[AY]) * ay + (pz - c[AZ]) * az) / max(
                    ax * ax + ay * ay + az * az, 1e-9
                )
                along = min(max(along, 0.0), 1.0)
                nx = (px - c[AX] - along * ax) / c[CRADIUS]
                ny = (py - c[AY] - along * ay) / c[CRADIUS]
                nz = (pz - c[AZ] - along * az) / c[CRADIUS]
                tone = 1 + c[CROUGHNESS] * _noise(noise, 37 * px + 11 * pz, 37 * py)
                for k in range(3):
                    albedo[k] = c[CBLUE + k] * max(tone, 0.1)
                px, py, pz = px + 0.002 * nx, py + 0.002 * ny, pz + 0.002 * nz
                shine, rough = 0.02, 0.3
            else:
                disc = discs[which]
                own = which
                u, v = (px - disc[X]) / disc[RADIUS], (py - disc[Y]) / disc[RADIUS]
                shine, rough = disc[GLOSS], disc[ROUGH]
                if kind == 1:
                    _face(disc, u, v, noise, emblems, out)
                    for k in range(3):
                        albedo[k] = out[k]
                    nx, ny = out[3], out[4]
                    norm = 1 / math.sqrt(nx * nx + ny * ny + 1)
                    nx, ny, nz = nx * norm, ny * norm, norm
                else:
                    height = (pz - disc[BASE]) / disc[HEIGHT]
                    angle = math.atan2(v, u)
                    bulge = 0.35 * (height - 0.5) * 2 * abs(height - 0.5) * 2
                    ridge = disc[RELIEF] * 1.5 * math.sin(angle * disc[MILLING]) if disc[MILLING] > 0 else 0.0
                    nx, ny, nz = u - ridge * v, v + ridge * u, bulge
                    norm = 1 / math.sqrt(nx * nx + ny * ny + nz * nz)
                    nx, ny, nz = nx * norm, ny * norm, nz * norm
                    tone = 1 + disc[GRAIN] * _noise(noise, 300 + angle * 15 + disc[TURN] * 33, pz * 40)
                    # Where two discs or disc and board touch it is dark.
                    crease = 1 - 0.45 * math.exp(-min(height, 1.2 - height) * disc[HEIGHT] / 0.012)
                    for k in range(3):
                        albedo[k] = max(disc[BLUE + k] * tone * crease, 0.003)
                    px, py = px + 0.002 * nx, py + 0.002 * ny
            sky = _open_sky(px, py, pz, discs, near_lists, near_counts, own)
            up = 0.5 + 0.5 * nz
            around = (ambient[6] * up + (1 - ambient[6])) * (1 + ambient[4] * nx + ambient[5] * ny)
            bounce = (1 - up) * ambient[7]
            vx, vy, vz = -dx / length, -dy / length, -dz / length
            grazing = (1 - max(nx * vx + ny * vy + nz * vz, 0.0)) ** 5
            fresnel = shine + (1 - shine) * grazing * 0.5 * (1 - rough)
            if own >= 0 or which == GROUND:
                rx = 2 * (nx * vx + ny * vy + nz * vz) * nx - vx
                ry = 2 * (nx * vx + ny * vy + nz * vz) * ny - vy
            else:
                rx, ry = 0.0, 0.0
            mirrored = max(0.35 * (1 + ambient[4] * rx + ambient[5] * ry), 0.0) * fresnel * ambient[3]
            for k in range(3):
                picture[i, j, k] = albedo[k] * ambient[k] * ((around * sky * (1 - bounce)) + bounce * 0.35)
                picture[i, j, k] += mirrored * ambient[k] * sky
            for lamp in range(len(lights)):
                tx, ty, tz = lights[lamp, LX] - px, lights[lamp, LY] - py, lights[lamp, LZ] - pz
                away = math.sqrt(tx * tx + ty * ty + tz * tz)
                tx, ty, tz = tx / away, ty / away, tz / away
                facing = nx * tx + ny * ty + nz * tz
                if facing <= 0:
                    continue
                whole = (lights[lamp, LX] - 4) ** 2 + (lights[lamp, LY] - 4) ** 2 + lights[lamp, LZ] ** 2
                fall = whole / (away * away)
                free = _lit(
                    px,
                    py,
                    pz + 0.001,
                    lights[lamp],
                    discs,
                    shadow_lists[lamp],
                    shadow_counts[lamp],
                    capsules,
                    samples,
                    own,
                )
                if free <= 0:
                    continue
                hx, hy, hz = tx + vx, ty + vy, tz + vz
                half = math.sqrt(hx * hx + hy * hy + hz * hz)
                straight = max((nx * hx + ny * hy + nz * hz) / half, 0.0)
                spread = rough * rough + (lights[lamp, LSIZE] / away) ** 2 * 0.25
                tilt = (1 - straight * straight) / max(straight * straight, 1e-6)
                lobe = math.exp(-tilt / spread) / (4 * spread)
                for k in range(3):
                    picture[i, j, k] += (
                        lights[lamp, LBLUE + k] * fall * free * (albedo[k] * facing + fresnel * lobe * facing)
                    )
            shown[i, j] = which
    return picture, shown
