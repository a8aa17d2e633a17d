"""Names that the command line offers; nothing heavy is imported here."""

from __future__ import annotations

STYLES = (
    "walnut",
    "red-black",
    "green-buff",
    "black-on-black",
    "mahogany",
    "cardboard",
    "marble",
    "club-blue",
    "roll-up",
    "light-squares",
    "pine",
    "heirloom",
)
"""Looks of board and discs: keys of `hardware.simulated.drawing.styles.STYLES`; the first is the default."""
LIGHTS = ("window", "lamp", "dim", "glare", "lamp-off", "overcast", "evening", "drifting")
"""Keys of `hardware.simulated.drawing.illumination.ILLUMINATIONS`; the first is the default."""
CAMERAS = ("mast", "low", "side", "overhead", "wide", "full-hd")
"""Camera placements: keys of `hardware.simulated.geometry.CAMERAS`; the first is the default."""
PHYSICS = ("simple", "mujoco")
IMPERFECTIONS = ("ideal", "static", "dynamic")
FAULT_LEVELS = ("none", "light", "heavy")
