"""The command line's frame: help, exit statuses, and that no error reaches a person as a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from calibration.errors import CalibrationError
from controller.cli import command_line as main_module
from controller.cli.command_line import command_line
from controller.cli.command_parser import CommandParser
from controller.cli.main import main
from controller.draughts.errors import FenError
from controller.errors import JournalError, SettingsError
from hardware.errors import SerialError
from vision.errors import NotAnImageError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Run a command line `try …` whose subcommand does what the test says."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.delenv("CROWNHEAD_DEBUG", raising=False)

    def run(action: Callable[[Namespace], int], *options: str) -> int:
        monkeypatch.setattr(main_module, "SUBCOMMANDS", (subcommand(action),))
        return main(["try", *options])

    run(lambda arguments: 0)
    return run


def subcommand(action: Callable[[Namespace], int]) -> SimpleNamespace:
    return SimpleNamespace(add_parser=lambda subparsers: subparsers.add_parser("try").set_defaults(run=action))


def raising(error: BaseException):
    def action(arguments: Namespace) -> int:
        raise error

    return action


def crownhead(*arguments: str, script: str = "from controller.cli.main import run; run()", **options):
    environment = {**os.environ, "HOME": "/nonexistent", **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT, env=environment, text=True, check=False, **options,
    )  # fmt: skip


@pytest.mark.parametrize("status", [0, 1])
def test_the_status_is_the_commands_own(command, status):
    assert command(lambda arguments: status) == status


@pytest.mark.parametrize(
    "error",
    [
        SettingsError("the level is wrong"),
        JournalError("the journal is gone"),
        CalibrationError("calibrate first"),
        SerialError("no such port"),
        NotAnImageError("a.txt is no picture"),
        FenError("13 men"),
    ],
)
def test_an_error_for_people_is_one_sentence(command, capsys, error):
    assert command(raising(error)) == 1
    assert capsys.readouterr() == ("", f"crownhead: {error}\n")


def test_a_refusal_of_the_system_is_one_sentence(command, capsys, tmp_path):
    missing = tmp_path / "none.json"
    assert command(lambda arguments: len(missing.read_text())) == 1
    assert capsys.readouterr().err == f"crownhead: {missing}: No such file or directory\n"


def test_ctrl_c_is_no_traceback(command, capsys):
    assert command(raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "crownhead: stopped\n"


def test_a_fault_of_the_program_is_kept_in_a_file(command, capsys, tmp_path):
    assert command(raising(ZeroDivisionError("a secret detail"))) == 1
    said = capsys.readouterr().err
    (kept,) = (tmp_path / "state").iterdir()
    assert said.startswith("crownhead: this is a fault of the program, please report it")
    assert said.count("\n") == 1
    assert str(kept) in said
    assert "Traceback" not in said
    assert "raise error\nZeroDivisionError: a secret detail\n" in kept.read_text()


def test_a_fault_is_kept_in_the_temporary_folder_if_need_be(command, capsys, tmp_path, monkeypatch):
    (tmp_path / "state").touch()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(main_module.tempfile, "gettempdir", lambda: str(tmp_path / "tmp"))
    assert command(raising(ZeroDivisionError())) == 1
    (kept,) = (tmp_path / "tmp").iterdir()
    assert str(kept) in capsys.readouterr().err


def test_a_fault_that_can_be_kept_nowhere_is_still_one_sentence(command, capsys, tmp_path, monkeypatch):
    (tmp_path / "state").touch()
    monkeypatch.setattr(main_module.tempfile, "gettempdir", lambda: str(tmp_path / "state" / "none"))
    assert command(raising(ZeroDivisionError())) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_traceback_is_shown_when_asked_for(command, capsys, monkeypatch, way):
    if way == "environment":
        monkeypatch.setenv("CROWNHEAD_DEBUG", "1")
    assert command(raising(SettingsError("wrong")), *(["--debug"] if way == "option" else [])) == 1
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert said.endswith("crownhead: wrong\n")


@pytest.mark.parametrize("argv", [["nonsense"], [], ["try", "--bogus"], ["try", "--conf", "x"], ["--config"]])
def test_wrong_usage(command, capsys, argv):
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("usage: crownhead")


@pytest.mark.parametrize(
    "argv",
    [
        ["--config", "a.toml", "try"],
        ["try", "--config", "a.toml"],
        ["--config", "b.toml", "try", "--config", "a.toml"],
    ],
)
def test_common_options_may_stand_before_and_after_the_command(command, argv):
    arguments = command_line().parse_args(argv)
    assert arguments.config == Path("a.toml")
    assert arguments.debug is False


def test_without_a_settings_file_named_there_is_none(command):
    assert command_line().parse_args(["try"]).config is None


def commands_below(parser: CommandParser, words: tuple[str, ...] = ()):
    yield words, parser
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for name, inner in action.choices.items():
                yield from commands_below(inner, (*words, name))


@pytest.mark.parametrize("words", [words for words, _ in commands_below(command_line())])
def test_every_command_has_help_with_an_example(words, capsys):
    assert main([*words, "--help"]) == 0
    shown = capsys.readouterr()
    assert "example" in shown.out
    assert "  crownhead " in shown.out
    assert shown.err == ""


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("crownhead ")


def test_help_loads_nothing_heavy():
    script = """
