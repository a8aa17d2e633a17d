"""What speaks for a disc at each point of the ground image: log likelihood ratios."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.appearance import DiscLook, TableLook
from vision.bare_surface import bare_log_density
from vision.view import Flags, Floats, View

MOST_PER_PIXEL = 5.0
"""No single pixel says more than this (natural logarithm)."""
MOST_FACE_PER_PIXEL = 1.3
"""Nor does it say more than this on whether it shows a face or a wall."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """(2, height, width) each, of the coarse ground image, for dark and light discs.

    disc: log likelihood that a pixel shows a disc, its face or its side wall, against the bare surface; face: that it
    shows a disc's face, against the wall.
    """

    disc: Floats
    face: Floats


def disc_evidence(evenly_lit: Floats, bare: Floats, look: DiscLook) -> tuple[Floats, Floats]:
    """(height, width) each: how much a pixel rather shows a disc than the bare surface, and how much rather its face
    than its wall; log likelihood ratios.

    evenly_lit is the picture (height, width, 3), BGR, 1 = white, with what is special to the light at each place
    taken off; bare (height, width) is the log density of the bare surface.
    """
    wall, face = look.wall.log_density(evenly_lit), look.face.log_density(evenly_lit)
    disc = np.maximum(wall, face)
    disc -= bare
    face -= wall
    np.clip(disc, -MOST_PER_PIXEL, MOST_PER_PIXEL, out=disc)
    np.clip(face, -MOST_FACE_PER_PIXEL, MOST_FACE_PER_PIXEL, out=face)
    return disc, face


def evidence(image: Floats, view: View, appearance: TableLook, ignored: Flags | None = None) -> Evidence:
    """What speaks for discs in the coarse ground image (BGR, 1 = white), lit as when the appearance was learnt.

    ignored: (height, width) pixels that say nothing.
    """
    ground = appearance.coarse
    bare = bare_log_density(image, ground.bare)
    dumb = view.out_of_picture if ignored is None else ignored | view.out_of_picture
    discs, faces = np.empty((2, *bare.shape), np.float32), np.empty((2, *bare.shape), np.float32)
    for colour, look in enumerate((appearance.dark, appearance.light)):
        evenly_lit = np.asarray(cv2.multiply(image, ground.even_light[colour]), dtype=np.float32)
        discs[colour], faces[colour] = disc_evidence(evenly_lit, bare, look)
    discs[:, dumb] = 0
    faces[:, dumb] = 0
    return Evidence(discs, faces)
