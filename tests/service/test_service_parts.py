"""What the service has at its edges: systemd's socket, its own, its lock, its journal."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from controller.errors import JournalFormatError, ServiceError
from controller.journal import Journal
from controller.journal_file import FORMAT_VERSION
from controller.service.client import ask, in_use_by_service
from controller.service.keeping import open_service_journal
from controller.service.mqtt import discovery, states
from controller.service.notify import Notifier
from controller.service.place import claimed_state, pointed_to, sockets_to_ask
from controller.service.requests import AskArm, AskPicture, AskStatus, EndGame, NewGame, Order
from controller.service.status import Record, ServiceState
from controller.service.talk import LONGEST_LINE, Talker
from controller.service_settings import MqttSettings
from hardware.clock import RealClock, VirtualClock
from hardware.frame import Frame

ROOT = Path(__file__).parents[2]


# systemd's socket.


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


def told(systemd: socket.socket) -> list[str]:
    lines = []
    while True:
        try:
            lines.append(systemd.recv(4096).decode())
        except BlockingIOError:
            return lines


def test_systemd_is_told_that_the_loop_lives_no_more_often_than_it_has_to_be(systemd: socket.socket) -> None:
    clock = VirtualClock()
    notifier = Notifier({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "30000000"}, clock)
    notifier.ready()
    notifier.status("playing\nnow")
    notifier.status("playing\nnow")
    for _ in range(300):
        notifier.beat()
        clock.sleep(0.1)
    notifier.stopping()
    lines = told(systemd)
    assert [line for line in lines if not line.startswith("WATCHDOG")] == [
        "READY=1",
        "STATUS=playing now",
        "STOPPING=1",
    ]
    assert lines.count("WATCHDOG=1") == 3


@pytest.mark.parametrize(
    "environment",
    [{}, {"NOTIFY_SOCKET": "/nowhere/notify"}, {"NOTIFY_SOCKET": "vsock:2:1"}, {"WATCHDOG_USEC": "soon"}],
)
def test_without_systemd_nothing_is_told_and_nothing_fails(environment: dict[str, str]) -> None:
    notifier = Notifier(environment, VirtualClock())
    notifier.ready()
    notifier.beat()


def test_another_processs_watchdog_is_not_fed(systemd: socket.socket) -> None:
    watchdog = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}
    clock = VirtualClock()
    notifier = Notifier(watchdog, clock)
    for _ in range(10):
        notifier.beat()
        clock.sleep(10)
    assert told(systemd).count("WATCHDOG=1") <= 1


# Its own socket.


class Desk:
    """A service's socket with nothing behind it but a record."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.orders: list[Order] = []
        self.record = Record(RealClock(), "/dev/crownhead")
        self.talker = Talker(self.state / "service.sock", self.record, self.give)

    def give(self, order: Order) -> str:
        self.orders.append(order)
        return "so be it"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.talker.close()


def test_status_orders_and_picture_go_over_the_socket(desk: Desk) -> None:
    desk.record.state = ServiceState.READY
    status = ask(AskStatus(), {}, desk.state)
    fields = {"state", "game", "uptime_s", "camera", "serial", "faults", "temperature_c", "undervoltage"}
    assert fields <= set(status)
    assert (status["state"], status["game"], status["process"]) == ("ready", None, os.getpid())
    assert ask(NewGame(level=3, human="white"), {}, desk.state) == {"sentence": "so be it"}
    ask(EndGame(), {}, desk.state)
    assert desk.orders == [NewGame(level=3, human="white"), EndGame()]
    with pytest.raises(ServiceError, match="no picture yet"):
        ask(AskPicture(), {}, desk.state)
    desk.record.camera.hear(Frame(np.zeros((40, 60, 3), np.uint8), RealClock().now(), 1))
    assert ask(AskPicture(), {}, desk.state)["jpeg"].startswith("/9j/")
    with pytest.raises(ServiceError, match="no arm"):
        ask(AskArm(), {}, desk.state)


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b"\xff\xfe",
        b'{"do": "dance"}',
        b'{"do": "new-game", "level": 11}',
        b'{"do": "new-game", "x": 1}',
    ],
)
def test_what_is_no_request_is_answered_by_a_sentence_and_the_next_is_heard(desk: Desk, line: bytes) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as visitor:
        visitor.connect(str(desk.state / "service.sock"))
        lines = visitor.makefile("rwb")
        lines.write(line + b'\n{"do": "status"}\n')
        lines.flush()
        assert "no request" in json.loads(lines.readline())["error"]
        assert json.loads(lines.readline())["ok"] is True
    assert desk.orders == []


def test_who_sends_no_end_is_sent_away(desk: Desk) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as visitor:
        visitor.settimeout(20)
        visitor.connect(str(desk.state / "service.sock"))
        visitor.sendall(b"x" * (LONGEST_LINE + 10))
        assert visitor.recv(10) == b""
    assert ask(AskStatus(), {}, desk.state)["game"] is None


