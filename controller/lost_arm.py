"""The gantry on its way home from where nobody knows that it stood: told from a hand by what it hides and uncovers.

A machine that has been without power counts from anywhere. But homing is always the same: up, then both axes at once
to the corner of the switches. So for each point where it may have begun it is known what it uncovers there, and
what it hides on its way; what is explained by none of them is something else.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

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

BARED = 0.05
"""So much of where the beam stood has to look different once it has left. It is little: where discs come and go, what
is as narrow as the beam is not taken for a change."""
MOST_LEFT_PX = 1500
"""With so many pixels left there is no need to look how wide they are."""

_Spot = tuple[float, float]
"""Where the tip is, board mm."""


class LostArm:
    """What a gantry that finds its way home uncovers where it stood, and hides where it is; the longer it is watched,
    the fewer are the points where it may have begun."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._uncovered: dict[_Spot, Mask] = {}
        """By where it may have stood: all that it hid there, at whatever height."""
        self._beam: dict[_Spot, Mask] = {}
        """By where it may have stood: what of that is the same whatever the height of the tip."""
        self._hides: dict[_Spot, Mask] = {}
        """By where it may be, raised: all that it hides there."""
        self._left: list[_Spot] = []

    def explains(self, mask: Mask, watched: Mask, anew: bool) -> bool:
        """Whether all of `mask` (any scale) can be the gantry's doing, from one and the same start since `forget`.

        watched: (any scale) where a change would have been seen. anew: from any start; for what has not stirred for
        so long that it cannot be a hand that looks like another.
        """
        self._prepare()
        width, height = (round(side * SCALE) for side in self._calibration.camera.size)
        seen, visible = (
            cv2.resize(part.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
            for part in (mask, watched)
        )
        among = list(self._uncovered) if anew else self._left
        fitting = [start for start in among if self._fits(seen, visible, start)]
        if fitting:
            self._left = fitting
        return bool(fitting)

    def forget(self) -> None:
        """It is known where the gantry is."""
        self._left = list(self._uncovered)

    def _fits(self, seen: Mask, visible: Mask, start: _Spot) -> bool:
        left, beam = seen & ~self._uncovered[start], self._beam[start] & visible
        for spot in self._way_from(start):
            hides = self._hides[spot]
            if not _nothing_wide(left & ~hides):
                continue
            # A gantry that has left must have uncovered its beam's place: what is seen there is not just a hand.
            bared = beam & ~hides
            if np.count_nonzero(bared & seen) >= BARED * np.count_nonzero(bared):
                return True
        return False

    def _prepare(self) -> None:
        """Find out what the gantry hides from where; takes a second, once."""
        if self._uncovered:
            return
        camera = self._calibration.camera
        points = camera.project([(140.0, 160.0, 60.0), (140.0 + STEP_MM, 160.0, 60.0)])
        margin = 2 + round(float(np.linalg.norm(points[1] - points[0])) / 2 * SCALE)
        top = self._calibration.to_board(*CORNER)[2]

        def hidden(spot: _Spot, heights: tuple[float, ...]) -> Mask:
            boxes = [box for z in heights for box in self._calibration.arm_boxes((*spot, z))]
            return silhouette(camera, boxes, margin, SCALE)

        for start in self._starts():
            self._uncovered[start] = hidden(start, (*HEIGHTS_MM, top))
            fixed = zip(self._calibration.arm_parts, self._calibration.arm_boxes((*start, top)), strict=True)
            self._beam[start] = silhouette(camera, [box for part, box in fixed if not part.follows[2]], scale=SCALE)
            for spot in self._way_from(start):
                if spot not in self._hides:
                    self._hides[spot] = hidden(spot, (top,))
        self._left = list(self._uncovered)

    def _starts(self) -> Iterator[_Spot]:
        """Where the tip may have stood: over all places, where it parks, and up to the switches."""
        home, places = self._calibration.to_board(*CORNER), self._calibration.places_mm(human_is_white=True)
        points = np.vstack([places, [home[:2], self._calibration.park_mm[:2]]])
        (left, near), (right, far) = points.min(axis=0), points.max(axis=0)
        for x in np.arange(left, right + STEP_MM, STEP_MM):
            for y in np.arange(near, far + STEP_MM, STEP_MM):
                yield float(x), float(y)

    def _way_from(self, start: _Spot) -> Iterator[_Spot]:
        """The tip's way home: both axes at once until each has arrived (board mm)."""
        home_x, home_y, _ = self._calibration.to_board(*CORNER)
        x, y = start
        yield start
        while abs(home_x - x) > 1 or abs(home_y - y) > 1:
            x = round(x + min(max(home_x - x, -STEP_MM), STEP_MM), 3)
            y = round(y + min(max(home_y - y, -STEP_MM), STEP_MM), 3)
            yield x, y


def _nothing_wide(left: Mask) -> bool:
    """Whether nothing that is left is so wide that it could be a hand's."""
    if np.count_nonzero(left) > MOST_LEFT_PX:
        return False
    return not cv2.erode(left.astype(np.uint8), np.ones((WIDEST_LEFT_PX,) * 2, np.uint8)).any()
