"""The light on the simulated table, and what the camera's sensor makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from hardware.simulated.drawing.style import Colour
from hardware.simulated.scene import Point

MIDDLE_MM = (160.0, 160.0, 0.0)
"""The board's middle, from where the lamp's direction and distance count."""
EVEN_SHADOW = 0.5
"""The share of directed light for which the shading of walls and reliefs is made."""


@dataclass(frozen=True)
class AutoExposure:
    """A camera that sets its exposure by what it sees, under a light that waxes and wanes.

    level: the mean grey level that it aims at. share: how much of the way there it goes, 0–1. seconds: its time
    constant. clouds, clouds_s: by how much the light changes, as a part of it, and about how long that takes.
    """

    level: float = 112.0
    share: float = 0.7
    seconds: float = 4.0
    clouds: float = 0.10
    clouds_s: float = 45.0


@dataclass(frozen=True)
class Illumination:
    """Lamp, room light and sensor. Lengths in mm; the defaults are daylight from a window."""

    light: Point = (-0.52, 0.16, 0.84)
    """Direction towards the lamp or window, board frame; its length does not matter."""
    lamp_mm: float | None = None
    """How far the lamp is from the board's middle; None: so far that its light is parallel."""
    lamp_half: tuple[float, float] = (0.10, 0.10)
    """Half the lamp's width and height as seen from there: tangents of angles."""
    panes: tuple[int, int] = (1, 1)
    """Into how many columns and rows bars divide the lamp's or window's area."""
    glare: float = 0.0
    """How bright the lamp itself is, grey levels: its mirror image is that times the surface's reflectance."""
    shadow: float = EVEN_SHADOW
    """The part of the light that comes from the lamp: what a cast shadow takes away."""
    penumbra: float = 0.35
    """Half the width of a shadow's soft edge, per mm of height of what casts it."""
    gradient: tuple[float, float] = (-0.10, 0.03)
    """How much brighter the picture is at the board's right edge (x) and far edge (y) than at the opposite one."""
    vignetting: float = 0.10
    """How much darker the picture's corners are than its middle."""
    brightness: float = 1.0
    tint: Colour = (1.0, 1.0, 1.0)
    """The light's colour, as factors for blue, green and red."""

    noise: float = 2.0
    """Standard deviation of each pixel's noise, grey levels: the higher the gain, the more."""
    blotches: float = 0.0
    """The part of the noise that comes in coloured patches a few pixels wide, as in the dark."""
    flicker: float = 0.0015
    """Standard deviation of the brightness from frame to frame, as a part of it."""
    exposure: AutoExposure | None = None
    """None: exposure and gain are fixed."""

    @cached_property
    def direction(self) -> Point:
        """The unit vector from the board's middle towards the lamp."""
        x, y, z = self.light
        length = math.sqrt(x * x + y * y + z * z)
        return x / length, y / length, z / length

    @cached_property
    def lamp_at(self) -> Point | None:
        """Where the lamp is, board mm; None if its light is parallel."""
        if self.lamp_mm is None:
            return None
        x, y, z = (middle + self.lamp_mm * part for middle, part in zip(MIDDLE_MM, self.direction, strict=True))
        return x, y, z

    def towards(self, x: float, y: float, z: float) -> Point:
        """The unit vector from a point (board mm) towards the lamp."""
        if self.lamp_at is None:
            return self.direction
        step_x, step_y, step_z = self.lamp_at[0] - x, self.lamp_at[1] - y, self.lamp_at[2] - z
        length = math.sqrt(step_x * step_x + step_y * step_y + step_z * step_z)
        return step_x / length, step_y / length, step_z / length

    def cast(self, point: Point) -> tuple[float, float]:
        """Where on the playing surface (board mm) the shadow of a point falls."""
        x, y, z = self.towards(*point)
        return point[0] - x / z * point[2], point[1] - y / z * point[2]

    @property
    def directed(self) -> float:
        """How strongly walls and reliefs are shaded: 1 in the daylight of a window."""
        return self.shadow / EVEN_SHADOW

    @property
    def room(self) -> float:
        """How bright the lamp's shade side of things is: 1 in the daylight of a window."""
        return min(1.16, 1 + 0.8 * (EVEN_SHADOW - self.shadow))

    @property
    def gain(self) -> Colour:
        """The light's strength in blue, green and red."""
        blue, green, red = (self.brightness * part for part in self.tint)
        return blue, green, red


ILLUMINATIONS: dict[str, Illumination] = {
    "window": Illumination(),
    "lamp": Illumination(
        light=(-0.50, -0.30, 0.80),
        lamp_mm=1150.0,
        lamp_half=(0.055, 0.055),
        glare=9000.0,
        shadow=0.80,
        penumbra=0.07,
        gradient=(0.0, 0.0),
        brightness=1.04,
        tint=(0.84, 0.97, 1.06),
        noise=2.4,
    ),
    "dim": Illumination(
        light=(0.40, 0.25, 0.88),
        shadow=0.30,
        penumbra=0.55,
        gradient=(0.12, 0.06),
        vignetting=0.16,
        brightness=0.50,
        tint=(0.84, 0.96, 1.04),
        noise=5.2,
        blotches=0.45,
        flicker=0.003,
    ),
    "glare": Illumination(
        light=(-0.105, -0.489, 0.866),
        lamp_mm=1730.0,
        lamp_half=(0.13, 0.10),
        panes=(2, 1),
        glare=7000.0,
        shadow=0.55,
        penumbra=0.16,
        gradient=(0.0, 0.0),
        tint=(1.04, 1.0, 0.97),
        noise=2.0,
    ),
    "lamp-off": Illumination(
        light=(0.30, 0.35, 0.88),
        shadow=0.14,
        penumbra=0.80,
        gradient=(0.05, 0.08),
        vignetting=0.14,
        brightness=0.50,
        tint=(1.10, 1.0, 0.91),
        noise=4.5,
        blotches=0.30,
    ),
    "overcast": Illumination(
        light=(-0.35, 0.30, 0.89),
        shadow=0.20,
        penumbra=0.70,
        gradient=(-0.05, 0.03),
        brightness=0.93,
        tint=(1.07, 1.0, 0.95),
        noise=2.4,
    ),
    "evening": Illumination(
        light=(0.82, -0.16, 0.55),
        lamp_mm=1100.0,
        lamp_half=(0.07, 0.09),
        glare=8000.0,
        shadow=0.72,
        penumbra=0.12,
        gradient=(0.0, 0.0),
        vignetting=0.14,
        brightness=0.78,
        tint=(0.66, 0.90, 1.12),
        noise=3.6,
        blotches=0.15,
        flicker=0.002,
    ),
    "drifting": Illumination(tint=(1.03, 1.0, 0.98), exposure=AutoExposure()),
}
"""The first is the default. "lamp-off" is the room's light alone, what remains when the lamp is switched off."""
