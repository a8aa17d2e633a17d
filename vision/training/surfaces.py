"""What the ground looks like: squares, frame, table top, print and wear, as a flat texture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training import palette
from vision.training.ray_tracer import GROUND_SQUARES

Floats = NDArray[np.float64]
Texture = NDArray[np.float32]

_FONT = cv2.FONT_HERSHEY_SIMPLEX


def smooth_noise(random: Generator, shape: tuple[int, int], cells: tuple[float, float]) -> Texture:
    """Noise of mean 0 and deviation about 1, `cells` bumps (across rows, across columns) in all."""
    rows, columns = max(2, round(cells[0])), max(2, round(cells[1]))
    coarse = random.normal(0, 1, (rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _grain(random: Generator, shape: tuple[int, int], strength: float, kind: int) -> Texture:
    """A multiplier around 1: wood (0), mottled (1) or plain (2)."""
    if kind == 2 or strength == 0:
        return np.ones(shape, np.float32)
    if kind == 0:
        long, fine = random.uniform(1, 4), random.uniform(30, 110) * shape[0] / 480
        field = smooth_noise(random, shape, (fine, long)) + 0.6 * smooth_noise(random, shape, (fine * 2.3, long * 2))
        if random.random() < 0.5:
            waves = (
                smooth_noise(random, shape, (5, 2)) * 8 + np.linspace(0, random.uniform(20, 80), shape[0])[:, None]
            )
            field += np.sin(waves).astype(np.float32) * 0.8
        if random.random() < 0.5:
            field = np.ascontiguousarray(field.T)[: shape[0], : shape[1]]
    else:
        bumps = random.uniform(6, 160)
        field = smooth_noise(random, shape, (bumps, bumps))
    return np.asarray(np.exp(strength * field), dtype=np.float32)


def ground(random: Generator, size: int, dark: Floats, light: Floats, dark_parity: int) -> tuple[Texture, Texture]:
    """(albedo (size, size, 3), reflectance (size, size)) of a board, what surrounds it, and the table."""
    pixel = size / GROUND_SQUARES
    shape = (size, size)
    kind = int(random.choice(3, p=(0.5, 0.2, 0.3)))
    strength = 0.0 if kind == 2 else random.uniform(0.02, 0.22)
    centres = (np.arange(size) + 0.5) / pixel - 1
    cells = np.floor(centres).astype(int)
    is_dark = (cells[:, None] + cells[None, :]) % 2 == dark_parity
    tint = np.exp(random.normal(0, random.uniform(0, 0.09), (GROUND_SQUARES, GROUND_SQUARES, 1)))
    grains = [_grain(random, shape, strength, kind) for _ in range(2)]
    # Neighbouring squares are cut from different places of the wood.
    if kind == 0 and random.random() < 0.6:
        for row in range(GROUND_SQUARES):
            for column in range(GROUND_SQUARES):
                area = np.s_[
                    round(row * pixel) : round((row + 1) * pixel), round(column * pixel) : round((column + 1) * pixel)
                ]
                part = grains[(row + column) % 2][area]
                if random.random() < 0.5:
                    part[:] = part[::-1].copy()
                if random.random() < 0.5:
                    part[:] = part[:, ::-1].copy()
    albedo = np.where(is_dark[..., None], dark * grains[0][..., None], light * grains[1][..., None]).astype(
        np.float32
    )
    albedo *= tint[np.clip(cells + 1, 0, 9)[:, None], np.clip(cells + 1, 0, 9)[None, :]]
    gloss = np.full(shape, random.uniform(0.01, 0.06), np.float32)
    if random.random() < 0.5:
        _joints(random, albedo, pixel)
    if random.random() < 0.3:
        _print_on_squares(random, albedo, pixel, is_dark)
    if random.random() < 0.3:
        albedo *= np.exp(-np.abs(smooth_noise(random, shape, (9, 9))) * random.uniform(0.02, 0.15))[..., None]
    _surroundings(random, albedo, gloss, pixel, dark, light)
    return np.clip(albedo, 0.003, 0.97), gloss


def _joints(random: Generator, albedo: Texture, pixel: float) -> None:
    colour = palette.anything(random) if random.random() < 0.3 else np.array([0.02, 0.02, 0.02])
    strength = random.uniform(0.1, 0.6)
    width = max(1, round(pixel * random.uniform(0.01, 0.04)))
    for k in range(9):
        at = round((1 + k) * pixel)
        for area in (np.s_[at : at + width], np.s_[:, at : at + width]):
            albedo[area] = albedo[area] * (1 - strength) + colour * strength


def _print_on_squares(random: Generator, albedo: Texture, pixel: float, is_dark: NDArray[np.bool_]) -> None:
    colour = palette.anything(random)
    ink = np.zeros(albedo.shape[:2], np.uint8)
    on_dark = random.random() < 0.6
    corner = random.uniform(0.05, 0.2)
    for row in range(8):
        for column in range(8):
            middle = (round((row + 1.5) * pixel), round((column + 1.5) * pixel))
            if bool(is_dark[middle]) == on_dark:
                at = (round((column + 1 + corner) * pixel), round((row + 1 + corner + 0.22) * pixel))
                cv2.putText(ink, str(4 * row + column // 2 + 1), at, _FONT, pixel / 110, 255, 1, cv2.LINE_AA)
    _printed(albedo, ink, colour)


def _printed(albedo: Texture, ink: NDArray[np.uint8], colour: Floats) -> None:
    share = (ink.astype(np.float32) / 255)[..., None]
    albedo[:] = albedo * (1 - share) + colour.astype(np.float32) * share


def _surroundings(
    random: Generator, albedo: Texture, gloss: Texture, pixel: float, dark: Floats, light: Floats
) -> None:
    """Frame, inlaid lines, letters, and the table beyond; sometimes squares go on under a tape."""
    size = len(albedo)
    frame_width = 0.0 if random.random() < 0.25 else random.uniform(0.1, 1.2)
    first, last = round(pixel), round(9 * pixel)
    outside = np.ones((size, size), bool)
    outside[first:last, first:last] = False
    table = palette.wood(random) if random.random() < 0.5 else palette.anything(random)
    table_kind = int(random.choice(3, p=(0.5, 0.3, 0.2)))
    top = table * _grain(random, (size, size), random.uniform(0, 0.25), table_kind)[..., None]
    frame = [palette.varied(dark, random), palette.varied(light, random), palette.anything(random)][
        random.integers(3)
    ]
    framed = frame * _grain(random, (size, size), random.uniform(0, 0.15), int(random.integers(3)))[..., None]
    edge = round(frame_width * pixel)
    on_frame = np.zeros((size, size), bool)
    on_frame[max(first - edge, 0) : last + edge, max(first - edge, 0) : last + edge] = True
    on_frame &= outside
    albedo[outside] = top[outside]
    albedo[on_frame] = framed[on_frame]
    gloss[outside & ~on_frame] = random.uniform(0.005, 0.05)
    if edge > 3 and random.random() < 0.5:
        for _ in range(int(random.integers(1, 3))):
            line = round(pixel * random.uniform(0.02, frame_width))
            cv2.rectangle(
                albedo, (first - line, first - line), (last + line, last + line), palette.anything(random).tolist(),
                max(1, round(pixel * random.uniform(0.01, 0.06))), cv2.LINE_AA,
            )  # fmt: skip
    if frame_width > 0.35 and random.random() < 0.5:
        ink = np.zeros((size, size), np.uint8)
        for k in range(8):
            for text, x, y in ((chr(97 + k), k + 1.4, 9.3), (str(k + 1), 0.65, k + 1.6), (chr(97 + k), k + 1.4, 0.9)):
                at = (round(x * pixel), round(y * pixel))
                cv2.putText(ink, text, at, _FONT, pixel / 75, 255, 1, cv2.LINE_AA)
        _printed(albedo, ink, palette.anything(random))
    if random.random() < 0.2:
        for _ in range(int(random.integers(1, 4))):
            centre = random.uniform(0, size, 2)
            box = cv2.boxPoints((tuple(centre), tuple(random.uniform(0.5, 5, 2) * pixel), random.uniform(0, 180)))
            patch = np.zeros((size, size), np.uint8)
            cv2.fillPoly(patch, [np.rint(box).astype(np.int32)], 1)
            albedo[(patch > 0) & outside] = palette.anything(random)
