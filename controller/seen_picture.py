"""The picture for people of what the eye has seen last."""

from __future__ import annotations

import numpy as np

from controller.eye import Eye
from controller.handling.places import ALL_PLACES, Area
from hardware.frame import Pixels
from vision.doubt import Doubt, doubts
from vision.overlay import SURE, draw_reading
from vision.reading import Content

LABELS = tuple(str(place) if place.area is Area.BOARD else "" for place in ALL_PLACES)
"""The squares' numbers; places of the tray have none."""


def seen_picture(eye: Eye) -> Pixels | None:
    """The last frame that was read with what was seen drawn on it, and why, where something could not be; None before
    the first."""
    look = eye.last
    if look is None:
        return None
    reading = look.reading
    reasons: tuple[Doubt, ...] | None = None
    if (reading.hidden | (reading.confidence < SURE)).any():
        bare = np.asarray(reading.contents == Content.EMPTY)
        reasons = doubts(look.frame.pixels, eye.view, bare=bare)
    return draw_reading(look.frame.pixels, eye.view, reading, LABELS, reasons)
