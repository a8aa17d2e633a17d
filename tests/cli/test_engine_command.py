"""`crownhead engine` as a program: what other programs meet when they start it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "controller.cli.main", "engine", "--no-tables"]
PATIENCE_S = 60
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": ROOT}


@contextmanager
def engine(*options: str) -> Iterator[subprocess.Popen[str]]:
    """The program, its standard streams as text; it must have left by itself in the end."""
    with subprocess.Popen(
        [*COMMAND, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            yield process
            assert process.wait(PATIENCE_S) == 0
            assert process.stderr is not None
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


def send(process: subprocess.Popen[str], *lines: str) -> None:
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()


def until(process: subprocess.Popen[str], command: str) -> list[str]:
    """The lines up to one with a certain command."""
    lines = []
    while not lines or lines[-1].split()[0] != command:
        lines.append(process.stdout.readline())
        assert lines[-1], f"the engine has ended without {command}: {lines}"
    return lines


def test_a_conversation_from_beginning_to_end() -> None:
    with engine() as process:
        send(process, "hub")
        assert until(process, "wait")[0].startswith("id name=Crownhead ")
        send(process, "set-param name=level value=5", "init")
        until(process, "ready")
        send(process, "new-game", 'pos start moves="11-15 22-18 15x22x18"', "level depth=6", "go think")
        *infos, done = until(process, "done")
        assert infos
        assert {line.split()[0] for line in infos} == {"info"}
        assert done.split()[1] in ("move=25x18x22", "move=26x17x22")
        send(process, "go analyze", "ping")
        assert "pong\n" in until(process, "pong")
        send(process, "stop")
        until(process, "done")
        send(process, "quit")


@pytest.mark.parametrize(
    "lines", [[], ["hub"], ["go analyze"], ["level move-time=1000", "go think"], ["go ponder", "stop"]]
)
def test_it_leaves_when_its_input_ends(lines: list[str]) -> None:
    with engine() as process:
        send(process, *lines)
        process.stdin.close()


def test_the_last_line_needs_no_end_and_line_ends_may_be_strange() -> None:
    done = subprocess.run(
        COMMAND, input=b"ping\r\n\r\n\xff\xfe\nping\x00\nping", capture_output=True, check=True, cwd=ROOT
    )
    assert done.stdout.decode().count("pong\n") == 2
    assert done.stdout.decode().count("error message=") == 3
    assert b"Traceback" not in done.stderr


def test_it_leaves_without_a_word_when_nobody_reads_it() -> None:
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, complaints = process.communicate(b"hub\nping\n", timeout=PATIENCE_S)
    assert b"Traceback" not in complaints
    assert b"Exception ignored" not in complaints


def test_without_any_input_it_leaves() -> None:
    done = subprocess.run([*COMMAND], stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, b"")
