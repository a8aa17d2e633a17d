"""Frames of the running table, with pictures that a test draws: who gets which, and what keeps none waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.simulated.camera import CameraState, SimulatedCameraDevice
from hardware.simulated.program.frame_source import EncodedFrame, FrameSource
from hardware.simulated.scene import Scene

TIMEOUT_S = 60.0


class DrawnPicture:
    """A picture of one grey level; it is ready when the test says so."""

    def __init__(self, level: int, ready: bool = True) -> None:
        self.level = level
        self.may_get_ready = threading.Event()
        self.begun = threading.Event()
        self.ready = ready

    def prepare(self) -> None:
        self.begun.set()
        assert self.may_get_ready.wait(TIMEOUT_S)
        self.ready = True

    def draw(self, *_: Any) -> Any:
        assert self.ready
        return np.full((48, 64, 3), self.level, np.uint8)


class Stage:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.camera = SimulatedCameraDevice(self.clock, DrawnPicture(40), lambda: Scene(()))  # type: ignore[arg-type]
        self.failures: list[Exception] = []
        self.failed = threading.Event()
        self.source = FrameSource(self.camera, threading.RLock(), self.fail)
        self.source.start()

    def fail(self, error: Exception) -> None:
        self.failures.append(error)
        self.failed.set()

    def show(self, picture: DrawnPicture) -> None:
        self.camera.picture = picture  # type: ignore[assignment]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.source.stop()
    assert stage.failures == []


def level(frame: EncodedFrame) -> int:
    picture = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return round(float(picture.mean()) / 40) * 40


def test_the_camera_does_not_wait_for_the_lamp(stage: Stage) -> None:
    lamp = DrawnPicture(200, ready=False)
    with stage.source.watched():
        frames = stage.source.frames()
        assert level(next(frames)) == 40
        stage.show(lamp)
        assert level(next(frames)) == 40
        assert lamp.begun.wait(TIMEOUT_S)
        assert [level(next(frames)) for _ in range(3)] == [40, 40, 40]
        lamp.may_get_ready.set()
        assert 200 in (level(next(frames)) for _ in range(1000))
        assert level(next(frames)) == 200


def test_the_first_picture_of_all_is_waited_for(stage: Stage) -> None:
    class Slow(DrawnPicture):
        def draw(self, *_: Any) -> Any:
            self.ready = True
            return super().draw()

    stage.show(Slow(120, ready=False))
    with stage.source.watched():
        assert level(next(stage.source.frames())) == 120


def test_numbers_count_up_and_times_are_the_tables(stage: Stage) -> None:
    stage.clock.sleep(7.5)
    with stage.source.watched():
        frames = stage.source.frames()
        taken = [next(frames) for _ in range(4)]
    assert [frame.number for frame in taken] == sorted({frame.number for frame in taken})
    assert {frame.time_s for frame in taken} == {7.5}
    assert stage.source.drawn >= 4


def test_a_frozen_picture_is_drawn_once(stage: Stage) -> None:
    with stage.source.watched():
        frames = stage.source.frames()
        next(frames)
        stage.camera.state = CameraState.FROZEN
        for _ in range(2):
            next(frames)
        drawn = stage.source.drawn
        assert len({next(frames) for _ in range(5)}) == 1
        assert stage.source.drawn == drawn


def test_a_dead_camera_ends_every_stream(stage: Stage) -> None:
    with stage.source.watched():
        frames = stage.source.frames()
        next(frames)
        stage.camera.state = CameraState.DEAD
        assert len(list(frames)) <= 2
        with pytest.raises(CameraError):
            stage.camera.expose()
        stage.camera.state = CameraState.WORKING
        assert next(stage.source.frames(), None) is not None


def test_the_end_wakes_whoever_waits(stage: Stage) -> None:
    seen: list[EncodedFrame] = []
    viewer = threading.Thread(target=lambda: seen.extend(stage.source.frames()))  # Nobody is counted as watching.
    viewer.start()
    stage.source.stop()
    viewer.join(TIMEOUT_S)
    assert not viewer.is_alive()
    assert seen == []


@pytest.mark.parametrize("where", ["draw", "prepare"])
def test_what_cannot_be_drawn_is_told(where: str) -> None:
    stage = Stage()
    broken = DrawnPicture(200, ready=where == "draw")

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    setattr(broken, where, fail)
    with stage.source.watched():
        next(stage.source.frames())
        stage.show(broken)
        assert stage.failed.wait(TIMEOUT_S)
    stage.source.stop()
    assert isinstance(stage.failures[0], ZeroDivisionError)
