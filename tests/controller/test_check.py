"""The doctor's findings, one at a time: what is well, what is not, and that every fault comes with what mends it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory

from calibration.calibration import Calibration, save_calibration
from calibration.known_geometry import calibration_of
from controller.check import computer, machine, pins, program, sight
from controller.check.finding import Finding, State, fail, ok, parted, warn
from controller.handling.arm import Clearances
from controller.hardware_settings import CameraSettings, MachineSettings, PanelSettings
from controller.settings import FileSettings, GuardSettings, Settings, TableSettings
from controller.settings_file import LoadedSettings
from hardware.clock import VirtualClock
from hardware.errors import CameraError
from hardware.frame import Frame
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.line import SimulatedLine

CALIBRATION = calibration_of(TableGeometry(), VirtualClock().date())


def test_a_finding_has_a_mend_just_where_something_is_wrong() -> None:
    assert ok("disk", "fine").mend == ""
    with pytest.raises(ValueError, match="mend"):
        Finding("disk", State.FAIL, "full")
    with pytest.raises(ValueError, match="mend"):
        Finding("disk", State.OK, "fine", "nothing")
    assert (warn("a", "b", "c").state, fail("a", "b", "c").state) == (State.WARN, State.FAIL)


def test_an_errors_sentence_is_parted_into_what_is_wrong_and_what_to_do() -> None:
    found = parted("port", "/dev/x is busy: stop it (ModemManager).")
    assert (found.found, found.mend) == ("/dev/x is busy", "stop it (ModemManager)")
    assert parted("port", "Nothing more.").mend


# The program.


def test_an_old_python_fails() -> None:
    assert program.check_python((3, 11)).state is State.OK
    assert program.check_python((3, 10)).state is State.FAIL


def test_this_programs_packages_come_from_one_place() -> None:
    found = program.check_packages()
    assert found.state is State.OK
    assert str(Path(__file__).parents[2]) in found.found


def test_a_package_from_elsewhere_and_a_missing_one_fail(tmp_path: Path) -> None:
    places = {name: tmp_path / "ours" / name for name in program.OURS}
    assert program.check_packages(places).state is State.OK
    shadowed = {**places, "vision": tmp_path / "other" / "vision"}
    found = program.check_packages(shadowed)
    assert (found.state, "vision comes from" in found.found) == (State.FAIL, True)
    del places["calibration"]
    assert "calibration is not installed" in program.check_packages(places).found


def test_a_library_that_cannot_be_imported_is_named_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(module: str) -> None:
        if module == "cv2":
            raise ImportError("libGL.so.1: cannot open shared object file")
        if module == "serial":
            raise ImportError("No module named 'serial'")

    monkeypatch.setattr(program.importlib, "import_module", broken)
    mends = [found.mend for found in program.check_libraries()]
    assert mends == ["sudo apt-get install libgl1 libglib2.0-0", "pip install --force-reinstall pyserial"]


@pytest.mark.parametrize(
    ("installed", "word"),
    [({"serial": "0.0.97"}, "hides pyserial"), ({"opencv-python-headless": "4.11"}, "two kinds of OpenCV")],
)
def test_packages_that_get_in_each_others_way_fail(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], word: str
) -> None:
    there = dict.fromkeys(program.LIBRARIES.values(), "1") | installed
    monkeypatch.setattr(program, "_version", there.get)
    (found,) = program.check_libraries()
    assert found.state is State.FAIL
    assert word in found.found


@pytest.mark.parametrize(("free_mb", "state"), [(5000, State.OK), (200, State.WARN), (10, State.FAIL)])
def test_little_room_for_the_journal(tmp_path: Path, free_mb: int, state: State) -> None:
    found = program.check_disk({"STATE_DIRECTORY": str(tmp_path / "state")}, free_mb * 1_000_000)
    assert found.state is state
    assert list(tmp_path.iterdir()) == []


def test_a_settings_file_that_is_wrong_fails_with_its_sentence(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[machine]\nbuad = 9600\n")
    found, loaded = program.check_settings(path, {})
    assert loaded is None
    assert "did you mean 'baud'" in found.found


# The computer.


@pytest.mark.parametrize(
    ("throttled", "heat", "state", "word"),
    [
        (None, None, State.OK, "no Raspberry Pi"),
        ("throttled=0x0\n", "temp=51.0'C\n", State.OK, "51 °C"),
        ("throttled=0x1\n", "temp=51.0'C\n", State.FAIL, "too little voltage now"),
        ("throttled=0x50000\n", "temp=51.0'C\n", State.WARN, "since it was started"),
        ("throttled=0x4\n", "temp=84.0'C\n", State.WARN, "hot"),
        ("throttled=0x0\n", "temp=84.0'C\n", State.WARN, "hot"),
        ("gibberish", None, State.WARN, "gibberish"),
    ],
)
def test_the_pis_own_flags(throttled: str | None, heat: str | None, state: State, word: str) -> None:
    answers = {"get_throttled": throttled, "measure_temp": heat}
    found = computer.check_power(lambda *words: answers[words[-1]])
    assert found.state is state
    assert word in found.found


def test_a_program_that_is_not_there_says_nothing() -> None:
    assert computer.ask_program("surely-no-such-program") is None
    assert computer.ask_program("false") is None
    assert computer.ask_program("echo", "hello") == "hello\n"


def test_a_device_that_may_not_be_used_names_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    (found,) = computer.check_groups(str(device), devices=[])
    assert found.state is State.OK
    monkeypatch.setattr(computer.os, "access", lambda path, mode: False)
    (found,) = computer.check_groups(str(device), devices=["/dev/surely-not-there"])
    assert found.state is State.FAIL
    assert found.mend.startswith("sudo usermod -aG ")


def test_a_missing_port_is_told_with_those_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computer, "serial_devices", lambda: ["/dev/serial/by-id/usb-1a86"])
    found = computer.check_port(MachineSettings(port=str(tmp_path / "none")))
    assert (found.state, found.mend) == (State.FAIL, 'machine.port = "/dev/serial/by-id/usb-1a86"')
    monkeypatch.setattr(computer, "serial_devices", list)
    assert "none is connected" in computer.check_port(MachineSettings(port=str(tmp_path / "none"))).found


def test_a_port_in_use_names_who_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    try:
        name = os.ttyname(theirs)
        monkeypatch.setattr(computer, "who_holds", lambda port: ["ModemManager (process 412)"])
        found = computer.check_port(MachineSettings(port=name))
        assert found.state is State.FAIL
        assert "ModemManager (process 412)" in found.found
        assert "ModemManager" in found.mend
        monkeypatch.setattr(computer, "who_holds", lambda port: [])
        assert computer.check_port(MachineSettings(port=name)).state is State.OK
    finally:
        os.close(ours)
        os.close(theirs)


# The machine.


@pytest.fixture
def firmware(monkeypatch: pytest.MonkeyPatch) -> tuple[VirtualClock, GrblFirmware]:
    clock, made = VirtualClock(), GrblFirmware()
    clock.attach(made.advance_to)
    monkeypatch.setattr("controller.table.serial_port_opener", lambda port, baud: lambda: SimulatedLine(made, clock))
    return clock, made


def told(clock: VirtualClock, made: GrblFirmware, *lines: str) -> None:
    for line in lines:
        made.receive(f"{line}\n".encode())
        clock.sleep(1.0)
    made.take_output()


def test_firmware_that_fits_is_well_and_does_not_move(firmware: tuple[VirtualClock, GrblFirmware]) -> None:
    clock, made = firmware
    before = made.position
    findings, limits = machine.check_firmware(Settings(), clock)
    assert limits is not None
    assert [found.state for found in findings] == [State.OK, State.OK]
    assert "Grbl 1.1" in findings[0].found
    assert made.position == before


def test_a_machine_that_travels_less_fails_with_the_setting_that_mends_it(
    firmware: tuple[VirtualClock, GrblFirmware],
) -> None:
    clock, made = firmware
    told(clock, made, "$130=500", "$20=0")
    findings, _ = machine.check_firmware(Settings(), clock)
    by_state = {found.state: found for found in findings}
    assert "machine.travel_x_mm = 500" in by_state[State.FAIL].mend
    assert "$20" in by_state[State.WARN].found


def test_a_silent_port_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = VirtualClock()

    class Silent:
        name = "/dev/printer"

        def write(self, data: bytes) -> None: ...
        def read(self) -> bytes:
            return b""

        def close(self) -> None: ...

    monkeypatch.setattr("controller.table.serial_port_opener", lambda port, baud: Silent)
    findings, limits = machine.check_firmware(Settings(), clock)
    assert limits is None
    assert findings[0].state is State.FAIL
    assert "/dev/printer" in findings[0].found + findings[0].mend


def test_the_stopping_distance_is_that_of_the_machines_own_speeds(
    firmware: tuple[VirtualClock, GrblFirmware],
) -> None:
    clock, made = firmware
    _, limits = machine.check_firmware(Settings(), clock)
    assert limits is not None
    found = machine.check_stopping(limits, GuardSettings())
    # 566 mm/s along the diagonal: 11 mm in 20 ms, then 566² / (2 · 2828) = 57 mm.
    assert (found.state, "68 mm after the stop" in found.found) == (State.OK, True)
    told(clock, made, "$120=500", "$121=500")
    _, limits = machine.check_firmware(Settings(), clock)
    assert limits is not None
    assert machine.check_stopping(limits, GuardSettings()).state is State.WARN


def test_places_beyond_the_travel_are_named() -> None:
    assert machine.check_reach(CALIBRATION, Settings(), None, Clearances()).state is State.OK
    small = replace(Settings(), machine=replace(MachineSettings(), travel_x_mm=450.0))
    found = machine.check_reach(CALIBRATION, small, None, Clearances())
    assert found.state is State.FAIL
    assert "T" in found.found
    assert "more" in found.found


# What is seen.


def loaded_with(path: Path, camera: CameraSettings | None = None) -> LoadedSettings:
    settings = Settings(files=FileSettings(calibration=path), camera=camera or CameraSettings())
    return LoadedSettings(settings, None, frozenset())


@pytest.mark.parametrize(("worst", "state"), [(0.8, State.OK), (2.0, State.WARN), (6.0, State.FAIL)])
def test_a_calibration_is_as_good_as_its_worst_error(tmp_path: Path, worst: float, state: State) -> None:
    path = tmp_path / "calibration.json"
    arm = replace(CALIBRATION.arm, rms_mm=worst / 2, worst_mm=worst)
    save_calibration(replace(CALIBRATION, arm=arm), path)
    (found,), calibration = sight.check_calibration(loaded_with(path), {})
    assert isinstance(calibration, Calibration)
    assert found.state is state
    assert f"{worst:.2f} mm" in found.found


def test_a_calibration_that_is_missing_broken_or_of_another_size_fails(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    (found,), calibration = sight.check_calibration(loaded_with(path), {})
    assert (found.state, found.mend, calibration) == (State.FAIL, "crownhead calibrate", None)
    path.write_text("{")
    (found,), calibration = sight.check_calibration(loaded_with(path), {})
    assert (found.state, calibration) == (State.FAIL, None)
    save_calibration(CALIBRATION, path)
    (found,), calibration = sight.check_calibration(loaded_with(path, CameraSettings(width=640, height=480)), {})
    assert found.state is State.FAIL
    assert "camera.width = 1280" in found.mend


class FakeCamera:
    def __init__(self, light: int) -> None:
        self.pixels = np.full((720, 1280, 3), light, dtype=np.uint8)
        self.closed = False

    def frame(self) -> Frame:
        return Frame(self.pixels, 0.0, 1)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("light", "state"), [(120, State.OK), (5, State.WARN), (250, State.WARN)])
def test_a_picture_is_taken_and_its_light_is_judged(
    monkeypatch: pytest.MonkeyPatch, light: int, state: State
) -> None:
    camera = FakeCamera(light)
    monkeypatch.setattr(sight, "open_camera", lambda source, size, clock: camera)
    found, frame = sight.check_camera(Settings(), VirtualClock())
    assert found.state is state
    assert frame is not None
    assert camera.closed


def test_a_camera_that_is_not_there_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(source: str, size: object, clock: object) -> FakeCamera:
        raise CameraError("No camera at /dev/video0: no camera is connected.")

    monkeypatch.setattr(sight, "open_camera", missing)
    found, frame = sight.check_camera(Settings(), VirtualClock())
    assert (found.state, frame) == (State.FAIL, None)


def test_a_board_that_is_not_to_be_seen_is_a_warning() -> None:
    frame = FakeCamera(120).frame()
    assert sight.check_board(frame, CALIBRATION).state is State.WARN


# Pins.

PANEL = PanelSettings(turn_pin=17, stop_pin=27)


def test_pins_that_exist_are_well_and_are_let_go_of() -> None:
    factory = MockFactory()
    settings = replace(Settings(), panel=replace(PANEL, stop_normally_closed=False))
    for _ in range(2):
        (found,) = pins.check_pins(settings, factory)
        assert found.state is State.OK
        assert "GPIO 27" in found.found


@pytest.mark.parametrize(
    ("normally_closed", "closed", "state"),
    [(True, True, State.OK), (True, False, State.FAIL), (False, False, State.OK), (False, True, State.FAIL)],
)
def test_a_stop_button_that_is_pressed_fails(
    monkeypatch: pytest.MonkeyPatch, normally_closed: bool, closed: bool, state: State
) -> None:
    monkeypatch.setattr(pins, "_closed_to_ground", lambda pin, factory: pin == 27 and closed)
    settings = replace(Settings(), panel=replace(PANEL, stop_normally_closed=normally_closed))
    findings = list(pins.check_pins(settings))
    assert findings[0].state is state


def test_a_broken_wire_of_the_stop_button_fails() -> None:
    factory = MockFactory()
    settings = replace(Settings(), panel=replace(PANEL, stop_normally_closed=True))
    found, *_ = pins.check_pins(settings, factory)  # An open pin is pulled up.
    assert (found.what, found.state) == ("stop button", State.FAIL)


def test_a_pin_in_use_fails_with_the_setting_that_names_it() -> None:
    from gpiozero import LED

    factory = MockFactory()
    with LED(17, pin_factory=factory):
        findings = list(pins.check_pins(replace(Settings(), panel=PanelSettings(turn_pin=17)), factory))
    assert [found.state for found in findings] == [State.FAIL]
    assert "panel.turn_pin" in findings[0].what


def test_without_pins_there_is_nothing_to_look_at() -> None:
    (found,) = pins.check_pins(Settings())
    assert (found.state, found.found) == (State.OK, "none is used")
    simulated = replace(Settings(), panel=PANEL, table=TableSettings(control=Path("control")))
    (found,) = pins.check_pins(simulated)
    assert found.state is State.OK
