"""Fitting the network to records: Adam (Kingma & Ba 2015) on mini-batches, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from controller.engine.tuning.inputs import (
    BLOCK_INPUTS,
    BLOCK_PATTERNS,
    BLOCKS,
    INPUTS,
    PARITIES,
    SQUARES,
    STAGES,
    Boards32,
)
from controller.engine.tuning.records import UNKNOWN_RESULT, Records
from controller.engine.tuning.weights import HIDDEN, ONE, SCORE_UNIT, SQUARED_ONE, Weights

SCORE_SCALE = 65.0
"""A score of s hundredths of a man is a chance of 1 / (1 + exp(-s / SCORE_SCALE)) to win, draws being half won: so
results of games are read most likely."""
VALIDATION_EVERY = 20
"""One game in so many is kept out of the fitting, to test the network on."""

_MOST_INPUT_WEIGHT = 990 / ONE
"""A start, eight blocks and 24 kings then stay within 16 bits."""
_MOST_OUTPUT_WEIGHT = 8000 * SQUARED_ONE / SCORE_UNIT / SCORE_SCALE
"""So that all weighted sums stay within 32 bits."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fitting:
    """How to fit.

    `result_share` is the part of the target that the game's result makes, the rest is the score's. `decay` pulls what
    patterns have of their own, beside their men's, towards 0, so that it is learnt only where it tells.
    """

    epochs: int = 12
    batch: int = 4096
    rate: float = 0.004
    result_share: float = 0.3
    decay: float = 0.5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Progress:
    """After an epoch: the loss on games fitted to and on games kept out, both over the least there can be."""

    epoch: int
    loss: float
    validation_loss: float


@dataclass
class FloatNetwork:
    """The network while it is fitted. In `inputs` and `squares` a sum's cut-off is 1, the score is in SCORE_SCALE.

    A pattern's weights are its own plus those of the men in it, `squares`, which all patterns share that have a man
    of that side on that square: so patterns that hardly ever come up are judged as well.
    """

    inputs: Floats
    squares: Floats
    output: Floats
    base: Floats
    leads: Floats

    @staticmethod
    def random(seed: int) -> FloatNetwork:
        """A network that knows nothing but that men and kings are worth something."""
        chance = np.random.default_rng(seed)

        def normal(deviation: float, *shape: int) -> Floats:
            return chance.normal(0, deviation, shape).astype(np.float32)

        inputs = normal(0.1, INPUTS, HIDDEN)
        inputs[:BLOCK_INPUTS] *= 0.1
        inputs[-PARITIES:] += 0.3
        return FloatNetwork(
            inputs=inputs,
            squares=normal(0.15, 2 * SQUARES, HIDDEN),
            output=normal(0.1, STAGES, 2 * HIDDEN),
            base=np.zeros(STAGES, np.float32),
            leads=np.tile(np.array([1.2, 1.6], np.float32), (STAGES, 1)),
        )

    def parameters(self) -> list[Floats]:
        """All that is fitted."""
        return [getattr(self, each.name) for each in fields(self)]

    def input_weights(self) -> Floats:
        """The weights of all inputs into the sums, of shape (INPUTS, HIDDEN)."""
        whole = self.inputs.copy()
        whole[:BLOCK_INPUTS] += _MEN_OF_PATTERNS @ self.squares
        return np.clip(whole, -_MOST_INPUT_WEIGHT, _MOST_INPUT_WEIGHT)

    def quantised(self) -> Weights:
        """The same in whole numbers."""
        into = np.rint(self.input_weights() * ONE).astype("<i2")
        output = np.clip(self.output, -_MOST_OUTPUT_WEIGHT, _MOST_OUTPUT_WEIGHT) * (
            SCORE_SCALE * SCORE_UNIT / SQUARED_ONE
        )
        last = SCORE_SCALE * SCORE_UNIT
        return Weights(
            start=into[-PARITIES:],
            blocks=into[:BLOCK_INPUTS].reshape(len(BLOCKS), BLOCK_PATTERNS, HIDDEN),
            kings=into[BLOCK_INPUTS:-PARITIES].reshape(2, SQUARES, HIDDEN),
            output=np.rint(output).astype("<i2").reshape(STAGES, 2, HIDDEN),
            base=np.rint(self.base * last).astype("<i4"),
            man=np.rint(self.leads[:, 0] * last).astype("<i4"),
            king=np.rint(self.leads[:, 1] * last).astype("<i4"),
        )


