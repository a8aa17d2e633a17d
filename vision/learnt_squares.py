"""The squares of a known table as the networks see them, which get used to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.adaptation import Adaptation, adapt
from vision.disc_edges import placed_by_edges
from vision.disc_network import disc_evidence
from vision.reading import Content
from vision.square_network import camera_in_squares, evidence, flat_board, flat_map
from vision.view import BOARD_SQUARES, Pixels, View

HIDDEN = 0.5
"""Probability that something hides a square from which it is not learnt from."""
_HEIGHTS = np.exp(np.linspace(-0.08, 0.08, 5))
"""A set's height is known so well."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SquareSigns:
    """What the square network makes of the places of a view that are squares of its board.

    places: (K,) their numbers. logits: (K, 5) columns as Content. features: (K, F) what the network has them from.
    stacked: (K,) natural log odds of a stack against a single disc, if the one is as common as the other.
    hidden: (K,) probability that something hides the square. bases_mm: (K, 2) about where a disc's base is, off the
    square's centre, if there is one.
    """

    places: NDArray[np.int64]
    logits: Floats
    features: Floats
    stacked: Floats
    hidden: Floats
    bases_mm: Floats


@dataclass(frozen=True, eq=False)
class CloseLook:
    """What the disc network makes of some places (K,): log odds of a stack (K,), and where the lowest and the topmost
    disc lie off the places' centres (K, 2), mm."""

    stacked: Floats
    bases_mm: Floats
    tops_mm: Floats


def square_signs(pixels: Pixels, view: View) -> SquareSigns:
    """Look at the squares of the board."""
    places, cells = square_places(view)
    position = camera_in_squares(view.camera, view.square_mm)
    seen = evidence(flat_board(pixels, _flat_map(view)), position, view.disc, view.square_mm)
    return SquareSigns(
        places,
        seen.logits[cells],
        seen.features[cells],
        seen.stacked[cells],
        seen.hidden[cells],
        seen.offsets[cells] * (view.square_mm, -view.square_mm),
    )


def look_closely(pixels: Pixels, view: View, places: NDArray[np.int64], bases_mm: Floats) -> CloseLook:
    """Look at the discs on some places, whose bases lie about `bases_mm` (K, 2) off the centres."""
    side = BOARD_SQUARES * view.square_mm
    middles = (view.places_mm[places] * (1, -1) + (0, side)) / view.square_mm
    about = middles + bases_mm * (1, -1) / view.square_mm

    def project(points: Floats) -> Floats:
        board = points * (view.square_mm, -view.square_mm) + (0.0, side)
        return view.camera.project(np.column_stack([board, np.zeros(len(points))]))

    diameter, height = view.disc.diameter_mm / view.square_mm, view.disc.height_mm / view.square_mm
    seen = disc_evidence(pixels, project, about, camera_in_squares(view.camera, view.square_mm), diameter)
    fits = np.logaddexp.reduce(seen.by_height(height * _HEIGHTS), axis=1)
    stacked = fits[:, 1] - fits[:, 0]
    tops = seen.tops(stacked > 0, height)
    lower, upper = ((where - (0, BOARD_SQUARES)) * (view.square_mm, -view.square_mm) for where in (seen.bases, tops))
    lower, upper = placed_by_edges(pixels, view, lower, upper, stacked > 0)
    return CloseLook(stacked, lower - view.places_mm[places], upper - view.places_mm[places])


def used_to(signs: SquareSigns, contents: NDArray[np.int64], before: Adaptation | None) -> Adaptation:
    """Learn from squares whose contents are known: (N,) of all places, anything below 0 is not."""
    known = (contents[signs.places] >= 0) & (signs.hidden < HIDDEN)
    return adapt(signs.features[known], signs.logits[known], contents[signs.places[known]], before)


def square_scores(signs: SquareSigns, adaptation: Adaptation | None) -> Floats:
    """(K, 3) log likelihoods of empty, a dark and a light disc, up to a constant for each square."""
    logits = signs.logits if adaptation is None else adaptation.corrected(signs.logits, signs.features)
    dark = np.logaddexp(logits[:, Content.DARK_MAN], logits[:, Content.DARK_KING])
    light = np.logaddexp(logits[:, Content.LIGHT_MAN], logits[:, Content.LIGHT_KING])
    return np.column_stack([logits[:, Content.EMPTY], dark, light])


@lru_cache(maxsize=4)
def square_places(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(K,) the places that are squares of the board, and (K,) which of the flat board's 64 squares each is."""
    cells = np.floor(view.places_mm / view.square_mm).astype(int)
    middles = (cells + 0.5) * view.square_mm
    inside = np.all((cells >= 0) & (cells < BOARD_SQUARES), axis=1)
    inside &= np.abs(view.places_mm - middles).max(axis=1) < view.square_mm / 4
    places = np.flatnonzero(inside)
    return places, (BOARD_SQUARES - 1 - cells[places, 1]) * BOARD_SQUARES + cells[places, 0]


@lru_cache(maxsize=4)
def _flat_map(view: View) -> NDArray[np.float32]:
    return flat_map(view.camera, view.square_mm)
