"""`crownhead arm` against simulated firmware on virtual time: what moves, what is said, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from hardware.clock import VirtualClock
from hardware.errors import SerialError
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.line import SimulatedLine

GAME = '[Event "?"]\n\n1. 11-15 23-19 2. 8-11 22-17 *\n'


class Bench:
    """A firmware at the end of every port that is opened; the machine is where `tip` says (board mm)."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.firmware = GrblFirmware()
        self.clock.attach(self.firmware.advance_to)
        self.opened: list[str] = []

    def open(self, name: str) -> SimulatedLine:
        self.opened.append(name)
        return SimulatedLine(self.firmware, self.clock)

    @property
    def tip(self) -> tuple[float, float, float]:
        from calibration.known_geometry import calibration_of
        from hardware.simulated.geometry import TableGeometry

        return calibration_of(TableGeometry(), self.clock.date()).to_board(*self.firmware.position)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bench:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("CROWNHEAD_CONFIG", raising=False)
    monkeypatch.setattr("controller.settings_file.SYSTEM_FILE", tmp_path / "none.toml")
    made = Bench()
    monkeypatch.setattr("controller.table.serial_port_opener", lambda port, baud: lambda: made.open(port))
    for module in ("arm_moving", "arm_watching", "arm_rehearsing"):
        monkeypatch.setattr(f"controller.cli.{module}.RealClock", lambda: made.clock)
    return made


def arm(*words: str) -> int:
    return main(["arm", *words])


