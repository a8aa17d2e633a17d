"""A hand over a board that is watched, told from discs that people lay down beside it and from another light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from controller.watched_board import Pixels, Pose
from vision.obstruction import SCALE, Obstruction, disc_area, find_obstruction
from vision.relighting import disc_zones
from vision.silhouette import Box, Mask, silhouette
from vision.structure import square_edges

AROUND_SQUARES = 4.0
"""How far around the playing area a hand is looked for."""
NARROWEST = 1.27
"""What is narrower than this many discs may be a disc that has come or gone; a hand is wider."""
DISC_WIDE, ROW_LONG = 1.9, 4.6
"""What is no wider and no longer than this, in discs, and lies by itself beside the board, is a row of discs."""
THIN = 0.25
"""What is nowhere so wide, in discs, is the edge of something that looks a little different than before."""
FEWEST_PIXELS = 6
"""Small pixels, in pictures SCALE times smaller, from which what reaches in over the picture's edge counts."""


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Where in a pose's pictures hands are looked for: masks (height, width).

    discs: where discs come and go. unmoving: where they do not. edges: where squares meet. disc_px: a disc's width.
    """

    region: Mask
    discs: Mask
    unmoving: Mask
    edges: Mask
    disc_px: float

    @staticmethod
    def of(pose: Pose, margin_squares: float = AROUND_SQUARES) -> Surroundings:
        """The surroundings of a board, as far as that many squares from it."""
        view = pose.view
        margin = margin_squares * view.square_mm
        side = 8 * view.square_mm
        region = silhouette(view.camera, [Box((-margin, -margin, 0.0), (side + margin, side + margin, 0.0))])
        unmoving = np.asarray(region & ~disc_zones(view))
        disc_px = view.disc.diameter_mm / view.square_mm * pose.square_px
        return Surroundings(region, disc_area(view), unmoving, square_edges(view), disc_px)

    def hand(self, picture: Pixels, clean: Pixels, at_rest: bool) -> Obstruction:
        """What has come over the board since a clean picture of it was taken, as far as it may be a hand.

        at_rest: whether nothing has stirred since the picture before: what lies at the picture's edge and looks like
        a disc then is one, and no finger.
        """
        found = find_obstruction(
            picture,
            clean,
            NARROWEST * self.disc_px,
            region=self.region,
            disc_area=self.discs,
            edges=self.edges,
        )
        return Obstruction(self._reaching_in(found.mask, at_rest)) if found.present else found

    def _reaching_in(self, mask: Mask, at_rest: bool) -> Mask:
        """The parts of a small mask that are no discs laid down, nor mere edges."""
        disc = self.disc_px / SCALE
        thick = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (max(2, round(THIN * disc)),) * 2)
        wide = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, thick) > 0
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
        discs, outside = (
            cv2.resize(area.astype(np.uint8), mask.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
            for area in (self.discs, ~self.region)
        )
        rim = cv2.dilate(outside.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        kept = np.zeros(count, dtype=np.bool_)
        for label in range(1, count):
            part = labels == label
            laid_down = _are_discs(part, disc, np.asarray(discs), np.asarray(rim))
            if _at_edge(part):
                kept[label] = stats[label, cv2.CC_STAT_AREA] >= FEWEST_PIXELS and not (laid_down and at_rest)
            else:
                kept[label] = bool((part & wide).any()) and not laid_down
        return np.asarray(kept[labels])


def _at_edge(part: Mask) -> bool:
    """Whether something reaches to the picture's edge."""
    return bool(part[0].any() or part[-1].any() or part[:, 0].any() or part[:, -1].any())


def _are_discs(part: Mask, disc_px: float, discs: Mask, rim: Mask) -> bool:
    """Whether something beside the board may be discs laid down in a row, or one at the rim of what is looked at."""
    if (part & discs).sum() > part.sum() / 2:
        return False
    rows, columns = np.nonzero(part)
    points = np.column_stack([columns, rows]).astype(np.float32)
    _, sides, _ = cv2.minAreaRect(points)
    across, along = (float(side) + 1 for side in sorted(sides))
    longest = DISC_WIDE if (part & rim).any() else ROW_LONG
    return across <= DISC_WIDE * disc_px and along <= longest * disc_px
