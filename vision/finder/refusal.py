"""Why no board was found, in one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BoardNotFoundError
from vision.finder.window import Window

_SMALLEST_SIDE = 64
_DARK = 30
_BRIGHT = 225
_FLAT = 14
"""Grey levels between the darkest and the brightest hundredth of a picture that shows nothing."""
_BLURRED = 1 / 140
"""Standard deviation of a blur beyond use, as a part of the picture's longer side: a twelfth of a square or more."""
_ENOUGH_OF_ONE = 16


def refuse_tiny(pixels: NDArray[np.uint8]) -> None:
    """Raise BoardNotFoundError if no board could be told in so small a picture."""
    height, width = pixels.shape[:2]
    if min(height, width) < _SMALLEST_SIDE:
        raise BoardNotFoundError(
            f"the picture is only {width} by {height} pixels, too small to see a board: use a larger one"
        )


def reason_for(pixels: NDArray[np.uint8], windows: Sequence[Window]) -> str:
    """The sentence for a BGR picture in which no board was found; windows: what came nearest to one."""
    extent = max((window.extent for window in windows if window.outside > 4), default=0)
    if extent > 8:
        size = f"{extent} by {extent}" if extent in (10, 12) else "more than 8 by 8"
        return f"the board has {size} squares: use a board of 8 by 8, or cover the squares outside these"
    grey = np.asarray(cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), (0, 0), 1.0), dtype=np.uint8)
    darkest, brightest = (int(value) for value in _levels(grey, (0.01, 0.99)))
    if brightest < _DARK:
        return "the picture is dark all over: uncover the camera or switch on a lamp"
    if darkest > _BRIGHT:
        return "the picture is too bright to show anything: dim the light or lower the camera's exposure"
    if brightest - darkest < _FLAT:
        return "the picture is of one even colour: uncover the camera and point it at the board"
    if _blur_px(grey, brightest - darkest) > _BLURRED * max(grey.shape):
        return "the picture is too blurred to show the squares: focus the camera and hold it still"
    if any(window.corners >= _ENOUGH_OF_ONE for window in windows):
        return "only a part of a board is visible, or of one that is not 8 by 8: show the whole board to the camera"
    return "no board of 8 by 8 squares is visible: show the whole board, in focus and evenly lit, to the camera"


def _levels(grey: NDArray[np.uint8], parts: tuple[float, ...]) -> list[int]:
    """The grey levels below which these parts of the picture lie."""
    count = np.cumsum(np.bincount(grey.ravel(), minlength=256)) / grey.size
    return [int(np.searchsorted(count, part)) for part in parts]


def _blur_px(grey: NDArray[np.uint8], contrast: int) -> float:
    """The standard deviation (px) of the blur that makes the picture's steepest edges as flat as they are."""
    across = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3)) / 8
    down = np.asarray(cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3)) / 8
    slope = np.clip(np.hypot(across, down) * 4, 0, 1023).astype(np.int64)
    count = np.cumsum(np.bincount(slope.ravel(), minlength=1024)) / slope.size
    steepest = max(int(np.searchsorted(count, 0.998)), 1) / 4
    # A step of this contrast, blurred by a Gaussian, rises by contrast / (sqrt(2 pi) sigma) at its middle.
    return float(contrast / (np.sqrt(2 * np.pi) * steepest))
