"""A random board with discs on it, under random light, before a random camera; lengths in squares."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training import palette, surfaces
from vision.training import ray_tracer as rt

Floats = NDArray[np.float64]
EMPTY, DARK_MAN, DARK_KING, LIGHT_MAN, LIGHT_KING = range(5)
EMBLEMS = 24
_EMBLEM_PX = 64
HIDDEN_SHARE = 0.25
BESIDE = 12
"""Heaps of discs beside a board, at most."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What a picture shows. Squares are [row, column], row 0 at y = 0 of the ground image.

    contents: (8, 8) as vision.reading.Content. hidden: (8, 8). offsets: (8, 8, 2) the lowest disc's centre minus the
    square's, (x, y) in squares; tops: the same of the topmost disc. camera: (3,). diameter, height: of the discs.
    ambiguous: whether the two colours are so alike in lightness that either may be called the dark one. marked:
    (8, 8) faces that bear a mark. by_face: whether kings are told by that. beside: (BESIDE, 3) x, y and the number
    of discs of what lies beside the board; NaN where there is less.
    """

    contents: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    offsets: Floats
    camera: Floats
    diameter: float
    height: float
    ambiguous: bool
    marked: NDArray[np.bool_]
    by_face: bool
    tops: Floats
    beside: Floats


def emblem_atlas(random: Generator) -> NDArray[np.float32]:
    """(EMBLEMS, 64, 64) marks: filled discs with something in them, then crowns, stars, letters."""
    size = _EMBLEM_PX
    middle = size // 2
    atlas = np.zeros((EMBLEMS, size, size), np.float32)
    for index in range(EMBLEMS):
        sheet = np.zeros((size * 4, size * 4), np.uint8)
        big, centre = size * 4, (middle * 4, middle * 4)
        sticker = index < EMBLEMS // 3
        if sticker:
            cv2.circle(sheet, centre, round(big * 0.48), 255, -1, cv2.LINE_AA)
        ink = 40 if sticker else 255
        kind = index % 4
        if kind in (0, 1):
            points = int(random.integers(3, 6))
            left, right, base, tip, valley = 0.24, 0.76, 0.70, random.uniform(0.24, 0.34), random.uniform(0.46, 0.56)
            outline = [(left, base)]
            for k in range(points):
                outline.append((left + (right - left) * k / (points - 1), tip))
                if k < points - 1:
                    outline.append((left + (right - left) * (k + 0.5) / (points - 1), valley))
            outline.append((right, base))
            shape = np.rint(np.array(outline) * big).astype(np.int32)
            cv2.fillPoly(sheet, [shape], ink, cv2.LINE_AA)
        elif kind == 2:
            angles = np.arange(10) * np.pi / 5
            reach = np.where(np.arange(10) % 2, 0.16, 0.38)
            shape = np.rint((0.5 + reach[:, None] * np.column_stack([np.sin(angles), -np.cos(angles)])) * big)
            cv2.fillPoly(sheet, [shape.astype(np.int32)], ink, cv2.LINE_AA)
        else:
            letter = "KDXQ8"[int(random.integers(5))]
            cv2.putText(
                sheet, letter, (round(big * 0.26), round(big * 0.74)), cv2.FONT_HERSHEY_DUPLEX, big / 42, ink, 16
            )
        atlas[index] = cv2.resize(sheet, (size, size), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    return atlas


def noise_tile(random: Generator) -> NDArray[np.float32]:
    """(512, 512) noise of deviation about 1."""
    return np.asarray(
        cv2.GaussianBlur(random.normal(0, 1, (512, 512)).astype(np.float32), (0, 0), 0.7) * 2.4, dtype=np.float32
    )


_MARKS = np.random.default_rng(5)
_ATLAS = emblem_atlas(_MARKS)
_NOISE = noise_tile(_MARKS)


def _camera(random: Generator) -> Floats:
    tilt = np.deg2rad(abs(random.normal(0, 5)) if random.random() < 0.4 else random.uniform(3, 55))
    around = random.uniform(0, 2 * np.pi)
    distance = np.exp(random.uniform(np.log(9), np.log(34)))
    aim = np.array([4, 4]) + random.normal(0, 0.8, 2)
    flat = np.sin(tilt) * distance
    return np.array([aim[0] + flat * np.cos(around), aim[1] + flat * np.sin(around), np.cos(tilt) * distance])


def _contents(random: Generator, parity: int, stacked: bool) -> NDArray[np.int64]:
    contents = np.zeros((8, 8), np.int64)
    kind = random.random()
    played = [(r, c) for r in range(8) for c in range(8) if (r + c) % 2 == parity]
    if kind < 0.04:
        return contents
    if kind < 0.2:
        for r, c in played:
            if r < 3:
                contents[r, c] = DARK_MAN
            elif r > 4:
                contents[r, c] = LIGHT_MAN
        for _ in range(int(random.integers(0, 9))):
            r, c = played[random.integers(32)]
            contents[r, c] = random.choice((EMPTY, DARK_MAN, LIGHT_MAN))
        if random.random() < 0.5:
            contents = contents[::-1, ::-1].copy()
    else:
        number = int(random.integers(1, 25))
        share = random.choice((0.5, 0.5, 0.5, random.random(), 0.0, 1.0))
        for k in random.permutation(32)[:number]:
            contents[played[k]] = LIGHT_MAN if random.random() < share else DARK_MAN
    kings = random.choice((0.0, 0.1, 0.3, 0.6, 0.95), p=(0.2, 0.25, 0.35, 0.15, 0.05)) if stacked else 0.0
    contents[(contents > 0) & (random.random((8, 8)) < kings)] += 1
    if random.random() < 0.05:
        # A disc that lies where none should.
        r, c = random.integers(8, size=2)
        contents[r, c] = random.choice((DARK_MAN, LIGHT_MAN))
    if random.random() < 0.5:
        contents = np.ascontiguousarray(contents.T)
        if random.random() < 0.5:
            contents = contents[::-1, ::-1].copy()
    return contents


def _lights(random: Generator, camera: Floats) -> tuple[Floats, Floats]:
    """(lights (N, 7), ambient (8,))."""
    number = int(random.choice((0, 1, 2, 3), p=(0.06, 0.5, 0.32, 0.12)))
    lights = np.zeros((number, 7))
    for k in range(number):
        height = random.uniform(7, 40)
        if random.random() < 0.18:
            # Where varnish mirrors it on the board into the camera.
            spot = random.uniform(0.5, 7.5, 2)
            place = spot + (spot - camera[:2]) * height / camera[2]
        else:
            angle, away = random.uniform(0, 2 * np.pi), height * np.tan(np.deg2rad(random.uniform(5, 68)))
            place = np.array([4 + away * np.cos(angle), 4 + away * np.sin(angle)])
        size = height * np.exp(random.uniform(np.log(0.015), np.log(0.6)))
        warmth = random.normal(0, 0.12)
        power = np.exp(random.normal(-0.4, 0.6))
        colour = power * np.exp(np.array([-warmth, 0, warmth]))
        lights[k] = (*place, height, size, *colour)
    strength = np.exp(random.normal(-0.5, 0.6)) if number else 1.0
    warmth = random.normal(0, 0.1)
    side, angle = random.uniform(0, 0.7), random.uniform(0, 2 * np.pi)
    ambient = np.array(
        [
            *(strength * np.exp(np.array([-warmth, 0, warmth]))),
            random.choice((0.0, 1.0)) * random.uniform(0.3, 1.5),
            side * np.cos(angle),
            side * np.sin(angle),
            random.uniform(0.3, 1.0),
            random.uniform(0.3, 1.0),
        ]
    )
    total = ambient[:3].mean() + (lights[:, 4:].mean(axis=1).sum() if number else 0.0)
    ambient[:3] /= total
    if number:
        lights[:, 4:] /= total
    return lights, ambient


def _capsules(random: Generator) -> Floats:
    """A hand with an arm, a gantry's beam, or something else that reaches in from a side; often none."""
    if random.random() > 0.22:
        return np.zeros((0, rt.CROUGHNESS + 1))
    angle = random.uniform(0, 2 * np.pi)
    out = np.array([np.cos(angle), np.sin(angle)])
    tip = random.uniform(0, 8, 2)
    found = []
    kind = random.random()
    if kind < 0.6:
        skin = palette.linear((random.uniform(90, 240), 0, 0))
        red = random.uniform(0.15, 0.8)
        skin = np.array([red * random.uniform(0.25, 0.6), red * random.uniform(0.4, 0.75), red])
        sleeve = palette.anything(random)
        wrist = tip + out * random.uniform(1.6, 2.6)
        height = random.uniform(0.3, 2.5)
        for _ in range(int(random.integers(2, 6))):
            finger = tip + random.normal(0, 0.45, 2)
            found.append(
                (*finger, random.uniform(0.15, height), *wrist, height + 0.3, random.uniform(0.16, 0.26), *skin, 0.08)
            )
        bare = wrist + out * random.uniform(0, 4)
        found.append((*wrist, height + 0.3, *bare, height + 0.8, random.uniform(0.5, 0.8), *skin, 0.05))
        found.append((*bare, height + 0.8, *(bare + out * 20), height + 6, random.uniform(0.6, 1.2), *sleeve, 0.2))
    elif kind < 0.85:
        colour, height = palette.anything(random), random.uniform(1.5, 4)
        across = np.array([-out[1], out[0]])
        found.append(
            (*(tip - across * 25), height, *(tip + across * 25), height, random.uniform(0.3, 0.8), *colour, 0.03)
        )
        tool = palette.anything(random)
        found.append((*tip, random.uniform(0.3, 1.5), *tip, height, random.uniform(0.15, 0.5), *tool, 0.03))
    else:
        colour, height = palette.anything(random), random.uniform(0.1, 3)
        found.append(
            (*tip, height, *(tip + out * 20), height + random.uniform(0, 4), random.uniform(0.05, 1.5), *colour, 0.3)
        )
    return np.array(found)


