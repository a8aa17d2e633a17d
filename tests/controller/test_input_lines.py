"""Lines from a script and from a terminal, never waited for."""

from __future__ import annotations

import io
import os
import pty
import sys
import termios
from pathlib import Path

import pytest

from controller.seat.input_lines import PromptLines, ScriptLines, input_lines


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue


def test_lines_of_a_pipe_come_as_they_are_written(pipe) -> None:
    reading, writing = pipe
    lines = ScriptLines(reading)
    assert lines.take() == []
    os.write(writing, b"11-15\r\nput ba")
    assert lines.take() == ["11-15"]
    assert lines.take() == []
    os.write(writing, b"ck\n\nquit")
    assert lines.take() == ["put back", ""]
    assert not lines.ended
    os.close(writing)
    assert lines.take() == ["quit"]
    assert lines.ended
    assert lines.take() == []


def test_what_is_no_text_does_no_harm(pipe) -> None:
    reading, writing = pipe
    lines = ScriptLines(reading)
    os.write(writing, "×".encode()[:1])
    assert lines.take() == []
    os.write(writing, "×".encode()[1:] + b"\xff\n")
    assert lines.take() == ["×\ufffd"]


def test_an_endless_script_is_read_piece_by_piece(pipe) -> None:
    reading, writing = pipe
    os.write(writing, b"y\n" * 10_000)
    assert 0 < len(ScriptLines(reading).take()) < 10_000


def test_a_prompt_shows_what_is_typed_and_makes_room_for_what_is_printed(pipe) -> None:
    reading, writing = pipe
    screen = io.StringIO()
    lines = PromptLines(reading, screen)
    os.write(writing, b"11-1")
    lines.poll()
    assert screen.getvalue().endswith("\r\x1b[K> 11-1")
    with lines.aside():
        screen.write("I play 22-18\n")
    assert screen.getvalue().endswith("\r\x1b[KI play 22-18\n\r\x1b[K> 11-1")
    os.write(writing, b"5\r")
    assert lines.take() == ["11-15"]
    assert screen.getvalue().endswith("> 11-15\n\r\x1b[K> ")
    assert lines.take() == []
    assert not lines.ended
    os.write(writing, b"\x04")
    assert lines.take() == []
    assert lines.ended


def test_a_long_line_shows_its_end(pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    reading, writing = pipe
    screen = io.StringIO()
    lines = PromptLines(reading, screen)
    os.write(writing, b"# " + b"0123456789" * 4)
    lines.poll()
    assert screen.getvalue().endswith("> " + ("0123456789" * 4)[-17:])


def test_a_terminal_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    _, inner = pty.openpty()
    with os.fdopen(inner, "r+b", buffering=0) as raw, io.TextIOWrapper(raw, write_through=True) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys, "stdout", terminal)
        before = termios.tcgetattr(inner)
        with input_lines() as lines:
            assert isinstance(lines, PromptLines)
            assert not termios.tcgetattr(inner)[3] & (termios.ICANON | termios.ECHO)
            assert termios.tcgetattr(inner)[3] & termios.ISIG
        assert termios.tcgetattr(inner) == before


def test_a_file_is_a_script_and_no_stdin_an_empty_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("11-15\n")
    with script.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with input_lines() as lines:
            assert lines.take() == ["11-15"]
            assert not lines.live
    monkeypatch.setattr(sys, "stdin", None)
    with input_lines() as lines:
        assert lines.take() == []
        assert lines.ended
