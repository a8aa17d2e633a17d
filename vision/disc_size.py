"""The size of the discs, as vision needs it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DiscSize:
    """A disc's diameter and the height that each disc adds to a stack, in mm."""

    diameter_mm: float
    height_mm: float
