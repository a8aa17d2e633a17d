"""The running table, through a real pseudo-terminal, real HTTP and a real Unix socket, on real time."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.clock import RealClock, VirtualClock
from hardware.errors import SerialError, TableProgramError
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.grbl.timings import GrblTimings
from hardware.permit import AttendedPermit
from hardware.serial_port import BytePort, open_serial_port
from hardware.simulated.discs import DiscColour
from hardware.simulated.program.clock_driver import BEHIND_S, ClockDriver
from hardware.simulated.program.folder import TableFolder, claimed_folder
from hardware.simulated.program.running_table import RunningSetup, RunningTable
from hardware.simulated.table import TableSetup

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TIMEOUT_S = 60.0
"""A busy computer may keep any of the table's threads waiting."""
PATIENT = GrblTimings(answer_s=TIMEOUT_S, silence_s=TIMEOUT_S, connect_s=TIMEOUT_S)
STACKS = ((DiscColour.DARK, 100.0, 60.0, 1), (DiscColour.LIGHT, 180.0, 140.0, 2))
SPEED = 4.0


class Connection:
    """One connection to the control socket."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(TIMEOUT_S)
        self.socket.connect(str(path))
        self._lines = self.socket.makefile("rb")

    def send(self, line: bytes) -> None:
        self.socket.sendall(line)

    def read(self) -> dict[str, Any]:
        line = self._lines.readline()
        assert line.endswith(b"\n"), "the connection was closed"
        message: dict[str, Any] = json.loads(line)
        return message

    def at_end(self) -> bool:
        try:
            return self._lines.readline() == b""
        except ConnectionResetError:
            return True

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        self.send(json.dumps({"do": do, **fields}).encode() + b"\n")
        return self.read()

    def fault(self, name: str) -> None:
        assert self.ask("fault", fault=name) == {"ok": True}

    def truth_once(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The truth as soon as it is as wanted."""
        give_up = RealClock().now() + TIMEOUT_S
        while not condition(truth := self.ask("truth")):
            assert RealClock().now() < give_up, truth
        return truth

    def let_pass(self, seconds: float) -> None:
        """Ask until so many seconds of the table's have passed."""
        end = self.ask("truth")["time_s"] + seconds
        self.truth_once(lambda truth: truth["time_s"] >= end)

    def close(self) -> None:
        self._lines.close()
        self.socket.close()


class Place:
    """A folder, the table that runs there, and connections to it."""

    def __init__(self, path: Path, setup: RunningSetup) -> None:
        self.folder = TableFolder(path)
        self.faults: list[str] = []
        self.failures: list[Exception] = []
        self.running = RunningTable(
            self.folder, setup, STACKS, lambda time_s, what: self.faults.append(what), self.failures.append
        )
        self._connections: list[Connection] = []
        self.running.start()
        self.control = self.connect()

    def connect(self) -> Connection:
        connection = Connection(self.folder.control)
        self._connections.append(connection)
        return connection

    @property
    def url(self) -> str:
        return self.folder.camera.read_text().strip()

    def get(self, path: str) -> Any:
        return urllib.request.urlopen(self.url.replace("/stream.mjpg", path), timeout=TIMEOUT_S)

    def gantry(self) -> Gantry:
        clock = RealClock()
        motion = GrblMotion(lambda: open_serial_port(str(self.folder.serial)), clock, timings=PATIENT)
        return Gantry(motion, AttendedPermit(), clock)

    def close(self) -> None:
        for connection in self._connections:
            connection.close()
        self.running.stop()
        assert self.failures == []


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="table-") as name:  # pytest's own may be too long for a socket.
        yield Path(name)


@pytest.fixture
def start(path: Path) -> Iterator[Callable[..., Place]]:
    places = []

    def begin(**changes: Any) -> Place:
        place = Place(path, RunningSetup(TableSetup(), **{"speed": SPEED, **changes}))
        places.append(place)
        return place

    yield begin
    for place in places:
        place.close()


@pytest.fixture
def place(start: Callable[..., Place]) -> Place:
    return start()


def heard_until(port: BytePort, words: bytes) -> bytes:
    heard = b""
    give_up = RealClock().now() + TIMEOUT_S
    while words not in heard:
        assert RealClock().now() < give_up, heard
        heard += port.read()
    return heard


def parts(response: Any) -> Iterator[tuple[dict[str, str], bytes]]:
    """The parts of a multipart stream: headers and body."""
    while response.readline() == b"--frame\r\n":
        headers = {}
        while line := response.readline().strip():
            name, _, value = line.decode().partition(": ")
            headers[name] = value
        yield headers, response.read(int(headers["Content-Length"]))
        assert response.readline() == b"\r\n"


