"""What the table's camera draws with, as the light changes and somebody pushes the camera."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from hardware.errors import TableProgramError
from hardware.simulated.drawing.illumination import ILLUMINATIONS
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.geometry import SimulatedCamera, TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import Point

KEPT = 3
"""How many pictures are kept: a lamp that is switched off and on again costs nothing. Each takes some 60 MB."""
STRAIGHT: Point = (0.0, 0.0, 0.0)
Named = TypeVar("Named")


class CameraPictures:
    """The picture of one table under the light that is on, from where the camera is.

    `geometry.camera` is where the camera was put; the calibration knows nothing of any nudge.
    """

    def __init__(self, geometry: TableGeometry, style: str, light: str, seed: int) -> None:
        self._geometry, self._seed = geometry, seed
        self._style = _look_up(STYLES, style, "style")
        _look_up(ILLUMINATIONS, light, "light")
        self._light, self._camera = light, geometry.camera
        self._kept: OrderedDict[tuple[str, SimulatedCamera], Picture] = OrderedDict()
        self._taken = 0

    @property
    def light(self) -> str:
        """The name of the light that is on."""
        return self._light

    @property
    def picture(self) -> Picture:
        """What draws the table as the camera sees it now; a new one is slow to draw its first frame."""
        key = self._light, self._camera
        if key not in self._kept:
            geometry = replace(self._geometry, camera=self._camera)
            illumination = ILLUMINATIONS[self._light]
            self._kept[key] = Picture(geometry, self._style, illumination, self._seed, take=self._taken)
            self._taken += 1
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def set_light(self, name: str) -> None:
        """Change the light. TableProgramError if there is none of that name."""
        _look_up(ILLUMINATIONS, name, "light")
        self._light = name

    def nudge_camera(self, shift_mm: Point, turn_deg: Point) -> None:
        """Leave the camera pushed away from where it was put: on the board's axes, turned about its own."""
        straight = shift_mm == STRAIGHT and turn_deg == STRAIGHT
        camera = self._geometry.camera
        self._camera = camera if straight else camera.nudged(shift_mm, turn_deg)


def _look_up(named: Mapping[str, Named], name: str, what: str) -> Named:
    if name not in named:
        raise TableProgramError(f"There is no {what} {name!r}: there are {', '.join(named)}.")
    return named[name]
