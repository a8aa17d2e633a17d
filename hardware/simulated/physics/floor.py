"""What discs can lie on besides one another: the board, the tray, and the table around them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hardware.simulated.geometry import TableGeometry


@dataclass(frozen=True)
class Slab:
    """A level block that stands out of the table: opposite corners in x and y, and the height of its top, mm."""

    lower: tuple[float, float]
    upper: tuple[float, float]
    top_mm: float

    def is_under(self, x: float, y: float, radius_mm: float) -> bool:
        """Whether a disc of this radius over (x, y) reaches over the block."""
        beside = (max(low - at, at - high, 0.0) for at, low, high in zip((x, y), self.lower, self.upper, strict=True))
        return math.hypot(*beside) < radius_mm


@dataclass(frozen=True)
class Floor:
    """A table top without end, `base_mm` high in the board frame, and the blocks that stand out of it."""

    base_mm: float
    slabs: tuple[Slab, ...] = ()

    @property
    def highest_mm(self) -> float:
        """The height of its highest part, mm."""
        return max((slab.top_mm for slab in self.slabs), default=self.base_mm)

    def height(self, x: float, y: float, radius_mm: float = 0.0) -> float:
        """The height (mm) of the highest that a disc of this radius meets when it comes down at (x, y)."""
        return max((slab.top_mm for slab in self.slabs if slab.is_under(x, y, radius_mm)), default=self.base_mm)


def floor_of(geometry: TableGeometry) -> Floor:
    """Board and table level with each other; or a board that stands on the table; or a tray that does."""
    tray = geometry.tray_height_mm
    if tray < 0:
        side = 8 * geometry.square_mm + geometry.border_mm
        return Floor(tray, (Slab((-geometry.border_mm,) * 2, (side, side), 0.0),))
    if tray == 0:
        return Floor(0.0)
    half = geometry.square_mm / 2
    sides = (
        [(x, y) for x, y in geometry.tray_mm if x < 4 * geometry.square_mm],
        [(x, y) for x, y in geometry.tray_mm if x >= 4 * geometry.square_mm],
    )
    return Floor(0.0, tuple(_slab_under(places, half, tray) for places in sides if places))


def _slab_under(places: list[tuple[float, float]], half: float, top_mm: float) -> Slab:
    xs, ys = zip(*places, strict=True)
    return Slab((min(xs) - half, min(ys) - half), (max(xs) + half, max(ys) + half), top_mm)