# Serial port


def test_the_machine_homes_and_moves_through_the_linked_terminal(place: Place) -> None:
    gantry = place.gantry()
    gantry.connect()
    gantry.home()
    gantry.move_to(x=-60, y=-40)
    gantry.grip()
    truth = place.control.ask("truth")
    assert truth["machine_mm"] == pytest.approx([-60, -40, -2], abs=0.02)
    assert truth["gripping"]
    gantry.release()
    gantry.close()
    assert not place.control.ask("truth")["gripping"]


def test_a_pulled_cable_is_a_port_that_is_gone(place: Place) -> None:
    before = place.gantry()
    before.connect()
    place.control.fault("unplug")
    assert not place.folder.serial.is_symlink()
    with pytest.raises(SerialError, match="gone"):
        before.home()
    with pytest.raises(SerialError, match="no serial port"):
        place.gantry().connect()
    place.control.fault("plug in")
    after = place.gantry()
    after.connect()
    after.home()
    assert place.faults == ["the serial cable is pulled out", "the serial cable is put back"]


def test_without_power_port_and_camera_are_gone_and_come_back_with_it(place: Place) -> None:
    place.control.fault("power off")
    assert not place.folder.serial.is_symlink()
    with pytest.raises(urllib.error.HTTPError, match="503"):
        place.get("/frame.jpg")
    place.control.fault("power on")
    port = open_serial_port(str(place.folder.serial))
    heard_until(port, b"Grbl 1.1h")
    port.close()
    assert place.get("/frame.jpg").status == 200


@pytest.mark.parametrize("resets", [False, True])
def test_opening_resets_the_firmware_or_not(start: Callable[..., Place], resets: bool) -> None:
    place = start(opening_resets=resets)
    for _ in range(2):
        port = open_serial_port(str(place.folder.serial))
        if resets:
            heard_until(port, b"Grbl 1.1h")
        place.control.let_pass(2.5)
        port.write(b"?")
        assert (b"Grbl" in heard_until(port, b">")) is False
        port.close()
        place.control.let_pass(0.2)


def test_the_table_goes_on_when_whoever_moved_it_dies(place: Place) -> None:
    port = open_serial_port(str(place.folder.serial))
    port.write(b"$H\n")
    heard_until(port, b"ok")
    port.write(b"G53 G0 X-300 Y-200\n")
    port.close()
    truth = place.control.truth_once(lambda truth: not truth["moving"] and truth["machine_mm"][0] < -100)
    assert truth["machine_mm"] == pytest.approx([-300, -200, -2], abs=0.02)


# Camera


def test_opencv_sees_the_hand_come(place: Place) -> None:
    capture = cv2.VideoCapture(place.url, cv2.CAP_FFMPEG)
    good, before = capture.read()
    assert good
    assert before.shape == (720, 1280, 3)
    place.control.ask("errand", steps=[{"step": "hover", "over_mm": [160, 160], "seconds": 500}])
    for _ in range(500):
        good, after = capture.read()
        assert good
        if (np.abs(after.astype(int) - before) > 40).any(axis=2).mean() > 0.02:
            break
    else:
        pytest.fail("no hand was seen")
    capture.release()


def test_frames_are_drawn_only_while_somebody_looks(place: Place) -> None:
    place.control.let_pass(2)
    assert place.running.frames.drawn == 0
    with place.get("/stream.mjpg") as response:
        stream = parts(response)
        for _ in range(3):
            next(stream)
    assert place.running.frames.drawn >= 3
    before = -1
    for _ in range(100):  # It takes a while until the server learns that its viewer has left.
        if before == (before := place.running.frames.drawn):
            break
        place.control.let_pass(1)
    else:
        pytest.fail("frames went on being drawn")


