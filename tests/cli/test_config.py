"""`crownhead config`: what a person types, and what is printed or written."""

from __future__ import annotations

import json
import tomllib

import pytest

from controller import settings_file
from controller.cli.main import main
from controller.settings import Settings
from controller.settings_file import load_settings, settings_from


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """A user's home with nothing in it."""
    for variable in ("CROWNHEAD_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "STATE_DIRECTORY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(settings_file, "SYSTEM_FILE", tmp_path / "etc" / "config.toml")
    return tmp_path / "home"


def test_init_writes_the_users_file_and_check_agrees(home, capsys):
    file = home / ".config" / "crownhead" / "config.toml"
    assert main(["config", "init"]) == 0
    assert capsys.readouterr().out == f"wrote {file}\n"
    assert load_settings(file, {}) == Settings()
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == f"{file}: ok\n"


@pytest.mark.parametrize("way", ["argument", "option", "environment"])
def test_init_writes_the_file_that_is_named(tmp_path, monkeypatch, way):
    file = tmp_path / "new" / "table.toml"
    if way == "environment":
        monkeypatch.setenv("CROWNHEAD_CONFIG", str(file))
    words = {"argument": [str(file)], "option": ["--config", str(file)], "environment": []}[way]
    assert main(["config", "init", *words]) == 0
    assert load_settings(file, {}) == Settings()


def test_init_never_overwrites_unless_forced(tmp_path, capsys):
    file = tmp_path / "table.toml"
    file.write_text("mine")
    assert main(["config", "init", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"crownhead: {file} exists already: name another file, or overwrite it with --force\n"
    )
    assert file.read_text() == "mine"
    assert main(["config", "init", "--force", str(file)]) == 0
    assert load_settings(file, {}) == Settings()


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_init_where_no_file_can_be(tmp_path, capsys, force):
    (tmp_path / "file").touch()
    assert main(["config", "init", *force, str(tmp_path / "file" / "table.toml")]) == 1
    assert capsys.readouterr().err == f"crownhead: cannot make the folder {tmp_path}/file: File exists\n"
    assert main(["config", "init", "--force", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"crownhead: cannot write {tmp_path}: Is a directory\n"


def test_init_without_a_home(monkeypatch, capsys):
    monkeypatch.delenv("HOME")
    assert main(["config", "init"]) == 1
    assert capsys.readouterr().err == "crownhead: there is no home directory to write to: name a file\n"


def test_show_without_a_file(capsys):
    assert main(["config", "show"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("# no settings file: all defaults\n")
    assert settings_from(tomllib.loads(shown)) == Settings()


def test_show_a_file(tmp_path, capsys):
    file = tmp_path / "table.toml"
    file.write_text("[game]\nlevel = 9\n")
    assert main(["config", "show", "--config", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"# {file}\n")
    assert "\nlevel = 9\n" in shown
    assert tomllib.loads(shown)["game"]["level"] == 9


def test_show_as_json(tmp_path, capsys):
    file = tmp_path / "table.toml"
    file.write_text('[game]\nlevel = 9\n[files]\njournal = "games"\n')
    assert main(["--config", str(file), "config", "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["source"] == str(file)
    assert shown["settings"]["game"]["level"] == 9
    assert shown["settings"]["files"] == {"calibration": None, "journal": str(tmp_path / "games")}
    assert main(["config", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] is None


@pytest.mark.parametrize("way", ["argument", "option", "environment"])
def test_check_says_what_is_wrong(tmp_path, capsys, monkeypatch, way):
    file = tmp_path / "table.toml"
    file.write_text("[game]\nlevle = 9\n")
    if way == "environment":
        monkeypatch.setenv("CROWNHEAD_CONFIG", str(file))
    words = {"argument": [str(file)], "option": ["--config", str(file)], "environment": []}[way]
    assert main(["config", "check", *words]) == 1
    assert capsys.readouterr() == (
        "",
        f"crownhead: {file}: unknown key 'levle' in [game]: did you mean 'level'?\n",
    )


def test_check_without_a_file(capsys):
    assert main(["config", "check"]) == 0
    assert capsys.readouterr().out == "there is no settings file: the defaults are in force\n"


def test_check_prefers_the_file_that_is_named_to_the_one_in_force(tmp_path, capsys):
    assert main(["config", "check", str(tmp_path / "none.toml")]) == 1
    assert "there is no settings file" in capsys.readouterr().err
