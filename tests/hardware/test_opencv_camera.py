from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.cameras.opencv_camera import OpenCvCamera, SourceKind, kind_of
from hardware.clock import RealClock, VirtualClock
from hardware.errors import CameraError

SIZE = (160, 120)


def record(path: Path, levels: list[int]) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, SIZE)
    for level in levels:
        writer.write(np.full((SIZE[1], SIZE[0], 3), level, np.uint8))
    writer.release()
    return path


class FakeCapture:
    """A device whose every grab exposes a new frame: its level is the number of the grab."""

    def __init__(self, source: Any, backend: int, size: tuple[int, int] = SIZE, dies_after: int = 10**9) -> None:
        self.source, self.backend = source, backend
        self.size, self.dies_after = size, dies_after
        self.grabs = self.retrieved = 0
        self.released = False
        self.go = threading.Semaphore(0)

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def set(self, prop: int, value: float) -> bool:
        return True

    def grab(self) -> bool:
        self.go.acquire()
        if self.grabs >= self.dies_after:
            self.go.release()
            return False
        self.grabs += 1
        return True

    def retrieve(self) -> tuple[bool, Any]:
        self.retrieved += 1
        return True, np.full((self.size[1], self.size[0], 3), self.grabs % 256, np.uint8)

    def release(self) -> None:
        self.released = True


class PumpingClock(VirtualClock):
    """Lets the fake device expose a frame whenever somebody waits."""

    def __init__(self, capture: list[FakeCapture]) -> None:
        super().__init__()
        self._capture = capture

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        for capture in self._capture:
            before = capture.grabs
            capture.go.release()
            RealClock().sleep(0.0005)
            assert capture.grabs >= before


@pytest.fixture
def captures(monkeypatch: pytest.MonkeyPatch) -> list[FakeCapture]:
    made: list[FakeCapture] = []

    def make(source: Any, backend: int) -> FakeCapture:
        made.append(FakeCapture(source, backend))
        return made[-1]

    monkeypatch.setattr(cv2, "VideoCapture", make)
    return made


def test_sources_are_told_apart(tmp_path: Path) -> None:
    assert kind_of("0") is kind_of("/dev/video7") is kind_of("/dev/null") is SourceKind.DEVICE
    assert kind_of("http://pi:8080/stream") is kind_of("rtsp://pi/1") is SourceKind.STREAM
    path = tmp_path / "game.avi"
    path.touch()
    assert kind_of(str(path)) is SourceKind.RECORDING


def test_a_recording_gives_its_frames_in_order_and_then_ends(tmp_path: Path) -> None:
    path = record(tmp_path / "game.avi", [10, 60, 110])
    clock = VirtualClock()
    camera = OpenCvCamera(str(path), SIZE, clock)
    frames = []
    for _ in range(3):
        clock.sleep(1)
        frames.append(camera.frame())
    assert [round(float(frame.pixels.mean()), -1) for frame in frames] == [10, 60, 110]
    assert [frame.number for frame in frames] == [1, 2, 3]
    assert [frame.time_s for frame in frames] == [1, 2, 3]
    assert frames[0].pixels.shape == (120, 160, 3) and frames[0].pixels.dtype == np.uint8
    with pytest.raises(CameraError, match="has ended"):
        camera.frame()
    camera.close()


def test_another_size_than_set_is_refused_not_stretched(tmp_path: Path) -> None:
    camera = OpenCvCamera(str(record(tmp_path / "game.avi", [10])), (1280, 720), VirtualClock())
    with pytest.raises(CameraError, match="160×120, not 1280×720"):
        camera.frame()
    camera.close()
    anything = OpenCvCamera(str(tmp_path / "game.avi"), None, VirtualClock())
    assert anything.frame().pixels.shape == (120, 160, 3)
    anything.close()


def test_a_frame_of_a_device_was_begun_after_it_was_asked_for(captures: list[FakeCapture]) -> None:
    clock = PumpingClock(captures)
    camera = OpenCvCamera("http://camera/stream", SIZE, clock)
    for _ in range(5):
        clock.sleep(0.1)
        before = captures[0].grabs
        frame = camera.frame()
        assert int(frame.pixels[0, 0, 0]) >= before + 1
    assert captures[0].retrieved == 5, "only what is wanted is decoded"
    captures[0].go.release(100)
    camera.close()
    assert captures[0].released


def test_a_device_that_dies_is_said_so(captures: list[FakeCapture]) -> None:
    clock = PumpingClock(captures)
    camera = OpenCvCamera("http://camera/stream", SIZE, clock)
    captures[0].dies_after = 4
    with pytest.raises(CameraError, match="gives no more frames"):
        for _ in range(10):
            camera.frame()
    camera.close()


def test_what_is_no_camera_is_one_sentence_and_nothing_is_printed(tmp_path: Path) -> None:
    rubbish = tmp_path / "rubbish.avi"
    rubbish.write_bytes(b"this is no video" * 50)
    sources = [
        "/dev/video97",
        "97",
        "http://127.0.0.1:9/stream",
        str(rubbish),
        "/dev/null",
        str(tmp_path / "none.mp4"),
    ]
    code = (
        "import sys\nfrom hardware.cameras.opencv_camera import OpenCvCamera\n"
        "from hardware.clock import RealClock\nfrom hardware.errors import CameraError\n"
        "for source in sys.argv[1:]:\n"
        "    try:\n        OpenCvCamera(source, (1280, 720), RealClock())\n"
        "    except CameraError as error:\n        print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code, *sources], capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert len(lines) == len(sources)
    assert lines[0].startswith("No camera at /dev/video97: ")
    assert lines[1].startswith("No camera at /dev/video97: ")
    assert lines[2].startswith("No camera answers at http://127.0.0.1:9/stream")
    assert "is no video that OpenCV can read" in lines[3]
    assert all(line.endswith(".") for line in lines)
    assert run.stderr == ""