def test_viewers_share_the_frames(place: Place) -> None:
    seen: list[list[int]] = [[], []]

    def look(numbers: list[int]) -> None:
        with place.get("/stream.mjpg") as response:
            stream = parts(response)
            while len(numbers) < 8:
                headers, body = next(stream)
                numbers.append(int(headers["X-Frame"]))
                assert cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR).shape == (720, 1280, 3)

    threads = [threading.Thread(target=look, args=(numbers,)) for numbers in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert all(numbers == sorted(set(numbers)) for numbers in seen)
    assert set(seen[0]) & set(seen[1])
    assert max(seen[0] + seen[1]) <= place.running.frames.drawn


def test_a_picture_alone_carries_its_time_and_number(place: Place) -> None:
    early = place.control.ask("truth")["time_s"]
    response = place.get("/frame.jpg?1")
    assert early <= float(response.headers["X-Table-Time"]) <= place.control.ask("truth")["time_s"]
    assert response.headers["X-Frame"] == "1"
    assert cv2.imdecode(np.frombuffer(response.read(), np.uint8), cv2.IMREAD_COLOR).shape == (720, 1280, 3)


def test_a_page_shows_the_stream_and_nothing_else_is_there(place: Place) -> None:
    assert b"/stream.mjpg" in place.get("/").read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        place.get("/etc/passwd")


def test_a_dead_camera_ends_the_stream_and_answers_no_more(place: Place) -> None:
    with place.get("/stream.mjpg") as response:
        stream = parts(response)
        next(stream)
        place.control.fault("camera off")
        assert len(list(stream)) < 1000
    with pytest.raises(urllib.error.HTTPError, match="503"):
        place.get("/stream.mjpg")
    place.control.fault("camera on")
    with place.get("/stream.mjpg") as response:
        next(parts(response))


def test_a_frozen_camera_sends_one_picture_on_and_on(place: Place) -> None:
    with place.get("/stream.mjpg") as response:
        stream = parts(response)
        next(stream)
        place.control.fault("camera freezes")
        place.control.ask("errand", steps=[{"step": "hover", "over_mm": [160, 160], "seconds": 500}])
        frames = [next(stream) for _ in range(25)]
        assert [frame == frames[-1] for frame in frames[-10:]] == [True] * 10
        place.control.fault("camera on")
        while next(stream) == frames[-1]:
            pass


# Control socket


def test_an_errand_is_done_and_the_truth_knows_it(place: Place) -> None:
    steps = [{"step": "carry", "from_mm": [100, 60], "to_mm": [60, 100]}]
    reply = place.control.ask("errand", steps=steps)
    assert reply == {"ok": True, "errand": 1}
    truth = place.control.truth_once(lambda truth: truth["errands_done"] >= 1)
    disc = truth["discs"][0]
    assert (disc["x_mm"], disc["y_mm"]) == pytest.approx((60, 100), abs=8)
    assert disc["where"] == "lying"


BAD_LINES = (
    b"hello",
    b"[]",
    b"{}",
    b"\xff\xfe",
    b'{"do": "dance"}',
    b'{"do": "press"}',
    b'{"do": "press", "button": "red"}',
    b'{"do": "press", "button": "turn", "seconds": -1}',
    b'{"do": "fault", "fault": "earthquake"}',
    b'{"do": "errand", "steps": [{"step": "carry", "from_mm": [1, 2]}]}',
    b'{"do": "errand", "steps": [{"step": "hover", "over_mm": [1, 1e999], "seconds": 1}]}',
    b'{"do": "light", "name": "darkness at noon"}',
    b'{"do": "pins", "levels": {"4": 1}}',
)


def test_a_bad_line_is_answered_and_the_connection_lives(place: Place) -> None:
    for line in BAD_LINES:
        place.control.send(line + b"\n\n")
        reply = place.control.read()
        assert set(reply) == {"error"}, line
        assert reply["error"].endswith("."), line
        assert place.control.ask("press", button="turn") == {"ok": True}


def test_a_client_that_dies_in_the_middle_of_a_line_harms_nobody(place: Place) -> None:
    dying = place.connect()
    dying.send(b'{"do": "fault", "fault": "unplug"}')
    dying.close()
    assert place.connect().ask("press", button="turn") == {"ok": True}
    place.control.let_pass(0.5)
    assert place.faults == []
    assert place.folder.serial.is_symlink()


def test_a_line_without_end_is_not_collected_for_ever(place: Place) -> None:
    talker = place.connect()
    talker.send(b"x" * 100_000)
    assert "at most 65536 bytes" in talker.read()["error"]
    assert talker.at_end()
    assert place.control.ask("press", button="turn") == {"ok": True}


def test_watchers_are_told_of_the_buttons(place: Place) -> None:
    watcher, other = place.connect(), place.connect()
    for connection in (watcher, other):
        assert connection.ask("watch") == {"ok": True}
        assert [connection.read(), connection.read()] == [{"pin": 17, "high": True}, {"pin": 27, "high": False}]
    place.control.ask("press", button="turn")
    place.control.truth_once(lambda truth: True)
    for connection in (watcher, other):
        assert [connection.read(), connection.read()] == [{"pin": 17, "high": False}, {"pin": 17, "high": True}]
    other.close()
    place.control.ask("errand", steps=[{"step": "press"}])
    assert watcher.read() == {"pin": 17, "high": False}


def test_driven_pins_are_light_and_gripper_until_their_driver_is_gone(start: Callable[..., Place]) -> None:
    place = start(gripper_on_pin=True)
    driver = place.connect()
    assert driver.ask("pins", levels={"5": 1, "6": 1, "13": 0, "23": 1}) == {"ok": True}
    truth = place.control.truth_once(lambda truth: truth["light"] == "moving")
    assert truth["gripping"]
    driver.close()
    truth = place.control.truth_once(lambda truth: truth["light"] == "off")
    assert not truth["gripping"]


# Beginning and end


def test_nothing_is_left_and_the_next_table_is_found_at_the_same_address(path: Path) -> None:
    first = Place(path, RunningSetup(TableSetup(), speed=SPEED))
    url = first.url
    first.running.stop()
    assert not any(
        file.is_symlink() or file.exists() for file in (path / "serial", path / "camera", path / "control")
    )
    first.close()
    (path / "camera").write_text(url + "\n")  # As a table leaves it that was killed.
    (path / "serial").symlink_to("/dev/pts/9999")
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path / "control"))
    second = Place(path, RunningSetup(TableSetup(), speed=SPEED))
    assert second.url == url
    assert second.get("/frame.jpg").status == 200
    second.close()


