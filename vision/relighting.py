"""Whether it is only the light that has changed between two pictures of the same things."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.silhouette import Mask
from vision.view import View

SCALE = 4
TILE = 8
"""Side of the patches, in pixels of the smaller pictures, whose edges are compared."""
EDGE = 0.03
"""Slope (natural logarithm of brightness, a small pixel; root mean square over a patch) from which it shows edges."""
ALIKE = 0.2
"""Correlation of two patches' slopes from which they show the same edges."""
FULL = 0.4
"""A patch counts if so much of it may be compared."""
MOST_DIFFERING = 0.15
"""The share of the patches with edges that may differ all the same: shadows' edges come and go."""
MOST_TOGETHER = 1
"""So many differing patches may lie side by side: under a hand more do."""
FEWEST_TELLING = 4
"""Patches with edges that are needed to judge by."""
OTHER_LIGHT = 0.05
"""Change of the logarithm of brightness over a good part of the picture that makes another light."""
REACH_MM = 5.0
"""How far off its place's middle a disc may lie, so that edges there are not compared."""


LIGHT_SCALE = 16
"""How light changes over the picture is found out in pictures so many times smaller."""
FITTINGS = 15
IN_SHADOW = 0.1
"""How much a place counts that is darker than the light elsewhere lets expect."""


@dataclass(frozen=True)
class Likeness:
    """How two pictures compare, patch by patch: how many show edges, whose edges differ, and lie so side by side."""

    telling: int
    differing: int
    together: int


