"""The settings file (TOML): found, read, checked and written."""

from __future__ import annotations

import difflib
import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec
from msgspec import inspect

from controller.errors import SettingsError
from controller.settings import FileSettings, Settings, TableSettings, user_directory

SYSTEM_FILE = Path("/etc/crownhead/config.toml")

LINE = 100
"""Width that comments are wrapped to."""

SECTIONS: Mapping[str, type] = get_type_hints(Settings)
Section = TypeVar("Section", FileSettings, TableSettings)


@dataclass(frozen=True)
class LoadedSettings:
    """Settings, and where they come from: `source` is None when there is no file; `given` are its (section, key)s."""

    settings: Settings
    source: Path | None
    given: frozenset[tuple[str, str]]


def load_settings(path: Path | None, environment: Mapping[str, str]) -> Settings:
    """The settings in force: those of `path` or of the first file that there is (see `find_file`), else the defaults.

    Raises SettingsError as `read_file` does.
    """
    return load_with_source(path, environment).settings


def load_with_source(path: Path | None, environment: Mapping[str, str]) -> LoadedSettings:
    """The same, with where they come from."""
    found = find_file(path, environment)
    return read_file(found, environment) if found else LoadedSettings(Settings(), None, frozenset())


def find_file(path: Path | None, environment: Mapping[str, str]) -> Path | None:
    """The settings file that counts, None if the defaults do.

    A file that was named, by `path` or $CROWNHEAD_CONFIG, counts even if it is missing; else the user's file counts,
    else the system's, if there is one.
    """
    if path is not None:
        return path
    if named := environment.get("CROWNHEAD_CONFIG"):
        return Path(named)
    for candidate in (user_file(environment), SYSTEM_FILE):
        # Not `exists`: a file that is there but may not be looked at must be complained of, not passed over.
        if candidate and _may_exist(candidate):
            return candidate
    return None


def user_file(environment: Mapping[str, str]) -> Path | None:
    """Where the user's own settings file is, or would be; None for a user without a home."""
    base = user_directory(environment, "XDG_CONFIG_HOME", ".config")
    return base / "crownhead" / "config.toml" if base else None


