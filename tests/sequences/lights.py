"""The lights of the sequences: the simulated table's own, and some that are harder on the camera."""

from __future__ import annotations

import math
from dataclasses import replace

from hardware.simulated.drawing.illumination import ILLUMINATIONS, AutoExposure, Illumination

LIGHTS: dict[str, Illumination] = {
    **ILLUMINATIONS,
    "fifteen-lux": replace(
        ILLUMINATIONS["dim"], brightness=0.42, noise=7.5, blotches=0.55, tint=(0.78, 0.95, 1.06), flicker=0.005
    ),
    "low-sun": replace(
        ILLUMINATIONS["window"], light=(0.62, -0.55, 0.52), shadow=0.72, penumbra=0.03, gradient=(0.0, 0.0)
    ),
}
"""Keys are names for people. Fifteen lux is an evening's living room; a low sun throws hard shadows."""
SWITCHED = {"lamp": "lamp-off", "lamp-off": "lamp", "evening": "lamp-off", "dim": "lamp", "fifteen-lux": "evening"}
"""What a light becomes when a lamp is switched; any other becomes `lamp`."""


def switched(name: str) -> Illumination:
    """The light after somebody has switched a lamp on or off."""
    return LIGHTS[SWITCHED.get(name, "lamp")]


def sun(light: Illumination, hour: float) -> Illumination:
    """A sun through the window instead of the light's own lamp; it wanders from hour 0 to 1 of an afternoon."""
    azimuth, height = math.radians(200 - 50 * hour), math.radians(48 - 14 * hour)
    flat = math.cos(height)
    return replace(
        light,
        light=(flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(height)),
        lamp_mm=None,
        shadow=0.68,
        penumbra=0.03,
    )


def over_the_shoulder(light: Illumination, from_near: bool) -> Illumination:
    """A hard lamp behind a player, who throws his shadow on the board."""
    side = -1.0 if from_near else 1.0
    return replace(light, light=(0.12, 0.78 * side, 0.62), lamp_mm=None, shadow=0.62, penumbra=0.05)


def automatic(light: Illumination) -> Illumination:
    """The same under a camera that sets its exposure by itself, with clouds before the sun."""
    return replace(light, exposure=AutoExposure(clouds=0.16, clouds_s=20.0))


def tinted(light: Illumination, warmth: float) -> Illumination:
    """The same with the white balance warmer (up to 1) or colder (down to −1)."""
    blue, green, red = light.tint
    return replace(light, tint=(blue * (1 - 0.10 * warmth), green, red * (1 + 0.08 * warmth)))
