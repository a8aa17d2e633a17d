"""The proof of a calibration: how far from the middles of the 32 squares discs come to lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.values import SQUARES, Calibration
from vision.camera_model import CameraModel

GOOD_ENOUGH_MM = 1.5
"""No disc may lie farther from where it was meant to."""
ARROW = 12.0
"""Errors are drawn this many times as long as they are."""
GREEN, RED, WHITE = (60, 170, 60), (40, 40, 230), (255, 255, 255)


@dataclass(frozen=True)
class SquareError:
    """Where a disc that was meant for a square's middle lies from there, board mm."""

    square: int
    x_mm: float
    y_mm: float

    @property
    def length_mm(self) -> float:
        """How far that is."""
        return float(np.hypot(self.x_mm, self.y_mm))


@dataclass(frozen=True)
class Accuracy:
    """The errors of all squares that were tried."""

    errors: tuple[SquareError, ...]

    @property
    def rms_mm(self) -> float:
        """Root of the mean square of the lengths."""
        return float(np.sqrt(np.mean([error.length_mm**2 for error in self.errors])))

    @property
    def worst(self) -> SquareError:
        """The longest."""
        return max(self.errors, key=lambda error: error.length_mm)

    @property
    def good_enough(self) -> bool:
        """Whether the arm may play with this."""
        return self.worst.length_mm < GOOD_ENOUGH_MM


def table_of(accuracy: Accuracy) -> str:
    """The errors as the board lies, seen from White's side (mm: right, away), and a last line with RMS and worst."""
    by_square = {error.square: error for error in accuracy.errors}
    lines = []
    for row in range(8):
        cells = ["        "] * 8
        for index in range(4):
            square = 4 * row + index + 1
            column = 2 * index + (1 - row % 2)
            if square in by_square:
                error = by_square[square]
                cells[column] = f"{error.x_mm:+4.1f}{error.y_mm:+4.1f}"
        lines.append(" ".join(cells).rstrip())
    worst = accuracy.worst
    lines.append(f"RMS {accuracy.rms_mm:.2f} mm, worst {worst.length_mm:.2f} mm on square {worst.square}")
    return "\n".join(lines)


def picture_of(accuracy: Accuracy, calibration: Calibration, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy of a picture of the board with each error drawn as an arrow from its square's middle, longer than it
    is.
    """
    drawn = pixels.copy()
    camera: CameraModel = calibration.camera
    for error in accuracy.errors:
        x, y = calibration.square_mm_centre(error.square, human_is_white=True)
        there = (x + ARROW * error.x_mm, y + ARROW * error.y_mm, 0.0)
        start, end = (tuple(int(v) for v in point) for point in camera.project([(x, y, 0.0), there]))
        colour = GREEN if error.length_mm < GOOD_ENOUGH_MM else RED
        for width, ink in ((5, WHITE), (2, colour)):
            cv2.arrowedLine(drawn, start, end, ink, width, cv2.LINE_AA, tipLength=0.25)
        cv2.circle(drawn, start, 3, colour, -1, cv2.LINE_AA)
    words = f"RMS {accuracy.rms_mm:.2f} mm   worst {accuracy.worst.length_mm:.2f} mm   arrows {ARROW:.0f} x"
    for width, ink in ((5, (0, 0, 0)), (2, WHITE)):
        cv2.putText(drawn, words, (20, drawn.shape[0] - 20), cv2.FONT_HERSHEY_SIMPLEX, 0.8, ink, width, cv2.LINE_AA)
    return drawn


def all_squares() -> Sequence[int]:
    """The 32 squares in an order of short ways."""
    rows = [list(range(first, first + 4)) for first in range(1, SQUARES, 4)]
    return [square for number, row in enumerate(rows) for square in (row if number % 2 == 0 else row[::-1])]