def _discs(
    random: Generator, contents: NDArray[np.int64], colours: tuple[Floats, Floats], by_face: bool
) -> tuple[Floats, Floats, float, float]:
    """(discs (N, columns), offsets (8, 8, 2), diameter, height)."""
    diameter = random.uniform(0.55, 0.9) if random.random() < 0.85 else random.uniform(0.36, 0.6)
    flatness = np.exp(random.uniform(np.log(0.12), np.log(0.45)))
    if by_face and random.random() < 0.5:
        flatness = random.uniform(0.3, 1.5)
    height = min(diameter * flatness, 0.95)
    loose = random.choice((0.02, 0.06, 0.11))
    careless = random.choice((0.025, 0.08))
    free = max(0.0, (1.02 - diameter) / 2)
    looks = [_look(random, by_face) for _ in range(2)]
    if random.random() < 0.7:
        looks[1] = looks[0] | {rt.GLOSS: looks[1][rt.GLOSS], rt.GRAIN: looks[1][rt.GRAIN]}
    marks = [palette.anything(random), palette.anything(random)]
    offsets = np.full((8, 8, 2), np.nan)
    rows = []

    def add(x: float, y: float, base: float, group: int, king: bool) -> None:
        disc = np.zeros(rt.DISC_COLUMNS)
        disc[[rt.X, rt.Y, rt.BASE, rt.RADIUS, rt.HEIGHT]] = x, y, base, diameter / 2, height
        for column, value in looks[group].items():
            disc[column] = value
        disc[rt.TURN] = random.uniform(0, 2 * np.pi)
        disc[rt.BLUE : rt.RED + 1] = palette.varied(colours[group], random, 0.05)
        disc[rt.MARK_BLUE : rt.MARK_RED + 1] = marks[group]
        if by_face:
            disc[rt.EMBLEM] = looks[group][rt.EMBLEM] if king else -1
        rows.append(disc)

    for r in range(8):
        for c in range(8):
            content = contents[r, c]
            if content == EMPTY:
                continue
            off = random.normal(0, loose, 2)
            if random.random() < 0.04:
                off = random.uniform(-0.28, 0.28, 2)
            limit = max(free, 0.09)
            off = np.clip(off, -limit - 0.12, limit + 0.12)
            offsets[r, c] = off
            group, king = int(content >= LIGHT_MAN), content in (DARK_KING, LIGHT_KING)
            add(c + 0.5 + off[0], r + 0.5 + off[1], 0.0, group, king)
            if king and not by_face:
                lean = np.clip(random.normal(0, careless, 2), -0.17, 0.17)
                add(c + 0.5 + off[0] + lean[0], r + 0.5 + off[1] + lean[1], height, group, False)
    if random.random() < 0.4:
        for _ in range(int(random.integers(1, BESIDE))):
            side, along = random.integers(4), random.uniform(-0.5, 8.5)
            out = (
                8 + diameter / 2 + random.uniform(0.02, 0.6)
                if side % 2
                else -diameter / 2 - random.uniform(0.02, 0.6)
            )
            x, y = (along, out) if side < 2 else (out, along)
            group = int(random.integers(2))
            for level in range(int(random.choice((1, 1, 1, 2, 3)))):
                add(x, y, level * height, group, False)
    return np.array(rows).reshape(-1, rt.DISC_COLUMNS), offsets, diameter, height


