"""The disc network: of each disc found, how far it leans, whether it is a stack or marked, and where its centre is.

Trained like the square network (vision.square_network), on the same drawn scenes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_input import DISC_PX, LEANS_PX, Project, disc_blocks, lean_px, leans

NETWORK_FILE = Path(__file__).with_name("discs.onnx")
_LOCK = Lock()
_AT_ONCE = 8
"""Crops run together: more take more memory and are no faster."""
_CASES = 2 * len(LEANS_PX)
_BLUNDERS = 0.02
"""The part of discs of which the network may say anything: hidden ones, things that are no discs."""
_INEXACT_PX, _INEXACT = 0.4, 0.04
"""Standard deviations of leans as they are expected, for what the camera's place and the disc's size are not known
better: px, and as a part of the lean."""

_LOOSE, _LEANING = 0.5, 0.07
"""The part of stacks that were put up carelessly, and the standard deviation of how far their discs then lie off each
other along the lean, in diameters."""
_WIDTHS = np.gradient(LEANS_PX)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DiscEvidence:
    """What the network makes of N discs.

    there: (N,) log odds that there is a disc at all. cases: (N, 2, 32) log likelihoods, up to a constant for each
    disc, of a single disc and of a stack of two, whose uppermost face shows so far from the foot as
    vision.disc_input.LEANS_PX says. marked: (N,) logits that the face bears a mark. bases: (N, 2) the centres of the
    lowest discs, in squares, as vision.square_input has them. sideways: (N,) how far the uppermost faces' centres
    show beside them, across their leans. camera: (3,). diameter: of a disc.
    """

    there: Floats
    cases: Floats
    marked: Floats
    bases: Floats
    sideways: Floats
    camera: Floats
    diameter: float

    def by_height(self, heights: Floats) -> Floats:
        """(N, H, 2) log likelihoods of a single disc and of a stack of discs so high; heights (H,), squares."""
        chances = self._chances()
        anything = chances.mean(axis=(1, 2))[:, None]
        found = np.empty((len(chances), len(heights), 2))
        for level in (0, 1):
            shown = lean_px(self.bases, self.camera, self.diameter, heights * (1 + level))
            expected = _spread_out(shown, np.hypot(_INEXACT_PX, _INEXACT * shown))
            if level == 1:
                loose = np.hypot(_INEXACT * shown, _LEANING * DISC_PX)
                expected = (1 - _LOOSE) * expected + _LOOSE * _spread_out(shown, loose)
            fits = np.einsum("nhl,nl->nh", expected, chances[:, level])
            found[:, :, level] = np.log((1 - _BLUNDERS) * fits + _BLUNDERS * anything)
        return found

    def tops(self, stacked: NDArray[np.bool_], height: float) -> Floats:
        """(N, 2) the centres of the topmost discs, in squares; `stacked` (N,), height of a disc."""
        along = leans(self.bases, self.camera)
        across = np.column_stack([-along[:, 1], along[:, 0]])
        high = np.where(stacked, 2 * height, height)
        growth = high / np.maximum(self.camera[2] - high, 0.5)
        expected = lean_px(self.bases, self.camera, self.diameter, np.array([2 * height]))
        # The upper disc of a stack may lie off the lower one, by as much as the pictures make likely.
        likely = self._chances()[:, 1] * _WIDTHS
        likely *= np.exp(-0.5 * ((LEANS_PX - expected) / (_LEANING * DISC_PX)) ** 2)
        off = (likely * (LEANS_PX - expected)).sum(axis=1) / np.maximum(likely.sum(axis=1), 1e-12)
        further = np.where(stacked, off * self.diameter / DISC_PX, 0.0)
        shifted = self.sideways[:, None] * across + further[:, None] * along
        return np.asarray(self.bases + shifted / (1 + growth[:, None]))

    def _chances(self) -> Floats:
        return np.asarray(np.exp(self.cases - self.cases.max(axis=(1, 2), keepdims=True)))


def disc_evidence(
    picture: NDArray[np.uint8], project: Project, centres: Floats, camera: Floats, diameter: float
) -> DiscEvidence:
    """What stands at `centres` (N, 2): about where the discs' bases are.

    project: from points on the board to pixels of the picture. diameter: of a disc. All lengths in squares.
    """
    blocks = disc_blocks(picture, project, centres, camera, diameter)
    outputs = np.empty((len(centres), _CASES + 5))
    with _LOCK:
        network = _network()
        for first in range(0, len(blocks), _AT_ONCE):
            network.setInput(blocks[first : first + _AT_ONCE])
            outputs[first : first + _AT_ONCE] = network.forward()
    return evidence_of(outputs, centres, camera, diameter)


def evidence_of(outputs: Floats, centres: Floats, camera: Floats, diameter: float) -> DiscEvidence:
    """What the network's outputs (N, 69) mean for discs cut out at `centres`."""
    along = leans(centres, camera)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    placed = outputs[:, _CASES + 1 : _CASES + 4] * diameter
    return DiscEvidence(
        there=outputs[:, _CASES + 4],
        cases=outputs[:, :_CASES].reshape(-1, 2, len(LEANS_PX)),
        marked=outputs[:, _CASES],
        bases=centres + placed[:, [0]] * across + placed[:, [1]] * along,
        sideways=placed[:, 2] - placed[:, 0],
        camera=camera,
        diameter=diameter,
    )


def _spread_out(shown: Floats, spread: Floats) -> Floats:
    """(N, H, 32) chances of each of LEANS_PX where leans (N, H) px are expected with these standard deviations."""
    density = np.exp(-0.5 * ((LEANS_PX - shown[..., None]) / spread[..., None]) ** 2) * _WIDTHS
    return np.asarray(density / np.maximum(density.sum(axis=-1, keepdims=True), 1e-12))


@lru_cache(maxsize=1)
def _network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(NETWORK_FILE))
