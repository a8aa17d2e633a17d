"""Frames of one size and in colour, numbered: anything else would deceive a calibration."""

from __future__ import annotations

from hardware.cameras.video_source import Size
from hardware.errors import CameraError
from hardware.frame import SMALLER, Frame, Pixels


class FrameCheck:
    """Makes frames of a camera's pictures.

    `size` (width, height) is demanded of every one (None: that of the first), for a calibration holds for one size
    only and a picture cut or stretched to it would deceive it.
    """

    def __init__(self, name: str, size: Size | None) -> None:
        self._name = name
        self._size = size
        self._number = 0

    def fits_smaller(self, pixels: Pixels) -> bool:
        """Whether a picture is one of the demanded size that was made SMALLER, with nothing left over."""
        if self._size is None or pixels.ndim != 3:
            return False
        height, width, _ = pixels.shape
        return (width * SMALLER, height * SMALLER) == self._size

    def checked(self, pixels: Pixels, time_s: float) -> Frame:
        """The next frame. CameraError if the picture has no colours, or another size."""
        if pixels.ndim != 3 or pixels.shape[2] != 3:
            raise CameraError(f"The camera {self._name} gives no colour pictures: choose another video format.")
        size = (pixels.shape[1], pixels.shape[0])
        if self._size is None:
            self._size = size
        if size != self._size:
            raise CameraError(
                f"The camera {self._name} gives frames of {size[0]}×{size[1]}, not "
                f"{self._size[0]}×{self._size[1]}: set a size that it has, and calibrate anew."
            )
        self._number += 1
        return Frame(pixels, time_s, self._number)