def _look(random: Generator, by_face: bool) -> dict[int, float]:
    emblem = by_face or random.random() < 0.3
    strong = random.random() < 0.5
    return {
        rt.BEVEL: random.uniform(0.02, 0.2),
        rt.RINGS: random.choice((0.0, 0.0, 1.0, 2.0, 3.0, 5.0)) * random.uniform(0.8, 1.2),
        rt.RELIEF: random.uniform(0.0, 0.6),
        rt.DISH: random.choice((0.0, 0.0, random.uniform(0.5, 0.85))),
        rt.EMBLEM: float(random.integers(24)) if by_face else (float(random.integers(8, 24)) if emblem else -1.0),
        rt.EMBLEM_SIZE: random.uniform(0.45, 0.95),
        rt.MARK_STRENGTH: random.uniform(0.6, 1.0) if by_face or strong else random.uniform(0.1, 0.4),
        rt.MILLING: random.choice((0.0, 0.0, random.uniform(20, 70))),
        rt.GRAIN: random.choice((0.0, random.uniform(0.02, 0.15))),
        rt.GLOSS: random.uniform(0.005, 0.06),
        rt.ROUGH: np.exp(random.uniform(np.log(0.03), np.log(0.4))),
    }


@dataclass(frozen=True, eq=False)
class Scene:
    """All that is to be traced. truth: with nothing hidden yet."""

    texture: NDArray[np.float32]
    gloss: NDArray[np.float32]
    roughness: float
    discs: Floats
    lights: Floats
    ambient: Floats
    capsules: Floats
    truth: Truth


