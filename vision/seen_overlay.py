"""The one picture for people, with the reasons of what could not be seen well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.doubt import Doubt, doubts
from vision.ink import Pixels
from vision.overlay import SURE, draw_reading
from vision.reading import Content, Reading
from vision.view import View


def draw_seen(pixels: Pixels, view: View, reading: Reading, labels: Sequence[str] | None = None) -> Pixels:
    """What vision.overlay.draw_reading draws; on places that are hidden or doubtful, why they are, if that is known.

    labels: (N,) what is written small in each place's corner.
    """
    reasons: tuple[Doubt, ...] | None = None
    if (reading.hidden | (reading.confidence < SURE)).any():
        told = doubts(pixels, view, bare=np.asarray(reading.contents == Content.EMPTY))
        # A hand may well throw a shadow and be dark, but that is not why squares below it cannot be read.
        reasons = tuple(
            Doubt.HIDDEN if hidden and doubt is not Doubt.OUT_OF_PICTURE else doubt
            for hidden, doubt in zip(reading.hidden, told, strict=True)
        )
    return draw_reading(pixels, view, reading, labels, reasons)
