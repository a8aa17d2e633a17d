"""How the simulated table looks, whatever the light: its board, discs, tray and machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Colour = tuple[float, float, float]
"""Blue, green, red, 0–255, as the camera shows the material fully lit."""


@dataclass(frozen=True)
class Finish:
    """How a surface mirrors the lamp.

    reflectance: the part of the light that is mirrored when looked at from straight above; 0 mirrors nothing.
    roughness: how far that light is spread, radians. waviness: by how much the surface's tilt varies, radians.
    """

    reflectance: float
    roughness: float
    waviness: float = 0.003


MATT = Finish(0.012, 0.30)
CARD = Finish(0.030, 0.14, 0.006)
VINYL = Finish(0.035, 0.11, 0.012)
OILED = Finish(0.030, 0.13, 0.004)
SATIN = Finish(0.035, 0.075, 0.004)
VARNISH = Finish(0.045, 0.028, 0.004)
POLISH = Finish(0.055, 0.012, 0.0012)
PLASTIC = Finish(0.040, 0.045, 0.010)


class Surface(Enum):
    """What squares, frame or table top are made of."""

    WOOD = "wood"
    PLAIN = "plain"
    """Paint, laminate or plastic of one colour."""
    VINYL = "vinyl"
    """Embossed plastic sheet."""
    CARDBOARD = "cardboard"
    """Printed paper on board, folded in the middle."""
    STONE = "stone"
    """Polished, with veins."""
    CLOTH = "cloth"


class DiscFace(Enum):
    """The relief of a disc's top."""

    GROOVED = "grooved"
    FLAT = "flat"
    RIDGED = "ridged"
    """Concentric rings from rim to middle."""
    DISHED = "dished"
    """A wide raised rim around a hollow."""
    CROWNED = "crowned"
    """A crown embossed within a milled rim."""


class Print(Enum):
    """What is printed on the board besides its squares."""

    NOTHING = "nothing"
    NUMBERS = "numbers"
    """1 to 32 in a corner of the squares that are played on."""
    COORDINATES = "coordinates"
    """Letters and numbers along the frame."""


@dataclass(frozen=True)
class Style:
    """The looks of a table. Lengths in mm; the defaults are walnut and maple.

    The dark squares are those that are played on, also where a set has it the other way round and they are the paler
    ones. Dark discs are Black's.
    """

    light_squares: Colour = (138, 186, 214)
    dark_squares: Colour = (56, 82, 121)
    squares: Surface = Surface.WOOD
    square_grain: tuple[float, float] = (0.13, 0.20)
    """Contrast of the light and the dark squares' grain, veins or mottling."""
    joint: float = 0.28
    """How dark the line is where two squares meet."""
    board_finish: Finish = SATIN
    wear: float = 0.0
    """How scuffed the squares' middles and the board's edges are; 1 is very."""
    printing: Print = Print.NOTHING
    logo: bool = False
    """A crown in a ring on the frame's middles."""

    frame: Colour = (40, 60, 96)
    frame_surface: Surface = Surface.WOOD
    frame_line: Colour = (105, 155, 190)
    """An inlaid line round the playing area; the same colour as the frame leaves it out."""
    frame_mm: float | None = None
    """The frame's width; None is the geometry's, 0 a board without one."""
    rim_mm: float = 0.0
    """How far the frame stands above the playing surface."""

    table: Colour = (118, 122, 122)
    table_surface: Surface = Surface.WOOD
    table_grain: float = 0.16
    table_finish: Finish = OILED

    tray: Colour = (74, 92, 72)
    tray_marks: float = 0.10
    """How much the rings that mark the tray places stand out of the felt; 0 leaves them out."""

    dark_discs: Colour = (31, 36, 47)
    light_discs: Colour = (158, 202, 224)
    disc_face: DiscFace = DiscFace.GROOVED
    disc_grain: tuple[float, float] = (1.0, 1.3)
    """Strength of the wood grain on light and on dark discs; 0 is plastic."""
    disc_finish: Finish = SATIN
    crown_print: Colour | None = None
    """The colour of the crown printed on the discs' other face, in a set whose kings are turned; None: embossed."""

    accent: Colour = (34, 92, 214)
    """A band of colour on the machine's covers."""
    tool: Colour = (128, 126, 122)
    metal: Colour = (184, 180, 176)
    painted_metal: Colour = (62, 60, 58)
    rubber: Colour = (40, 40, 46)
