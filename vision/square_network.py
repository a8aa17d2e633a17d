"""The square network: what stands on the 64 squares of a board laid flat, told by a small trained network.

It was trained by `python -m vision.training` on pictures that the project draws itself; it knows no board and no
discs in particular. cv2.dnn runs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.camera_model import CameraModel
from vision.disc_size import DiscSize
from vision.reading import Content
from vision.square_input import LEAN_HEIGHT, MARGIN_SQUARES, SIDE_PX, SQUARE_PX, network_input

NETWORK_FILE = Path(__file__).with_name("squares.onnx")
STACKS_SHARE = 0.25
"""The part of discs that are stacks in the scenes that the network was trained on."""
_LOCK = Lock()

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SquareEvidence:
    """What the network makes of a board; squares row by row as the flat picture shows them.

    logits: (64, 5) columns as Content. hidden: (64,) probability that something hides the square. offsets: (64, 2)
    the lowest disc's centre minus the square's, in squares, x along the columns and y along the rows. diameters,
    heights: (64,) of a disc, in squares; meaningful where there is one. features: (64, F) what the network tells them
    from, for vision.adaptation.
    """

    logits: Floats
    hidden: Floats
    offsets: Floats
    diameters: Floats
    heights: Floats
    features: Floats

    @property
    def stacked(self) -> Floats:
        """(64,) natural log odds of a stack against a single disc, if the one is as common as the other."""
        stacks = np.logaddexp(self.logits[:, Content.DARK_KING], self.logits[:, Content.LIGHT_KING])
        singles = np.logaddexp(self.logits[:, Content.DARK_MAN], self.logits[:, Content.LIGHT_MAN])
        return np.asarray(stacks - singles - np.log(STACKS_SHARE / (1 - STACKS_SHARE)))

    @property
    def probabilities(self) -> Floats:
        """(64, 5), each row sums to 1."""
        shifted = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def flat_map(camera: CameraModel, square_mm: float) -> NDArray[np.float32]:
    """(2, 320, 320) the column and the row of the picture that each pixel of the flat board shows.

    The flat board's top left corner is the board frame's (0, 8 squares).
    """
    points = ((np.arange(SIDE_PX) + 0.5) / SQUARE_PX - MARGIN_SQUARES) * square_mm
    x, y = np.meshgrid(points, 8 * square_mm - points)
    pixels = camera.project(np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]))
    return np.ascontiguousarray(pixels.astype(np.float32).reshape(SIDE_PX, SIDE_PX, 2).transpose(2, 0, 1))


def flat_board(pixels: NDArray[np.uint8], mapping: NDArray[np.float32]) -> NDArray[np.uint8]:
    """(320, 320, 3) the board laid flat."""
    flat = cv2.remap(pixels, mapping[0], mapping[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def camera_in_squares(camera: CameraModel, square_mm: float) -> Floats:
    """(3,) where the camera is, as vision.square_input has it."""
    x, y, z = camera.position_mm / square_mm
    return np.array([x, 8 - y, z])


def evidence(
    flat: NDArray[np.uint8], camera: ArrayLike, disc: DiscSize | None, square_mm: float, sides: int = 1
) -> SquareEvidence:
    """What stands on the squares of a flat board; `disc` if its size is known, camera as camera_in_squares has it.

    sides: 1 to 8, from how many of the board's eight symmetries the network looks; their mean is the better judge.
    """
    if disc is None:
        block = network_input(flat, camera)
    else:
        block = network_input(flat, camera, disc.diameter_mm / square_mm, disc.height_mm / square_mm)
    seen = [_turned_back(_run(_turned(block, side)), side) for side in range(sides)]
    outputs = np.mean(seen, axis=0).reshape(-1, 64)
    kinds = len(Content)
    return SquareEvidence(
        logits=outputs[:kinds].T.copy(),
        hidden=1 / (1 + np.exp(-np.clip(outputs[kinds], -30, 30))),
        offsets=outputs[kinds + 1 : kinds + 3].T.copy(),
        diameters=outputs[kinds + 3].copy(),
        heights=outputs[kinds + 4] * LEAN_HEIGHT * 4,
        features=outputs[kinds + 5 :].T.copy(),
    )


def _run(block: NDArray[np.float32]) -> Floats:
    """(10 + F, 8, 8) of a block (1, 7, 320, 320)."""
    with _LOCK:
        network = _network()
        network.setInput(block)
        return np.asarray(np.array(network.forward(), dtype=np.float64)[0])


# A side's bits: transposed, then rows mirrored, then columns mirrored. Channels 3 and 4 of the input and 6 and 7 of
# the output are x and y of vectors.


def _turned(block: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    return np.ascontiguousarray(_vectors_turned(block[0], side, 3))[None]


def _turned_back(outputs: Floats, side: int) -> Floats:
    """Undoes a turn: mirroring first, and where it was transposed, the mirrors change places."""
    transposed, rows, columns = side & 1, side >> 1 & 1, side >> 2 & 1
    back = _vectors_turned(outputs, rows << 1 | columns << 2, 6)
    return _vectors_turned(back, transposed, 6)


def _vectors_turned(planes: NDArray[Any], side: int, x: int) -> NDArray[Any]:
    if side & 1:
        planes = planes.transpose(0, 2, 1).copy()
        planes[[x, x + 1]] = planes[[x + 1, x]]
    if side >> 1 & 1:
        planes = planes[:, ::-1].copy()
        planes[x + 1] *= -1
    if side >> 2 & 1:
        planes = planes[:, :, ::-1].copy()
        planes[x] *= -1
    return planes


@lru_cache(maxsize=1)
def _network() -> cv2.dnn.Net:
    return cv2.dnn.readNetFromONNX(str(NETWORK_FILE))
