"""Tells from where discs are and were which of them the arm has disturbed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

KNOCKED_MM = 4.0
"""A disc that has been moved this far from where it lay has been knocked."""
SUNK_MM = 1.0
"""So has one that has come down by this: it slid off another one, or tilts over its edge."""


class KnockWatch:
    """Compares each disc with where it last lay. What people move is excused until everything lies still again."""

    def __init__(self, count: int) -> None:
        self._lay_at = np.zeros((count, 3))
        self._excused = np.zeros(count, dtype=bool)
        self._noted = np.zeros(count, dtype=bool)

    def excuse(self, discs: NDArray[np.bool_]) -> None:
        """What these discs do until all lie still is no fault of the arm, or is known already."""
        self._excused |= discs

    def begin_at(self, disc: int, place: NDArray[np.float64]) -> None:
        """A disc is let go and ought to come to lie with its middle at `place`."""
        self._lay_at[disc] = place
        self._excused[disc] = self._noted[disc] = False

    def look(
        self, places: NDArray[np.float64], at_rest: NDArray[np.bool_], watched: NDArray[np.bool_]
    ) -> tuple[int, ...]:
        """The discs that turn out to be knocked since the last look; each is told once until it lies still.

        places: the discs' middles, count × 3, mm. watched: those that nobody holds.
        """
        shift = places - self._lay_at
        moved = (np.hypot(shift[:, 0], shift[:, 1]) > KNOCKED_MM) | (shift[:, 2] < -SUNK_MM)
        knocked = moved & watched & ~self._excused & ~self._noted
        self._noted |= knocked
        self._lay_at[at_rest] = places[at_rest]
        if (at_rest | ~watched).all():
            self._excused[:] = False
        self._noted &= ~at_rest
        return tuple(int(disc) for disc in np.flatnonzero(knocked))
