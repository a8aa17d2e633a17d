"""Where the edges that an earlier picture shows are seen no longer: what lies there is covered, in any light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.relighting import disc_zones
from vision.silhouette import Mask
from vision.view import BOARD_SQUARES, View

Floats = NDArray[np.float32]

FLOOR = 24.0
"""Grey levels, summed over the channels, added before the logarithm is taken: noise in the dark is no edge."""
SMOOTHING = 0.8
"""Standard deviation, in pixels, of the blur before edges are looked for."""
TELLING = 0.03
"""Slope (natural logarithm of brightness, a pixel; root mean square over the window) from which there is an edge."""
USUAL = 0.25
"""And from which it is one of the board's: this part of what is usual there, as a mean square."""
COVERED = 0.4
"""Of a window's edges less than this part, in steepness, is left where something covers them."""
UNLIKE = 0.5
"""And they resemble the earlier ones less than this (correlation): through a veil of light they still do."""
FLAT = 0.06
"""What shows less than this part of the earlier edges' energy is taken for no less."""
SHOWN = 0.1
"""The part of what a window has of edges on a bare board that it must show, to tell anything."""
EDGE_MM = 3.0
"""How far on either side of the line between two squares its edge reaches."""
REACH_MM = 7.5
"""How far off their place's middle discs may lie without touching the edges that are compared."""


def square_edges(view: View) -> Mask:
    """(height, width) of the picture: the edges between the board's squares that no disc on a place covers."""
    width, height = view.camera.size
    edges = np.zeros((height, width), np.uint8)
    side = BOARD_SQUARES * view.square_mm
    along = np.linspace(0.0, side, 4 * BOARD_SQUARES + 1)
    for line in range(BOARD_SQUARES + 1):
        at = np.full(len(along), line * view.square_mm)
        for points in ((along, at), (at, along)):
            strips = []
            for across in (-EDGE_MM, EDGE_MM):
                aside = [values + (across if values is at else 0.0) for values in points]
                strips.append(view.camera.project(np.column_stack([*aside, np.zeros(len(along))])))
            outline = np.concatenate([strips[0], strips[1][::-1]])
            cv2.fillPoly(edges, [np.rint(outline).astype(np.int32).reshape(-1, 1, 2)], 1)
    return np.asarray((edges > 0) & ~disc_zones(view, REACH_MM))


@dataclass(frozen=True, eq=False)
class Structure:
    """Where, each (height, width), an earlier picture's edges are gone, and where they are still to be seen."""

    lost: Mask
    shown: Mask


@dataclass(frozen=True, eq=False)
class Slopes:
    """How steeply the logarithm of a picture's brightness rises to the right and downwards, each (height, width)."""

    across: Floats
    down: Floats


def compare_structure(now: Slopes, before: Slopes, edges: Floats, window: int) -> Structure:
    """Whether, within a square window of that many pixels around each, the earlier picture's edges have gone.

    now, before: of two pictures of one size. edges: (height, width), 1 where they show edges that are always
    there, else 0. Another brightness, exposure or colour of the light leaves edges as steep (in the logarithm) as
    they were; a shadow adds edges but takes none away; glare weakens them but leaves them alike.
    """
    share = _sum(edges, window)
    energy_before = _sum(edges * (before.across * before.across + before.down * before.down), window)
    energy_now = _sum(edges * (now.across * now.across + now.down * now.down), window)
    both = _sum(edges * (before.across * now.across + before.down * now.down), window)
    enough = share > SHOWN * float(share.max())
    if not enough.any():
        nowhere = np.zeros(share.shape, dtype=np.bool_)
        return Structure(nowhere, nowhere)
    # What two pictures of the same edges differ by is noise; in a quarter of the windows nothing else has changed.
    noise = float(np.quantile(((energy_before + energy_now) / 2 - both)[enough] / share[enough], 0.25))
    energy_before, energy_now = (
        np.maximum(energy - noise * share, np.float32(0)) for energy in (energy_before, energy_now)
    )
    usual = float(np.median(energy_before[enough] / share[enough]))
    telling = enough & (energy_before > max(TELLING**2, USUAL * usual, noise) * share)
    left = both < COVERED * energy_before
    # Against a bare sheet any likeness is chance.
    alike = both < UNLIKE * np.sqrt(energy_before * np.maximum(energy_now, FLAT * energy_before))
    return Structure(np.asarray(telling & left & alike), np.asarray(telling & ~left))


def slopes_of(picture: Floats) -> Slopes:
    """The slopes of a (height, width, 3) BGR picture."""
    total = cv2.transform(picture, np.ones((1, 3), np.float32)).reshape(picture.shape[:2])
    smooth = cv2.GaussianBlur(np.log(total + np.float32(FLOOR)), (0, 0), SMOOTHING)
    across, down = (cv2.Sobel(smooth, cv2.CV_32F, *order, scale=1 / 8) for order in ((1, 0), (0, 1)))
    return Slopes(np.asarray(across, dtype=np.float32), np.asarray(down, dtype=np.float32))


def _sum(values: Floats, window: int) -> Floats:
    return np.asarray(cv2.blur(values, (window, window)), dtype=np.float32)