def _may_exist(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def read_file(path: Path, environment: Mapping[str, str]) -> LoadedSettings:
    """Read and check a settings file.

    Raises SettingsError, whose sentence names the file: it is missing or unreadable, is not TOML (with the line), has
    an unknown key (with the nearest name), a value of a wrong type, or one out of range (with the range).
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise SettingsError(
            f"there is no settings file {path}: write one with 'crownhead config init {path}', or name another"
        ) from error
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not a text file in UTF-8, as TOML must be") from error
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: TOMLDecodeError, or a number of thousands of digits.
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    try:
        settings = settings_from(content)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from error
    given = frozenset((section, key) for section, keys in content.items() for key in keys)
    return LoadedSettings(_with_absolute_paths(settings, path.parent, environment), path, given)


def settings_from(content: Mapping[str, Any]) -> Settings:
    """Check a file's parsed content, section by section; keys that are left out have their defaults.

    Raises SettingsError, whose sentence names the section and the key.
    """
    sections: dict[str, Any] = {}
    for name, keys in content.items():
        if name not in SECTIONS:
            raise SettingsError(_unknown_section(name, keys))
        if not isinstance(keys, dict):
            raise SettingsError(f"'{name}' is a section: write its keys below a line [{name}]")
        sections[name] = _section(name, SECTIONS[name], keys)
    settings = Settings(**sections)
    _check_pins(settings)
    _check_gripper(settings)
    return settings


def _section(name: str, kind: type, keys: Mapping[str, Any]) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    values = {}
    for key, value in keys.items():
        if key not in hints:
            raise SettingsError(f"unknown key '{_plain(key)}' in [{name}]{_instead(key, list(hints), name)}")
        try:
            values[key] = msgspec.convert(value, hints[key], dec_hook=_to_path)
        except msgspec.ValidationError as error:
            raise SettingsError(
                f"'{key}' in [{name}] must be {wanted(_type_of(hints[key]))}, not {_shortened(_toml(value))}"
            ) from error
    return kind(**values)


def _plain(name: str) -> str:
    """A name from the file, fit to stand in a sentence: TOML allows quoted names with line breaks and the like."""
    return _shortened(_toml(name)[1:-1])


def _shortened(text: str) -> str:
    return text if len(text) <= LINE else text[: LINE - 1] + "…"


def _to_path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    raise ValueError("not a path")  # msgspec makes a ValidationError of it.


def _unknown_section(name: str, content: object) -> str:
    if isinstance(content, dict):
        return f"unknown section [{_plain(name)}]{_instead(name, list(SECTIONS))}"
    homes = [section for section, kind in SECTIONS.items() if name in get_type_hints(kind)]
    if homes:
        return f"the key '{name}' stands outside its section: it belongs below a line [{homes[0]}]"
    return f"unknown key '{_plain(name)}' before the first section"


def _instead(name: str, known: list[str], section: str | None = None) -> str:
    """What was probably meant: the nearest of the known names, else the section where the key belongs, else all."""
    if near := difflib.get_close_matches(name.lower(), known, n=1):
        return f": did you mean '{near[0]}'?"
    if section:
        for other, kind in SECTIONS.items():
            if name in get_type_hints(kind):
                return f": it belongs in [{other}]"
    return f": there are {', '.join(known)}"


def _check_gripper(settings: Settings) -> None:
    gripper = settings.gripper
    for key in ("release_pin", "release_output"):
        if gripper.kind == "jaws" and getattr(gripper, key) != getattr(type(gripper)(), key):
            raise SettingsError(f"'{key}' in [gripper] is for a vacuum or magnet gripper: jaws need none")
    if gripper.release_output != "pin" and gripper.release_output == settings.machine.gripper_output:
        raise SettingsError(
            f"'release_output' in [gripper] and 'gripper_output' in [machine] are both \"{gripper.release_output}\": "
            "each needs its own"
        )
    if gripper.kind == "jaws" and gripper.open_us == gripper.closed_us:
        raise SettingsError("'open_us' and 'closed_us' in [gripper] are the same: the jaws would not move")


def _check_pins(settings: Settings) -> None:
    machine = settings.machine
    wired = [
        (f"'{item.name}' in [{name}]", getattr(section, item.name))
        for name, section in (("panel", settings.panel), ("gripper", settings.gripper))
        for item in fields(section)
        if item.name.endswith("_pin")
    ]
    if machine.gripper_output == "pin":
        if machine.gripper_pin is None:
            raise SettingsError(
                "'gripper_output' in [machine] is \"pin\" but 'gripper_pin' is not set: give the gripper's pin"
            )
        wired.append(("'gripper_pin' in [machine]", machine.gripper_pin))
    used: dict[int, str] = {}
    for key, pin in wired:
        if pin in used:
            raise SettingsError(f"{used[pin]} and {key} are both pin {pin}: each needs its own")
        if pin is not None:
            used[pin] = key


def _with_absolute_paths(settings: Settings, folder: Path, environment: Mapping[str, str]) -> Settings:
    return replace(
        settings,
        files=_section_with_absolute_paths(settings.files, folder, environment),
        table=_section_with_absolute_paths(settings.table, folder, environment),
    )


def _section_with_absolute_paths(section: Section, folder: Path, environment: Mapping[str, str]) -> Section:
    paths: dict[str, Any] = {
        item.name: _absolute(path, folder, environment)
        for item in fields(section)
        if isinstance(path := getattr(section, item.name), Path)
    }
    return replace(section, **paths)


def _absolute(path: Path, folder: Path, environment: Mapping[str, str]) -> Path:
    home = environment.get("HOME")
    if home and path.parts[:1] == ("~",):
        return Path(home, *path.parts[1:])
    return (folder / path).absolute()


def wanted(kind: inspect.Type) -> str:
    """What a key's value must be, in words, with its range."""
    match kind:
        case inspect.UnionType():  # With nothing the key is left out: TOML knows no nothing.
            return " or ".join(wanted(option) for option in _values(kind))
        case inspect.IntType():
            return f"a whole number from {kind.ge} to {kind.le}"
        case inspect.FloatType():
            return f"a number from {kind.ge} to {kind.le}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType():
            return " or ".join(_toml(value) for value in kind.values)
        case inspect.CustomType():
            return "a path in quotes"
        case _:
            return "a text in quotes"


def _values(kind: inspect.UnionType) -> list[inspect.Type]:
    """What a value may be where one or nothing is wanted, or one of several kinds."""
    return [option for option in kind.types if not isinstance(option, inspect.NoneType)]


def _type_of(hint: Any) -> inspect.Type:
    info = inspect.type_info(hint)
    return info.type if isinstance(info, inspect.Metadata) else info


def _documentation(hint: Any) -> tuple[str, Any]:
    """A key's description, and an example of a value where its default is to be unset."""
    info = inspect.type_info(hint)
    assert isinstance(info, inspect.Metadata) and info.extra_json_schema, "every key is described by a Meta"
    examples = info.extra_json_schema.get("examples", [None])
    return str(info.extra_json_schema["description"]), examples[0]


def default_file() -> str:
    """The text of a settings file with every key, its meaning and its default; read back, it gives the defaults."""
    return file_of(
        Settings(),
        "Settings of Crownhead. Every key may be left out; it then has the value shown here.",
        "'crownhead config check' tells whether the file is right.",
    )


def file_of(settings: Settings, *head: str) -> str:
    """The text of a settings file with every key, its meaning and its value, below the comments of `head`."""
    return "\n".join([*(f"# {line}" for line in head), *_file_lines(settings)]) + "\n"


def _file_lines(settings: Settings) -> Iterator[str]:
    for name, kind in SECTIONS.items():
        yield ""
        yield from _comment((kind.__doc__ or "").strip())
        yield f"[{name}]"
        for key, hint in get_type_hints(kind, include_extras=True).items():
            description, example = _documentation(hint)
            yield ""
            yield from _comment(description)
            yield from _comment(_range(key, _type_of(hint)))
            value = getattr(getattr(settings, name), key)
            yield f"# {key} = {_toml(example)}" if value is None else f"{key} = {_toml(value)}"


def _range(key: str, kind: inspect.Type) -> str:
    """The values that a key may have, with their unit; empty if its type has no bounds."""
    match kind:
        case inspect.UnionType():
            ranges = [_range(key, option).removesuffix(".").removeprefix("One of: ") for option in _values(kind)]
            return f"{', or '.join(ranges)}." if ranges[0] else ""
        case inspect.IntType() | inspect.FloatType():
            unit = next((f" {unit}" for unit in ("mm", "s") if key.endswith(f"_{unit}")), "")
            return f"From {kind.ge} to {kind.le}{unit}."
        case inspect.LiteralType():
            return f"One of: {', '.join(_toml(value) for value in kind.values)}."
        case _:
            return ""


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, LINE, initial_indent="# ", subsequent_indent="# ")


def show_file(loaded: LoadedSettings) -> str:
    """The settings in force as TOML, each key with where it comes from."""
    lines = [f"# {loaded.source or 'no settings file: all defaults'}"]
    for name in SECTIONS:
        section = getattr(loaded.settings, name)
        lines += ["", f"[{name}]"]
        for item in fields(section):
            value = getattr(section, item.name)
            assignment = f"# {item.name} is not set" if value is None else f"{item.name} = {_toml(value)}"
            lines.append(assignment + ("" if (name, item.name) in loaded.given or value is None else "  # default"))
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, str | Path):
        # A JSON string is a TOML basic string but for DEL, which TOML wants escaped.
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, dict):
        return "a table"
    return str(value)