def _men_of_patterns() -> Floats:
    """Of shape (BLOCK_INPUTS, 2 * SQUARES): 1 where a pattern has a man, own squares first."""
    men = np.zeros((len(BLOCKS), BLOCK_PATTERNS, 2, SQUARES), np.float32)
    for block, squares in enumerate(BLOCKS):
        for pattern in range(BLOCK_PATTERNS):
            for place, square in enumerate(squares):
                digit = pattern // 3**place % 3
                if digit:
                    men[block, pattern, digit - 1, square] = 1
    return men.reshape(BLOCK_INPUTS, 2 * SQUARES)


_MEN_OF_PATTERNS = _men_of_patterns()


@dataclass
class _Examples:
    """Records made ready: what both sides see, and the chance to win that is to be learnt."""

    patterns: list[NDArray[np.int16]]
    kings: list[NDArray[np.uint8]]
    parities: list[NDArray[np.intp]]
    stages: NDArray[np.intp]
    leads: Floats
    targets: Floats

    @staticmethod
    def of(records: Records, result_share: float) -> _Examples:
        boards = Boards32.of(records)
        views = (boards, boards.from_behind())
        offsets = np.arange(len(BLOCKS)) * BLOCK_PATTERNS
        by_score = 1 / (1 + np.exp(-records["score"].astype(float) / SCORE_SCALE))
        by_result = (records["result"] + 1) / 2
        share = np.where(records["result"] == UNKNOWN_RESULT, 0, result_share)
        return _Examples(
            patterns=[(view.patterns() + offsets).astype(np.int16) for view in views],
            kings=[np.packbits(view.kings_by_square(), axis=1) for view in views],
            parities=[view.parities() for view in views],
            stages=boards.stages(),
            leads=boards.leads().astype(np.float32),
            targets=(share * by_result + (1 - share) * by_score).astype(np.float32),
        )

    def inputs(self, chosen: NDArray[np.intp], side: int) -> Floats:
        """All inputs of the chosen ones as 0 and 1, as one side sees them."""
        dense = np.zeros((len(chosen), INPUTS), np.float32)
        np.put_along_axis(dense, self.patterns[side][chosen].astype(np.intp), 1, axis=1)
        dense[:, BLOCK_INPUTS:-PARITIES] = np.unpackbits(self.kings[side][chosen], axis=1)
        dense[np.arange(len(chosen)), self.parities[side][chosen] - PARITIES] = 1
        return dense


@dataclass
class _Adam:
    """The optimiser's memory of one network: running means of slopes and of their squares."""

    means: list[Floats]
    squares: list[Floats]
    steps: int = 0
    decay: tuple[float, float] = field(default=(0.9, 0.999))

    @staticmethod
    def of(network: FloatNetwork) -> _Adam:
        means, squares = ([np.zeros_like(each) for each in network.parameters()] for _ in range(2))
        return _Adam(means, squares)

    def step(self, network: FloatNetwork, slopes: list[Floats], rate: float) -> None:
        self.steps += 1
        first, second = self.decay
        rate *= np.sqrt(1 - second**self.steps) / (1 - first**self.steps)
        for index, (values, slope) in enumerate(zip(network.parameters(), slopes, strict=True)):
            self.means[index] += (1 - first) * (slope - self.means[index])
            self.squares[index] += (1 - second) * (slope * slope - self.squares[index])
            values[...] -= (rate * self.means[index] / (np.sqrt(self.squares[index]) + 1e-8)).astype(np.float32)


