"""Whose arm reaches in: hands and sleeves of several people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hardware.simulated.drawing.style import Colour

SKINS: tuple[Colour, ...] = (
    (150, 178, 226),
    (128, 158, 212),
    (104, 138, 194),
    (78, 108, 164),
    (60, 84, 128),
    (44, 62, 94),
    (32, 44, 68),
)
SLEEVES: tuple[Colour, ...] = (
    (112, 84, 58),
    (70, 72, 78),
    (66, 92, 66),
    (58, 54, 116),
    (30, 30, 33),
    (206, 206, 204),
    (62, 170, 214),
    (176, 132, 108),
)
STRIPES: tuple[tuple[Colour, Colour], ...] = (
    ((196, 196, 192), (110, 62, 34)),
    ((58, 50, 48), (150, 160, 176)),
    ((58, 58, 170), (200, 204, 206)),
)
CUFF_MM, ROLLED_MM, SHORT_MM = 158.0, 262.0, 420.0
"""How far from the fingertips a long, a rolled-up and a short sleeve end."""
CHILD = 0.78
SMALL = 0.90


@dataclass(frozen=True)
class Person:
    """An arm. sleeve_mm: how far from the fingertips the sleeve ends; stripe: the colour between the sleeve's own;
    left: whether it is a left hand; size: as a part of a large one's.
    """

    skin: Colour
    sleeve: Colour
    stripe: Colour | None = None
    sleeve_mm: float = CUFF_MM
    left: bool = False
    size: float = 1.0


def people_at(seed: int) -> tuple[Person, ...]:
    """Who is at a table: whoever plays there, and two others who may lend a hand."""
    random = np.random.default_rng((seed, 31))
    return tuple(_someone(random) for _ in range(3))


@lru_cache(maxsize=16)
def person_of(seed: int, reach: int) -> Person:
    """Whose arm it is: three times in four the player's."""
    people = people_at(seed)
    other = int(np.random.default_rng((seed, 37, reach)).integers(0, 8))
    return people[other] if other in (1, 2) else people[0]


def _someone(random: np.random.Generator) -> Person:
    skin = SKINS[int(random.integers(len(SKINS)))]
    sleeve, stripe = SLEEVES[int(random.integers(len(SLEEVES)))], None
    if random.random() < 0.25:
        sleeve, stripe = STRIPES[int(random.integers(len(STRIPES)))]
    end = (CUFF_MM, CUFF_MM, ROLLED_MM, SHORT_MM)[int(random.integers(4))]
    left = bool(random.random() < 0.3)
    size = (1.0, 1.0, SMALL, CHILD)[int(random.integers(4))]
    return Person(skin, sleeve, stripe, end, left, size)
