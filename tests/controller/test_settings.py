"""The settings: defaults, what a file may say, and the sentence for everything that it may not."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import settings_file
from controller.errors import SettingsError
from controller.settings import GameSettings, PanelSettings, Settings, state_directory
from controller.settings_file import default_file, load_settings, load_with_source, settings_from, show_file


@pytest.fixture(autouse=True)
def no_system_file(monkeypatch, tmp_path):
    monkeypatch.setattr(settings_file, "SYSTEM_FILE", tmp_path / "etc" / "config.toml")


def sentence(content: str, tmp_path: Path) -> str:
    """What is said of a settings file; it must be one sentence that names the file."""
    file = tmp_path / "config.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(file, {})
    text = str(caught.value)
    assert text.startswith(f"{file}")
    assert "\n" not in text
    return text.removeprefix(f"{file}").removeprefix(": ")


def test_the_defaults_are_the_reference_build():
    settings = load_settings(None, {})
    assert settings == Settings()
    assert settings.machine.travel_mm == (620.0, 490.0, 95.0)
    assert (settings.camera.width, settings.camera.height) == (1280, 720)
    assert not settings.handling.lifts_stack
    assert settings.panel == PanelSettings(None, None, None)


def test_the_default_file_says_the_defaults(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(default_file(), encoding="utf-8")
    assert load_settings(file, {}) == Settings()


def test_the_default_file_names_every_key_below_its_meaning():
    lines = default_file().splitlines()
    for section in dataclasses.fields(Settings):
        start = lines.index(f"[{section.name}]")
        for key in dataclasses.fields(getattr(Settings(), section.name)):
            at = next(n for n in range(start, len(lines)) if re.match(rf"(# )?{key.name} = ", lines[n]))
            assert lines[at - 1].startswith("# ")


def test_what_is_unset_in_the_default_file_shows_a_value_that_may_be_set(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(re.sub(r"^# (\w+ = )", r"\1", default_file(), flags=re.M), encoding="utf-8")
    settings = load_settings(file, {})
    unset = (settings.panel.turn_pin, settings.panel.stop_pin, settings.panel.light_pin, settings.files.calibration)
    assert None not in unset


def test_values_are_read_and_the_rest_keeps_its_defaults(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('[game]\nhuman = "white"\nlevel = 10\n[guard]\nsettle_s = 2\n')
    settings = load_settings(file, {})
    assert settings.game == GameSettings(human="white", level=10)
    assert settings.guard.settle_s == 2.0
    assert settings.camera == Settings().camera


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[game]\nlevle = 3", "unknown key 'levle' in [game]: did you mean 'level'?"),
        ("[gmae]\nlevel = 3", "unknown section [gmae]: did you mean 'game'?"),
        ("[camera]\nlevel = 3", "unknown key 'level' in [camera]: it belongs in [game]"),
        ("[table]\nxyz = 3", "unknown key 'xyz' in [table]: there are kind, seed, control"),
        ("level = 3", "the key 'level' stands outside its section: it belongs below a line [game]"),
        (
            '[game]\n"a\\nb" = 3',
            "unknown key 'a\\nb' in [game]: there are human, level, draw_by_repetition, draw_by_forty_moves",
        ),
        ("qqq = 3", "unknown key 'qqq' before the first section"),
        ("game = 3", "'game' is a section: write its keys below a line [game]"),
        ("[game]\nlevel = 11", "'level' in [game] must be a whole number from 1 to 10 or \"best\", not 11"),
        ("[game]\nlevel = 0", "'level' in [game] must be a whole number from 1 to 10 or \"best\", not 0"),
        ("[game]\nlevel = 3.5", "'level' in [game] must be a whole number from 1 to 10 or \"best\", not 3.5"),
        ("[game]\nlevel = true", "'level' in [game] must be a whole number from 1 to 10 or \"best\", not true"),
        ("[game]\nlevel = '3'", '\'level\' in [game] must be a whole number from 1 to 10 or "best", not "3"'),
        ("[game]\nhuman = 'red'", '\'human\' in [game] must be "black" or "white", not "red"'),
        ("[game]\ndraw_by_repetition = 1", "'draw_by_repetition' in [game] must be true or false, not 1"),
        ("[guard]\ninterval_s = nan", "'interval_s' in [guard] must be a number from 0.02 to 1, not nan"),
        ("[guard]\ninterval_s = inf", "'interval_s' in [guard] must be a number from 0.02 to 1, not inf"),
        ("[machine]\nport = ''", "'port' in [machine] must be a text in quotes, not \"\""),
        ("[camera]\nsource = 0", "'source' in [camera] must be a text in quotes, not 0"),
        ("[files]\njournal = [1, 'a']", "'journal' in [files] must be a path in quotes, not [1, \"a\"]"),
        ("[files]\njournal = ''", "'journal' in [files] must be a path in quotes, not \"\""),
        ("[panel]\nturn_pin = 28", "'turn_pin' in [panel] must be a whole number from 0 to 27, not 28"),
        (
            "[panel]\nturn_pin = 4\nstop_pin = 4",
            "'turn_pin' in [panel] and 'stop_pin' in [panel] are both pin 4: each needs its own",
        ),
        (
            "[panel]\nblue_pin = 4\n[machine]\ngripper_output = 'pin'\ngripper_pin = 4",
            "'blue_pin' in [panel] and 'gripper_pin' in [machine] are both pin 4: each needs its own",
        ),
        (
            "[machine]\ngripper_output = 'pin'",
            "'gripper_output' in [machine] is \"pin\" but 'gripper_pin' is not set: give the gripper's pin",
        ),
        ("[game.level]\na = 1", "'level' in [game] must be a whole number from 1 to 10 or \"best\", not a table"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(content, said, tmp_path):
    assert sentence(content, tmp_path) == said


def test_broken_toml_is_said_with_its_line(tmp_path):
    assert "line 3" in sentence("[game]\nlevel = 3\nhuman = \n", tmp_path)


def test_a_number_of_thousands_of_digits_is_no_traceback(tmp_path):
    assert sentence("[game]\nlevel = " + "9" * 5000, tmp_path)


def test_a_long_value_is_not_repeated_whole(tmp_path):
    assert len(sentence(f"[game]\nhuman = '{'x' * 1000}'", tmp_path)) < 250


def test_a_file_that_is_no_text(tmp_path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings(file, {})


def test_a_byte_order_mark_is_no_fault(tmp_path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"\xef\xbb\xbf[game]\r\nlevel = 7\r\n")
    assert load_settings(file, {}).game.level == 7


def test_a_folder_is_no_settings_file(tmp_path):
    with pytest.raises(SettingsError, match="cannot read the settings file"):
        load_settings(tmp_path, {})


def test_a_named_file_must_exist(tmp_path):
    missing = tmp_path / "none.toml"
    with pytest.raises(SettingsError, match=r"there is no settings file .*none\.toml"):
        load_settings(missing, {})
    with pytest.raises(SettingsError, match=r"there is no settings file .*none\.toml"):
        load_settings(None, {"CROWNHEAD_CONFIG": str(missing)})


def test_the_order_in_which_files_are_looked_for(tmp_path):
    def file_of(level: int, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"[game]\nlevel = {level}\n")
        return path

    home = {"HOME": str(tmp_path / "home")}
    file_of(1, tmp_path / "etc" / "config.toml")
    assert load_settings(None, home).game.level == 1
    file_of(2, tmp_path / "home" / ".config" / "crownhead" / "config.toml")
    assert load_settings(None, home).game.level == 2
    file_of(3, tmp_path / "xdg" / "crownhead" / "config.toml")
    xdg = {**home, "XDG_CONFIG_HOME": str(tmp_path / "xdg")}
    assert load_settings(None, xdg).game.level == 3
    assert load_settings(None, {**home, "XDG_CONFIG_HOME": "xdg"}).game.level == 2
    named = {**xdg, "CROWNHEAD_CONFIG": str(file_of(4, tmp_path / "named.toml"))}
    assert load_settings(None, named).game.level == 4
    assert load_settings(file_of(6, tmp_path / "given.toml"), named).game.level == 6


def test_paths_count_from_the_folder_of_the_file(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(
        '[files]\ncalibration = "here.json"\njournal = "~/games/journal.sqlite3"\n[table]\ncontrol = "control"\n'
    )
    settings = load_settings(file, {"HOME": "/home/ann"})
    assert settings.files.calibration_path({}) == tmp_path / "here.json"
    assert settings.files.journal_path({}) == Path("/home/ann/games/journal.sqlite3")
    assert settings.table.control == tmp_path / "control"


def test_a_pin_that_the_gripper_does_not_use_may_be_used_by_the_panel():
    settings = settings_from({"machine": {"gripper_pin": 17}, "panel": {"turn_pin": 17}})
    assert settings.machine.gripper_output == "coolant" and settings.panel.turn_pin == 17


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/home/ann"}, "/var/lib/a"),
        ({"XDG_STATE_HOME": "/state", "HOME": "/home/ann"}, "/state/crownhead"),
        ({"HOME": "/home/ann"}, "/home/ann/.local/state/crownhead"),
        ({}, "/var/lib/crownhead"),
    ],
)
def test_the_state_directory(environment, folder):
    assert state_directory(environment) == Path(folder)
    assert Settings().files.journal_path(environment) == Path(folder) / "journal.sqlite3"
    assert Settings().files.calibration_path(environment) == Path(folder) / "calibration.json"


def test_what_is_shown_is_what_is_in_force(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('[game]\nlevel = 9\n[machine]\nport = "/dev/\\"odd\\" näme\\u007f"\n[files]\njournal = "j"\n')
    loaded = load_with_source(file, {})
    shown = show_file(loaded)
    assert settings_from(tomllib.loads(shown)) == loaded.settings
    assert shown.startswith(f"# {file}\n")
    assert "level = 9\n" in shown
    assert "width = 1280  # default\n" in shown
    assert "# turn_pin is not set\n" in shown


@given(st.text())
def test_any_text_is_settings_or_a_sentence(tmp_path_factory, text):
    file = tmp_path_factory.mktemp("any") / "config.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load_settings(file, {})
    except SettingsError as error:
        assert "\n" not in str(error)


VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats() | st.text() | st.none() | st.dates(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=4,
)
SECTION_NAMES = [section.name for section in dataclasses.fields(Settings)]
KEYS = [key.name for name in SECTION_NAMES for key in dataclasses.fields(getattr(Settings(), name))]


@given(
    st.dictionaries(
        st.sampled_from(SECTION_NAMES) | st.text(),
        st.dictionaries(st.sampled_from(KEYS) | st.text(), VALUES, max_size=3) | VALUES,
        max_size=3,
    )
)
def test_any_content_is_settings_or_a_sentence(content):
    try:
        settings = settings_from(content)
    except SettingsError as error:
        assert "\n" not in str(error)
        return
    for section, keys in content.items():
        for key, value in keys.items():
            found = getattr(getattr(settings, section), key)
            assert found == value or str(found) == str(value)


@given(st.integers())
def test_a_level_is_taken_exactly_within_its_range(level):
    try:
        taken = settings_from({"game": {"level": level}}).game.level
    except SettingsError:
        assert not 1 <= level <= 10
    else:
        assert taken == level and 1 <= level <= 10
