"""Exposure, white balance and focus: settled once, kept, and settled anew only in quite another light."""

from __future__ import annotations

import errno
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hardware.cameras.device_lock import SAME_LEVELS, lock_picture
from hardware.cameras.picture_lock import SETTLE_AGAIN_S, PictureLock
from hardware.cameras.v4l2_controls import (
    AUTO_EXPOSURE,
    AUTO_FOCUS,
    AUTO_GAIN,
    AUTO_WHITE_BALANCE,
    AUTOMATICS,
    EXPOSURE,
    EXPOSURE_MAY_SLOW_FRAMES,
    FOCUS,
    GAIN,
    GET,
    SET,
    WHITE_BALANCE_K,
    V4l2Controls,
)
from hardware.clock import VirtualClock


class Webcam:
    """A video device with some controls; its picture is as bright as its exposure makes it.

    `tells`: whether it says truly what exposure it uses; else it says its default. `obeys`: whether a manual exposure
    changes anything.
    """

    def __init__(self, clock: VirtualClock, tells: bool = True, obeys: bool = True) -> None:
        self.values = {
            AUTO_EXPOSURE: 3,
            EXPOSURE: 250,
            AUTO_WHITE_BALANCE: 1,
            WHITE_BALANCE_K: 4600,
            AUTO_FOCUS: 1,
            FOCUS: 30,
            EXPOSURE_MAY_SLOW_FRAMES: 1,
        }
        self.refuses = {(AUTO_EXPOSURE, 0), (AUTO_EXPOSURE, 2)}
        self.automatic_exposure = 160
        self.tells, self.obeys = tells, obeys
        self.clock = clock
        self.grabs = 0
        self.alive = True

    def ioctl(self, descriptor: int, request: int, argument: bytes) -> bytes:
        control = int.from_bytes(argument[:4], "little")
        value = int.from_bytes(argument[4:], "little", signed=True)
        if control not in self.values or ((control, value) in self.refuses and request == SET):
            raise OSError(errno.EINVAL, "Invalid argument")
        if request == SET:
            self.values[control] = value
        elif self.values[AUTO_EXPOSURE] == 3 and control == EXPOSURE and self.tells:
            value = self.automatic_exposure
        else:
            value = self.values[control]
        assert request in (GET, SET)
        return argument[:4] + value.to_bytes(4, "little", signed=True)

    @property
    def exposure(self) -> int:
        automatic = self.values[AUTO_EXPOSURE] == 3 or not self.obeys
        return self.automatic_exposure if automatic else self.values[EXPOSURE]

    @property
    def level(self) -> float:
        return min(255.0, 110 * (self.exposure / 160) ** (1 / 2.2))

    # The capture.

    queues = True

    def grab(self) -> bool:
        self.clock.sleep(1 / 30)
        self.grabs += 1
        return self.alive

    def age_s(self) -> float | None:
        return None

    def retrieve(self) -> Any:
        return np.full((48, 64, 3), round(self.level), np.uint8) if self.alive else None

    def release(self) -> None: ...


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def locked(webcam: Webcam, lock: PictureLock) -> None:
    """Have the webcam settle and be kept."""
    controls = V4l2Controls(os.devnull, webcam.ioctl)
    lock_picture(webcam, controls, lock, webcam.clock)
    controls.close()


def test_the_requests_are_those_of_the_kernel() -> None:
    # linux/videodev2.h: VIDIOC_G_CTRL and VIDIOC_S_CTRL on a 64-bit machine.
    assert (GET, SET) == (0xC008561B, 0xC008561C)
    assert (AUTO_EXPOSURE, EXPOSURE, FOCUS, AUTO_FOCUS) == (0x009A0901, 0x009A0902, 0x009A090A, 0x009A090C)
    assert (AUTO_WHITE_BALANCE, WHITE_BALANCE_K, GAIN, AUTO_GAIN) == (0x0098090C, 0x0098091A, 0x00980913, 0x00980912)


def test_what_a_truthful_camera_has_found_is_kept(clock: VirtualClock) -> None:
    webcam, lock = Webcam(clock), PictureLock(2.0)
    locked(webcam, lock)
    assert clock.now() >= 2.0, "it had time to settle"
    assert webcam.values[AUTO_EXPOSURE] == 1 and webcam.values[EXPOSURE] == 160
    assert webcam.values[AUTO_WHITE_BALANCE] == 0 and webcam.values[WHITE_BALANCE_K] == 4600
    assert webcam.values[AUTO_FOCUS] == 0 and webcam.values[FOCUS] == 30
    assert webcam.values[EXPOSURE_MAY_SLOW_FRAMES] == 0
    assert lock.kept is not None and len(lock.kept) == 3, "a gain it does not have is left alone"