import sys
from controller.cli.main import main
assert main(["--help"]) == 0
print("loaded:", *sorted({"cv2", "numpy", "serial", "gpiozero", "rich", "sqlite3"} & set(sys.modules)))
"""
    assert crownhead(script=script, capture_output=True).stdout.splitlines()[-1] == "loaded:"


def test_a_reader_that_has_gone_is_no_fault():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = crownhead("config", "show", stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_said():
    with Path("/dev/full").open("w") as full:
        done = crownhead("config", "show", stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, "crownhead: cannot go on: No space left on device\n")


def test_stdout_may_be_closed():
    closed = "import os, sys; os.close(1); sys.stdout = None; from controller.cli.main import run; run()"
    done = crownhead("config", "show", script=closed, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_stderr_may_be_closed(closed: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "controller.cli.main", "bestmove", "--depth", "3", "--json"]
    environment = {**os.environ, "CACHE_DIRECTORY": str(tmp_path), "STATE_DIRECTORY": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert (b'"move"' in done.stdout) == (closed == "2>&-")
    assert not list(tmp_path.glob("fault-*"))


@pytest.mark.parametrize("module", ["controller.cli.command_line", "controller.settings"])
def test_ctrl_c_while_the_program_is_still_being_read_is_no_traceback(module: str) -> None:
    script = f"""
import os, signal, sys
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Slow())
from controller.cli.main import run
run()
"""
    done = crownhead("perft", "1", script=script, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "crownhead: stopped\n")


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_a_lack_of_memory_is_no_fault_of_the_program(command, capsys, tmp_path, error) -> None:
    assert command(raising(error)) == 1
    assert capsys.readouterr().err.startswith("crownhead: there is not enough memory: ")
    assert not (tmp_path / "state").exists()


def test_a_lack_of_memory_at_the_start_is_a_sentence() -> None:
    script = """
import sys
import controller.cli.main as main
def full(argv): raise MemoryError
main.main = full
main.run()
"""
    done = crownhead(script=script, capture_output=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "not enough memory" in done.stderr


def test_a_terminal_without_our_characters_is_no_fault():
    done = crownhead("perft", "--help", env={"PYTHONIOENCODING": "ascii"}, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?depth nodes?" in done.stdout


def test_a_settings_file_that_is_named_has_to_be_right_whatever_the_command_needs_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perft", "1", "--config", str(tmp_path / "none.toml")]) == 1
    assert "there is no settings file" in capsys.readouterr().err


@pytest.mark.parametrize("argv", [["perft", "1"], ["bestmove", "--depth", "1"], ["engine"]])
def test_a_settings_file_that_the_environment_names_is_as_good_as_one_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch, argv: list[str]
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[engine]\nthinking_s = 'long'\n")
    for file, reason in ((tmp_path / "none.toml", "there is no settings file"), (wrong, "thinking_s")):
        monkeypatch.delenv("CROWNHEAD_CONFIG", raising=False)
        assert main([*argv, "--config", str(file)]) == 1
        said = capsys.readouterr()
        assert reason in said.err
        monkeypatch.setenv("CROWNHEAD_CONFIG", str(file))
        assert main(argv) == 1
        assert capsys.readouterr() == said