def only_light_changed(
    pixels: NDArray[np.uint8], reference: NDArray[np.uint8], inside: Mask, obstruction: Mask
) -> bool:
    """Whether what looks like an obstruction is the light: the edges of things under it are where they were.

    `inside` (height, width) is the part of the picture in which nothing but light may change. `obstruction` is the
    mask of what seems to hide the table (the same shape at any scale).
    """
    if not light_differs(pixels, reference, inside):
        return False
    height, width = inside.shape
    full = cv2.resize(obstruction.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
    around = cv2.dilate(full, np.ones((2 * SCALE * TILE + 1,) * 2, np.uint8)) > 0
    found = likeness(pixels, reference, np.asarray(inside & around))
    few = found.differing <= MOST_DIFFERING * found.telling and found.together <= MOST_TOGETHER
    return few and found.telling >= FEWEST_TELLING


def light_differs(pixels: NDArray[np.uint8], reference: NDArray[np.uint8], inside: Mask) -> bool:
    """Whether a good part of the picture, inside a mask (height, width), has become brighter or darker."""
    small = (inside.shape[1] // SCALE, inside.shape[0] // SCALE)
    weight = cv2.resize(inside.astype(np.uint8), small, interpolation=cv2.INTER_NEAREST).astype(np.float32)
    count = _per_patch(weight)
    now, before = (
        _per_patch(weight * cv2.resize(picture, small, interpolation=cv2.INTER_AREA).mean(axis=2))
        for picture in (pixels, reference)
    )
    change = np.abs(np.log((now + 1) / (before + 1)))[count >= FULL * TILE * TILE]
    return bool(len(change)) and float(np.quantile(change, 0.9)) > OTHER_LIGHT


def likeness(pixels: NDArray[np.uint8], reference: NDArray[np.uint8], inside: Mask) -> Likeness:
    """Compare the edges in two pictures of one size, patch by patch, inside a mask (height, width)."""
    (now_x, now_y), (before_x, before_y) = _slopes(pixels), _slopes(reference)
    small = (now_x.shape[1], now_x.shape[0])
    weight = (cv2.resize(inside.astype(np.uint8), small, interpolation=cv2.INTER_NEAREST) > 0).astype(np.float32)
    count = _per_patch(weight)
    now = _per_patch(weight * (now_x**2 + now_y**2))
    before = _per_patch(weight * (before_x**2 + before_y**2))
    both = _per_patch(weight * (now_x * before_x + now_y * before_y))
    steepest = np.sqrt(np.maximum(now, before) / np.maximum(count, 1))
    telling = (count >= FULL * TILE * TILE) & (steepest > EDGE)
    differing = telling & (both < ALIKE * np.sqrt(now * before))
    groups, _, sizes, _ = cv2.connectedComponentsWithStats(differing.astype(np.uint8), connectivity=8)
    together = int(sizes[1:, cv2.CC_STAT_AREA].max()) if groups > 1 else 0
    return Likeness(int(telling.sum()), int(differing.sum()), together)


def disc_zones(view: View, reach_mm: float = REACH_MM) -> Mask:
    """(height, width) of the picture: where discs, stacks of two among them, may come, go and slip within places.

    reach_mm: how far off its place's middle a disc may lie.
    """
    width, height = view.camera.size
    zones = np.zeros((height, width), np.uint8)
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = (view.disc.diameter_mm / 2 + reach_mm) * np.column_stack([np.cos(turn), np.sin(turn)])
    for place in view.places_mm:
        points = [
            view.camera.project(np.column_stack([place + ring, np.full(len(ring), z)]))
            for z in (0.0, 2 * view.disc.height_mm)
        ]
        outline = cv2.convexHull(np.concatenate(points).astype(np.float32).reshape(-1, 1, 2))
        cv2.fillConvexPoly(zones, np.rint(outline).astype(np.int32), 1)
    return np.asarray(zones > 0)


def relit(reference: NDArray[np.uint8], pixels: NDArray[np.uint8], covered: Mask) -> NDArray[np.uint8]:
    """`pixels`, but where they are `covered` the earlier `reference`, lit as its surroundings are now."""
    if not covered.any():
        return pixels
    now, before = pixels.astype(np.float32) + 1, reference.astype(np.float32) + 1
    free = (~covered).astype(np.float32)[..., None]
    size = (2 * (min(covered.shape) // 12) + 1,) * 2
    gain = (cv2.blur(now * free, size) + 1e-3) / (cv2.blur(before * free, size) + 1e-3)
    overall = (now * free).sum(axis=(0, 1)) / np.maximum((before * free).sum(axis=(0, 1)), 1)
    near = (cv2.blur(free[..., 0], size) > 0.05)[..., None]
    filled = np.clip(reference * np.where(near, gain, overall), 0, 255).astype(np.uint8)
    return np.where(covered[..., None], filled, pixels)


def lit_alike(reference: NDArray[np.uint8], pixels: NDArray[np.uint8], inside: Mask) -> NDArray[np.uint8]:
    """`reference` as it would look in the light of `pixels`, if the same still things are seen over most of `inside`.

    Between two lights each channel's brightness differs by a factor that changes smoothly over the picture: the
    exponential of a polynomial of second degree, fitted to what agrees (least absolute deviations, by weights).
    """
    height, width = inside.shape
    small = (width // LIGHT_SCALE, height // LIGHT_SCALE)
    now, before = (
        np.log(cv2.resize(picture, small, interpolation=cv2.INTER_AREA).astype(np.float64) + 3)
        for picture in (pixels, reference)
    )
    some = cv2.resize(inside.astype(np.uint8), small, interpolation=cv2.INTER_NEAREST) > 0
    rows, columns = np.mgrid[-1 : 1 : small[1] * 1j, -1 : 1 : small[0] * 1j]
    terms = np.stack([np.ones_like(rows), columns, rows, columns**2, columns * rows, rows**2], axis=-1)
    known, ratio = terms[some], (now - before)[some]
    if len(known) < 2 * terms.shape[-1]:
        return reference
    weights = np.ones(len(known))
    for _ in range(FITTINGS):
        weighted = known * weights[:, None]
        factors = np.linalg.solve(known.T @ weighted + 1e-6 * np.eye(known.shape[1]), weighted.T @ ratio)
        left = ratio - known @ factors
        # What lies in a shadow that was not there says little of how the lamp shines.
        weights = np.where(left.mean(axis=1) < 0, IN_SHADOW, 1.0) / np.maximum(np.abs(left).max(axis=1), 0.02)
    field = np.exp(terms @ factors).astype(np.float32)
    gain = cv2.resize(field, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(reference * gain, 0, 255), dtype=np.uint8)


def _slopes(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The slopes, right and down, of the logarithm of brightness in the smaller picture."""
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (width // SCALE, height // SCALE), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    smooth = cv2.GaussianBlur(np.log(grey + np.float32(8)), (0, 0), 0.8)
    right, down = (cv2.Sobel(smooth, cv2.CV_32F, *order) for order in ((1, 0), (0, 1)))
    return np.asarray(right / 8, dtype=np.float32), np.asarray(down / 8, dtype=np.float32)


def _per_patch(values: NDArray[np.float32]) -> NDArray[np.float32]:
    rows, columns = values.shape[0] // TILE, values.shape[1] // TILE
    cut = values[: rows * TILE, : columns * TILE]
    return np.asarray(cut.reshape(rows, TILE, columns, TILE).sum(axis=(1, 3)), dtype=np.float32)
