"""The window with the camera's picture: what is shown when."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from pytest_mock import MockerFixture

from controller import camera_window
from controller.camera_window import AFTER_FAILURE_S, EVERY_S, READING_S, CameraWindow, NoDisplayError, open_screen
from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.frame import Frame, Pixels


class Camera:
    """Each picture is a little brighter than the one before."""

    def __init__(self) -> None:
        self.number = 0
        self.dead = False

    def frame(self) -> Frame:
        if self.dead:
            raise CameraError("the camera is gone")
        self.number += 1
        return Frame(np.full((4, 4, 3), 100 + self.number, np.uint8), 0.0, self.number)

    def close(self) -> None:
        pass


class Screen:
    def __init__(self) -> None:
        self.shown: list[int] = []
        self.open = True

    def show(self, picture: Pixels) -> bool:
        self.shown.append(int(picture[0, 0, 0]))
        return self.open


@pytest.fixture
def scene() -> tuple[CameraWindow, Camera, Screen, VirtualClock]:
    clock, camera, screen = VirtualClock(), Camera(), Screen()
    window = CameraWindow(camera, clock, screen.show)
    clock.attach(window.refresh)
    return window, camera, screen, clock


def go_on(clock: VirtualClock, seconds: float) -> None:
    for _ in range(round(seconds / 0.02)):
        clock.sleep(0.02)


def test_a_fresh_picture_every_so_often(scene) -> None:
    _, _, screen, clock = scene
    go_on(clock, 10 * EVERY_S)
    assert screen.shown == pytest.approx(list(range(101, 111)), abs=2)
    assert 8 <= len(screen.shown) <= 11


def test_a_new_reading_is_shown_for_a_while(scene, mocker: MockerFixture) -> None:
    window, _, screen, clock = scene
    mocker.patch.object(camera_window, "seen_picture", return_value=np.zeros((4, 4, 3), np.uint8))
    look = SimpleNamespace(frame=SimpleNamespace(pixels=None), reading=None)
    window.eye = SimpleNamespace(last=look, view=None)
    go_on(clock, READING_S + 0.5)
    assert screen.shown.count(0) == pytest.approx(READING_S / EVERY_S, rel=0.25)
    assert screen.shown[0] == 0
    assert screen.shown[-1] > 100
    screen.shown.clear()
    window.eye.last = SimpleNamespace(frame=look.frame, reading=None)
    go_on(clock, 0.3)
    assert set(screen.shown) == {0}


def test_a_dead_camera_leaves_its_last_picture_darker_and_is_not_asked_all_the_time(scene, mocker) -> None:
    _, camera, screen, clock = scene
    go_on(clock, 0.5)
    last = screen.shown[-1]
    camera.dead = True
    asked = mocker.spy(camera, "frame")
    go_on(clock, 4 * AFTER_FAILURE_S)
    assert screen.shown[-1] == last // 3
    assert asked.call_count <= 5
    camera.dead = False
    go_on(clock, AFTER_FAILURE_S + 0.1)
    assert screen.shown[-1] > 100


def test_without_any_picture_it_is_black(scene) -> None:
    _, camera, screen, clock = scene
    camera.dead = True
    go_on(clock, 0.5)
    assert screen.shown[0] == 0


def test_once_closed_it_stays_closed(scene) -> None:
    _, _, screen, clock = scene
    screen.open = False
    go_on(clock, 2.0)
    assert len(screen.shown) == 1


def test_the_window_is_not_opened_again_after_somebody_has_closed_it(mocker: MockerFixture) -> None:
    cv2 = mocker.patch.object(camera_window, "cv2")
    run = mocker.patch.object(camera_window.subprocess, "run")
    run.return_value.returncode = 0
    show = open_screen({"DISPLAY": ":0"})
    cv2.getWindowProperty.return_value = 1.0
    assert show(np.zeros((4, 4, 3), np.uint8))
    assert show(np.zeros((4, 4, 3), np.uint8))
    cv2.getWindowProperty.return_value = 0.0
    assert not show(np.zeros((4, 4, 3), np.uint8))
    assert cv2.imshow.call_count == 2


def test_no_screen_is_a_sentence(mocker: MockerFixture) -> None:
    with pytest.raises(NoDisplayError, match="leave --show-camera out"):
        open_screen({})
    run = mocker.patch.object(camera_window.subprocess, "run")
    run.return_value.returncode = -6
    with pytest.raises(NoDisplayError):
        open_screen({"WAYLAND_DISPLAY": "wayland-0"})
