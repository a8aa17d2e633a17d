"""The disc network: of each disc found, how high it stands, whether its face bears a mark, and where its centre is.

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

from vision.disc_input import Project, disc_blocks, leans

NETWORK_FILE = Path(__file__).with_name("discs.onnx")
_LOCK = Lock()
_AT_ONCE = 8
"""Crops run together: more take more memory and are no faster."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DiscEvidence:
    """What the network makes of N discs.

    stacked, marked: (N,) logits that a second disc lies on top, and that the face bears a mark. heights: (N,) natural
    logarithm of the height of all that stands there against that of one disc as it was said to be; spreads: (N,) its
    standard deviation. bases, tops:
    (N, 2) the centres of the lowest and of the topmost disc, in squares, as vision.square_input has them.
    """

    stacked: Floats
    marked: Floats
    heights: Floats
    spreads: Floats
    bases: Floats
    tops: Floats


def disc_evidence(
    picture: NDArray[np.uint8],
    project: Project,
    centres: Floats,
    camera: Floats,
    diameter: float,
    height: float,
) -> DiscEvidence:
    """What stands at `centres` (N, 2): about where the discs' bases are.

    project: from points on the board to pixels of the picture. diameter, height: of one disc; of an unknown set the
    height may be a guess. All lengths in squares.
    """
    outputs = np.empty((len(centres), 8))
    blocks = disc_blocks(picture, project, centres, camera, diameter, height)
    with _LOCK:
        network = _network()
        for first in range(0, len(blocks), _AT_ONCE):
            network.setInput(blocks[first : first + _AT_ONCE])
            outputs[first : first + _AT_ONCE] = network.forward()
    along = leans(centres, camera)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    bases, tops = (
        centres + diameter * (outputs[:, [column]] * across + outputs[:, [column + 1]] * along) for column in (4, 6)
    )
    return DiscEvidence(
        stacked=outputs[:, 0],
        marked=outputs[:, 1],
        heights=outputs[:, 2],
        spreads=np.exp(np.clip(outputs[:, 3], -4, 2)),
        bases=bases,
        tops=tops,
    )


@lru_cache(maxsize=1)
def _network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(NETWORK_FILE))
