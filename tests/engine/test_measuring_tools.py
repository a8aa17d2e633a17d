"""The tools that measure the engine: what they refuse, and how they end."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from controller.draughts import read_fen
from controller.errors import ControllerError
from tests import engine_benchmark, engine_parts


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("tool", "options", "reason"),
    [
        (engine_parts, ["--games", "0"], "the number of games must be a whole number from 1"),
        (engine_parts, ["--seconds", "-1"], "the seconds must be more than 0"),
        (engine_parts, ["--nodes", "0"], "the number of nodes must be"),
        (engine_parts, ["wings"], "there is no part wings"),
        (engine_benchmark, ["--seconds", "-1"], "the seconds must be more than 0"),
        (engine_benchmark, ["--threads", "0"], "the number of threads must be"),
    ],
)
def test_what_cannot_be_measured_is_refused(tool: ModuleType, options, reason: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["tool", *options])
    with pytest.raises(SystemExit) as leaving:
        tool.main()
    assert leaving.value.code == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(("tool", "step"), [(engine_parts, "worth_of"), (engine_benchmark, "_print_perft")])
def test_ctrl_c_ends_them_in_a_word(tool: ModuleType, step: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["tool"])
    monkeypatch.setattr(tool, step, interrupted)
    with pytest.raises(SystemExit) as leaving:
        tool.main()
    assert leaving.value.code == 130
    assert capsys.readouterr().err.endswith(": stopped\n")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ControllerError("no engine"), "engine_parts: no engine"),
        (
            subprocess.CalledProcessError(1, "cc", stderr=b"Traceback\n  and more\nerror: no cc\n"),
            "engine_parts: the engine cannot be built (error: no cc): that takes a C compiler and what"
            " `pip install -e '.[test]'` installs",
        ),
    ],
)
def test_a_failure_is_a_sentence(error: Exception, reason: str, monkeypatch) -> None:
    def fail(*_: object) -> str:
        raise error

    monkeypatch.setattr(sys, "argv", ["tool"])
    monkeypatch.setattr(engine_parts, "worth_of", fail)
    with pytest.raises(SystemExit) as leaving:
        engine_parts.main()
    assert leaving.value.code == reason


@pytest.mark.parametrize("fen", engine_benchmark.MIDDLE_GAMES)
def test_every_middle_game_of_the_benchmark_leaves_a_quiet_choice(fen: str) -> None:
    moves = read_fen(fen).legal_moves()
    assert len(moves) > 3
    assert not any(move.captured for move in moves)