def test_status_moves_nothing_and_says_what_is_there(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert arm("status", "--port", "/dev/ttyUSB7") == 0
    said = capsys.readouterr()
    assert bench.opened[0] == "/dev/ttyUSB7"
    assert "Grbl 1.1" in said.out
    assert "(not homed)" in said.out
    assert arm("status", "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert values["homed"] is False
    assert values["doubts"] == []


def test_status_says_where_the_machines_settings_contradict_ours(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in (b"$130=500\n", b"$20=0\n"):
        bench.firmware.receive(line)
        bench.clock.sleep(1.0)
    bench.firmware.take_output()
    assert arm("status", "--json") == 0
    doubts = json.loads(capsys.readouterr().out)["doubts"]
    assert any("500" in doubt and "$130" in doubt for doubt in doubts)
    assert any("$20" in doubt for doubt in doubts)


def test_home_finds_the_switches(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert arm("home", "--attended", "--json") == 0
    assert json.loads(capsys.readouterr().out)["position_mm"] == [-2.0, -2.0, -2.0]


def test_goto_a_square_homes_first_and_stays_above_everything(bench: Bench, capsys) -> None:
    assert arm("goto", "14", "--attended") == 0
    x, y, z = bench.tip
    assert (x, y) == pytest.approx((220.0, 140.0), abs=0.02)  # As the human plays Black.
    assert z >= 22.0
    assert "homing it first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "machine"),
    [
        (("X-100", "Y-120", "Z-40"), (-100.0, -120.0, -40.0)),
        (("-100", "-120", "-40"), (-100.0, -120.0, -40.0)),
        (("x=-100", "y-120"), (-100.0, -120.0, -2.0)),
        (("Z-30",), (-2.0, -2.0, -30.0)),
    ],
)
def test_goto_a_point_in_machine_mm(bench: Bench, words: tuple[str, ...], machine: tuple[float, ...]) -> None:
    assert arm("goto", *words, "--attended") == 0
    assert bench.firmware.position == pytest.approx(machine, abs=0.02)


def test_goto_a_point_in_board_mm(bench: Bench) -> None:
    assert arm("goto", "X160", "Y200", "Z40", "--board", "--attended") == 0
    assert bench.tip == pytest.approx((160.0, 200.0, 40.0), abs=0.02)


def test_jog_goes_by_so_much(bench: Bench) -> None:
    assert arm("jog", "X-10", "Z-2.5", "--attended") == 0
    assert bench.firmware.position == pytest.approx((-12.0, -2.0, -4.5), abs=0.02)


def test_pick_and_place_hold_a_disc_from_one_square_to_another(bench: Bench, capsys) -> None:
    assert arm("pick", "22", "--attended", "--json") == 0
    picked = json.loads(capsys.readouterr().out)
    assert picked["gripper_on"] is True
    assert bench.firmware.gripper_on
    assert picked["board_mm"][2] == pytest.approx(38.0)
    assert arm("place", "18", "--attended", "--json") == 0
    assert json.loads(capsys.readouterr().out)["gripper_on"] is False
    assert not bench.firmware.gripper_on
    assert bench.tip[:2] == pytest.approx((180.0, 180.0), abs=0.02)


def test_grip_and_release_where_it_stands(bench: Bench) -> None:
    assert arm("grip", "--attended") == 0
    assert bench.firmware.gripper_on
    assert arm("release", "--attended") == 0
    assert not bench.firmware.gripper_on


def test_park(bench: Bench) -> None:
    assert arm("park", "--attended") == 0
    assert bench.tip[2] == pytest.approx(30.0, abs=0.02)
    assert bench.tip[1] > 360.0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("goto", "33"), "'33' is no place"),
        (("goto", "T40"), "'T40' is no place"),
        (("goto", "Xten"), "'Xten' is no place"),
        (("jog", "X5", "x6"), "second time"),
        (("pick", "X5"), "'X5' is no place"),
        (("goto", "X-700"), "outside the machine's travel"),
        (("goto", "X160", "Y-300", "--board"), "outside the machine's travel"),
        (("jog", "Z5"), "outside the machine's travel"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    assert arm(*words, "--attended") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert reason in said.err.splitlines()[-1]
    assert not bench.firmware.gripper_on


@pytest.mark.parametrize(
    "words", [("goto",), ("jog",), ("pick",), ("jog", "X1", "--speed", "0"), ("place", "1", "--held", "3"), ("fly",)]
)
def test_wrong_usage(bench: Bench, words: tuple[str, ...]) -> None:
    assert arm(*words) == 2
    assert bench.opened == []


def test_a_square_beyond_the_travel_is_said_before_anything_is_lowered(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from calibration.calibration import save_calibration
    from calibration.known_geometry import calibration_of
    from hardware.simulated.geometry import TableGeometry

    save_calibration(calibration_of(TableGeometry(), bench.clock.date()), tmp_path / "calibration.json")
    config = tmp_path / "small.toml"
    config.write_text(f'[machine]\ntravel_x_mm = 300\n[files]\ncalibration = "{tmp_path / "calibration.json"}"\n')
    assert arm("pick", "4", "--attended", "--config", str(config)) == 1
    assert "square 4 is out of the machine's reach" in capsys.readouterr().err


def test_without_a_camera_nothing_moves_unattended(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert arm("goto", "14") == 1
    assert "--attended" in capsys.readouterr().err
    assert bench.opened == []


def test_a_port_that_is_not_there_is_one_sentence(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> SimulatedLine:
        raise SerialError(f"There is no serial port {name}: no serial device is plugged in.")

    monkeypatch.setattr(bench, "open", missing)
    assert arm("home", "--port", "/dev/nowhere", "--attended") == 1
    assert "There is no serial port /dev/nowhere" in capsys.readouterr().err


def test_rehearse_reports_every_move(bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game, report = tmp_path / "game.pdn", tmp_path / "report.json"
    game.write_text(GAME)
    assert arm("rehearse", str(game), "--attended", "--report", str(report)) == 0
    said = capsys.readouterr()
    assert said.out == ""
    values = json.loads(report.read_text())
    assert [move["move"] for move in values["moves"]] == ["11-15", "23-19", "8-11", "22-17"]
    assert values["ratio"] <= 1.08
    assert values["seconds"] == pytest.approx(sum(move["seconds"] for move in values["moves"]), abs=0.01)
    assert values["bound"] == pytest.approx(sum(move["bound"] for move in values["moves"]), abs=0.01)
    assert "22-17" in said.err


def test_rehearse_prints_json_alone(bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = tmp_path / "game.pdn"
    game.write_text(GAME)
    assert arm("rehearse", str(game), "--attended", "--report", "-") == 0
    assert len(json.loads(capsys.readouterr().out)["moves"]) == 4


@pytest.mark.parametrize(
    ("text", "reason"),
    [(None, "cannot read"), ("", "there is no game"), ('[Event "?"]\n\n*\n', "no moves"), ("1. 11-30 *", "11-30")],
)
def test_what_cannot_be_rehearsed_is_said_before_anything_opens(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, reason: str
) -> None:
    game = tmp_path / "game.pdn"
    if text is not None:
        game.write_text(text)
    assert arm("rehearse", str(game), "--attended") == 1
    assert reason in capsys.readouterr().err
    assert bench.opened == []


def test_a_report_that_cannot_be_written_is_said_before_anything_opens(
    bench: Bench, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = tmp_path / "game.pdn"
    game.write_text(GAME)
    assert arm("rehearse", str(game), "--attended", "--report", str(tmp_path / "none" / "r.json")) == 1
    assert "cannot write" in capsys.readouterr().err
    assert bench.opened == []


def typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bench: Bench, text: str) -> None:
    """Have `text` come from stdin; what is waited for passes on the bench's clock."""
    lines = tmp_path / "typed"
    lines.write_text(text)
    monkeypatch.setattr("sys.stdin", lines.open())
    monkeypatch.setattr("controller.cli.arm_watching._wait", lambda for_lines: bench.clock.sleep(0.25))


def test_the_monitor_takes_actions_and_homes_once(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed(monkeypatch, tmp_path, bench, "home\njog X-10\nfly\ngoto X-700\ngrip  # hold\nquit\njog X-50\n")
    assert arm("monitor", "--attended", "--json") == 0
    said = capsys.readouterr()
    shown = [json.loads(line) for line in said.out.splitlines()]
    assert bench.firmware.position == pytest.approx((-12.0, -2.0, -2.0), abs=0.02)
    assert bench.firmware.gripper_on
    assert shown[0]["homed"] is False
    assert "fly" in said.err
    assert "outside the machine's travel" in said.err
    assert "homing it first" not in said.err


def test_the_monitor_alone_moves_nothing(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed(monkeypatch, tmp_path, bench, "home\n")
    before = bench.firmware.position
    assert arm("monitor", "--seconds", "2") == 0
    assert bench.firmware.position == before
    assert "idle" in capsys.readouterr().out
