"""How near a gripper has to come to a disc to take hold of it, in every physics."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.simulated.physics.interface import GripperKind


@dataclass(frozen=True)
class Reach:
    """How far the tip may be off the disc's middle, and how far above its top, mm."""

    within_mm: float
    above_mm: float


REACHES = {
    GripperKind.SUCTION: Reach(within_mm=9.0, above_mm=0.8),
    GripperKind.MAGNET: Reach(within_mm=12.0, above_mm=2.0),
    GripperKind.JAWS: Reach(within_mm=5.0, above_mm=2.0),
}
"""A suction cup seals only where the disc closes it all round; open jaws go around a disc that is near the middle."""
