"""`crownhead config`: write, show and check the settings file."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from controller.errors import SettingsError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from controller.cli.command_parser import CommandParser


def add_parser(subparsers: _SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "config",
        help="write, show or check the settings",
        description="Write, show or check the settings file.",
        epilog="example:\n  crownhead config init && crownhead config check",
    )
    steps = parser.add_subparsers(title="steps", metavar="STEP", required=True)

    init = steps.add_parser(
        "init",
        help="write a file with every setting, its meaning and its default",
        description="Write a settings file that names every key, what it means, its range and its default.",
        epilog="example:\n  crownhead config init table.toml",
    )
    init.add_argument("--force", action="store_true", help="overwrite the file if there is one")
    init.add_argument("file", nargs="?", metavar="FILE", type=Path, help="the file to write (else the one in force)")
    init.set_defaults(minds_settings=True, run=run_init)

    show = steps.add_parser(
        "show",
        help="print the settings in force and where they come from",
        description="Print the settings in force as TOML; a key that the file leaves out is marked as a default.",
        epilog="example:\n  crownhead config show --json",
    )
    show.add_argument("--json", action="store_true", help="print JSON: source and settings")
    show.set_defaults(minds_settings=True, run=run_show)

    check = steps.add_parser(
        "check",
        help="say whether a settings file is right",
        description="Say whether a settings file is right; if not, what is wrong, and exit with 1.",
        epilog="example:\n  crownhead config check table.toml",
    )
    check.add_argument("file", nargs="?", metavar="FILE", type=Path, help="the file to check (else the one in force)")
    check.set_defaults(minds_settings=True, run=run_check)


def run_init(arguments: Namespace) -> int:
    """Write the default file; never over one that is there, unless `--force`.

    Raises SettingsError when it cannot be written.
    """
    from controller.settings_file import default_file, user_file

    named = os.environ.get("CROWNHEAD_CONFIG")
    path = arguments.file or arguments.config or (Path(named) if named else user_file(os.environ))
    if path is None:
        raise SettingsError("there is no home directory to write to: name a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot make the folder {path.parent}: {error.strerror}") from error
    try:
        with path.open("w" if arguments.force else "x", encoding="utf-8") as stream:
            stream.write(default_file())
    except FileExistsError as error:
        raise SettingsError(f"{path} exists already: name another file, or overwrite it with --force") from error
    except OSError as error:
        raise SettingsError(f"cannot write {path}: {error.strerror}") from error
    print(f"wrote {path}")
    return 0


def run_show(arguments: Namespace) -> int:
    """Print the settings in force."""
    import json
    from dataclasses import asdict

    from controller.settings_file import load_with_source, show_file

    loaded = load_with_source(arguments.config, os.environ)
    if arguments.json:
        source = str(loaded.source) if loaded.source else None
        print(json.dumps({"source": source, "settings": asdict(loaded.settings)}, indent=2, default=str))
    else:
        print(show_file(loaded), end="")
    return 0


def run_check(arguments: Namespace) -> int:
    """Say that a settings file is right; what is wrong with it leaves as SettingsError."""
    from controller.settings_file import load_with_source

    loaded = load_with_source(arguments.file or arguments.config, os.environ)
    print(f"{loaded.source}: ok" if loaded.source else "there is no settings file: the defaults are in force")
    return 0
