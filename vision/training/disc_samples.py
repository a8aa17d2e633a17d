"""Crops of discs from photographed scenes, placed as well as the square network would place them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.disc_input import DISC_PX, LEANS_PX, disc_blocks, lean_weights, leans
from vision.square_input import GROUND_SQUARES, MARGIN_SQUARES
from vision.training.reflections import shining
from vision.training.samples import photographed, relit
from vision.training.scene import DARK_KING, LIGHT_KING, Truth
from vision.training.store import decode

Floats = NDArray[np.float64]
_FEWEST_PX = 24.0
"""A square's side from which heights can be told."""
_MISSED, _ASTRAY = 0.03, 0.13
"""Standard deviation of where a disc is thought to stand, squares, along its lean as much again; and in a part of the
pictures, as people lay discs beside a board."""
_NOTHING = 6
"""So many places without a disc are looked at in a picture, at most."""
_APART = 0.55
"""A place is without a disc if none stands nearer than so many squares and half its own diameter."""


@dataclass(frozen=True, eq=False)
class DiscSamples:
    """blocks (N, 3, 96, 60); there (N,) whether a disc stands at the place, and what the rest is about, which says
    nothing where there is none: cases (N, 64) which of disc_model.CASES it is, shared by the two nearest leans;
    marked (N,); placed (N, 3) the lowest disc's centre off the crop's foot, across and along the lean, and the
    topmost one's across it, in diameters; leans_px (N,)."""

    blocks: NDArray[np.float32]
    there: NDArray[np.bool_]
    cases: NDArray[np.float32]
    marked: NDArray[np.bool_]
    placed: NDArray[np.float32]
    leans_px: Floats


@dataclass(frozen=True, eq=False)
class _Places:
    """feet, tops (N, 2) of the lowest and topmost discs, squares; stacked, there, marked (N,)."""

    feet: Floats
    tops: Floats
    stacked: NDArray[np.bool_]
    there: NDArray[np.bool_]
    marked: NDArray[np.bool_]


def make_disc_samples(encoded: NDArray[np.uint8], truth: Truth, random: Generator) -> DiscSamples | None:
    """One way in which a scene may be photographed, each place that can be seen by itself; None where none is."""
    places = _places(truth, random)
    count = len(places.feet)
    if not count:
        return None
    light = shining(decode(encoded), truth, random)
    if random.random() < 0.4:
        light = _with_rings(light, places, truth.diameter, random)
    picture, homography = photographed(relit(light, random), truth, random, _FEWEST_PX)
    feet, stacked = places.feet, places.stacked
    high = truth.height * (1 + stacked)
    growth = (high / np.maximum(truth.camera[2] - high, 0.5))[:, None]
    shown = places.tops + (places.tops - truth.camera[:2]) * growth
    camera = truth.camera.copy()
    camera[2] *= np.exp(random.normal(0, 0.08))
    camera[:2] = 4 + (camera[:2] - 4) * np.exp(random.normal(0, 0.08)) + random.normal(0, 0.02, 2) * camera[2]
    away = leans(feet, camera)
    missed = _ASTRAY if random.random() < 0.15 else _MISSED
    centres = feet + random.normal(0, missed, feet.shape) + away * random.normal(0, _MISSED, (count, 1))
    diameter = truth.diameter * (1 + random.normal(0, 0.03))
    bent = homography + random.normal(0, 0.015, (3, 3)) * homography * [[0, 0, 1], [0, 0, 1], [0, 0, 0]] * 0.02

    def project(points: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), bent).reshape(-1, 2), dtype=np.float64)

    blocks = disc_blocks(picture, project, centres, camera, diameter)
    along = leans(centres, camera)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    placed = np.column_stack(
        [
            ((feet - centres) * across).sum(axis=1),
            ((feet - centres) * along).sum(axis=1),
            ((shown - centres) * across).sum(axis=1),
        ]
    )
    if random.random() < 0.5:
        blocks = blocks[:, :, :, ::-1]
        placed[:, [0, 2]] *= -1
    leaning = np.maximum(((shown - feet) * along).sum(axis=1), 0) * DISC_PX / diameter
    above, share = lean_weights(leaning)
    cases = np.zeros((count, 2, len(LEANS_PX)), np.float32)
    each = np.arange(count)
    cases[each, stacked.astype(int), above - 1] = 1 - share
    cases[each, stacked.astype(int), above] += share
    return DiscSamples(
        np.ascontiguousarray(blocks),
        places.there,
        cases.reshape(count, -1),
        places.marked,
        (placed / diameter).astype(np.float32),
        leaning,
    )


