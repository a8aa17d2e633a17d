"""Getting used to one board: what the network is told about squares whose contents are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

GROUPS = 3
"""Empty, dark and light: what a known position shows enough of. Man and king of a colour are corrected alike."""
_GROUP_OF = np.array([0, 1, 1, 2, 2])
_STIFFNESS = 0.02
"""How strongly the network's own judgement is held to: the weight of a squared correction against one square's log
likelihood."""
_STEPS, _SHORTEST, _GAIN = 15, 1e-3, 1e-4
_KEPT = 640
"""So many squares are remembered, the latest."""


@dataclass(frozen=True, eq=False)
class Adaptation:
    """A correction of the network's judgement, and the squares from which it was learnt.

    weights: (F + 1, 3) added to the logits of empty, dark and light for each feature, the last row for all squares.
    features: (M, F), logits: (M, 5), groups: (M,) the squares known.
    """

    weights: Floats
    features: Floats
    logits: Floats
    groups: NDArray[np.int64]

    def corrected(self, logits: Floats, features: Floats) -> Floats:
        """(N, 5) logits after the correction."""
        shift = features @ self.weights[:-1] + self.weights[-1]
        return np.asarray(logits + shift[:, _GROUP_OF])


def adapt(features: Floats, logits: Floats, contents: NDArray[np.int64], before: Adaptation | None) -> Adaptation:
    """Learn from squares whose contents (N,), values of Content, are known; (N, F) features and (N, 5) logits.

    The correction is the one of greatest posterior probability in a softmax regression on top of the network
    (Newton's method), with a normal prior around none.
    """
    groups = _GROUP_OF[contents]
    if before is not None:
        features = np.concatenate([before.features, features])[-_KEPT:]
        logits = np.concatenate([before.logits, logits])[-_KEPT:]
        groups = np.concatenate([before.groups, groups])[-_KEPT:]
    count, width = features.shape[0], features.shape[1] + 1
    given = np.column_stack([features, np.ones(count)])
    base = np.stack([np.logaddexp.reduce(logits[:, group == _GROUP_OF], axis=1) for group in range(GROUPS)], axis=1)
    wanted = np.eye(GROUPS)[groups]
    weights = np.zeros((width, GROUPS))
    cost = _cost(base, given, weights, wanted)
    for _ in range(_STEPS):
        chances = _softmax(base + given @ weights)
        slope = given.T @ (chances - wanted) + _STIFFNESS * weights
        hessian = np.zeros((GROUPS, width, GROUPS, width))
        for one in range(GROUPS):
            for other in range(one, GROUPS):
                spread = chances[:, one] * ((one == other) - chances[:, other])
                block = (given * spread[:, None]).T @ given
                hessian[one, :, other, :] = block
                hessian[other, :, one, :] = block
        flat = hessian.reshape(GROUPS * width, GROUPS * width)
        flat[np.diag_indices_from(flat)] += _STIFFNESS
        step = np.linalg.solve(flat, slope.T.ravel()).reshape(GROUPS, width).T
        part = 1.0
        # Far from the best point a whole step may lead further away.
        while part > _SHORTEST and _cost(base, given, weights - part * step, wanted) > cost:
            part /= 2
        if part <= _SHORTEST:
            break
        weights = weights - part * step
        before_step, cost = cost, _cost(base, given, weights, wanted)
        if before_step - cost < _GAIN:
            break
    return Adaptation(weights, features, logits, groups)


def _cost(base: Floats, given: Floats, weights: Floats, wanted: Floats) -> float:
    """The negative logarithm of the posterior, up to a constant."""
    logits = base + given @ weights
    misses = np.logaddexp.reduce(logits, axis=1) - (logits * wanted).sum(axis=1)
    return float(misses.sum() + _STIFFNESS / 2 * (weights**2).sum())


def _softmax(logits: Floats) -> Floats:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))
