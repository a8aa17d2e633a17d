"""Pictures of random positions on the simulated table, with the truth about every disc: help for vision's tests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from calibration.known_geometry import calibration_of
from hardware.simulated.discs import Disc, DiscColour
from hardware.simulated.drawing.illumination import Illumination
from hardware.simulated.drawing.style import Style
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene
from vision.reading import Content
from vision.view import View

GEOMETRY = TableGeometry()
CALIBRATION = calibration_of(GEOMETRY, datetime(2026, 1, 1))
DISC_MM = GEOMETRY.disc_height_mm


def _squares() -> list[tuple[float, float]]:
    centres = []
    for index in range(32):
        row, column = divmod(index, 4)
        centres.append((40.0 * (2 * column + 1 - row % 2) + 20.0, 40.0 * (7 - row) + 20.0))
    return centres


PLACES = np.array([*_squares(), *GEOMETRY.tray_mm])
VIEW = View(CALIBRATION.camera, PLACES, GEOMETRY.square_mm, CALIBRATION.disc)

START = np.zeros(64, dtype=np.int64)
START[:12] = START[48:50] = Content.DARK_MAN
START[20:32] = START[32:34] = Content.LIGHT_MAN


@dataclass(frozen=True, eq=False)
class Truth:
    """What lies on the table: contents (N,), the centres of lowest and topmost discs minus the places' (N, 2), mm."""

    contents: NDArray[np.int64]
    bases_mm: NDArray[np.float64]
    tops_mm: NDArray[np.float64]
    discs: tuple[Disc, ...]


def lay(contents: NDArray[np.int64], random: np.random.Generator, off_mm: float, lean_mm: float = 0.0) -> Truth:
    """Discs as `contents` (N,) says, each up to `off_mm` off its place, upper ones up to `lean_mm` off lower ones."""
    bases, tops = np.full((2, len(contents), 2), np.nan)
    numbers = iter(random.permutation(200))
    discs: list[Disc] = []
    for place in np.flatnonzero(contents):
        for _ in range(500):
            offset = _within(random, off_mm)
            x, y = PLACES[place] + offset
            if all(np.hypot(x - disc.x, y - disc.y) > 30.3 for disc in discs):
                break
        else:
            raise AssertionError("the discs do not fit")
        bases[place] = tops[place] = offset
        colour = DiscColour.DARK if contents[place] <= Content.DARK_KING else DiscColour.LIGHT
        discs.append(Disc(int(next(numbers)), colour, float(x), float(y), 0.0))
        if contents[place] in (Content.DARK_KING, Content.LIGHT_KING):
            tops[place] = offset + _within(random, lean_mm)
            x, y = PLACES[place] + tops[place]
            discs.append(Disc(int(next(numbers)), colour, float(x), float(y), DISC_MM))
    return Truth(contents, bases, tops, tuple(discs))


def random_contents(random: np.random.Generator) -> NDArray[np.int64]:
    """One to twelve discs or stacks a colour on the squares, up to nine discs a colour in the tray."""
    contents = np.zeros(64, dtype=np.int64)
    squares = list(random.permutation(32))
    for man, first_tray in ((Content.DARK_MAN, 48), (Content.LIGHT_MAN, 32)):
        for _ in range(random.integers(1, 13)):
            contents[squares.pop()] = man + int(random.random() < 0.4)
        contents[first_tray + random.permutation(16)[: random.integers(0, 10)]] = man
    return contents


def draw(
    picture: Picture,
    truth: Truth,
    tip_mm: tuple[float, float, float] | None = None,
    hand: HandPose | None = None,
) -> NDArray[np.uint8]:
    """A fresh picture of it."""
    return picture.draw(Scene(truth.discs, tip_mm=tip_mm, hand=hand))


def picture_of(style: Style | None = None, seed: int = 0, illumination: Illumination | None = None) -> Picture:
    """What draws the reference table."""
    return Picture(GEOMETRY, style or Style(), illumination or Illumination(), seed)


def _within(random: np.random.Generator, radius_mm: float) -> NDArray[np.float64]:
    angle, radius = random.uniform(0, 2 * np.pi), radius_mm * np.sqrt(random.random())
    return radius * np.array([np.cos(angle), np.sin(angle)])
