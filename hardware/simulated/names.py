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
FIRMWARES = ("grbl", "marlin")
IMPERFECTIONS = ("ideal", "static", "dynamic")
IMPERFECTION_NUMBERS = {
    "board_shift_x_mm": (-20.0, 20.0),
    "board_shift_y_mm": (-20.0, 20.0),
    "board_turn_deg": (-5.0, 5.0),
    "gripper_offset_x_mm": (-20.0, 20.0),
    "gripper_offset_y_mm": (-20.0, 20.0),
    "grip_fails": (0.0, 1.0),
    "drops": (0.0, 1.0),
    "placement_noise_mm": (0.0, 20.0),
}
"""What makes up an imperfection (see `hardware.simulated.imperfection`), with the range of each number."""
FAULT_LEVELS = ("none", "light", "heavy")
