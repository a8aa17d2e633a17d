"""The permit while the arm is being calibrated: a hand guard that reckons with every way the machine may move."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import ArmPart, Calibration
from calibration.errors import CalibrationError
from controller.hand_guard import HandGuard
from hardware.clock import Clock
from hardware.frame import Camera, Frame
from hardware.gantry import Gantry
from hardware.motion import MachinePoint
from vision.silhouette import Mask

Tip = tuple[float, float, float]
Map = NDArray[np.float64]
"""(3, 4): board mm of machine mm and 1."""


class Sureness(Enum):
    """How well it is known how the machine moves; the value is by how many mm the gantry is taken to be larger."""

    GUESSED = 14.0
    ROUGH = 13.0
    """From a few short ways: some mm off at the far end of the board."""
    MEASURED = 2.0


UNSURE_MM: tuple[tuple[float, float], ...] = (
    (0.0, 0.0), (60.0, 0.0), (-60.0, 0.0), (0.0, 45.0), (0.0, -45.0), (0.0, 90.0), (0.0, -90.0),
)  # fmt: skip
"""How far from where a guessed machine would have the tip it may be: most where a board that lies turned makes the
beam seem to be elsewhere."""
EXACT_MM: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
POSSIBLE_SCALES = (0.5, 2.0)
PATIENCE_S = 120.0
"""How long something may be in the way."""
FORGETS_S = 5.0
"""Who has not asked for so long begins to wait anew."""
STEPS = 3
"""Points on each stretch of the way at which the gantry is foreseen."""


class Watch:
    """The permit of the gantry while calibrating. It refuses until `look_with` has given it a camera that is
    known.
    """

    def __init__(
        self, camera: Camera, clock: Clock, interval_s: float, max_age_s: float, confirmed: Callable[[], bool]
    ) -> None:
        """`confirmed`: whether a person has said, since the last call, that nothing is over the table."""
        self._camera, self._clock = camera, clock
        self._interval_s, self._max_age_s = interval_s, max_age_s
        self._confirmed = confirmed
        self._guard: HandGuard | None = None
        self._refused_s = self._asked_s = -math.inf
        """Since when it has been refused all the time, and when that was asked last."""

    def refusal(self) -> str | None:
        """None while nobody's hand is over the table, else the reason why nothing may move.

        Raises CalibrationError when that has been so for longer than anybody helps.
        """
        reason = "the camera has not been calibrated yet" if self._guard is None else self._guard.refusal()
        now = self._clock.now()
        if reason is None or now - self._asked_s > FORGETS_S:
            self._refused_s = now
        self._asked_s = now
        if reason is not None and now - self._refused_s > PATIENCE_S:
            self._asked_s = -math.inf
            raise CalibrationError(
                f"I have waited for {PATIENCE_S / 60:.0f} minutes and nothing may move: {reason}; begin this step "
                "again when nothing is in the way"
            )
        return reason

    @property
    def region(self) -> Mask | None:
        """The part of the picture in which a hand would be in the way; None before the camera is known."""
        return None if self._guard is None else self._guard.region

    @property
    def guard(self) -> HandGuard:
        """The hand guard that is in force."""
        if self._guard is None:
            raise RuntimeError("there is no hand guard before the camera is calibrated")
        return self._guard

    def look_with(
        self, calibration: Calibration, gantry: Gantry, reference: Frame, maps: Sequence[Map], sureness: Sureness
    ) -> None:
        """From now on foresee the gantry by these maps; `reference` shows the table with nobody there, the arm
        away.
        """
        seen = replace(calibration, arm_parts=_grown(calibration, sureness.value))
        guard = HandGuard(self._camera, self._clock, seen, self._interval_s, self._max_age_s)
        around = UNSURE_MM if sureness is Sureness.GUESSED else EXACT_MM
        guard.follow(foreseen_tips(gantry.whereabouts, maps, around))
        guard.set_reference(reference)
        guard.confirmed = self._confirmed
        self._guard = guard


def foreseen_tips(
    whereabouts: Callable[[float], tuple[MachinePoint, ...]],
    maps: Sequence[Map],
    around: Sequence[tuple[float, float]],
) -> Callable[[float], Sequence[Tip]]:
    """Where the tip may be at a time if the machine moves by any one of the maps."""

    def tips(at_s: float) -> Sequence[Tip]:
        machine = list(_points(whereabouts(at_s)))
        found = []
        for one in maps:
            for point in machine:
                x, y, z = (float(value) for value in one @ (*point, 1.0))
                found += [(x + by_x, y + by_y, z) for by_x, by_y in around]
        return found

    return tips


def _points(corners: Sequence[MachinePoint]) -> Iterable[MachinePoint]:
    yield from corners[:1]
    for start, end in pairwise(corners):
        for part in np.linspace(0, 1, STEPS + 1)[1:]:
            x, y, z = (a + float(part) * (b - a) for a, b in zip(start, end, strict=True))
            yield x, y, z


def _grown(calibration: Calibration, by_mm: float) -> tuple[ArmPart, ...]:
    return tuple(
        replace(part, lower=_moved(part.lower, -by_mm), upper=_moved(part.upper, by_mm))
        for part in calibration.arm_parts
    )


def _moved(corner: Tip, by_mm: float) -> Tip:
    return corner[0] + by_mm, corner[1] + by_mm, corner[2] + by_mm


def map_of(calibration: Calibration) -> Map:
    """The map from machine to board that a calibration has."""
    matrix = np.asarray(calibration.arm.matrix)
    turn = np.linalg.inv(matrix[:, :3])
    return np.column_stack([turn, -turn @ matrix[:, 3]])


def possible_maps(nominal: Map, travel_mm: MachinePoint) -> list[Map]:
    """How a machine may move that may have been put together wrongly: as it should, mirrored, swapped, mis-scaled."""
    maps = [nominal]
    for axis in range(2):
        mirrored = nominal.copy()
        mirrored[:, 3] = nominal[:, 3] - nominal[:, axis] * travel_mm[axis]
        mirrored[:, axis] = -nominal[:, axis]
        maps.append(mirrored)
        for scale in POSSIBLE_SCALES:
            scaled = nominal.copy()
            scaled[:, axis] *= scale
            maps.append(scaled)
    maps.append(nominal[:, [1, 0, 2, 3]])
    return maps
