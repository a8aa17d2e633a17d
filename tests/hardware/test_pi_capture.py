"""The Raspberry Pi's own camera, with a stand-in for Picamera2 that takes frames on demand."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hardware.cameras.open_camera import open_camera
from hardware.cameras.pi_capture import open_pi_capture
from hardware.cameras.picture_lock import PictureLock
from hardware.clock import RealClock, VirtualClock
from hardware.errors import CameraError

SIZE = (64, 48)


@dataclass
class Request:
    camera: FakeCamera
    level: int
    stamp_ns: int
    released: int = 0

    def make_array(self, name: str) -> Any:
        assert name == "main" and not self.released
        width, height = self.camera.configuration["main"]["size"]
        return np.full((height, width, 3), self.level, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return {
            "SensorTimestamp": self.stamp_ns,
            "ExposureTime": self.camera.controls.get("ExposureTime", 8000),
            "AnalogueGain": 2.5,
            "ColourGains": (1.5, 1.7),
            "FocusFoM": 1234,
        }

    def release(self) -> None:
        self.released += 1


@dataclass
class Job:
    request: Request | None

    def get_result(self, timeout: float) -> Request:
        if self.request is None:
            raise TimeoutError
        return self.request


@dataclass
class FakeCamera:
    """What the code under test uses of `picamera2.Picamera2`."""

    number: int
    configuration: dict[str, Any] = field(default_factory=dict)
    controls: dict[str, Any] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    camera_controls: dict[str, Any] = field(
        default_factory=lambda: dict.fromkeys(
            ("AeEnable", "AwbEnable", "ExposureTime", "AnalogueGain", "ColourGains")
        )
    )
    requests: list[Request] = field(default_factory=list)
    running: bool = False
    closed: bool = False
    hangs: bool = False
    flushed: int = 0
    start_error: Exception | None = None

    def create_video_configuration(self, **given: Any) -> dict[str, Any]:
        return given

    def configure(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration

    def start(self) -> None:
        if self.start_error is not None:
            raise self.start_error
        self.running = True

    def capture_request(self, wait: bool) -> Job:
        assert not wait and self.running
        if self.hangs:
            return Job(None)
        assert all(request.released for request in self.requests), "only so many buffers are there"
        stamp = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        self.requests.append(Request(self, len(self.requests) % 200 + 20, stamp))
        return Job(self.requests[-1])

    def cancel_all_and_flush(self) -> None:
        self.flushed += 1

    def set_controls(self, controls: dict[str, Any]) -> None:
        assert set(controls) <= set(self.camera_controls), "a control that it lacks stops the camera"
        self.asked.append(controls)
        self.controls.update(controls)

    def stop(self) -> None:
        self.running = False

    def close(self) -> None:
        self.closed = True


@dataclass
class Bus:
    """The cameras that are connected, and those that were opened."""

    models: list[str]
    opened: list[FakeCamera] = field(default_factory=list)
    start_error: Exception | None = None

    def make(self, number: int) -> FakeCamera:
        self.opened.append(FakeCamera(number, start_error=self.start_error))
        return self.opened[-1]


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Bus:
    bus = Bus(["imx708", "ov5647"])

    class Picamera2:
        def __new__(cls, number: int) -> Any:
            return bus.make(number)

        @staticmethod
        def global_camera_info() -> list[dict[str, str]]:
            return [{"Model": model} for model in bus.models]

    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Picamera2))
    return bus


class TickingClock(VirtualClock):
    """Half a second later each time that anybody looks."""

    def now(self) -> float:
        self.sleep(0.5)
        return super().now()


def test_each_grab_is_a_frame_of_its_own_and_gives_its_buffer_back(bus: Bus) -> None:
    capture = open_pi_capture("picamera", SIZE, None, VirtualClock())
    (camera,) = bus.opened
    assert camera.number == 0 and camera.configuration["main"] == {"size": SIZE, "format": "RGB888"}
    assert camera.configuration["queue"] is False and not capture.queues
    seen = []
    for _ in range(10):
        assert capture.grab()
        age = capture.age_s()
        assert age is not None and 0 <= age < 5
        pixels = capture.retrieve()
        assert pixels is not None and pixels.shape == (48, 64, 3) and pixels.dtype == np.uint8
        seen.append(int(pixels[0, 0, 0]))
    assert seen == list(range(20, 30))
    capture.release()
    assert [request.released for request in camera.requests] == [1] * 10
    assert camera.closed and not camera.running
    assert camera.asked == [], "without a lock it is left to itself"


def test_the_second_camera_and_the_usual_size(bus: Bus) -> None:
    capture = open_pi_capture("picamera:1", None, None, VirtualClock())
    assert bus.opened[0].number == 1
    assert bus.opened[0].configuration["main"]["size"] == (1280, 720)
    capture.release()


def test_it_settles_once_and_keeps_what_it_has_found(bus: Bus) -> None:
    lock = PictureLock(settle_s=3.0)
    open_pi_capture("picamera", SIZE, lock, TickingClock()).release()
    (camera,) = bus.opened
    automatic, kept = camera.asked
    assert automatic == {"AeEnable": True, "AwbEnable": True}
    assert kept == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 8000,
        "AnalogueGain": 2.5,
        "ColourGains": (1.5, 1.7),
    }
    assert len(camera.requests) >= 3, "it had time"
    open_pi_capture("picamera", SIZE, lock, TickingClock()).release()
    assert bus.opened[1].asked == [kept], "opened anew it is the same at once"


def test_focus_is_kept_where_the_camera_has_it(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    make = bus.make

    def with_focus(number: int) -> FakeCamera:
        camera = make(number)
        camera.camera_controls |= {"AfMode": None, "LensPosition": None}
        return camera

    monkeypatch.setattr(bus, "make", with_focus)
    lock = PictureLock(0.0, {"LensPosition": 1.7})
    open_pi_capture("picamera", SIZE, lock, VirtualClock()).release()
    assert bus.opened[0].asked == [{"AeEnable": False, "AwbEnable": False, "AfMode": 0, "LensPosition": 1.7}]


def test_a_camera_that_hangs_gives_no_picture_and_what_waits_is_cleared(bus: Bus) -> None:
    capture = open_pi_capture("picamera", SIZE, None, VirtualClock())
    bus.opened[0].hangs = True
    assert not capture.grab() and capture.retrieve() is None and capture.age_s() is None
    assert bus.opened[0].flushed == 1
    bus.opened[0].hangs = False
    assert capture.grab()
    capture.release()


@pytest.mark.parametrize(
    ("models", "source", "words"),
    [
        ([], "picamera", "There is no camera picamera: none is connected"),
        (["imx708"], "picamera:1", r"There is no camera picamera:1: connected are picamera:0 \(imx708\)"),
        (["imx708"], "picamera:left", "There is no camera 'picamera:left': it is called picamera"),
    ],
)
def test_a_camera_that_is_not_there(bus: Bus, models: list[str], source: str, words: str) -> None:
    bus.models = models
    with pytest.raises(CameraError, match=words) as caught:
        open_pi_capture(source, SIZE, None, VirtualClock())
    assert str(caught.value).endswith(".")
    assert bus.opened == []


def test_a_camera_that_is_in_use_is_let_go(bus: Bus) -> None:
    bus.start_error = RuntimeError("Failed to acquire camera: Device or resource busy")
    with pytest.raises(CameraError, match="check that no other program uses it"):
        open_pi_capture("picamera", SIZE, None, VirtualClock())
    assert bus.opened[0].closed


@pytest.mark.parametrize(
    "fault", [ImportError("No module named 'picamera2'"), ValueError("numpy.dtype size changed")]
)
def test_without_picamera2_its_package_is_named(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise fault

    monkeypatch.setitem(sys.modules, "picamera2", Broken())
    with pytest.raises(CameraError, match="sudo apt install python3-picamera2") as caught:
        open_pi_capture("picamera", SIZE, None, VirtualClock())
    assert "\n" not in str(caught.value)


def test_frames_come_only_when_they_are_asked_for(bus: Bus) -> None:
    camera = open_camera("picamera", SIZE, RealClock(), PictureLock(0.0, {}))
    taken = [camera.frame() for _ in range(5)]
    assert [frame.number for frame in taken] == [1, 2, 3, 4, 5]
    assert len(bus.opened[0].requests) <= 10, "none is taken that nobody wants"
    assert all(a.time_s < b.time_s for a, b in pairwise(taken))
    camera.close()
    assert bus.opened[0].closed
    assert not [thread for thread in threading.enumerate() if thread.name == "camera"]


def test_a_driver_that_fails_is_a_dead_camera_and_is_opened_anew(bus: Bus) -> None:
    clock = RealClock()
    camera = open_camera("picamera", SIZE, clock)
    camera.frame()
    bus.opened[0].capture_request = None  # type: ignore[assignment]
    with pytest.raises(CameraError, match="gives no more frames"):
        camera.frame()
    for _ in range(2000):
        try:
            camera.frame()
            break
        except CameraError:
            clock.sleep(0.005)
    assert len(bus.opened) >= 2 and bus.opened[0].closed
    camera.close()
