"""The gantry on its way home from where nobody knows that it stood: told from a hand by what it hides and uncovers.

A machine that has been without power counts from anywhere. But homing is always the same: up, then both axes at once
to the corner where the switches are. So for each point where it may have begun it is known what it can hide or
uncover; what is explained by none of them is something else.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from vision.silhouette import Mask, silhouette

STEP_MM = 40.0
"""How far the points from which it may have begun are apart."""
SCALE = 0.25
HEIGHTS_MM = (0.0, 30.0)
"""At which heights the tip may have stood, beside the highest."""
WIDEST_LEFT_PX = 5
"""The gantry explains what is seen if nothing that is so wide (in the smaller picture) is left of it."""
CORNER: tuple[float, float, float] = (0.0, 0.0, 0.0)
"""Where homing ends, machine mm."""

Point = tuple[float, float, float]


class LostArm:
    """What a gantry that finds its way home may hide and uncover; the longer it is watched, the less."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._ways: NDArray[np.bool_] | None = None
        self._left: list[int] = []

    def explains(self, mask: Mask, anew: bool) -> bool:
        """Whether all of `mask` (any scale) can be the gantry's doing, by one and the same way since `forget`.

        `anew`: by any way; for what has not stirred for so long that it cannot be a hand that looks like another way.
        """
        ways = self._ways_home()
        height, width = ways.shape[1:]
        seen = cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
        among = range(len(ways)) if anew else self._left
        fitting = [number for number in among if self._fits(seen, ways[number])]
        if fitting:
            self._left = fitting
        return bool(fitting)

    def forget(self) -> None:
        """It is known where the gantry is."""
        if self._ways is not None:
            self._left = list(range(len(self._ways)))

    def _fits(self, seen: Mask, way: Mask) -> bool:
        left = (seen & ~way).astype(np.uint8)
        return not cv2.erode(left, np.ones((WIDEST_LEFT_PX,) * 2, np.uint8)).any()

    def _ways_home(self) -> NDArray[np.bool_]:
        """(N, height, width): what each way home may hide or uncover, in the smaller picture. Takes a second once."""
        if self._ways is None:
            camera = self._calibration.camera
            centre = camera.project([(140.0, 160.0, 60.0), (140.0 + STEP_MM, 160.0, 60.0)])
            margin = 2 + round(float(np.linalg.norm(centre[1] - centre[0])) / 2 * SCALE)
            self._ways = np.stack(
                [
                    silhouette(
                        camera,
                        [box for tip in self._way_from(*start) for box in self._calibration.arm_boxes(tip)],
                        margin,
                        SCALE,
                    )
                    for start in self._starts()
                ]
            )
            self._left = list(range(len(self._ways)))
        return self._ways

    def _starts(self) -> Iterator[tuple[float, float]]:
        """Where the tip may have stood: over all places, where it parks, and up to the switches."""
        home, places = self._calibration.to_board(*CORNER), self._calibration.places_mm(human_is_white=True)
        points = np.vstack([places, [home[:2], self._calibration.park_mm[:2]]])
        (left, near), (right, far) = points.min(axis=0), points.max(axis=0)
        for x in np.arange(left, right + STEP_MM, STEP_MM):
            for y in np.arange(near, far + STEP_MM, STEP_MM):
                yield float(x), float(y)

    def _way_from(self, x: float, y: float) -> Iterator[Point]:
        """The tip's way: where it stood, then up, then both axes at once until each has arrived (board mm)."""
        home_x, home_y, top = self._calibration.to_board(*CORNER)
        for height in (*HEIGHTS_MM, top):
            yield x, y, height
        while abs(home_x - x) > 1 or abs(home_y - y) > 1:
            x += float(np.clip(home_x - x, -STEP_MM, STEP_MM))
            y += float(np.clip(home_y - y, -STEP_MM, STEP_MM))
            yield x, y, top
