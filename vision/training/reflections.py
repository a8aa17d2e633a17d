"""What lacquer and lamps do to a drawn scene: mirrored windows in uneven varnish, discs that shine as a whole."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.training.scene import DARK_KING, LIGHT_KING, Truth

Floats = NDArray[np.float64]
Light = NDArray[np.float32]
_MARGIN_SQUARES, _GROUND_SQUARES = 1, 10


def shining(light: Light, truth: Truth, random: Generator) -> Light:
    """The linear ground image with a chance of lamps in it that the ray tracer's smooth varnish does not show."""
    kind = random.random()
    if kind < 0.15:
        light = _lacquered(light, truth, random)
    if 0.1 < kind < 0.3:
        light = _sheen(light, truth, random)
    return light


def _outlines(truth: Truth, scale: float) -> list[tuple[Floats, Floats, float]]:
    """Of each disc or stack the middles of its foot and of its uppermost face, and the face's radius; px."""
    found = []
    for r, c in zip(*np.nonzero(truth.contents), strict=True):
        stacked = truth.contents[r, c] in (DARK_KING, LIGHT_KING) and not truth.by_face
        height = truth.height * (1 + stacked)
        lift = truth.camera[2] / max(truth.camera[2] - height, 0.5)
        foot = np.array([c + 0.5, r + 0.5]) + truth.offsets[r, c]
        top = truth.camera[:2] + (np.array([c + 0.5, r + 0.5]) + truth.tops[r, c] - truth.camera[:2]) * lift
        radius = truth.diameter / 2 * lift * scale
        found.append(((foot + _MARGIN_SQUARES) * scale, (top + _MARGIN_SQUARES) * scale, radius))
    return found


def _lacquered(light: Light, truth: Truth, random: Generator) -> Light:
    """A window or a lamp mirrored by lacquer that is not flat: patches and streaks with sharp edges."""
    size = len(light)
    scale = size / _GROUND_SQUARES
    middle = random.uniform(1, 9, 2) * scale
    reach = np.exp(random.uniform(np.log(0.6), np.log(4.5), 2)) * scale
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach * (1 + random.normal(0, 0.15, (4, 2)))
    angle = random.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    window = np.zeros((size, size), np.float32)
    cv2.fillPoly(window, [np.rint(corners @ turn + middle).astype(np.int32)], 1.0)
    # The mirror image is bent as the lacquer is: first the whole of it, then in ripples.
    waves = random.uniform(0.15, 1.2) * scale
    field = [_waves(random, size, waves) for _ in range(3)]
    strength = np.float32(random.uniform(0, 0.5) * waves)
    columns, rows = np.meshgrid(np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32))
    window = _float(cv2.remap(window, columns + field[0] * strength, rows + field[1] * strength, cv2.INTER_LINEAR))
    soft = random.uniform(0.01, 0.3) * scale
    window = _float(cv2.GaussianBlur(window, (0, 0), soft))
    how = random.random()
    if how < 0.4:
        edge = random.uniform(0.05, 0.6)
        window = window * np.clip((field[2] - random.uniform(-1.2, 1.2)) / edge, 0, 1)
    elif how < 0.6:
        window = window * np.exp(-np.square(field[2] / random.uniform(0.05, 0.3)))
    discs = np.zeros((size, size), np.uint8)
    for foot, top, radius in _outlines(truth, scale):
        for share in np.linspace(0, 1, 5):
            at = np.rint((foot + (top - foot) * share) * 8).astype(int)
            cv2.circle(discs, (int(at[0]), int(at[1])), round(radius * 8), 255, -1, cv2.LINE_AA, 3)
    kept = 1 - random.choice((0.0, 0.3, 1.0)) * (discs.astype(np.float32) / 255)
    return _added(light, window * kept, random, 0.8)


def _waves(random: Generator, size: int, length: float) -> Light:
    """(size, size) smooth noise of deviation 1."""
    noise = _float(cv2.GaussianBlur(random.normal(0, 1, (size, size)).astype(np.float32), (0, 0), length))
    return noise / np.float32(max(float(noise.std()), 1e-6))


def _float(image: object) -> Light:
    return np.asarray(image, dtype=np.float32)


def _sheen(light: Light, truth: Truth, random: Generator) -> Light:
    """Some discs lie so that their faces mirror a bright wall; the others do not."""
    size = len(light)
    scale = size / _GROUND_SQUARES
    veil = np.zeros((size, size), np.float32)
    share = random.uniform(0.05, 0.5)
    columns, rows = np.meshgrid(np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32))
    for _, top, radius in _outlines(truth, scale):
        if random.random() > share:
            continue
        face = np.zeros((size, size), np.uint8)
        at = np.rint(top * 8).astype(int)
        within = radius * random.uniform(0.6, 0.97)
        cv2.circle(face, (int(at[0]), int(at[1])), round(within * 8), 255, -1, cv2.LINE_AA, 3)
        slope = random.normal(0, 0.4, 2) / radius
        shade = 1 + (columns - np.float32(top[0])) * np.float32(slope[0])
        shade += (rows - np.float32(top[1])) * np.float32(slope[1])
        veil += face.astype(np.float32) / 255 * np.clip(shade, 0, 2) * np.float32(random.uniform(0.3, 1.0))
    return _added(light, veil, random, 0.3)


def _added(light: Light, veil: Light, random: Generator, most: float) -> Light:
    brightness = float(np.percentile(light, 90))
    warmth = random.normal(0, 0.08)
    colour = (
        np.exp(np.array([-warmth, 0, warmth])) * np.exp(random.uniform(np.log(most / 12), np.log(most))) * brightness
    )
    return np.asarray(light + veil[:, :, None] * colour.astype(np.float32), dtype=np.float32)
