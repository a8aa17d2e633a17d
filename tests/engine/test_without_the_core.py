"""Where the compiled engine is missing: Crownhead says so once, and plays on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules["controller.engine._core"] = None  # As if no compiler had been there.
from controller.cli.main import run
sys.argv[0] = "crownhead"
run()
"""


def crownhead(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], input=typed, capture_output=True, text=True, check=False
    )


def test_a_reply_is_found_all_the_same_and_the_reason_said_once() -> None:
    done = crownhead("bestmove", "--nodes", "500", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["nodes"] <= 500
    assert done.stderr.count("the compiled engine is not there") == 1
    assert "install a C compiler" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_counting_goes_on_more_slowly() -> None:
    assert crownhead("perft", "5", "--merged").stdout.splitlines()[-1] == "5 7361"


def test_other_programs_are_answered() -> None:
    done = crownhead("engine", typed="hub\ninit\npos start\nlevel depth=2\ngo think\nquit\n")
    assert "ready" in done.stdout.splitlines()
    assert "done move=" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("words", [("tables", "build"), ("tables", "status")])
def test_tables_need_it_and_say_so(words: tuple[str, ...]) -> None:
    done = crownhead(*words)
    assert done.returncode == 1
    assert "need the compiled engine" in done.stderr
    assert len(done.stderr.splitlines()) == 1
