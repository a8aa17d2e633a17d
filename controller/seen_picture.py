"""The picture for people of what the eye has seen last."""

from __future__ import annotations

from controller.eye import Eye
from controller.handling.places import ALL_PLACES, Area
from hardware.frame import Pixels
from vision.seen_overlay import draw_seen

LABELS = tuple(str(place) if place.area is Area.BOARD else "" for place in ALL_PLACES)
"""The squares' numbers; places of the tray have none."""


def seen_picture(eye: Eye) -> Pixels | None:
    """The last frame that was read with what was seen drawn on it; None before the first."""
    look = eye.last
    return None if look is None else draw_seen(look.frame.pixels, eye.view, look.reading, LABELS)
