"""`crownhead tables`: what a person types, and what is printed or written."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.cli.table_progress import have_tables
from controller.engine import _core

ROOT = Path(__file__).resolve().parents[2]
RUN = "from controller.cli.main import run; run()"
KINGS = "0m2k-0m2k.endgame"


@pytest.fixture(autouse=True)
def detached() -> Iterator[None]:
    """No tables are attached when a test begins, whatever ran before; nor are any left."""
    _core.endgame_detach()
    yield
    _core.endgame_detach()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `crownhead tables build` has built the tables. Not to be changed."""
    folder = tmp_path_factory.mktemp("built") / "new" / "tables"
    assert main(["tables", "build", "--dir", str(folder)]) == 0
    _core.endgame_detach()
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """The same, to change."""
    return shutil.copytree(built, tmp_path / "tables")


def test_a_build_shows_lines_and_says_where_the_tables_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tables", "build", "--dir", str(tmp_path), "--pieces", "4"]) == 0
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert lines[0] == "building the endgame tables: 0 % (2 pieces)"
    assert lines[-1] == "building the endgame tables: 100 % (4 pieces)"
    assert len(lines) == 11
    assert shown.out == f"all endgame tables up to 4 pieces are in {tmp_path} (7 MB)\n"


def test_a_second_build_has_nothing_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "build", "--dir", str(folder)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("all endgame tables up to 4 pieces are in ")


def test_a_build_shows_a_bar_on_a_terminal(tmp_path: Path) -> None:
    terminal, inside = pty.openpty()
    command = [sys.executable, "-c", RUN, "tables", "build", "--dir", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stderr=inside, stdout=subprocess.PIPE, text=True) as process:
        os.close(inside)
        shown = b""
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # How a pseudo-terminal ends.
            pass
        assert process.stdout is not None
        assert process.stdout.read().startswith("all endgame tables up to 4 pieces are in ")
    os.close(terminal)
    assert process.returncode == 0
    assert "100%" in shown.decode()
    assert "building the endgame tables, now 4 pieces" in shown.decode()


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN, "tables", "build", "--dir", str(tmp_path), "--pieces", "5"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if "(5 pieces)" in line:
                process.send_signal(signal.SIGINT)
                said += process.stderr.read()
                break
    assert process.returncode == 130
    assert "Traceback" not in said
    assert said.endswith(
        "the tables that are done are kept: the same command goes on with the next\ncrownhead: stopped\n"
    )
    names = [path.name for path in tmp_path.iterdir()]
    assert KINGS in names
    assert not [name for name in names if name.endswith(".draft")]


def test_a_broken_table_is_built_anew_and_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / KINGS).write_bytes(b"?")
    assert main(["tables", "build", "--dir", str(folder)]) == 0
    lines = capsys.readouterr().err.splitlines()
    reason = "it has 1 bytes, not 215888"
    assert lines[-1] == f"crownhead: the endgame table {folder / KINGS} is broken ({reason}); it has been built anew"
    assert main(["tables", "status", "--verify", "--dir", str(folder)]) == 0


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["tables", "build", "--dir", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == (
        f"crownhead: cannot keep endgame tables in {tmp_path / 'file'} ({tmp_path / 'file'} is not a folder): name a"
        " folder that can be written with --dir\n"
    )
    assert main(["tables", "build", "--dir", str(tmp_path / "file" / "tables")]) == 1
    assert f"({tmp_path / 'file'} is not a folder)" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--json"], ["--verify"]])
def test_status_of_no_folder_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    (tmp_path / "file").touch()
    for name, sentence in (("none", "there is no folder {}"), ("file", "{} is not a folder")):
        assert main(["tables", "status", "--dir", str(tmp_path / name), *options]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert (
            shown.err == f"crownhead: {sentence.format(tmp_path / name)}: name the folder of the tables with --dir\n"
        )


def test_other_numbers_of_pieces_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "build", "--pieces", "7"]) == 2
    assert "choose from" in capsys.readouterr().err


def test_status_says_what_there_is(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "status", "--dir", str(built)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"endgame tables in {built}: complete up to 4 pieces"
    assert lines[3] == (
        "4 pieces: 14 of 14 files, 6.4 MB; 5,148,608 won, 3,435,844 drawn, 3,834,180 lost; longest way 109 plies"
    )
    assert lines[5] == "6 pieces: none (641.2 MB if built)"


def test_status_as_json(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "status", "--json", "--dir", str(built)]) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert shown.err == ""
    assert (found["directory"], found["pieces"], found["broken"]) == (str(built), 4, [])
    assert [count["pieces"] for count in found["counts"]] == [2, 3, 4, 5, 6]
    assert found["counts"][1] == {
        "pieces": 3,
        "files": 6,
        "found": 6,
        "bytes": 199536,
        "bytes_if_complete": 199536,
        "wins": 200500,
        "draws": 16954,
        "losses": 174610,
        "longest": 62,
    }


def test_status_of_a_folder_without_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tables", "status", "--dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(f"endgame tables in {tmp_path}: none complete\n")


def test_status_before_any_table_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", str(tmp_path / "none"))
    assert main(["tables", "status"]) == 0
    assert capsys.readouterr().out.startswith(f"endgame tables in {tmp_path / 'none' / 'tables'}: none complete\n")


@pytest.mark.parametrize("options", [["--json"], []])
def test_status_finds_a_broken_table(folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    content = bytearray((folder / KINGS).read_bytes())
    content[-1] ^= 1
    (folder / KINGS).write_bytes(content)
    assert main(["tables", "status", "--dir", str(folder), *options]) == 1
    out = capsys.readouterr().out
    assert "its checksum is wrong" in out
    if options:
        broken = {"file": str(folder / KINGS), "reason": "its checksum is wrong"}
        assert json.loads(out)["broken"] == [broken]
        assert json.loads(out)["pieces"] == 3


@pytest.mark.parametrize("step", ["build", "status"])
def test_without_the_compiled_engine_it_says_what_to_install(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "controller.engine._core", None)
    monkeypatch.delattr("controller.engine._core")
    assert main(["tables", step, "--dir", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("crownhead: endgame tables need the compiled engine, which is not there: install")
    assert shown.err.count("\n") == 1


def test_a_command_that_plays_has_the_tables_at_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "crownhead").touch()
    have_tables({"XDG_CACHE_HOME": str(tmp_path)})
    assert _core.endgame_pieces() == 4
    shown = capsys.readouterr()
    assert shown.out == ""
    *progress, note = shown.err.splitlines()
    assert all(line.startswith("building the endgame tables: ") for line in progress)
    assert note.startswith(f"crownhead: the endgame tables cannot be kept in {tmp_path}/crownhead/tables (")
    have_tables({"XDG_CACHE_HOME": str(tmp_path)})
    assert capsys.readouterr().err == ""
