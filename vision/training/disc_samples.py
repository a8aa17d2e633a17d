"""Crops of discs from photographed scenes, placed as well as the square network would place them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from vision.disc_input import disc_blocks, leans
from vision.training.samples import photographed, relit
from vision.training.scene import DARK_KING, LIGHT_KING, Truth
from vision.training.store import decode

Floats = NDArray[np.float64]
_FEWEST_PX = 28.0
"""A square's side from which heights can be told."""
_MISSED = 0.035
"""Standard deviation of where a disc is thought to stand, squares; along its lean it is twice that."""


@dataclass(frozen=True, eq=False)
class DiscSamples:
    """blocks (N, 7, 80, 80); stacked, marked (N,); heights (N,) of what stands there, as a multiple of
    what a disc's height was said to be; centres (N, 4) of
    the lowest and of the topmost disc off the crop's foot, across and along the lean, in diameters."""

    blocks: NDArray[np.float32]
    stacked: NDArray[np.bool_]
    marked: NDArray[np.bool_]
    heights: NDArray[np.float32]
    centres: NDArray[np.float32]


def make_disc_samples(encoded: NDArray[np.uint8], truth: Truth, random: Generator) -> DiscSamples | None:
    """One way in which a scene may be photographed, each disc that can be seen by itself; None where none is."""
    there = (truth.contents > 0) & ~truth.hidden
    rows, columns = np.nonzero(there)
    if not len(rows):
        return None
    picture, homography = photographed(relit(decode(encoded), random), truth, random, _FEWEST_PX)
    truly = np.column_stack([columns + 0.5, rows + 0.5]) + truth.offsets[rows, columns]
    camera = truth.camera.copy()
    camera[2] *= np.exp(random.normal(0, 0.08))
    camera[:2] = 4 + (camera[:2] - 4) * np.exp(random.normal(0, 0.08)) + random.normal(0, 0.02, 2) * camera[2]
    away = truly - camera[:2]
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
    centres = truly + random.normal(0, _MISSED, truly.shape) + away * random.normal(0, _MISSED, (len(rows), 1))
    diameter = truth.diameter * (1 + random.normal(0, 0.03))
    # Of a known set the height is known well; of an unknown one it is first a guess.
    height = truth.height * float(np.exp(random.normal(0, random.choice((0.04, 0.25)))))
    bent = homography + random.normal(0, 0.015, (3, 3)) * homography * [[0, 0, 1], [0, 0, 1], [0, 0, 0]] * 0.02

    def project(points: Floats) -> Floats:
        return np.asarray(cv2.perspectiveTransform(points.reshape(-1, 1, 2), bent).reshape(-1, 2), dtype=np.float64)

    blocks = disc_blocks(picture, project, centres, camera, diameter, height)
    tops = np.column_stack([columns + 0.5, rows + 0.5]) + truth.tops[rows, columns]
    along = leans(centres, camera)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    off = [((where - centres) * axis).sum(axis=1) for where in (truly, tops) for axis in (across, along)]
    placed = np.column_stack(off) / diameter
    if random.random() < 0.5:
        blocks = blocks[:, :, :, ::-1]
        placed[:, [0, 2]] *= -1
    stacked = np.isin(truth.contents[rows, columns], (DARK_KING, LIGHT_KING)) & (not truth.by_face)
    heights = truth.height / height * (1 + stacked)
    return DiscSamples(
        np.ascontiguousarray(blocks),
        stacked,
        truth.marked[rows, columns],
        heights.astype(np.float32),
        placed.astype(np.float32),
    )
