"""`crownhead table`: what is refused, what it leaves in its folder, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.calibration import load_calibration
from controller.cli.main import main
from controller.draughts import Colour, Position
from controller.settings_file import file_of, read_file
from controller.table_program import TableOrder, fitting_settings
from hardware.clock import RealClock
from hardware.simulated.physics.interface import GripperKind
from hardware.simulated.program.folder import TableFolder, claimed_folder
from hardware.simulated.program.running_table import RunningSetup
from hardware.simulated.table import TableSetup

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 120


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="table-") as name:
        yield Path(name)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--dir"),
        (["--dir", "X", "--speed", "0"], "more than 0 and at most 4"),
        (["--dir", "X", "--speed", "4.1"], "more than 0 and at most 4"),
        (["--dir", "X", "--speed", "nan"], "more than 0 and at most 4"),
        (["--dir", "X", "--speed", "fast"], "more than 0 and at most 4"),
        (["--dir", "X", "--seed", "-1"], "whole number"),
        (["--dir", "X", "--seed", "4294967296"], "whole number"),
        (["--dir", "X", "--style", "marble and gold"], "invalid choice"),
        (["--dir", "X", "--light", "darkness"], "invalid choice"),
        (["--dir", "X", "--camera", "below"], "invalid choice"),
        (["--dir", "X", "--physics", "newton"], "invalid choice"),
        (["--dir", "X", "--imperfection", "perfect"], "invalid choice"),
        (["--dir", ""], "it is empty: name a folder"),
        (["--dir", "X", "--faults", "many"], "invalid choice"),
        (["--dir", "X", "--gripper", "claw"], "invalid choice"),
        (["--dir", "X", "--human", "red"], "invalid choice"),
        (["--dir", "X", "--for", "-3"], "number of seconds"),
        (["--dir", "X", "--for", "inf"], "number of seconds"),
    ],
)
def test_wrong_usage_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    assert main(["table", *arguments]) == 2
    assert words in capsys.readouterr().err


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["table", *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("crownhead: ")
    assert error.count("\n") == 1
    return error


def test_a_position_that_is_none_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refusal(capsys, "--dir", str(folder), "--fen", "B:W99:B1")
    assert list(folder.iterdir()) == []


def test_a_folder_in_use_is_refused_by_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with claimed_folder(folder, RealClock().date()):
        words = refusal(capsys, "--dir", str(folder))
    assert f"process id {os.getpid()}, started at 20" in words


def test_a_file_or_a_long_path_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("")
    assert "there is a file" in refusal(capsys, "--dir", str(folder / "file"))
    assert "shorter path" in refusal(capsys, "--dir", str(folder / ("x" * 120)))


def order(folder: Path, speed: float = 1.0, human: Colour = Colour.BLACK, **changes: object) -> TableOrder:
    gripper = changes.pop("gripper", GripperKind.SUCTION)
    setup = RunningSetup(replace(TableSetup(), gripper=gripper), speed, **changes)  # type: ignore[arg-type]
    return TableOrder(folder, setup, Position.start(), human)


@pytest.mark.parametrize("speed", [1e-6, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("gripper", list(GripperKind))
@pytest.mark.parametrize("on_pin", [False, True])
def test_the_settings_can_be_read_back(folder: Path, speed: float, gripper: GripperKind, on_pin: bool) -> None:
    place = TableFolder(folder)
    wanted = order(folder, speed, gripper=gripper, gripper_on_pin=on_pin)
    settings = fitting_settings(wanted, place, "http://127.0.0.1:1/stream.mjpg")
    place.config.write_text(file_of(settings, "A head."))
    assert read_file(place.config, {}).settings == settings
    assert settings.machine.gripper_output == ("pin" if on_pin else "coolant")
    assert settings.handling.lifts_stack is (gripper is GripperKind.JAWS)


def test_what_is_waited_for_keeps_pace(folder: Path) -> None:
    slow, fast = (
        fitting_settings(order(folder, speed, Colour.WHITE), TableFolder(folder), "http://127.0.0.1:1/")
        for speed in (1.0, 4.0)
    )
    assert fast.machine.fastest_mm_s == 4 * slow.machine.fastest_mm_s
    assert fast.guard.interval_s < slow.guard.interval_s
    assert fast.guard.settle_s < slow.guard.settle_s
    assert fast.game.human == "white"


def table(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    # Where the tests run in the background, SIGINT is ignored, and children would ignore it, too.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from controller.cli.main import run; run()"
    )
    command = [sys.executable, "-c", script, "table", "--dir", str(folder), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_takes_everything_away(folder: Path, number: signal.Signals) -> None:
    process = table(folder, "--speed", "4", "--fen", "W:W32,K31:B1,K2")
    assert process.stdout is not None
    while "Ctrl-C" not in (line := process.stdout.readline()):
        assert line, process.communicate()
    with socket.socket(socket.AF_UNIX) as control, control.makefile("rw") as lines:
        control.settimeout(TIMEOUT_S)
        control.connect(str(folder / "control"))
        control.sendall(b'{"do": "fault", "fault": "bump"}\n{"do": "truth"}\n')
        assert json.loads(lines.readline()) == {"ok": True}
        discs = json.loads(lines.readline())["discs"]
    assert len(discs) == 6 + 4
    assert "somebody bumps against the table" in process.stdout.readline()
    assert main(["config", "check", str(folder / "config.toml")]) == 0
    settings = read_file(folder / "config.toml", {}).settings
    assert Path(settings.machine.port).is_symlink()
    assert settings.camera.source == (folder / "camera").read_text().strip()
    assert load_calibration(settings.files.calibration_path({})).camera.size == (
        settings.camera.width,
        settings.camera.height,
    )
    process.send_signal(number)
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, err) == (0, "")
    assert {path.name for path in folder.iterdir()} == {"calibration.json", "config.toml", "lock"}


def test_it_ends_by_itself_and_gives_no_calibration_if_so_told(folder: Path) -> None:
    (folder / "calibration.json").write_text("somebody's own")
    assert main(["table", "--dir", str(folder), "--uncalibrated", "--for", "0.1"]) == 0
    assert not (folder / "calibration.json").exists()
    assert (folder / "calibration.json.previous").read_text() == "somebody's own"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
