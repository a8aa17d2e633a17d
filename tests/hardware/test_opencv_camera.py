from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.cameras.open_camera import open_camera
from hardware.cameras.sameness import Sameness
from hardware.cameras.video_source import SourceKind, kind_of
from hardware.clock import RealClock, VirtualClock
from hardware.errors import CameraError
from hardware.frame import SMALLER, Camera, Frame, GlimpsedCamera

SIZE = (160, 120)


def record(path: Path, levels: list[int]) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, SIZE)
    for level in levels:
        writer.write(np.full((SIZE[1], SIZE[0], 3), level, np.uint8))
    writer.release()
    return path


class FakeCapture:
    """A device whose every grab exposes a new frame: its level is the number of the grab."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self.opened, self.size = captures.can_be_opened, captures.size
        self.dies_after = 10**9
        self.grabs = self.retrieved = 0
        self.released = False
        self.go = threading.Semaphore(0)

    def isOpened(self) -> bool:  # noqa: N802
        return self.opened

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
        if self._captures.picture is not None:
            return True, self._captures.picture.copy()
        return True, np.full((self.size[1], self.size[0], 3), self.grabs % 256, np.uint8)

    def release(self) -> None:
        self.released = True


class Captures(list[FakeCapture]):
    """The captures that were opened, one after the other, by whoever asked OpenCV for one."""

    def __init__(self) -> None:
        super().__init__()
        self.can_be_opened = True
        self.size = SIZE
        self.picture: Any = None
        """What every capture sees from now on, if not its own grabs' numbers."""
        self.sources: list[str] = []

    def make(self, source: str, backend: int, params: list[int] | None = None) -> FakeCapture:
        capture = FakeCapture(self)
        self.sources.append(source)
        self.append(capture)
        return capture


class PumpingClock(VirtualClock):
    """Lets the fake device expose a frame whenever somebody waits."""

    def __init__(self, captures: Captures) -> None:
        super().__init__()
        self._captures = captures

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        for capture in list(self._captures):
            before = capture.grabs
            capture.go.release()
            RealClock().sleep(0.0005)
            assert capture.grabs >= before


@pytest.fixture
def captures(monkeypatch: pytest.MonkeyPatch) -> Captures:
    captures = Captures()
    monkeypatch.setattr(cv2, "VideoCapture", captures.make)
    # Streams come by way of OpenCV here.
    monkeypatch.setattr("hardware.cameras.open_camera.open_http_capture", lambda url: None)
    return captures


def test_sources_are_told_apart(tmp_path: Path) -> None:
    assert kind_of("0") is kind_of("/dev/video7") is kind_of("/dev/null") is SourceKind.DEVICE
    assert kind_of("http://pi:8080/stream") is kind_of("rtsp://pi/1") is SourceKind.STREAM
    path = tmp_path / "game.avi"
    path.touch()
    assert kind_of(str(path)) is SourceKind.RECORDING


def test_a_recording_gives_its_frames_in_order_and_then_ends(tmp_path: Path) -> None:
    path = record(tmp_path / "game.avi", [10, 60, 110])
    clock = VirtualClock()
    camera = open_camera(str(path), SIZE, clock)
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
    camera = open_camera(str(record(tmp_path / "game.avi", [10])), (1280, 720), VirtualClock())
    with pytest.raises(CameraError, match="160×120, not 1280×720"):
        camera.frame()
    camera.close()
    anything = open_camera(str(tmp_path / "game.avi"), None, VirtualClock())
    assert anything.frame().pixels.shape == (120, 160, 3)
    anything.close()


