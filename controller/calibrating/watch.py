"""The permit while the arm is being calibrated: a hand guard that reckons with every way the machine may move."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import ArmPart, Calibration
from calibration.errors import CalibrationError
from controller.hand_guard import HandGuard, TipsAt
from hardware.clock import Clock
from hardware.errors import CameraError
from hardware.frame import Camera, Frame
from hardware.gantry import Gantry
from hardware.gantry_limits import GantryState
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
        self._camera, self._clock = _OneFrame(camera), clock
        self._interval_s, self._max_age_s = interval_s, max_age_s
        self._confirmed = confirmed
        self._guards: list[HandGuard] = []
        """One for each way in which the machine may move."""
        self._at_rest: HandGuard | None = None
        """While it is a guess how the machine moves: compares with how all looked when the machine came to rest."""
        self._rests = False
        self._gantry: Gantry | None = None
        self._refused_s = self._asked_s = -math.inf
        """Since when it has been refused all the time, and when that was asked last."""

    def refusal(self) -> str | None:
        """None while nobody's hand is over the table, else the reason why nothing may move.

        Raises CalibrationError when that has been so for longer than anybody helps.
        """
        reason = self._reason()
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

    def _reason(self) -> str | None:
        """Nothing is in the way if all that is seen is where one of the possible machines has its parts."""
        if not self._guards:
            return "the camera has not been calibrated yet"
        reason: str | None = None
        self._camera.renew()
        if self._gantry is not None and self._gantry.state in (GantryState.MOVING, GantryState.HOMING):
            self._rests = False
        if self._at_rest is not None and self._rests and (reason := self._at_rest.refusal()) is not None:
            return reason
        for guard in tuple(self._guards):
            refused = guard.refusal()
            if refused is None:
                # The machine that explained the last look most likely explains the next.
                self._guards.remove(guard)
                self._guards.insert(0, guard)
                return None
            reason = reason or refused
        return reason

    def rested(self) -> None:
        """To be told when the machine has come to rest: what comes into the picture from now on is not the machine.

        As long as it is a guess how it moves, so much of the picture may be the machine that a hand would hardly be
        noticed; so no motion begins before all looks as it did at the end of the one before, a disc more or less.
        """
        if self._at_rest is not None:
            self._camera.renew()
            with suppress(CameraError):  # Without a picture there is no permit either.
                self._at_rest.set_reference(self._camera.frame())
                self._rests = True

    def expect_work_at(self, centres: Sequence[tuple[float, float]]) -> None:
        """Discs come and go at these points (board mm) until told otherwise."""
        for guard in (*self._guards, *([self._at_rest] if self._at_rest else [])):
            guard.expect_work_at(centres)

    @property
    def region(self) -> Mask | None:
        """The part of the picture in which a hand would be in the way; None before the camera is known."""
        return self._guards[0].region if self._guards else None

    @property
    def guard(self) -> HandGuard:
        """The hand guard that is in force."""
        if not self._guards:
            raise RuntimeError("there is no hand guard before the camera is calibrated")
        return self._guards[0]

    def look_with(
        self, calibration: Calibration, gantry: Gantry, reference: Frame, maps: Sequence[Map], sureness: Sureness
    ) -> None:
        """From now on foresee the gantry by these maps; `reference` shows the table with nobody there, the arm
        away.
        """
        seen = replace(calibration, arm_parts=_grown(calibration, sureness.value))
        around = UNSURE_MM if sureness is Sureness.GUESSED else EXACT_MM
        self._gantry = gantry
        self._guards = [self._guard_of(seen, foreseen_tips(gantry.whereabouts, one, around)) for one in maps]
        self._at_rest = self._guard_of(seen, lambda _: ()) if sureness is Sureness.GUESSED else None
        for guard in (*self._guards, *([self._at_rest] if self._at_rest else [])):
            guard.set_reference(reference)
        self._rests = True

    def _guard_of(self, calibration: Calibration, tips: TipsAt) -> HandGuard:
        guard = HandGuard(self._camera, self._clock, calibration, self._interval_s, self._max_age_s)
        guard.follow(tips)
        guard.confirmed = self._confirmed
        return guard


class _OneFrame:
    """A camera that gives all who look the same frame, until it is to take another."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._taken: Frame | None = None

    def renew(self) -> None:
        """The next look is at a fresh frame."""
        self._taken = None

    def frame(self) -> Frame:
        """The frame of this look."""
        if self._taken is None:
            self._taken = self._camera.frame()
        return self._taken

    def close(self) -> None:
        """The camera is another's."""


def foreseen_tips(
    whereabouts: Callable[[float], tuple[MachinePoint, ...]], to_board: Map, around: Sequence[tuple[float, float]]
) -> Callable[[float], Sequence[Tip]]:
    """Where the tip may be at a time if the machine moves by a map, so far around where that has it."""

    def tips(at_s: float) -> Sequence[Tip]:
        found = []
        for point in _points(whereabouts(at_s)):
            x, y, z = (float(value) for value in to_board @ (*point, 1.0))
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
