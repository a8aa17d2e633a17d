"""Settling a Linux video device, and keeping what it has found although not every camera tells it truly.

Some webcams answer with the default, not with the exposure that they use: then the picture's brightness changes the
moment the exposure is kept, and it is corrected until the picture is as bright as before.
"""

from __future__ import annotations

import logging

from hardware.cameras.capture import Capture
from hardware.cameras.picture_lock import PictureLock, brightness
from hardware.cameras.v4l2_controls import AUTOMATICS, EXPOSURE, V4l2Controls
from hardware.clock import Clock

SAME_LEVELS = 12.0
"""Two pictures are as bright as each other when their medians differ by no more (of 255)."""
ROUNDS = 6
"""How often the exposure is corrected before it is left to the camera."""
_TAKES_EFFECT = 4
"""Pictures until one has been exposed as was asked."""
_LARGEST_STEP = 4.0
_GAMMA = 1.8
"""A picture's values grow more slowly than its light: roughly as its 1/1.8th power."""

_log = logging.getLogger(__name__)


def lock_picture(capture: Capture, controls: V4l2Controls, lock: PictureLock, clock: Clock) -> None:
    """Let the running camera settle, or take what it has settled before, and keep that.

    A camera that stops giving pictures meanwhile is left as it is.
    """
    if lock.kept is not None:
        controls.keep(lock.kept)
        return
    controls.settle()
    until = clock.now() + lock.settle_s
    while capture.grab() and clock.now() < until:
        pass
    wanted = _brightness_of(capture)
    lock.kept = found = dict(controls.found())
    controls.keep(found)
    exposure = AUTOMATICS[0]
    if wanted is None or exposure not in found:
        return
    for _ in range(ROUNDS):
        now = _next_brightness(capture)
        if now is None or abs(now - wanted) <= SAME_LEVELS:
            return
        factor = ((wanted + 1) / (now + 1)) ** _GAMMA
        found[exposure] = max(1, round(found[exposure] * min(max(factor, 1 / _LARGEST_STEP), _LARGEST_STEP)))
        controls.set(EXPOSURE, found[exposure])
    now = _next_brightness(capture)
    if now is not None and abs(now - wanted) > SAME_LEVELS:
        _log.warning("the camera's exposure cannot be kept: it is left to the camera")
        del found[exposure]
        any(controls.set(exposure.switch, value) for value in exposure.automatic)


def _next_brightness(capture: Capture) -> float | None:
    for _ in range(_TAKES_EFFECT):
        if not capture.grab():
            return None
    return _brightness_of(capture)


def _brightness_of(capture: Capture) -> float | None:
    pixels = capture.retrieve()
    return None if pixels is None or pixels.ndim != 3 else brightness(pixels)