def test_a_frame_of_a_device_was_begun_after_it_was_asked_for(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera("http://camera/stream", SIZE, clock)
    for _ in range(5):
        clock.sleep(0.1)
        before = captures[0].grabs
        frame = camera.frame()
        assert int(frame.pixels[0, 0, 0]) >= before + 1
    assert captures[0].retrieved == 5, "only what is wanted is decoded"
    captures[0].go.release(100)
    camera.close()
    assert captures[0].released


def test_a_device_that_dies_is_said_so(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera("http://camera/stream", SIZE, clock)
    captures[0].dies_after = 4
    with pytest.raises(CameraError, match="gives no more frames"):
        for _ in range(10):
            camera.frame()
    camera.close()


STREAM = "http://camera/stream"


def frames_again(camera: Camera, clock: VirtualClock) -> int:
    """Ask for a frame every fifth of a second until one comes; how often it did not."""
    for failures in range(200):
        try:
            camera.frame()
        except CameraError:
            clock.sleep(0.2)
        else:
            return failures
    raise AssertionError("no frame has come")


def dead_camera(captures: Captures, clock: PumpingClock, source: str = STREAM) -> Camera:
    """A camera that has given frames and then died."""
    camera = open_camera(source, SIZE, clock)
    camera.frame()
    captures.can_be_opened = False
    captures[0].dies_after = 0
    with pytest.raises(CameraError, match="gives no more frames: check its cable and power"):
        camera.frame()
    return camera


def test_a_camera_that_comes_back_gives_frames_again(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = dead_camera(captures, clock)
    for _ in range(40):
        before = clock.now()
        with pytest.raises(CameraError, match="gives no more frames"):
            camera.frame()
        assert clock.now() == before, "there is nothing to wait for"
        clock.sleep(0.2)
    assert captures[0].released
    assert 2 <= len(captures) <= 11, "tried again, but not more than once a second"
    captures.can_be_opened = True
    assert frames_again(camera, clock) <= 12
    assert set(captures.sources) == {STREAM}
    before_frame = captures[-1].grabs
    frame = camera.frame()
    assert int(frame.pixels[0, 0, 0]) > before_frame, "and as fresh as before"
    assert all(capture.released for capture in captures[:-1] if capture.opened)
    captures[-1].go.release(100)
    camera.close()


def test_a_camera_that_died_may_die_again(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = dead_camera(captures, clock)
    for _ in range(3):
        captures.can_be_opened = True
        frames_again(camera, clock)
        captures[-1].dies_after = 0
        with pytest.raises(CameraError, match="gives no more frames"):
            camera.frame()
    camera.close()


def test_another_size_after_coming_back_is_refused(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = dead_camera(captures, clock)
    captures.can_be_opened, captures.size = True, (320, 240)
    for _ in range(100):
        clock.sleep(0.2)
        with pytest.raises(CameraError) as caught:
            camera.frame()
        if "no more frames" not in str(caught.value):
            break
    assert "320×240, not 160×120" in str(caught.value)
    captures[-1].go.release(100)
    camera.close()


def test_a_dead_camera_can_be_closed(captures: Captures) -> None:
    camera = dead_camera(captures, PumpingClock(captures))
    camera.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "camera"]


def noise(seed: int) -> Any:
    return np.random.default_rng(seed).integers(90, 110, (SIZE[1], SIZE[0], 3), dtype=np.uint8)


def test_a_frozen_camera_is_told_from_a_still_scene_and_opened_anew(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera(STREAM, SIZE, clock)
    for number in range(20):
        clock.sleep(0.2)
        captures.picture = noise(number)
        camera.frame()
    frozen_since = clock.now()
    with pytest.raises(CameraError, match="gives the same picture again and again"):
        for _ in range(30):
            camera.frame()
            clock.sleep(0.2)
    assert 1.0 < clock.now() - frozen_since < 2.0
    for _ in range(15):
        clock.sleep(0.2)
        with pytest.raises(CameraError, match="gives the same picture again and again"):
            camera.frame()
    assert 2 <= len(captures) <= 6, "it may be that opening it anew helps"
    captures.picture = noise(99)
    frames_again(camera, clock)
    captures[-1].go.release(100)
    camera.close()


def glimpses(camera: Camera, clock: PumpingClock, captures: Captures, count: int) -> list[Frame]:
    """What is glimpsed at while the camera exposes so many frames."""
    assert isinstance(camera, GlimpsedCamera)
    seen = []
    for number in range(count):
        captures.picture = noise(number)
        clock.sleep(0.03)
        RealClock().sleep(0.002)  # For the camera's thread to take the frame in.
        if (frame := camera.glimpse()) is not None:
            seen.append(frame)
    return seen


def test_each_picture_can_be_glimpsed_at_once_and_small(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera(STREAM, SIZE, clock)
    assert isinstance(camera, GlimpsedCamera)
    camera.frame()
    seen = glimpses(camera, clock, captures, 20)
    assert len(seen) >= 15
    assert {frame.pixels.shape for frame in seen} == {(SIZE[1] // SMALLER, SIZE[0] // SMALLER, 3)}
    times = [frame.time_s for frame in seen]
    assert times == sorted(set(times)), "none comes twice"
    assert camera.glimpse() is None
    captures[0].go.release(100)
    camera.close()


def test_a_camera_of_another_size_than_asked_for_cannot_be_glimpsed_at(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera(STREAM, (2 * SIZE[0], SIZE[1]), clock)
    assert glimpses(camera, clock, captures, 5) == []
    captures[0].go.release(100)
    camera.close()


def test_nobody_decodes_what_nobody_looks_at(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera(STREAM, SIZE, clock)
    camera.frame()
    glimpses(camera, clock, captures, 5)
    for _ in range(50):  # After a second nobody seems to watch any more.
        clock.sleep(0.05)
    decoded = captures[0].retrieved
    for _ in range(20):
        clock.sleep(0.05)
    assert captures[0].retrieved == decoded
    captures[0].go.release(100)
    camera.close()


def test_who_glimpses_at_a_frozen_camera_is_told(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera(STREAM, SIZE, clock)
    assert isinstance(camera, GlimpsedCamera)
    captures.picture = noise(1)
    camera.frame()
    with pytest.raises(CameraError, match="gives the same picture again and again"):
        for _ in range(60):
            clock.sleep(0.03)
            RealClock().sleep(0.001)
            camera.glimpse()
    captures[-1].go.release(100)
    camera.close()


def test_a_video_stream_may_repeat_a_picture(captures: Captures) -> None:
    clock = PumpingClock(captures)
    camera = open_camera("rtsp://camera/1", SIZE, clock)
    captures.picture = noise(1)
    for _ in range(20):
        camera.frame()
        clock.sleep(0.2)
    assert len(captures) == 1
    captures[0].go.release(100)
    camera.close()


@pytest.mark.parametrize(
    ("picture", "interval_s", "count", "frozen"),
    [
        (noise(1), 0.3, 4, False),
        (noise(1), 0.3, 5, True),
        (noise(1), 2.0, 3, False),
        (noise(1), 2.0, 4, True),
        (np.zeros((SIZE[1], SIZE[0], 3), np.uint8), 0.3, 30, False),
    ],
)
def test_the_same_picture_is_suspicious_when_it_comes_often_and_for_long(
    picture: Any, interval_s: float, count: int, frozen: bool
) -> None:
    sameness = Sameness()
    said = [sameness.frozen(picture.copy(), n * interval_s) for n in range(count)]
    assert said == [False] * (count - 1) + [frozen]


def test_one_pixel_tells_pictures_apart() -> None:
    sameness = Sameness()
    for n in range(20):
        picture = noise(1)
        picture[37, 51, n % 3] += 1
        assert not sameness.frozen(picture, n * 0.5)


class MjpegServer:
    """A network camera: every viewer gets picture after picture until the server is stopped."""

    def __init__(self, port: int = 0) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = self._socket.getsockname()[1]
        self._viewers: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()
        for viewer in self._viewers:
            with contextlib.suppress(OSError):
                viewer.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                viewer, _ = self._socket.accept()
                self._viewers.append(viewer)
                threading.Thread(target=self._show, args=(viewer,), daemon=True).start()

    def _show(self, viewer: socket.socket) -> None:
        with viewer, contextlib.suppress(OSError):
            viewer.recv(4096)
            viewer.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=next\r\n\r\n")
            for number in itertools.count():
                _, jpeg = cv2.imencode(".jpg", noise(number))
                head = b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg)
                viewer.sendall(head + jpeg.tobytes() + b"\r\n")
                RealClock().sleep(0.02)


WATCHER = """
import sys
from hardware.cameras.open_camera import open_camera
from hardware.clock import RealClock
from hardware.errors import CameraError
clock, said = RealClock(), ""
camera = open_camera(sys.argv[1], (160, 120), clock)
for _ in range(600):
    try:
        camera.frame()
        now = "a frame"
    except CameraError as error:
        now = str(error)
    if now != said:
        print(now, flush=True)
    said = now
    clock.sleep(0.05)
"""


def test_a_real_network_camera_that_is_gone_and_comes_back() -> None:
    server = MjpegServer()
    url = f"http://127.0.0.1:{server.port}/"
    with subprocess.Popen(
        [sys.executable, "-c", WATCHER, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout is not None and watcher.stderr is not None
        for _ in range(2):
            assert watcher.stdout.readline() == "a frame\n"
            server.stop()
            gone = watcher.stdout.readline()
            assert gone == f"The camera {url} gives no more frames: check its cable and power.\n"
            server = MjpegServer(server.port)
        assert watcher.stdout.readline() == "a frame\n"
        watcher.kill()
        assert watcher.stderr.read() == ""
    server.stop()


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
        "import sys\nfrom hardware.cameras.open_camera import open_camera\n"
        "from hardware.clock import RealClock\nfrom hardware.errors import CameraError\n"
        "for source in sys.argv[1:]:\n"
        "    try:\n        open_camera(source, (1280, 720), RealClock())\n"
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
