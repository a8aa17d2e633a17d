"""Colours that boards, discs and tables have, as linear albedo (blue, green, red)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_WOODS = ((41, 26, 18), (62, 38, 24), (92, 58, 34), (121, 82, 56), (150, 105, 66), (176, 131, 88), (200, 160, 112))
_PALE_WOODS = ((214, 178, 130), (222, 190, 146), (232, 205, 165), (205, 170, 120), (190, 158, 120))
_DARKS = (
    (24, 24, 26),
    (38, 36, 36),
    (50, 50, 54),
    (70, 70, 72),
    (20, 70, 44),
    (16, 48, 36),
    (24, 40, 84),
    (108, 20, 22),
)
_PALES = ((238, 236, 228), (226, 218, 196), (216, 200, 160), (200, 200, 202), (236, 222, 180), (250, 250, 250))
_BRIGHTS = (
    (186, 30, 32),
    (214, 52, 40),
    (222, 90, 34),
    (32, 110, 60),
    (30, 84, 170),
    (232, 200, 60),
    (110, 60, 150),
    (60, 150, 60),
)


def linear(red_green_blue: tuple[float, ...] | Floats) -> Floats:
    """Linear (blue, green, red) of a display colour 0–255 (the sRGB curve's usual power of 2.2)."""
    return np.power(np.clip(np.asarray(red_green_blue, dtype=np.float64)[::-1] / 255, 0.004, 1), 2.2)


def lightness(colour: Floats) -> float:
    """How light a linear colour looks, 0 to 1."""
    return float(np.dot(colour, (0.0722, 0.7152, 0.2126)) ** (1 / 2.2))


def contrast(one: Floats, other: Floats) -> float:
    """How far apart two linear colours look: about 0.03 is hardly told, 1 is black and white."""
    a, b = np.power(one, 1 / 2.2), np.power(other, 1 / 2.2)
    light = np.dot(a - b, (0.0722, 0.7152, 0.2126))
    hue = (a - a.mean()) - (b - b.mean())
    return float(np.hypot(light, 0.8 * np.linalg.norm(hue)))


def varied(colour: Floats, random: Generator, amount: float = 0.12) -> Floats:
    """Nearly the same colour."""
    return np.asarray(
        np.clip(colour * np.exp(random.normal(0, amount, 3) * 0.4 + random.normal(0, amount)), 0.004, 0.97)
    )


def _pick(random: Generator, *families: tuple[tuple[int, ...], ...]) -> Floats:
    family = families[random.integers(len(families))]
    return varied(linear(family[random.integers(len(family))]), random)


def wood(random: Generator) -> Floats:
    """Any wood."""
    return _pick(random, _WOODS, _PALE_WOODS)


def anything(random: Generator) -> Floats:
    """Any colour."""
    if random.random() < 0.25:
        return linear(tuple(255 * random.random(3)))
    return _pick(random, _WOODS, _PALE_WOODS, _DARKS, _PALES, _BRIGHTS)


def squares(random: Generator) -> tuple[Floats, Floats]:
    """The dark and the light squares of a board."""
    while True:
        kind = random.random()
        if kind < 0.4:
            dark, light = _pick(random, _WOODS), _pick(random, _PALE_WOODS, _PALE_WOODS, _WOODS)
        elif kind < 0.85:
            dark, light = (
                _pick(random, _DARKS, _DARKS, _BRIGHTS, _WOODS),
                _pick(random, _PALES, _PALES, _PALE_WOODS, _BRIGHTS),
            )
        else:
            dark, light = anything(random), anything(random)
        if lightness(dark) > lightness(light):
            dark, light = light, dark
        if contrast(dark, light) > 0.12:
            return dark, light


def discs(random: Generator, dark_square: Floats, light_square: Floats) -> tuple[Floats, Floats]:
    """Dark and light discs; often one of them has nearly the colour of a square."""
    while True:
        kind = random.random()
        if kind < 0.35:
            dark, light = _pick(random, _WOODS), _pick(random, _PALE_WOODS, _PALES)
        elif kind < 0.85:
            dark, light = (
                _pick(random, _DARKS, _DARKS, _BRIGHTS),
                _pick(random, _PALES, _BRIGHTS, _BRIGHTS, _PALE_WOODS),
            )
        else:
            dark, light = anything(random), anything(random)
        alike = random.random()
        if alike < 0.16:
            dark = varied(dark_square, random, 0.08)
        if 0.10 < alike < 0.24:
            light = varied(light_square, random, 0.08)
        if lightness(dark) > lightness(light):
            dark, light = light, dark
        if contrast(dark, light) > 0.13:
            return dark, light
