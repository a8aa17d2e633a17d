"""Lines from a pipe, whatever comes through it."""

from __future__ import annotations

import os
import threading

import pytest

from controller.engine.hub.input import DescriptorLines
from controller.engine.hub.lines import LONGEST


@pytest.fixture
def pipe():
    """The writing end of a pipe whose lines are read."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as stream:
        yield stream, DescriptorLines(reading)


def all_of(lines: DescriptorLines) -> list[str]:
    return list(iter(lines.take, None))


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"", []),
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\n\r\nb", ["a", "", "b"]),
        ("é\n".encode(), ["é"]),
        (b"\xff\n", ["\ufffd"]),
        (b"\xc3", ["\ufffd"]),
    ],
)
def test_lines_are_taken_one_by_one(pipe, written: bytes, lines: list[str]) -> None:
    stream, incoming = pipe
    stream.write(written)
    stream.close()
    assert all_of(incoming) == lines
    assert incoming.ready()
    assert incoming.take() is None


def test_nothing_is_ready_before_it_is_there(pipe) -> None:
    stream, incoming = pipe
    assert not incoming.ready()
    stream.write(b"half")
    stream.flush()
    assert not incoming.ready()
    stream.write(b" a line\n")
    stream.flush()
    assert incoming.take() == "half a line"
    assert not incoming.ready()


def test_of_a_line_without_an_end_only_the_beginning_is_kept(pipe) -> None:
    stream, incoming = pipe

    def write() -> None:
        for _ in range(3):
            stream.write(b"x" * LONGEST)
        stream.write(b"\nping\n")
        stream.close()

    writer = threading.Thread(target=write)
    writer.start()
    long, ping = all_of(incoming)
    writer.join()
    assert LONGEST < len(long) < 2 * LONGEST
    assert ping == "ping"
