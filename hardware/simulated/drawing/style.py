"""How the simulated table looks: colours, light and the camera's noise."""

from __future__ import annotations

from dataclasses import dataclass

Colour = tuple[float, float, float]
"""Blue, green, red, 0–255, as the camera shows the material fully lit."""


@dataclass(frozen=True)
class Style:
    """The looks of a table, its light and its camera. Lengths in mm."""

    light_squares: Colour = (138, 186, 214)
    dark_squares: Colour = (56, 82, 121)
    frame: Colour = (40, 60, 96)
    frame_line: Colour = (105, 155, 190)
    table: Colour = (118, 122, 122)
    tray: Colour = (74, 92, 72)
    tray_marks: float = 0.10
    """How much the rings that mark the tray places stand out of the felt; 0 leaves them out."""
    dark_discs: Colour = (31, 36, 47)
    light_discs: Colour = (158, 202, 224)
    skin: tuple[Colour, ...] = ((128, 158, 212), (104, 138, 194), (78, 108, 164), (60, 84, 128), (44, 62, 94))
    """Tones that the human's hand is chosen from, by seed."""
    sleeves: tuple[Colour, ...] = ((112, 84, 58), (70, 72, 78), (66, 92, 66), (58, 54, 116))
    accent: Colour = (34, 92, 214)
    """A band of colour on the machine's covers."""
    tool: Colour = (128, 126, 122)
    metal: Colour = (184, 180, 176)
    painted_metal: Colour = (62, 60, 58)
    rubber: Colour = (40, 40, 46)

    light: tuple[float, float, float] = (-0.52, 0.16, 0.84)
    """Direction towards the lamp or window, board frame; its length does not matter."""
    shadow: float = 0.50
    """The part of the light that comes from the lamp: what a cast shadow takes away."""
    penumbra: float = 0.35
    """Half the width of a shadow's soft edge, per mm of height of what casts it."""
    gradient: tuple[float, float] = (-0.10, 0.03)
    """How much brighter the picture is at the board's right edge (x) and far edge (y) than at the opposite one."""
    vignetting: float = 0.10
    """How much darker the picture's corners are than its middle."""

    noise: float = 2.0
    """Standard deviation of each pixel's noise, grey levels."""
    flicker: float = 0.0015
    """Standard deviation of the brightness from frame to frame, as a part of it."""
