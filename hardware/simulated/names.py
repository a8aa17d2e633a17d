"""Names that the command line offers; nothing heavy is imported here."""

from __future__ import annotations

STYLES = ("walnut",)
"""Looks of board and discs: keys of `hardware.simulated.drawing.styles.STYLES`; the first is the default."""
LIGHTS = ("window",)
"""Keys of `hardware.simulated.drawing.illumination.ILLUMINATIONS`; the first is the default."""
CAMERAS = ("mast",)
"""Camera placements: keys of `hardware.simulated.geometry.CAMERAS`; the first is the default."""
PHYSICS = ("simple", "mujoco")
IMPERFECTIONS = ("ideal", "static", "dynamic")
FAULT_LEVELS = ("none", "light", "heavy")
