"""How a table looks: its bare surface pixel by pixel, and the faces and walls of its discs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.adaptation import Adaptation
from vision.bare_surface import BareSurface
from vision.colour import Colour
from vision.crown_face import CrownFaces
from vision.view import Flags, Floats, View


@dataclass(frozen=True, eq=False)
class DiscLook:
    """How discs of one colour look where the light is as at the field's 1."""

    face: Colour
    wall: Colour
    tones: NDArray[np.float64]
    """(N,) log brightness of the disc last seen at each place, relative to the mean of its colour."""
    tone_weights: NDArray[np.float64]
    """(N,) how much each of the tones counts; 0 where no disc of the colour has been seen."""
    growth_mm: float = 0.0
    """How much larger in radius than they are the discs appear."""
    king_bias: float = 72.0
    """How much better (log likelihood · mm²) a king must fit than a man, having more ways to fit, to be as likely."""

    def field(self, view: View) -> Floats:
        """(height, width) of the ground image: how brightly a disc lying there is lit, from the tones seen nearby."""
        width, height = view.ground_size
        step = max(1, round(10 * view.scale))
        columns, rows = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
        points = np.column_stack([columns.ravel(), rows.ravel()]) / view.scale + view.origin_mm
        away = np.linalg.norm(points[:, None, :] - view.places_mm[None, :, :], axis=2)
        near = np.exp(-0.5 * (away / (2.0 * view.square_mm)) ** 2) * self.tone_weights
        tone = (near * self.tones).sum(axis=1) / (near.sum(axis=1) + 0.5)
        field = np.exp(tone).reshape(columns.shape).astype(np.float32)
        full = (columns.shape[1] * step, columns.shape[0] * step)
        shift = np.array([[1, 0, step / 2], [0, 1, step / 2]], np.float32)
        grown = cv2.resize(field, full, interpolation=cv2.INTER_LINEAR)
        # cv2.resize puts sample i at pixel (i + ½)·step; ours lie at i·step
        grown = cv2.warpAffine(grown, shift, full, flags=cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
        return np.ascontiguousarray(grown[:height, :width], dtype=np.float32)


@dataclass(frozen=True, eq=False)
class GroundLook:
    """A ground image of the bare table, and how discs on it are lit.

    surface: (height, width, 3), BGR, 1 = white. deviation: (height, width) its standard deviation: small where the
    bare surface has been seen, as large as the material's where it has been concluded from its surroundings. seen:
    (height, width). fields: (2, height, width) how brightly dark and light discs are lit.
    """

    surface: Floats
    deviation: Floats
    seen: Flags
    fields: Floats

    @cached_property
    def bare(self) -> BareSurface:
        """The surface, prepared for comparing pictures with it."""
        return BareSurface.of(self.surface, self.deviation)

    @cached_property
    def even_light(self) -> tuple[Floats, Floats]:
        """(height, width, 3) each: what takes the light off dark and off light discs, by multiplication."""
        dark, light = (np.asarray(cv2.merge([1 / field] * 3), dtype=np.float32) for field in self.fields)
        return dark, light


@dataclass(frozen=True, eq=False)
class TableLook:
    """What a table looks like in one view, pixel by pixel.

    references: (M, 3) the median colour of each reference square. coarse, fine: the ground images of `View.coarse`
    and of the view itself. dark, light: the discs.
    """

    references: Floats
    coarse: GroundLook
    fine: GroundLook
    dark: DiscLook
    light: DiscLook


@dataclass(frozen=True, eq=False)
class Appearance:
    """What has been learnt of a table by `vision.reader.learn`.

    squares: what the square network has been told about the board. look: how everything looks, pixel by pixel.
    faces: what men's and kings' faces look like, in a set whose kings are told by them; None where they are told by
    their height.
    """

    squares: Adaptation
    look: TableLook
    faces: CrownFaces | None = None