def compose(seed: int, size: int) -> Scene:
    """A random scene."""
    random = np.random.default_rng(seed)
    dark_square, light_square = palette.squares(random)
    texture, gloss = surfaces.ground(random, size, dark_square, light_square, int(random.integers(2)))
    colours = palette.discs(random, dark_square, light_square)
    by_face = random.random() < 0.1
    contents = _contents(random, int(random.integers(2)), True)
    discs, offsets, diameter, height = _discs(random, contents, colours, by_face)
    camera = _camera(random)
    lights, ambient = _lights(random, camera)
    rough = np.exp(random.uniform(np.log(0.03), np.log(0.4)))
    capsules = _capsules(random)
    ambiguous = abs(palette.lightness(colours[0]) - palette.lightness(colours[1])) < 0.09
    marked = np.zeros((8, 8), bool)
    tops = offsets.copy()
    for disc in discs:
        column, row = int(np.floor(disc[rt.X])), int(np.floor(disc[rt.Y]))
        if disc[rt.BASE] > 0 and 0 <= row < 8 and 0 <= column < 8:
            tops[row, column] = disc[rt.X] - column - 0.5, disc[rt.Y] - row - 0.5
        if 0 <= row < 8 and 0 <= column < 8 and disc[rt.EMBLEM] >= 0 and disc[rt.MARK_STRENGTH] > 0.5:
            marked[row, column] = True
    nothing = np.zeros((8, 8), bool)
    truth = Truth(
        contents, nothing, offsets, camera, diameter, height, ambiguous, marked, by_face, tops, _beside(discs)
    )
    return Scene(texture, gloss, rough, discs, lights, ambient, capsules, truth)


def _beside(discs: Floats) -> Floats:
    places = discs[:, [rt.X, rt.Y]]
    outside = ((places < 0) | (places >= 8)).any(axis=1) & (discs[:, rt.BASE] == 0)
    found = np.full((BESIDE, 3), np.nan)
    for k, place in enumerate(places[outside]):
        found[k] = *place, (places == place).all(axis=1).sum()
    return found


def render(seed: int, size: int = 480, samples: int = 7) -> tuple[NDArray[np.float32], Truth]:
    """The linear ground image (size, size, 3) of a random scene, and what it shows."""
    scene = compose(seed, size)
    truth, camera = scene.truth, scene.truth.camera
    picture, shown = rt.trace(
        scene.texture,
        scene.gloss,
        camera,
        scene.discs,
        scene.lights,
        scene.capsules,
        scene.ambient,
        _NOISE,
        _ATLAS,
        scene.roughness,
        samples,
        seed,
    )
    cell = size // rt.GROUND_SQUARES
    covered = (shown == rt.OCCLUDER).astype(np.float32).reshape(rt.GROUND_SQUARES, cell, rt.GROUND_SQUARES, cell)
    share = covered.mean(axis=(1, 3))[1:9, 1:9]
    for r, c in zip(*np.nonzero(truth.contents), strict=True):
        x, y = c + 0.5 + truth.offsets[r, c, 0], r + 0.5 + truth.offsets[r, c, 1]
        lift = camera[2] / (camera[2] - truth.height)
        seen = camera[:2] + (np.array([x, y]) - camera[:2]) * lift
        mask = np.zeros((size, size), np.uint8)
        at = np.rint((seen + 1) * cell).astype(int)
        cv2.circle(mask, (int(at[0]), int(at[1])), round(truth.diameter / 2 * cell), 1, -1)
        inside = mask > 0
        share[r, c] = max(share[r, c], float((shown[inside] == rt.OCCLUDER).mean())) if inside.any() else share[r, c]
    return picture, replace(truth, hidden=share >= HIDDEN_SHARE)