def test_opened_anew_it_is_the_same_without_settling(clock: VirtualClock) -> None:
    webcam, lock = Webcam(clock), PictureLock(2.0)
    locked(webcam, lock)
    again = Webcam(clock)
    again.automatic_exposure = 700
    locked(again, lock)
    assert again.grabs == 0
    assert again.values[AUTO_EXPOSURE] == 1 and again.values[EXPOSURE] == 160


@pytest.mark.parametrize("default", [20, 250, 1200])
def test_a_camera_that_does_not_tell_its_exposure_is_brought_to_the_same_brightness(
    clock: VirtualClock, default: int
) -> None:
    webcam, lock = Webcam(clock, tells=False), PictureLock(1.0)
    webcam.values[EXPOSURE] = default
    settled = webcam.level
    locked(webcam, lock)
    assert webcam.values[AUTO_EXPOSURE] == 1
    assert abs(webcam.level - settled) <= SAME_LEVELS
    assert lock.kept is not None and lock.kept[AUTOMATICS[0]] == webcam.values[EXPOSURE]


def test_an_exposure_that_cannot_be_set_stays_automatic(clock: VirtualClock) -> None:
    webcam = Webcam(clock, tells=False)
    webcam.values[EXPOSURE] = 5
    webcam.refuses |= {(EXPOSURE, value) for value in range(2000)}
    lock = PictureLock(1.0)
    locked(webcam, lock)
    assert webcam.values[AUTO_EXPOSURE] == 3


def test_a_camera_whose_brightness_does_not_come_right_is_left_to_itself(clock: VirtualClock) -> None:
    webcam = Webcam(clock, tells=False)
    webcam.values[EXPOSURE] = 5
    webcam.refuses |= {(EXPOSURE, value) for value in range(6, 2000)}
    lock = PictureLock(1.0)
    locked(webcam, lock)
    assert webcam.values[AUTO_EXPOSURE] == 3
    assert lock.kept is not None and AUTOMATICS[0] not in lock.kept


def test_a_camera_that_dies_meanwhile_is_no_error(clock: VirtualClock) -> None:
    webcam = Webcam(clock)
    webcam.alive = False
    locked(webcam, PictureLock(1.0))


def test_a_device_without_controls_keeps_nothing(clock: VirtualClock) -> None:
    webcam, lock = Webcam(clock), PictureLock(0.5)
    webcam.values.clear()
    webcam.values[AUTO_EXPOSURE] = 3  # The picture's brightness needs it.
    webcam.refuses.add((AUTO_EXPOSURE, 1))
    locked(webcam, lock)
    assert webcam.values == {AUTO_EXPOSURE: 3}


def test_a_device_that_is_not_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        V4l2Controls(str(tmp_path / "video0"))


def grey(level: int) -> Any:
    return np.full((48, 64, 3), level, np.uint8)


@pytest.mark.parametrize(("level", "unfit"), [(3, True), (40, False), (128, False), (230, False), (250, True)])
def test_a_picture_without_light_or_shade_wants_another_exposure(level: int, unfit: bool) -> None:
    lock = PictureLock(kept={"a": 1})
    assert any(lock.unfit(grey(level), 0.5 * n) for n in range(40)) is unfit
    assert (lock.kept is None) is unfit


def test_it_is_not_tried_again_and_again_in_the_dark(clock: VirtualClock) -> None:
    lock = PictureLock(kept={"a": 1})
    asked = [n * 0.5 for n in range(4000) if lock.unfit(grey(2), n * 0.5)]
    assert len(asked) > 1
    assert all(b - a > SETTLE_AGAIN_S for a, b in pairwise(asked))
    at = 2000.0
    assert not lock.unfit(grey(120), at), "the lamp is on again"
    assert next(s for s in range(100) if lock.unfit(grey(254), at + s)) < 15, "and then too bright: at once"


def test_a_flash_is_no_other_light() -> None:
    lock = PictureLock()
    for n in range(200):
        assert not lock.unfit(grey(255 if n % 10 < 5 else 120), n * 0.5)
