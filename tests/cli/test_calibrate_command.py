"""`crownhead calibrate` as people call it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.calibration import save_calibration, save_draft
from calibration.draft import STEPS, draft_of
from calibration.known_geometry import calibration_of
from calibration.values import MilestoneRecord
from controller.cli.command_line import main
from hardware.clock import VirtualClock
from hardware.simulated.geometry import TableGeometry

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())


def test_the_sheet_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sheet.pdf"
    assert main(["calibrate", "sheet", "--output", str(path), "--paper", "letter"]) == 0
    assert path.read_bytes().startswith(b"%PDF")
    assert "100 mm long" in capsys.readouterr().out


def test_status_lists_the_steps_and_those_that_are_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calibration.json"
    draft = replace(draft_of(CALIBRATION), made_by="a test")
    for minute, step in enumerate((*STEPS, STEPS[1])):
        when = f"2026-01-01T12:{minute:02}:00+00:00"
        draft = draft.with_record(MilestoneRecord(step.value, when, (f"{step.value} found",)))
    save_draft(draft, path)
    assert main(["calibrate", "status", "--output", str(path)]) == 0
    output = capsys.readouterr().out
    assert "by a test" in output
    assert "accuracy found" in output
    assert "to be done again: 'camera' has been done again since" in output


def test_status_of_a_calibration_that_was_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calibration.json"
    save_calibration(CALIBRATION, path)
    assert main(["calibrate", "status", "--output", str(path)]) == 0
    assert "given" in capsys.readouterr().out


def test_no_calibration_is_said_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", "status", "--output", str(tmp_path / "none.json")]) == 1
    error = capsys.readouterr().err
    assert "cannot read the calibration" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ["nonsense"],
        ["--square-mm", "0"],
        ["--square-mm", "x"],
        ["--corners", "1,2"],
        ["--seed", "-1"],
        ["--fault", "fire"],
    ],
)
def test_wrong_usage_is_said(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["calibrate", *wrong]) == 2
    assert capsys.readouterr().err


def test_a_step_of_the_simulated_table_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    arguments = ["calibrate", "connect", "--simulate", "--seed", "2", "--yes", "--report", str(report)]
    assert main(arguments) == 0
    assert '"refused": null' in report.read_text()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Grbl" in captured.err
