"""`crownhead check`: every finding in words or as JSON, and a status that scripts can rely on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.calibration import save_calibration
from calibration.known_geometry import calibration_of
from controller.cli.main import main
from hardware.clock import VirtualClock
from hardware.frame import Frame
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.line import SimulatedLine

ALWAYS = {"Python", "packages", "libraries", "engine", "power", "disk", "settings"}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file; the state directory is empty, and no other file counts."""
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "state"))
    monkeypatch.delenv("CROWNHEAD_CONFIG", raising=False)
    path = tmp_path / "config.toml"
    path.write_text(f'[machine]\nport = "{tmp_path / "ttyUSB0"}"\n[camera]\nsource = "{tmp_path / "video9"}"\n')
    return path


def checked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, dict[str, str]]]:
    status = main(["check", "--json", *words])
    findings = json.loads(capsys.readouterr().out)
    return status, {finding["what"]: finding for finding in findings}


def test_a_bare_computer_fails_with_a_mend_for_each_fault(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = checked(capsys, "--config", str(config))
    assert status == 1
    assert set(found) >= ALWAYS | {"port", "camera", "calibration", "pins", "groups"}
    for finding in found.values():
        assert set(finding) == {"what", "state", "found", "mend"}
        assert finding["state"] in ("ok", "warn", "fail")
        assert bool(finding["mend"]) == (finding["state"] != "ok")
    assert {name for name, finding in found.items() if finding["state"] == "fail"} == {
        "port",
        "camera",
        "calibration",
    }


def test_the_words_are_the_same_findings(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--config", str(config)]) == 1
    said = capsys.readouterr()
    assert said.err == ""
    assert "fail  calibration: " in said.out
    assert "→ crownhead calibrate" in said.out
    assert said.out.splitlines()[-1].startswith("3 to mend before playing")


def test_a_table_that_has_everything_passes(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, firmware = VirtualClock(), GrblFirmware()
    clock.attach(firmware.advance_to)
    monkeypatch.setattr("hardware.clock.RealClock", lambda: clock)
    monkeypatch.setattr(
        "controller.table.serial_port_opener", lambda port, baud: lambda: SimulatedLine(firmware, clock)
    )

    class Camera:
        def frame(self) -> Frame:
            return Frame(np.full((720, 1280, 3), 120, dtype=np.uint8), clock.now(), 1)

        def close(self) -> None: ...

    monkeypatch.setattr("controller.check.sight.open_camera", lambda source, size, clock: Camera())
    (tmp_path / "ttyUSB0").touch()
    save_calibration(calibration_of(TableGeometry(), clock.date()), tmp_path / "calibration.json")
    config.write_text(config.read_text() + '[files]\ncalibration = "calibration.json"\n')
    status, found = checked(capsys, "--config", str(config))
    assert status == 0
    assert set(found) >= {"firmware", "firmware settings", "stopping distance", "reach", "board"}
    assert {name for name, finding in found.items() if finding["state"] != "ok"} == {"board"}


def test_a_settings_file_that_is_wrong_is_a_finding(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text("[machine]\nbaud = 'fast'\n")
    status, found = checked(capsys, "--config", str(config))
    assert status == 1
    assert found["settings"]["state"] == "fail"
    assert "baud" in found["settings"]["found"]
    assert found["firmware"]["state"] == "warn"


def test_a_simulated_table_needs_nothing_more(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('[table]\nkind = "simulated"\n')
    status, found = checked(capsys, "--config", str(config))
    assert status == 0
    assert found["table"]["state"] == "ok"
    assert "port" not in found


def test_the_port_of_the_command_line_counts(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = checked(capsys, "--config", str(config), "--port", "/dev/surely-not-there")
    assert "/dev/surely-not-there" in found["port"]["found"]
