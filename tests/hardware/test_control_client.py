"""The client of a running table's control socket, against a stub of the table."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from table_stub import PATIENCE_S, TableStub

from hardware.errors import TableProgramError
from hardware.simulated import control_client
from hardware.simulated.control_client import ControlClient, PinWatch, watch_pins
from hardware.simulated.errand import Carry, PressButton
from hardware.simulated.requests import Control, DoErrand, DrivePins, Fault, HandAway, MakeFault, Request, Truth


@pytest.fixture
def table(tmp_path: Path) -> Iterator[TableStub]:
    table = TableStub(tmp_path / "control", {17: True, 27: False})
    yield table
    if table.path.exists():
        table.stop()


@pytest.fixture
def client(table: TableStub) -> Iterator[ControlClient]:
    client = ControlClient(table.path)
    yield client
    client.close()


def sentence(call: Callable[[], object]) -> str:
    """What is said; it must be one sentence."""
    with pytest.raises(TableProgramError) as caught:
        call()
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text
    return text


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Truth(), {"do": "truth"}),
        (HandAway(), {"do": "hand_away"}),
        (MakeFault(Fault.CAMERA_OFF), {"do": "fault", "fault": "camera off"}),
        (DrivePins({"23": 1.0}), {"do": "pins", "levels": {"23": 1.0}}),
        (
            DoErrand((Carry((60, 100), (100, 140)), PressButton())),
            {
                "do": "errand",
                "steps": [
                    {"step": "carry", "from_mm": [60, 100], "to_mm": [100, 140], "whole_stack": False},
                    {"step": "press"},
                ],
            },
        ),
    ],
)
def test_a_request_is_one_line_and_its_reply_comes_back(
    table: TableStub, client: ControlClient, request_: Request, line: dict[str, Any]
) -> None:
    table.answer = lambda request: {"ok": True, "errand": 3, "discs": []}
    control: Control = client
    assert control.handle(request_) == {"errand": 3, "discs": []}
    assert table.asked == [line]


def test_what_cannot_be_done_is_the_tables_own_sentence_and_the_next_request_works(
    table: TableStub, client: ControlClient
) -> None:
    table.answer = lambda request: {"error": "There is no disc there."}
    assert sentence(lambda: client.handle(HandAway())) == "There is no disc there."
    table.answer = lambda request: {"ok": True}
    assert client.handle(HandAway()) == {}
    assert len(table.asked) == 2 and table.left.empty(), "over the same connection"


def test_replies_in_pieces_with_events_between_them(table: TableStub, client: ControlClient) -> None:
    many = list(range(100_000))
    table.answer = lambda request: (
        b'{"pin": 17, "high": true}\n' + json.dumps({"ok": True, "many": many}).encode() + b"\n"
    )
    assert client.handle(Truth()) == {"many": many}
    table.answer = lambda request: (
        b'{"pin": 17, "high": true}\n{"pin": 17, "high": false}\n{"ok": true, "errand": 7}\n'
    )
    assert client.handle(Truth()) == {"errand": 7}


def test_requests_of_several_threads_do_not_mix(table: TableStub, client: ControlClient) -> None:
    table.answer = lambda request: {"ok": True, "level": request["levels"]["5"]}
    wrong: list[float] = []

    def ask(start: int) -> None:
        for n in range(start, start + 50):
            if client.handle(DrivePins({"5": n / 1000})) != {"level": n / 1000}:
                wrong.append(n)

    threads = [threading.Thread(target=ask, args=(100 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and len(table.asked) == 200


def test_no_table(tmp_path: Path) -> None:
    said = sentence(lambda: ControlClient(tmp_path / "control"))
    assert said == (f"No simulated table runs in {tmp_path}: start one with 'crownhead table --dir {tmp_path}'.")
    assert sentence(lambda: watch_pins(tmp_path / "control", lambda pin, high: None)) == said


def test_a_table_that_was_killed(table: TableStub) -> None:
    table.stop(leave_file=True)
    assert sentence(lambda: ControlClient(table.path)).startswith(f"No simulated table runs in {table.path.parent}: ")
    table.path.unlink()


def test_a_folder_whose_path_is_too_long(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    assert "too long for a control socket" in sentence(lambda: ControlClient(folder / "control"))


def test_a_table_that_goes_and_comes_back(table: TableStub, client: ControlClient) -> None:
    assert client.handle(Truth()) == {}
    table.stop()
    folder = table.path.parent
    assert sentence(lambda: client.handle(Truth())) == (
        f"The simulated table in {folder} is gone: start it again with 'crownhead table --dir {folder}'."
    )
    assert sentence(lambda: client.handle(Truth())).startswith(f"No simulated table runs in {folder}")
    table.start()
    assert client.handle(Truth()) == {}


def test_a_table_that_dies_before_it_has_answered(table: TableStub, client: ControlClient) -> None:
    dying = threading.Thread(target=table.stop)

    def answer(request: dict[str, Any]) -> bytes:
        dying.start()
        return b'{"ok": tr'

    table.answer = answer
    assert "is gone" in sentence(lambda: client.handle(Truth()))
    dying.join()


def test_a_table_that_does_not_answer(
    table: TableStub, client: ControlClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_client, "ANSWER_S", 0.05)
    impatient = ControlClient(table.path)
    late = threading.Event()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["do"] == "truth":
            late.wait(PATIENCE_S)
        return {"ok": True, "to": request["do"]}

    table.answer = answer
    assert "does not answer: stop it and start it again" in sentence(lambda: impatient.handle(Truth()))
    late.set()
    monkeypatch.setattr(control_client, "ANSWER_S", PATIENCE_S)
    assert impatient.handle(HandAway()) == {"to": "hand_away"}, "not the answer that came too late"
    impatient.close()


@pytest.mark.parametrize("reply", [b"HTTP/1.1 400 Bad Request\r\n", b"[1, 2]\n", b"{}\n", b"\xff\n", b'{"ok": 1}\n'])
def test_what_is_no_table_is_said_so(table: TableStub, client: ControlClient, reply: bytes) -> None:
    table.answer = lambda request: reply
    assert "is no simulated table" in sentence(lambda: client.handle(Truth()))


# Watching the buttons.


PRESENT = {(17, True), (27, False)}


class Levels:
    """What was told of the pins, in order."""

    def __init__(self) -> None:
        self._told: SimpleQueue[tuple[int, bool]] = SimpleQueue()

    def __call__(self, pin: int, high: bool) -> None:
        self._told.put((pin, high))

    def next(self) -> tuple[int, bool]:
        return self._told.get(timeout=PATIENCE_S)

    def empty(self) -> bool:
        return self._told.empty()


@pytest.fixture
def levels() -> Levels:
    return Levels()


@pytest.fixture
def watch(table: TableStub, levels: Levels, monkeypatch: pytest.MonkeyPatch) -> Iterator[PinWatch]:
    monkeypatch.setattr(control_client, "DIAL_AGAIN_S", 0.01)
    watch = watch_pins(table.path, levels)
    yield watch
    watch.close()


def test_the_levels_as_they_are_then_every_change(table: TableStub, watch: PinWatch, levels: Levels) -> None:
    assert [levels.next(), levels.next()] == [(17, True), (27, False)]
    for high in (False, True, False):
        table.set_level(17, high)
    assert [levels.next() for _ in range(3)] == [(17, False), (17, True), (17, False)]


def test_nothing_is_told_after_closing_and_the_thread_has_ended(
    table: TableStub, watch: PinWatch, levels: Levels
) -> None:
    assert {levels.next(), levels.next()} == PRESENT
    watch.close()
    assert table.left.get(timeout=PATIENCE_S) is None
    assert not [thread for thread in threading.enumerate() if thread.name == "table pins"]
    watch.close()
    assert levels.empty()


def test_it_can_be_closed_while_the_table_is_gone(table: TableStub, watch: PinWatch, levels: Levels) -> None:
    table.stop()
    watch.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "table pins"]


def test_a_table_that_comes_back_is_watched_again(table: TableStub, watch: PinWatch, levels: Levels) -> None:
    assert {levels.next(), levels.next()} == PRESENT
    table.stop()
    table.levels = {17: False, 27: True}
    table.start()
    assert [levels.next(), levels.next()] == [(17, False), (27, True)]
    table.set_level(27, False)
    assert levels.next() == (27, False)


def test_what_is_no_event_is_passed_over(table: TableStub, watch: PinWatch, levels: Levels) -> None:
    assert {levels.next(), levels.next()} == PRESENT
    table.say_to_all(b'{"news": 1}\n{"pin": "17", "high": 1}\n{"pin": 17, "high": false}\n')
    assert levels.next() == (17, False)


def test_a_table_without_pins_says_so(table: TableStub, levels: Levels) -> None:
    table.answer = lambda request: {"error": "This table has no pins."}
    assert sentence(lambda: watch_pins(table.path, levels)) == "This table has no pins."
    assert table.left.get(timeout=PATIENCE_S) is None


def test_a_socket_that_nobody_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_client, "ANSWER_S", 0.05)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(tmp_path / "control"))
        deaf.listen()
        client = ControlClient(tmp_path / "control")
        assert "does not answer" in sentence(lambda: client.handle(DrivePins({"5": 1.0})))