def fit(
    records: Records, settings: Fitting, told: Callable[[Progress], object] = lambda progress: None
) -> FloatNetwork:
    """The network that fits the records best, the rate falling along a half cosine to nearly nothing."""
    examples = _Examples.of(records, settings.result_share)
    kept_out = records["game"] % VALIDATION_EVERY == 0
    learnt, tested = np.flatnonzero(~kept_out), np.flatnonzero(kept_out)
    network = FloatNetwork.random(settings.seed)
    optimiser = _Adam.of(network)
    chance = np.random.default_rng(settings.seed)
    batch = max(1, min(settings.batch, len(learnt)))
    steps = settings.epochs * (len(learnt) // batch)
    for epoch in range(settings.epochs):
        chance.shuffle(learnt)
        for first in range(0, len(learnt) - batch + 1, batch):
            chosen = learnt[first : first + batch]
            rate = settings.rate * (0.01 + 0.99 * (1 + np.cos(np.pi * optimiser.steps / steps)) / 2)
            optimiser.step(network, _slopes(network, examples, chosen), rate)
            network.inputs[:BLOCK_INPUTS] *= np.float32(1 - rate * settings.decay)
        told(
            Progress(
                epoch + 1,
                _loss(network, examples, learnt[: max(len(tested), batch)]),
                _loss(network, examples, tested),
            )
        )
    return network


def _slopes(network: FloatNetwork, examples: _Examples, chosen: NDArray[np.intp]) -> list[Floats]:
    """The slope of the mean cross-entropy along each parameter, as FloatNetwork has them."""
    into = network.input_weights()
    stages, leads = examples.stages[chosen], examples.leads[chosen]
    inputs = [examples.inputs(chosen, side) for side in range(2)]
    cut = np.concatenate([np.clip(seen @ into, 0, 1) for seen in inputs], axis=1)
    squared = cut * cut
    chances = _chances(network, squared, stages, leads)
    errors = (chances - examples.targets[chosen]) / np.float32(len(chosen))

    by_stage = np.zeros((len(chosen), STAGES), np.float32)
    by_stage[np.arange(len(chosen)), stages] = errors
    back = errors[:, None] * network.output[stages] * 2 * cut * (cut < 1)
    into_slope = np.zeros_like(into)
    for side, seen in enumerate(inputs):
        into_slope += seen.T @ back[:, side * HIDDEN : (side + 1) * HIDDEN]
    return [
        into_slope,
        _MEN_OF_PATTERNS.T @ into_slope[:BLOCK_INPUTS],
        by_stage.T @ squared,
        by_stage.sum(axis=0),
        by_stage.T @ leads,
    ]


def _chances(network: FloatNetwork, squared: Floats, stages: NDArray[np.intp], leads: Floats) -> Floats:
    scores = (squared * network.output[stages]).sum(axis=1) + network.base[stages]
    scores += (leads * network.leads[stages]).sum(axis=1)
    chances: Floats = 1 / (1 + np.exp(-scores))
    return chances


def _loss(network: FloatNetwork, examples: _Examples, chosen: NDArray[np.intp]) -> float:
    """The mean cross-entropy less that of a network that always gives the target itself."""
    if not len(chosen):
        return float("nan")
    into = network.input_weights()
    total = 0.0
    for first in range(0, len(chosen), 8192):
        some = chosen[first : first + 8192]
        seen = [np.clip(examples.inputs(some, side) @ into, 0, 1) ** 2 for side in range(2)]
        chances = _chances(network, np.concatenate(seen, axis=1), examples.stages[some], examples.leads[some])
        targets = examples.targets[some]
        total += float(np.sum(_cross_entropy(targets, chances) - _cross_entropy(targets, targets)))
    return total / len(chosen)


def _cross_entropy(targets: Floats, chances: Floats) -> Floats:
    tiny = np.float32(1e-7)
    entropy: Floats = -(targets * np.log(chances + tiny) + (1 - targets) * np.log(1 - chances + tiny))
    return entropy
