"""Discs as the simulated table has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class DiscColour(Enum):
    """The two colours of a set."""

    DARK = "dark"
    LIGHT = "light"


class Face(Enum):
    """Which face of a disc is up."""

    PLAIN = "plain"
    CROWN = "crown"
    """The one with the crown, of a set that has kings shown by turning discs over."""


@dataclass(frozen=True)
class Disc:
    """One disc: its centre (x, y) and the height z of its underside above the playing surface, board mm.

    For a disc that leans, (x, y) is the middle of its body, z that of the underside's middle, and `lean` the x and y
    of its axis's unit vector, which points upwards. No physics knows of faces: `hardware.simulated.faces` does.
    """

    id: int
    colour: DiscColour
    x: float
    y: float
    z: float
    lean: tuple[float, float] = (0.0, 0.0)
    face: Face = Face.PLAIN


@dataclass(frozen=True)
class Stack:
    """Discs that lie on one another: the lowest one's centre (x, y), board mm, and the colours from below."""

    x: float
    y: float
    colours: tuple[DiscColour, ...]
    ids: tuple[int, ...]