def test_an_address_that_somebody_else_has_is_not_taken(start: Callable[..., Place], path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        (path / "camera").write_text(f"http://127.0.0.1:{other.getsockname()[1]}/stream.mjpg\n")
        assert start().get("/frame.jpg").status == 200


def test_faults_come_by_themselves(start: Callable[..., Place]) -> None:
    place = start(faults="heavy")
    place.running.faults.advance_to(0.0)
    with place.running.lock:
        place.running.faults.advance_to(10_000.0)
        place.running.faults.advance_to(20_000.0)
    assert place.faults


def test_one_folder_has_one_table(path: Path) -> None:
    with (
        claimed_folder(path, NOW),
        pytest.raises(TableProgramError, match=r"in use by the table with process id \d+, started at 2026-11-30"),
        claimed_folder(path, NOW),
    ):
        pass
    with claimed_folder(path, NOW):
        pass


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.joinpath("file").write_text(""), "there is a file"),
        (lambda path: path.joinpath("file", "below").parent.write_text(""), "there is a file"),
    ],
)
def test_a_file_is_no_folder(path: Path, make: Callable[[Path], Any], words: str) -> None:
    make(path)
    with pytest.raises(TableProgramError, match=words), claimed_folder(path / "file", NOW):
        pass
    with pytest.raises(TableProgramError, match=words), claimed_folder(path / "file" / "below", NOW):
        pass


@pytest.mark.parametrize("name", ["config.toml", "serial", "camera", "control"])
def test_files_of_somebody_else_are_left_alone(path: Path, name: str) -> None:
    mine = path / name
    mine.write_text("mine")
    with pytest.raises(TableProgramError, match=f"holds {name}, which no table has made"), claimed_folder(path, NOW):
        pass
    assert mine.read_text() == "mine"
    assert list(path.iterdir()) == [mine]


def test_a_folder_that_cannot_be_made_is_named() -> None:
    with (
        pytest.raises(TableProgramError, match="/proc/crownhead cannot be used"),
        claimed_folder(Path("/proc/crownhead"), NOW),
    ):
        pass


def test_a_path_may_be_too_long_for_a_socket(path: Path) -> None:
    room = 107 - len(str(path / "control")) - 1
    with claimed_folder(path / ("x" * room), NOW) as folder, socket.socket(socket.AF_UNIX) as socket_:
        socket_.bind(str(folder.control))
    with (
        pytest.raises(TableProgramError, match="has 108 bytes and may have 107"),
        claimed_folder(path / ("x" * (room + 1)), NOW),
    ):
        pass


# Time


def test_time_runs_at_its_speed_but_does_not_race_after_a_pause() -> None:
    real, table = VirtualClock(), VirtualClock()
    ticks: list[float] = []
    driver = ClockDriver(table, 3.0, threading.RLock(), lambda: ticks.append(table.now()), ticks.append, real)
    for _ in range(100):
        real.sleep(0.01)
        driver.tick()
    assert table.now() == pytest.approx(3.0)
    real.sleep(3600)
    driver.tick()
    assert table.now() == pytest.approx(3.0 + 3 * BEHIND_S)
    assert len(ticks) == 101


def test_what_ends_the_clocks_thread_is_told() -> None:
    def break_down() -> None:
        raise ZeroDivisionError

    failed = threading.Event()
    failures: list[Exception] = []

    def fail(error: Exception) -> None:
        failures.append(error)
        failed.set()

    driver = ClockDriver(VirtualClock(), 1.0, threading.RLock(), break_down, fail)
    driver.start()
    assert failed.wait(TIMEOUT_S)
    driver.stop()
    assert isinstance(failures[0], ZeroDivisionError)
