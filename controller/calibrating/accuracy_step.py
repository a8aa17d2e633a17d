"""The last milestone: the arm puts a disc on every square, as in play, and the camera sees how far off it lies."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from calibration.accuracy import GOOD_ENOUGH_MM, Accuracy, SquareError, all_squares
from calibration.values import PointXY
from controller.calibrating.carrier import Carrier

DOUBTED_MM = 0.8 * GOOD_ENOUGH_MM
"""A square with a larger error is tried again: chance, or the map? What counts is then the mean."""
AGAIN = 2


def prove(
    carrier: Carrier,
    seen: PointXY,
    landed: Callable[[int, int], None] = lambda square, attempt: None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Accuracy, PointXY]:
    """Put the disc on all squares; returns the errors and where the disc lies in the end.

    landed: told after each placing, by square and attempt, before the disc is taken up again.
    """
    squares = list(all_squares())
    errors: dict[int, list[tuple[float, float]]] = {}
    for number, square in enumerate(squares):
        seen = _put_on(carrier, seen, square, errors)
        landed(square, 1)
        progress(number + 1, len(squares))
    doubted = [square for square in squares if np.hypot(*errors[square][0]) > DOUBTED_MM]
    random.Random(len(doubted)).shuffle(doubted)
    for attempt in range(AGAIN):
        for square in doubted:
            seen = _put_on(carrier, seen, square, errors)
            landed(square, attempt + 2)
    means = {square: np.mean(found, axis=0) for square, found in errors.items()}
    return Accuracy(tuple(SquareError(s, float(means[s][0]), float(means[s][1])) for s in sorted(means))), seen


def _put_on(carrier: Carrier, seen: PointXY, square: int, errors: dict[int, list[tuple[float, float]]]) -> PointXY:
    target = carrier.calibration.square_mm_centre(square, human_is_white=True)
    seen = carrier.carry_slack_taken_up(seen, target)
    errors.setdefault(square, []).append((seen[0] - target[0], seen[1] - target[1]))
    return seen
