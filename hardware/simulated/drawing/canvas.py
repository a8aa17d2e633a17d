"""A picture in the making that knows which part of it has been drawn upon."""

from __future__ import annotations

from hardware.simulated.drawing.view import Floats, Window


class Canvas:
    """Pixels (height, width, 3), grey levels; `dirty` is the smallest window that holds all that was drawn."""

    def __init__(self, pixels: Floats) -> None:
        self.pixels = pixels
        self.dirty: Window | None = None

    def part(self, window: Window) -> Floats:
        """The pixels of a window, to draw upon."""
        if not window.empty:
            self.dirty = window if self.dirty is None else self.dirty.joined(window)
        return self.pixels[window.slices]
