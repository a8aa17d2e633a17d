"""Printed markers (ArUco and AprilTag) around a board: found when they are there, never needed.

Candidate squares are found once and read with all the usual dictionaries: much cheaper than a search for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FAMILIES = {
    "ArUco 4×4": cv2.aruco.DICT_4X4_1000,
    "ArUco 5×5": cv2.aruco.DICT_5X5_1000,
    "ArUco 6×6": cv2.aruco.DICT_6X6_1000,
    "ArUco original": cv2.aruco.DICT_ARUCO_ORIGINAL,
    "AprilTag 16h5": cv2.aruco.DICT_APRILTAG_16h5,
    "AprilTag 25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "AprilTag 36h11": cv2.aruco.DICT_APRILTAG_36h11,
}
"""The larger dictionaries hold the smaller of the same size (4X4_50 and so on) with the same numbers."""
_CELL_PX = 8
_LEAST_CONTRAST = 30
_MOST_WRONG_BORDER = 0.1
"""The part of the border's cells that may be read as light."""
_FEWEST_DIFFERENCES = 4
"""A correct reading is believed only of a pattern that differs from its own turns: others occur by chance."""
_SIZE_RATIO = 1.5
_MOST_CONSIDERED = 9
_SAME = 0.5


@dataclass(frozen=True, eq=False)
class Marker:
    """A marker in a picture: its dictionary, its number in it, and its corners (4, 2) px, clockwise."""

    family: str
    number: int
    corners: Floats

    @property
    def centre(self) -> Floats:
        """(2,) px, where the diagonals cross."""
        first, second, third, fourth = self.corners
        one, other = third - first, fourth - second
        across = one[0] * other[1] - one[1] * other[0]
        offset = second - first
        return np.asarray(first + one * (offset[0] * other[1] - offset[1] * other[0]) / across)

    @property
    def side(self) -> float:
        """px, the mean length of its sides."""
        return float(np.hypot(*(self.corners - np.roll(self.corners, 1, axis=0)).T).mean())


def find_markers(pixels: NDArray[np.uint8]) -> list[Marker]:
    """The markers of the usual dictionaries in a BGR picture, none twice in one family."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    found: dict[tuple[str, int], list[Marker]] = {}
    for corners in _candidates(grey):
        for marker in _read(grey, corners):
            alike = found.setdefault((marker.family, marker.number), [])
            # One marker gives several candidates: the two sides of its edge, and what differs with the threshold.
            if all(np.hypot(*(marker.centre - other.centre)) > _SAME * marker.side for other in alike):
                alike.append(marker)
    # A number seen in two places marks neither.
    return [markers[0] for markers in found.values() if len(markers) == 1]


def marker_frames(markers: list[Marker]) -> list[Floats]:
    """Frames that four markers of one family make: their centres (4, 2) px, clockwise as seen; the largest first.

    The four must be alike: seen through the perspective in which their centres form a square, they are squares of one
    size, turned by quarter turns.
    """
    frames: list[tuple[float, Floats]] = []
    for family in _FAMILIES:
        alike = [marker for marker in markers if marker.family == family][:_MOST_CONSIDERED]
        for four in combinations(alike, 4):
            frame = _frame(four)
            if frame is not None:
                frames.append((float(cv2.contourArea(frame.astype(np.float32))), frame))
    return [frame for _, frame in sorted(frames, key=lambda one: -one[0])]


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = 0.03
    # Candidates only: what its dictionary does not know is "rejected", and read here.
    parameters.errorCorrectionRate = 0.0
    # A marker and the paper around it are two candidates.
    parameters.minMarkerDistanceRate = 0.0
    parameters.minGroupDistance = 0.0
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_50), parameters)


@cache
def _dictionaries() -> dict[str, cv2.aruco.Dictionary]:
    return {name: cv2.aruco.getPredefinedDictionary(number) for name, number in _FAMILIES.items()}


def _candidates(grey: NDArray[np.uint8]) -> list[Floats]:
    """Squares (4, 2) px, clockwise, that may be markers."""
    known, _, rejected = _detector().detectMarkers(grey)
    return [np.asarray(corners, dtype=np.float64).reshape(4, 2) for corners in (*known, *rejected)]


def _read(grey: NDArray[np.uint8], corners: Floats) -> list[Marker]:
    """The candidate as a marker of each dictionary that knows its pattern without a fault."""
    markers = []
    patterns: dict[int, NDArray[np.uint8] | None] = {}
    for family, dictionary in _dictionaries().items():
        size = int(dictionary.markerSize)
        if size not in patterns:
            patterns[size] = _pattern(grey, corners, size)
        pattern = patterns[size]
        if pattern is None:
            continue
        known, number, turns = dictionary.identify(pattern, 0.0)
        if known:
            markers.append(Marker(family, int(number), np.roll(corners, int(turns), axis=0)))
    return markers


def _pattern(grey: NDArray[np.uint8], corners: Floats, size: int) -> NDArray[np.uint8] | None:
    """The inner cells (size, size), 1 for light, of a marker with a dark border; None if it has none."""
    cells = size + 2
    side = cells * _CELL_PX
    target = np.array([[0, 0], [side, 0], [side, side], [0, side]], dtype=np.float32) - 0.5
    flat = cv2.warpPerspective(grey, cv2.getPerspectiveTransform(corners.astype(np.float32), target), (side, side))
    values = np.asarray(flat, dtype=np.float64).reshape(cells, _CELL_PX, cells, _CELL_PX)
    means = values[:, 2:-2, :, 2:-2].mean(axis=(1, 3))
    if np.ptp(means) < _LEAST_CONTRAST:
        return None
    light = means > (means.min() + means.max()) / 2
    border = np.ones((cells, cells), dtype=bool)
    border[1:-1, 1:-1] = False
    if light[border].mean() > _MOST_WRONG_BORDER:
        return None
    inner = light[1:-1, 1:-1]
    if min(int((inner != np.rot90(inner, turn)).sum()) for turn in (1, 2)) < _FEWEST_DIFFERENCES:
        return None
    return np.ascontiguousarray(inner, dtype=np.uint8)


def _frame(markers: tuple[Marker, ...]) -> Floats | None:
    centres = np.array([marker.centre for marker in markers])
    around = np.argsort(np.arctan2(*(centres - centres.mean(axis=0)).T[::-1]))
    frame = centres[around]
    if len(cv2.convexHull(frame.astype(np.float32))) < 4:
        return None
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    flatten = cv2.getPerspectiveTransform(frame.astype(np.float32), square)
    sizes = []
    for marker in markers:
        flat = cv2.perspectiveTransform(marker.corners.reshape(-1, 1, 2), flatten).reshape(4, 2)
        sides = np.roll(flat, -1, axis=0) - flat
        lengths = np.hypot(*sides.T)
        tilt = np.abs(np.sin(2 * np.arctan2(sides[:, 1], sides[:, 0])))
        if lengths.max() > _SIZE_RATIO * lengths.min() or tilt.max() > 0.5:
            return None
        sizes.append(float(lengths.mean()))
    return frame if max(sizes) < _SIZE_RATIO * min(sizes) and max(sizes) < 0.3 else None
