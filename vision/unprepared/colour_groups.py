"""Telling the two colours of a set of discs apart when neither is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_HUE_WEIGHT = 2.0
"""Differences of hue tell discs apart more surely than those of brightness, which light makes too."""
_LEAST_APART = 0.25
"""Centres of two groups closer than this (natural logarithm of colour) are one group in changing light."""
_LEAST_RATIO = 2.0
"""Two groups lie further apart than this many times what each is wide."""
_ROUNDS = 10


def two_groups(colours: Floats) -> tuple[Flags, bool]:
    """Which of the colours (K, 3; logarithms) belong to the lighter of two groups, and whether there are two."""
    count = len(colours)
    none = np.zeros(count, dtype=bool)
    if count < 2:
        return none, False
    brightness = colours.mean(axis=1, keepdims=True)
    features = np.hstack([brightness, _HUE_WEIGHT * (colours - brightness)])
    second = _split(features)
    for _ in range(_ROUNDS):
        centres = np.stack([features[~second].mean(axis=0), features[second].mean(axis=0)])
        distance = np.linalg.norm(features[:, None] - centres[None], axis=2)
        moved = np.asarray(distance[:, 1] < distance[:, 0])
        if moved.all() or not moved.any() or np.array_equal(moved, second):
            break
        second = moved
    one, other = features[~second], features[second]
    apart = float(np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)))
    within = float(np.sqrt((one.var(axis=0).sum() * len(one) + other.var(axis=0).sum() * len(other)) / count))
    if apart < max(_LEAST_APART, _LEAST_RATIO * within):
        return none, False
    lighter = colours[second].mean() > colours[~second].mean()
    return (second if lighter else ~second), True


def _split(features: Floats) -> Flags:
    """The best cut across the direction in which the features (K, F) vary most."""
    away = features - features.mean(axis=0)
    _, _, axes = np.linalg.svd(away, full_matrices=False)
    along = away @ axes[0]
    ordered = np.sort(along)
    count = len(ordered)
    spread = [ordered[:cut].var() * cut + ordered[cut:].var() * (count - cut) for cut in range(1, count)]
    cut = int(np.argmin(spread)) + 1
    second = np.asarray(along > (ordered[cut - 1] + ordered[cut]) / 2)
    return second if second.any() and not second.all() else np.arange(count) == int(along.argmax())
