"""The table is opened whole or not at all, and says in one sentence what is missing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from table_stub import PATIENCE_S, TableStub

from calibration.calibration import save_calibration
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from controller.errors import ControllerError
from controller.settings import CameraSettings, FileSettings, MachineSettings, PanelSettings, Settings, TableSettings
from controller.table import open_motion, open_real_table
from hardware.clock import RealClock, VirtualClock
from hardware.errors import CameraError, HardwareError, SerialError, TableProgramError
from hardware.frame import Frame
from hardware.simulated.geometry import TableGeometry


class StillCamera:
    """Stands in for the camera device."""

    def __init__(self, source: str, size: tuple[int, int], clock: RealClock, lock: object) -> None:
        self.closed = False
        cameras.append(self)

    def frame(self) -> Frame:
        raise CameraError("no picture")

    def close(self) -> None:
        self.closed = True


cameras: list[StillCamera] = []


def settings_with(folder: Path, **camera: object) -> Settings:
    return Settings(
        camera=CameraSettings(**camera),  # type: ignore[arg-type]
        machine=MachineSettings(port=str(folder / "no-port")),
        files=FileSettings(calibration=folder / "calibration.json"),
    )


def test_a_missing_camera_is_said(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match=r"/dev/video99"):
        open_real_table(settings_with(tmp_path, source="/dev/video99"), RealClock(), {})


@pytest.mark.parametrize(
    ("calibrated", "camera", "error", "words"),
    [
        (False, {}, CalibrationError, "cannot read the calibration"),
        (
            True,
            {"width": 1920, "height": 1080},
            ControllerError,
            "1280 × 720 px and the settings ask for 1920 × 1080",
        ),
        (True, {}, SerialError, "no-port"),
    ],
)
def test_what_is_missing_behind_the_camera_is_said_and_the_camera_let_go(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    calibrated: bool,
    camera: dict[str, int],
    error: type[Exception],
    words: str,
) -> None:
    monkeypatch.setattr("controller.table.open_camera", StillCamera)
    if calibrated:
        save_calibration(calibration_of(TableGeometry(), VirtualClock().date()), tmp_path / "calibration.json")
    with pytest.raises(error, match=words):
        open_real_table(settings_with(tmp_path, **camera), RealClock(), {})
    assert cameras[-1].closed


def test_motion_is_not_connected_before_it_is_asked_to(tmp_path: Path) -> None:
    settings = replace(Settings(), machine=MachineSettings(port=str(tmp_path / "no-port")))
    motion = open_motion(settings, RealClock())
    with pytest.raises(SerialError, match="no-port"):
        motion.connect()


def pins_at(control: Path, settings: Settings, **panel: int) -> Settings:
    """The same table with panel and gripper on pins that are at the control socket."""
    return replace(
        settings,
        table=TableSettings(control=control),
        panel=PanelSettings(turn_pin=17, stop_pin=27, **panel),
        machine=replace(settings.machine, gripper_output="pin", gripper_pin=23),
    )


def test_a_running_table_that_is_not_there_is_said_first(tmp_path: Path) -> None:
    settings = pins_at(tmp_path / "control", settings_with(tmp_path, source="http://127.0.0.1:9/"))
    with pytest.raises(TableProgramError, match=r"No simulated table runs in .*: start one with 'crownhead table"):
        open_real_table(settings, RealClock(), {})


@pytest.mark.parametrize(
    ("panel", "error", "words"),
    [
        ({"red_pin": 5, "green_pin": 6, "blue_pin": 13}, SerialError, "no-port"),
        ({"red_pin": 5, "green_pin": 6}, HardwareError, "needs all three pins: give red, green and blue"),
    ],
)
def test_pins_at_a_running_table_are_let_go_when_something_else_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, panel: dict[str, int], error: type[Exception], words: str
) -> None:
    monkeypatch.setattr("controller.table.open_camera", StillCamera)
    save_calibration(calibration_of(TableGeometry(), VirtualClock().date()), tmp_path / "calibration.json")
    table = TableStub(tmp_path / "control", {17: True, 27: False})
    with pytest.raises(error, match=words):
        open_real_table(pins_at(table.path, settings_with(tmp_path), **panel), RealClock(), {})
    assert cameras[-1].closed
    assert table.left.get(timeout=PATIENCE_S) is table.left.get(timeout=PATIENCE_S) is None
    assert not any(table.driven().values())
    table.stop()
