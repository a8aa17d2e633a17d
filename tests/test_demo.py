"""A whole game from one command: the short version of the measurement over many seeds."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import cv2
import pytest
from pytest_mock import MockerFixture

from controller.cli.main import main
from controller.draughts import read_pdn


def test_a_whole_game_is_played_to_its_end(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "folder" / "report.json"
    assert main(["demo", "--headless", "--fast", "--seed", "2", "--report", str(file)]) == 0
    report = json.loads(file.read_text())
    assert {key: report[key] for key in ("misread", "asked", "knocked", "dropped", "board_agrees")} == {
        "misread": 0,
        "asked": 0,
        "knocked": 0,
        "dropped": 0,
        "board_agrees": True,
    }
    (game,) = read_pdn(report["pdn"])
    assert game.game.plies >= 2 * report["human_moves"] - 1
    assert game.result == report["result"] != "*"
    out, err = capfd.readouterr()
    assert out == ""
    assert report["pdn"].splitlines()[0] in err
    assert cv2.imread(report["picture"]).shape == (720, 1280, 3)
    journal = sqlite3.connect(report["journal"])
    assert journal.execute("SELECT count(*) FROM moves").fetchone()[0] == game.game.plies
    assert journal.execute("SELECT count(*), sum(outcome = 'done') FROM transfers").fetchone() == (
        report["transfers"],
        report["transfers"],
    )


def test_a_seed_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--seed", "-3"]) == 2
    assert "whole number from 0 on" in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_said_before_the_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mocker: MockerFixture
) -> None:
    played = mocker.patch("controller.demo.play.play_demo")
    assert main(["demo", "--report", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err
    played.assert_not_called()
