"""What a camera sees of the places: the picture laid flat on the playing surface, and where discs appear in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.camera_model import CameraModel, Points2
from vision.disc_size import DiscSize

Pixels = NDArray[np.uint8]
"""(height, width, 3) BGR."""
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

BOARD_SQUARES = 8
REACH_MM = 11.0
"""How far from its place's centre the base of a disc may lie and still be that place's."""
COARSE_DISC_PX = 20
"""Diameter of a disc in the coarse ground image, in which discs are found."""
FINE_DISC_PX = 40
"""The same in the fine one, in which single discs are told from stacks of two."""


@dataclass(frozen=True, eq=False)
class View:
    """A camera and the places it looks at: squares and tray places alike.

    places_mm: (N, 2), the places' centres on the board (mm, board frame, on the playing surface). The board's own
    squares are those of an 8 × 8 grid of `square_mm` from the board frame's origin; squares on which no place lies
    are never occupied and serve as reference for the light.

    The *ground image* is the picture laid on the playing surface: pixel (row, column) shows the board point
    `origin_mm + (column, row) / scale`; a disc is `disc_px` wide. In it, every horizontal circle is a circle: a
    disc's face at height z appears `lift(z)` times as large, moved away from the camera's foot by `lift(z) - 1`
    times its distance from there.
    """

    camera: CameraModel
    places_mm: NDArray[np.float64]
    square_mm: float
    disc: DiscSize
    disc_px: float = FINE_DISC_PX

    @cached_property
    def coarse(self) -> View:
        """The same view with a smaller ground image."""
        return replace(self, disc_px=COARSE_DISC_PX)

    @cached_property
    def scale(self) -> float:
        """Ground image pixels per mm."""
        return self.disc_px / self.disc.diameter_mm

    @cached_property
    def origin_mm(self) -> NDArray[np.float64]:
        """(2,) the board point of the ground image's first pixel, mm."""
        return np.asarray(np.minimum(self.places_mm.min(axis=0) - self._margin_mm, -self._rim_mm))

    @cached_property
    def ground_size(self) -> tuple[int, int]:
        """(width, height) of the ground image, px."""
        far = np.maximum(self.places_mm.max(axis=0) + self._margin_mm, BOARD_SQUARES * self.square_mm + self._rim_mm)
        width, height = np.ceil((far - self.origin_mm) * self.scale).astype(int) + 1
        return int(width), int(height)

    @cached_property
    def foot_mm(self) -> NDArray[np.float64]:
        """(2,) the point of the playing surface straight below the camera, mm."""
        return self.camera.position_mm[:2]

    def lift(self, height_mm: float) -> float:
        """How many times larger than on the surface a thing at `height_mm` appears in the ground image."""
        return self._camera_height_mm / (self._camera_height_mm - height_mm)

    def to_ground(self, points_mm: ArrayLike, height_mm: float = 0.0) -> Points2:
        """Ground image pixels (N, 2) of board points (N, 2) at a height, mm."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        seen = self.foot_mm + (points - self.foot_mm) * self.lift(height_mm)
        return np.asarray((seen - self.origin_mm) * self.scale)

    def ground(self, pixels: NDArray[np.uint8]) -> Pixels:
        """The ground image of a picture, or of a mask the size of the picture."""
        columns, rows = self._maps
        return np.asarray(
            cv2.remap(pixels, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
        )

    @cached_property
    def ground_pixels(self) -> Floats:
        """(2, height, width) the column and the row of the picture that each point of the ground image shows."""
        width, height = self.ground_size
        columns, rows = np.meshgrid(np.arange(width), np.arange(height))
        points = np.column_stack([columns.ravel(), rows.ravel()]) / self.scale + self.origin_mm
        pixels = self.camera.project(np.column_stack([points, np.zeros(len(points))]))
        shown = pixels.astype(np.float32).reshape(height, width, 2)
        return np.ascontiguousarray(shown.transpose(2, 0, 1))

    @cached_property
    def in_picture(self) -> Flags:
        """(height, width) of the ground image: whether the picture shows that point."""
        columns, rows = self.ground_pixels
        width, height = self.camera.size
        return np.asarray((columns >= 0) & (columns <= width - 1) & (rows >= 0) & (rows <= height - 1))

    @cached_property
    def out_of_picture(self) -> Flags:
        """(height, width) of the ground image: what the picture does not show."""
        return ~self.in_picture

    @cached_property
    def reference_squares(self) -> NDArray[np.int32]:
        """(M, 4) ground pixels (column, row, width, height) of the inner parts of squares that are no place."""
        found = []
        for row in range(BOARD_SQUARES):
            for column in range(BOARD_SQUARES):
                centre = (np.array([column, row]) + 0.5) * self.square_mm
                if np.linalg.norm(self.places_mm - centre, axis=1).min() > self.square_mm / 4:
                    corner = self.to_ground(centre - 0.35 * self.square_mm)[0]
                    side = round(0.7 * self.square_mm * self.scale)
                    found.append([*np.rint(corner), side, side])
        return np.asarray(found, dtype=np.int32).reshape(-1, 4)

    @cached_property
    def surfaces(self) -> NDArray[np.uint8]:
        """(height, width) of the ground image: 0 off the board, 1 a square with a place, 2 a square without."""
        width, height = self.ground_size
        surfaces = np.zeros((height, width), np.uint8)
        squares = np.full((BOARD_SQUARES, BOARD_SQUARES), 2, np.uint8)
        cells = np.floor(self.places_mm / self.square_mm).astype(int)
        for column, row in cells[np.all((cells >= 0) & (cells < BOARD_SQUARES), axis=1)]:
            squares[row, column] = 1
        columns = np.floor((np.arange(width) / self.scale + self.origin_mm[0]) / self.square_mm).astype(int)
        rows = np.floor((np.arange(height) / self.scale + self.origin_mm[1]) / self.square_mm).astype(int)
        inside_x = (columns >= 0) & (columns < BOARD_SQUARES)
        inside_y = (rows >= 0) & (rows < BOARD_SQUARES)
        surfaces[np.ix_(inside_y, inside_x)] = squares[np.ix_(rows[inside_y], columns[inside_x])]
        return surfaces

    @cached_property
    def _camera_height_mm(self) -> float:
        return float(self.camera.position_mm[2])

    @cached_property
    def _rim_mm(self) -> float:
        return 0.6 * self.square_mm

    @cached_property
    def _margin_mm(self) -> float:
        """Room around the outermost places for the window around a stack of two at the end of its reach."""
        lean = (self.lift(2 * self.disc.height_mm) - 1) * float(
            np.linalg.norm(self.places_mm - self.foot_mm, axis=1).max()
        )
        return self.disc.diameter_mm / 2 + REACH_MM + lean + 6.0

    @cached_property
    def _maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        first, second = cv2.convertMaps(self.ground_pixels[0], self.ground_pixels[1], cv2.CV_16SC2)
        return np.asarray(first, dtype=np.int16), np.asarray(second, dtype=np.uint16)
