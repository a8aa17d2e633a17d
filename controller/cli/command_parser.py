"""The argument parser that every command and subcommand uses, so that all share their common options."""

from __future__ import annotations

import shutil
import textwrap
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class CommandParser(ArgumentParser):
    """An argument parser with `--config` and `--debug`; subparsers made from it are of its kind.

    The common options may stand before or after the subcommand's name, so they have no default here: a default
    of the inner parser would overwrite what the outer one has read. Whoever makes the outermost parser sets them.
    """

    def __init__(self, **options: Any) -> None:
        # This formatter keeps the lines of an example as they are, but those of a description too: so wrap that here.
        options.setdefault("formatter_class", RawDescriptionHelpFormatter)
        if description := options.get("description"):
            options["description"] = textwrap.fill(description, max(shutil.get_terminal_size().columns - 2, 20))
        options.setdefault("allow_abbrev", False)
        super().__init__(**options)
        self.add_argument(
            "--config",
            metavar="FILE",
            type=Path,
            default=SUPPRESS,
            help="the settings file (else $CROWNHEAD_CONFIG, the user's, the system's, the defaults)",
        )
        self.add_argument(
            "--debug",
            action="store_true",
            default=SUPPRESS,
            help="show the traceback of an error (also: CROWNHEAD_DEBUG=1)",
        )


class VersionAction(Action):
    """`--version`: print the installed version and leave. Looked up only when asked for, as that takes time."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, default=SUPPRESS, **options)

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print and leave."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("crownhead")
        except PackageNotFoundError:
            number = "(not installed: run from its sources)"
        print(parser.prog, number)
        parser.exit()
