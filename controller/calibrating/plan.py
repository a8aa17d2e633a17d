"""What is asked of a calibration, and what a step of it hands over."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.camera_pose import HumanSide
from calibration.draft import REFERENCE_DISC, Draft
from calibration.reference_build import SQUARE_MM
from vision.disc_size import DiscSize

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class CalibrationOrder:
    """How to calibrate.

    square_mm: the squares' size if the user states it. corners: the board's four outer corners (px) if a person has
    pointed them out. sheet: whether the printed sheet is at hand. disc: what the discs are thought to be like.
    lifts_stack: whether the gripper is jaws, which centre what they take. by: who makes it, for the file.
    """

    square_mm: float | None = None
    human: HumanSide = HumanSide.TOP
    corners: tuple[tuple[float, float], ...] | None = None
    sheet: bool = False
    disc: DiscSize = REFERENCE_DISC
    lifts_stack: bool = False
    seed: int = 1
    by: str = "crownhead calibrate"

    @property
    def believed_square_mm(self) -> float:
        """The size to begin with."""
        return self.square_mm or SQUARE_MM


@dataclass(frozen=True, eq=False)
class Found:
    """What a step has found: the draft with it, in words, in figures, and as a picture."""

    draft: Draft
    words: tuple[str, ...]
    figures: dict[str, float] = field(default_factory=dict)
    picture: Pixels | None = None
