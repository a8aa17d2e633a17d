"""Who directs an errand: finds a position for it and sets the stage."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from controller.draughts import Colour, Position
from hardware.simulated.geometry import SimulatedCamera
from tests.sequences.lights import LIGHTS
from tests.sequences.positions import find
from tests.sequences.stage import Stage

Choice = TypeVar("Choice")


@dataclass
class Director:
    """`light` is a key of LIGHTS. `stage` is there once an errand has begun."""

    light: str
    camera: SimulatedCamera
    chance: random.Random
    stage: Stage | None = field(default=None)

    def begin(
        self, choices: Callable[[Position], Sequence[Choice]], start: Position | None = None
    ) -> tuple[Stage, Choice]:
        """Discs laid out so that there is something to choose, seen lying still, and what was chosen.

        start: the position, if it is not to be left to chance.
        """
        if start is None:
            position, choice = find(self.chance, choices)
        else:
            position, choice = start, self.chance.choice(choices(start))
        near = self.chance.choice((Colour.WHITE, Colour.BLACK))
        self.stage = Stage(position, near, self.camera, LIGHTS[self.light], self.chance)
        self.stage.still()
        return self.stage, choice


Errand = Callable[[Director], None]
"""Acts on a stage; its name and the first line of its docstring are its title and what it is about."""
