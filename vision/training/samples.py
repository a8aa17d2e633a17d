"""From a rendered scene to what the network sees: a camera's picture with its faults, laid flat again."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.square_input import GROUND_SQUARES, MARGIN_SQUARES, SIDE_PX, SQUARE_PX, network_input
from vision.training.reflections import shining
from vision.training.scene import Truth
from vision.training.store import decode

Floats = NDArray[np.float64]
FEWEST_PX, MOST_PX = 20.0, 64.0
"""A square's longest side in pictures that are read, as larger ones are made smaller first."""


@dataclass(frozen=True, eq=False)
class Sample:
    """block: (7, 320, 320). contents (8, 8), hidden (8, 8), offsets (2, 8, 8; x, y), size (2,): diameter, height."""

    block: NDArray[np.float32]
    contents: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    offsets: NDArray[np.float32]
    size: NDArray[np.float32]
    ambiguous: bool


def make_sample(encoded: NDArray[np.uint8], truth: Truth, random: Generator) -> Sample:
    """One way in which a scene may be photographed."""
    light = relit(shining(decode(encoded), truth, random), random)
    picture, homography = photographed(light, truth, random)
    ground = _laid_flat(picture, homography, random)
    camera = truth.camera.copy()
    camera[2] *= np.exp(random.normal(0, 0.1))
    camera[:2] = 4 + (camera[:2] - 4) * np.exp(random.normal(0, 0.1)) + random.normal(0, 0.02, 2) * camera[2]
    known = random.random() < 0.4
    diameter = truth.diameter * (1 + random.normal(0, 0.02)) if known else None
    height = truth.height * (1 + random.normal(0, 0.06)) if known else None
    block = network_input(ground, camera, diameter, height)[0]
    return _turned(block, truth, random)


def relit(light: NDArray[np.float32], random: Generator) -> NDArray[np.float32]:
    """The scene in other colours, brighter or darker."""
    gains = np.exp(random.normal(0, 0.13, 3) + random.normal(0.0, 0.45)).astype(np.float32)
    if random.random() < 0.2:
        light = light[:, :, random.permutation(3)]
    if random.random() < 0.06:
        light = np.repeat(light.mean(axis=2, keepdims=True), 3, axis=2) * (1 - random.random() * 0.3) + 0.1 * light
    return np.asarray(light * gains, dtype=np.float32)


def photographed(
    light: NDArray[np.float32], truth: Truth, random: Generator, fewest_px: float = FEWEST_PX
) -> tuple[NDArray[np.uint8], Floats]:
    """The camera's picture, and the homography from squares to its pixels; squares have at least `fewest_px`."""
    square_px = float(np.exp(random.uniform(np.log(fewest_px), np.log(MOST_PX))))
    homography, size = _projection(truth.camera, square_px)
    scale = len(light) / GROUND_SQUARES
    to_squares = np.array(
        [[1 / scale, 0, 0.5 / scale - MARGIN_SQUARES], [0, 1 / scale, 0.5 / scale - MARGIN_SQUARES], [0, 0, 1]]
    )
    smaller = scale / square_px
    if smaller > 1.2:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), 0.4 * smaller), dtype=np.float32)
    picture = cv2.warpPerspective(
        light, homography @ to_squares, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    blur = abs(random.normal(0, 0.55)) + 0.25
    picture = cv2.GaussianBlur(picture, (0, 0), blur)
    if random.random() < 0.08:
        length = int(random.integers(2, 6))
        kernel = np.zeros((length, length), np.float32)
        if random.random() < 0.5:
            np.fill_diagonal(kernel, 1 / length)
        else:
            kernel[length // 2] = 1 / length
        picture = cv2.filter2D(picture, -1, kernel)
    veil = random.uniform(0, 0.03) if random.random() < 0.5 else 0.0
    shown = np.power(np.clip(picture + veil, 0, 1), 1 / random.uniform(1.7, 2.6))
    if random.random() < 0.5:
        bend = random.uniform(0, 0.5)
        shown = shown * (1 - bend) + (3 * shown**2 - 2 * shown**3) * bend
    dim = random.uniform(0.25, 1) if random.random() < 0.25 else 1.0
    level = np.exp(random.uniform(np.log(0.002), np.log(0.04))) / dim**0.5
    shown = shown * dim
    noise = random.normal(0, 1, shown.shape).astype(np.float32)
    if random.random() < 0.6:
        noise = cv2.GaussianBlur(noise, (0, 0), 0.8) * 2
    shown = shown + noise * (level * (0.4 + 0.6 * np.sqrt(np.clip(shown, 0, 1)))).astype(np.float32)
    if random.random() < 0.4:
        shown = shown + (shown - cv2.GaussianBlur(shown, (0, 0), 1.2)) * random.uniform(0.2, 1.2)
    pixels = np.clip(np.rint(shown * 255), 0, 255).astype(np.uint8)
    if random.random() < 0.75:
        _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(30, 96))])
        pixels = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return np.asarray(pixels, dtype=np.uint8), homography