def _with_rings(
    light: NDArray[np.float32], places: _Places, diameter: float, random: Generator
) -> NDArray[np.float32]:
    """Outlines drawn where discs may be laid, as trays have them: faint or bold, with and without a disc within."""
    size = len(light)
    scale = size / GROUND_SQUARES
    drawn = np.zeros((size, size), np.uint8)
    radius = diameter / 2 * random.uniform(0.75, 1.35) * scale
    width = max(1, round(random.uniform(0.01, 0.06) * scale))
    bare = ~places.there
    for foot in places.feet[bare & (random.random(len(bare)) < 0.7)]:
        at = np.rint((foot + MARGIN_SQUARES + random.normal(0, 0.05, 2)) * scale * 8).astype(int)
        cv2.circle(drawn, (int(at[0]), int(at[1])), round(radius * 8), 255, width, cv2.LINE_AA, 3)
    strength = np.float32(random.choice((-1, 1)) * np.exp(random.uniform(np.log(0.04), np.log(0.8))))
    return np.asarray(light * np.exp(drawn.astype(np.float32)[:, :, None] / 255 * strength), dtype=np.float32)


def _places(truth: Truth, random: Generator) -> _Places:
    """Discs on and beside the board, and places where there are none."""
    rows, columns = np.nonzero((truth.contents > 0) & ~truth.hidden)
    middles = np.column_stack([columns + 0.5, rows + 0.5])
    feet, tops = middles + truth.offsets[rows, columns], middles + truth.tops[rows, columns]
    stacked = np.isin(truth.contents[rows, columns], (DARK_KING, LIGHT_KING)) & (not truth.by_face)
    marked = truth.marked[rows, columns]
    beside = truth.beside[np.isfinite(truth.beside[:, 0])]
    # Where something reaches over the board, it may hide what lies beside it.
    clear = not truth.hidden.any()
    near = beside[(beside[:, 2] <= 2) & clear & (np.abs(beside[:, :2] - 4).max(axis=1) < 4.8)]
    everything = np.concatenate([np.argwhere(truth.contents > 0)[:, ::-1] + 0.5, beside[:, :2]])
    nothing = random.uniform(-0.7, 8.7, (2 * _NOTHING, 2))
    nothing[::2] = random.integers(8, size=(_NOTHING, 2)) + 0.5 + random.normal(0, 0.1, (_NOTHING, 2))
    inside = np.clip(np.floor(nothing), 0, 7).astype(int)
    seen = ~truth.hidden[inside[:, 1], inside[:, 0]] & (clear | (np.abs(nothing - 4).max(axis=1) < 4))
    apart = np.linalg.norm(nothing[:, None] - everything[None], axis=2).min(axis=1, initial=99)
    nothing = nothing[seen & (apart > _APART + truth.diameter / 2)][:_NOTHING]
    several = near[:, 2] > 1
    return _Places(
        np.concatenate([feet, near[:, :2], nothing]),
        np.concatenate([tops, near[:, :2], nothing]),
        np.concatenate([stacked, several, np.zeros(len(nothing), bool)]),
        np.arange(len(feet) + len(near) + len(nothing)) < len(feet) + len(near),
        np.concatenate([marked, np.zeros(len(near) + len(nothing), bool)]),
    )