def test_a_very_long_path_is_no_hindrance_and_a_left_over_socket_neither(tmp_path: Path) -> None:
    state = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 8)
    first = Talker(state / "service.sock", Record(RealClock(), "p"), lambda _: "")
    first._socket.close()  # As a service that was killed leaves it.
    second = Talker(state / "service.sock", Record(RealClock(), "p"), lambda _: "")
    assert ask(AskStatus(), {}, state)["state"] == "starting"
    second.close()
    with pytest.raises(ServiceError, match="no service runs here"):
        ask(AskStatus(), {}, state)


def test_who_names_no_folder_finds_the_service_by_a_link(desk: Desk, tmp_path: Path) -> None:
    environment = {"STATE_DIRECTORY": str(tmp_path / "usual")}
    with pytest.raises(ServiceError, match="no service"):
        ask(AskStatus(), environment)
    with pointed_to(desk.state / "service.sock", environment):
        assert ask(AskStatus(), environment)["serial"]["port"] == "/dev/crownhead"
        assert "the service (process" in str(in_use_by_service("/dev/crownhead", environment))
        assert in_use_by_service("/dev/other", environment) is None
        with pointed_to(tmp_path / "another" / "service.sock", environment):
            assert ask(AskStatus(), environment)["serial"]["port"] == "/dev/crownhead", "the first keeps its link"
    assert not sockets_to_ask(environment, None)[0].exists()


def test_a_second_service_is_refused_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\nfrom controller.service.place import claimed_state\n"
        "with claimed_state(pathlib.Path(sys.argv[1])):\n    print('claimed', flush=True)\n    sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"claimed\n"
    with pytest.raises(ServiceError, match=rf"runs already \(process {other.pid}\)"), claimed_state(tmp_path):
        pass
    other.kill()
    other.communicate()
    with claimed_state(tmp_path):
        pass


def test_a_file_in_place_of_the_state_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with pytest.raises(ServiceError, match="cannot be made"), claimed_state(tmp_path / "state"):
        pass


# Its journal.


def test_a_damaged_journal_is_moved_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    path, clock, said = tmp_path / "journal.sqlite3", VirtualClock(), []
    with Journal(path, clock) as journal:
        for _ in range(200):
            game = journal.begin_game("B:W21-32:B1-12", "black", 5)
            journal.end_game(game, "1-0", "a reason", "pdn " * 40)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\x00\xff" * 2048
    path.write_bytes(content)
    with open_service_journal(path, clock, said.append) as journal:
        assert journal.games() == ()
    (sentence,) = said
    aside = tmp_path / "journal.sqlite3.damaged-20260101-120000"
    assert sentence == f"the journal {path} is damaged: I have moved it to {aside} and begin a new one"
    assert aside.read_bytes() == bytes(content)


def test_no_database_at_all_is_moved_aside_too(tmp_path: Path) -> None:
    path, said = tmp_path / "journal.sqlite3", []
    path.write_text("this is a letter, and no database at all " * 50)
    open_service_journal(path, VirtualClock(), said.append).close()
    assert len(said) == 1


def test_a_journal_of_a_newer_version_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    Journal(path, VirtualClock()).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT_VERSION + 1}")
        connection.execute("PRAGMA journal_mode = DELETE")
    before = path.read_bytes()
    with pytest.raises(JournalFormatError, match="update the program"):
        open_service_journal(path, VirtualClock(), lambda _: None)
    assert path.read_bytes() == before


def test_pruning_keeps_the_games_and_gives_room_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    with Journal(path, VirtualClock()) as journal:
        for number in range(1, 21):
            game = journal.begin_game("B:W21-32:B1-12", "black", 5)
            journal.record_move(game, 1, "black", "11-15", "W:W21-32:B1-10,12,15")
            for _ in range(50):
                journal.record_verdict(game, "move", "you played " + "x" * 200)
            journal.end_game(game, "1-0", "a reason", f"pdn {number}")
        large = path.stat().st_size
        assert journal.prune(5) == 15 * 50
        assert journal.prune(5) == 0
        assert [len(journal.verdicts(game.id)) for game in journal.games()] == [0] * 15 + [50] * 5
        assert all(len(journal.moves(game.id)) == 1 and game.pdn for game in journal.games())
        assert path.stat().st_size < large / 2


def test_a_backup_is_whole_and_overwrites_nothing(tmp_path: Path) -> None:
    path, copy = tmp_path / "journal.sqlite3", tmp_path / "copy.sqlite3"
    with Journal(path, VirtualClock()) as journal:
        journal.begin_game("B:W21-32:B1-12", "black", 5)
        with Journal(path, VirtualClock(), read_only=True) as reader:
            reader.back_up(copy)
    with Journal(copy, VirtualClock(), read_only=True) as read:
        assert len(read.games()) == 1
        with pytest.raises(Exception, match="is there already"):
            read.back_up(path)


# MQTT.


def test_home_assistant_is_told_what_there_is() -> None:
    found = discovery(MqttSettings(topic="club/table1"))
    assert len({content["unique_id"] for content in found.values()}) == len(found) == 6
    assert found["homeassistant/sensor/club_table1/turn/config"]["state_topic"] == "club/table1/turn"
    assert found["homeassistant/button/club_table1/start/config"]["payload_press"] == "start"


def test_whose_turn_it_is() -> None:
    record = Record(VirtualClock(), "p")
    assert states(record.values())["turn"] == "nobody"