def _projection(camera: Floats, square_px: float) -> tuple[Floats, tuple[int, int]]:
    """The homography of a camera that looks at the board's middle, and its picture's size."""
    forward = np.array([4.0, 4.0, 0.0]) - camera
    forward /= np.linalg.norm(forward)
    aside = np.cross(forward, [0.0, 1.0, 0.0] if abs(forward[2]) > 0.98 else [0.0, 0.0, 1.0])
    aside /= np.linalg.norm(aside)
    rotation = np.stack([aside, np.cross(forward, aside), forward])
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], -rotation @ camera])
    corners = _through(plane, np.array([[0, 0], [8, 0], [8, 8], [0, 8]], dtype=np.float64))
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max()
    zoom = square_px * 8 / longest
    edges = _through(plane, np.array([[-1, -1], [9, -1], [9, 9], [-1, 9]], dtype=np.float64)) * zoom
    least = edges.min(axis=0)
    width, height = np.ceil(edges.max(axis=0) - least).astype(int) + 1
    return np.array([[zoom, 0, -least[0]], [0, zoom, -least[1]], [0, 0, 1]]) @ plane, (int(width), int(height))


def _through(homography: Floats, points: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), homography).reshape(-1, 2), dtype=np.float64)


def _laid_flat(picture: NDArray[np.uint8], homography: Floats, random: Generator) -> NDArray[np.uint8]:
    corners = np.array([[0, 0], [8, 0], [8, 8], [0, 8]], dtype=np.float64)
    missed = corners + random.normal(0, 0.025, (4, 2)) * random.choice((0.3, 1.0))
    seen = _through(homography, missed).astype(np.float32)
    places = ((corners + MARGIN_SQUARES) * SQUARE_PX - 0.5).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(places, seen)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(picture, matrix, (SIDE_PX, SIDE_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def _turned(block: NDArray[np.float32], truth: Truth, random: Generator) -> Sample:
    """Turned by quarter turns and mirrored, as boards lie any way."""
    contents, hidden = truth.contents, truth.hidden
    dx, dy = truth.offsets[..., 0].astype(np.float32), truth.offsets[..., 1].astype(np.float32)
    planes = [block[0], block[1], block[2], block[3], block[4], block[5], block[6]]
    if random.random() < 0.5:
        planes = [plane.T for plane in planes]
        planes[3], planes[4] = planes[4], planes[3]
        contents, hidden, dx, dy = contents.T, hidden.T, dy.T, dx.T
    if random.random() < 0.5:
        planes = [plane[::-1] for plane in planes]
        planes[4] = -planes[4]
        contents, hidden, dx, dy = contents[::-1], hidden[::-1], dx[::-1], -dy[::-1]
    if random.random() < 0.5:
        planes = [plane[:, ::-1] for plane in planes]
        planes[3] = -planes[3]
        contents, hidden, dx, dy = contents[:, ::-1], hidden[:, ::-1], -dx[:, ::-1], dy[:, ::-1]
    size = np.array([truth.diameter, truth.height], np.float32)
    return Sample(
        np.stack(planes), contents.copy(), hidden.copy(), np.nan_to_num(np.stack([dx, dy])), size, truth.ambiguous
    )
