"""Exposure that follows what the camera sees, under a light that waxes and wanes."""

from __future__ import annotations

import math

import numpy as np

from hardware.simulated.drawing.illumination import AutoExposure

DARKEST, BRIGHTEST = 0.55, 1.8
"""How far the exposure can be turned down and up."""
WAVES = ((1.0, 0.6), (0.53, 0.4))
"""Periods of the slow waves that the clouds are made of, as parts of theirs, and their strengths."""


class ExposureControl:
    """A state machine on the frames' times: the clouds' light, and the gain with which the camera answers it."""

    def __init__(self, settings: AutoExposure, seed: int) -> None:
        self._settings = settings
        self._phases = [
            float(phase) for phase in np.random.default_rng((seed, 43)).uniform(0, 2 * math.pi, len(WAVES))
        ]
        self._gain: float | None = None
        self._time = 0.0

    def factor(self, time_s: float, level: float) -> float:
        """By how much a frame at `time_s`, whose mean grey level in even light at gain 1 is `level`, is brighter."""
        light = 1 + self._settings.clouds * sum(
            strength * math.sin(2 * math.pi * time_s / (period * self._settings.clouds_s) + phase)
            for (period, strength), phase in zip(WAVES, self._phases, strict=True)
        )
        ideal = (self._settings.level / max(level * light, 1.0)) ** self._settings.share
        ideal = min(max(ideal, DARKEST), BRIGHTEST)
        if self._gain is None:
            self._gain = ideal
        else:
            elapsed = max(time_s - self._time, 0.0)
            self._gain += (ideal - self._gain) * (1 - math.exp(-elapsed / self._settings.seconds))
        self._time = time_s
        return light * self._gain
