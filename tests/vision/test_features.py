"""The evidence for discs, pixel by pixel."""

from __future__ import annotations

import numpy as np

from vision.appearance import DiscLook
from vision.colour import Colour
from vision.features import MOST_PER_PIXEL, disc_evidence

FACE, WALL, SURFACE = (0.15, 0.17, 0.21), (0.06, 0.07, 0.09), (0.20, 0.29, 0.42)
NARROW = np.diag([1e-4, 1e-4, 1e-4])
LOOK = DiscLook(Colour(np.array(FACE), NARROW), Colour(np.array(WALL), NARROW), np.zeros(1), np.ones(1))


def evidence_of(colour: tuple[float, float, float]) -> tuple[float, float]:
    image = np.full((2, 2, 3), colour, np.float32)
    bare = Colour(np.array(SURFACE), NARROW).log_density(image)
    disc, face = disc_evidence(image, bare, LOOK)
    return float(disc[0, 0]), float(face[0, 0])


def test_a_face_shows_a_disc_however_little_it_looks_like_the_wall() -> None:
    disc, face = evidence_of(FACE)
    assert disc == MOST_PER_PIXEL
    assert face > 0


def test_a_wall_shows_a_disc_however_little_it_looks_like_the_face() -> None:
    disc, face = evidence_of(WALL)
    assert disc == MOST_PER_PIXEL
    assert face < 0


def test_the_bare_surface_shows_none() -> None:
    assert evidence_of(SURFACE)[0] == -MOST_PER_PIXEL
