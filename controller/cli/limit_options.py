"""The options that say how long an engine thinks about a move."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.engine.hub.parameters import Parameters
    from controller.engine.interface import Limits

LONGEST_S = 86_400.0
MOST_DEPTH = 1000
MOST_NODES = 10**15


def add_limit_options(parser: argparse.ArgumentParser, default: str) -> None:
    """Add `--seconds`, `--depth` and `--nodes`; `default` says what holds without them."""
    group = parser.add_argument_group(f"what limits a move (whichever comes first; {default})")
    group.add_argument("--seconds", type=seconds, metavar="S", help="time")
    group.add_argument("--depth", type=whole("depth", MOST_DEPTH), metavar="D", help="plies looked ahead")
    group.add_argument("--nodes", type=whole("number of nodes", MOST_NODES), metavar="N", help="positions looked at")


def limits_of(arguments: argparse.Namespace) -> Limits | None:
    """The limits that were given; None if there were none."""
    from controller.engine.interface import Limits

    limits = Limits(arguments.seconds, arguments.depth, arguments.nodes)
    return None if limits == Limits() else limits


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Add `--level` and `--threads`, which `parameters_of` reads; it minds the settings."""
    parser.add_argument(
        "--level", type=level_name, default="best", metavar="N", help="1 to 10, or best (default: best)"
    )
    parser.add_argument(
        "--threads", type=threads, metavar="N", help="processors to think on (else the settings', usually 1)"
    )
    parser.set_defaults(minds_settings=True)


def parameters_of(arguments: argparse.Namespace, seed: int = 0, tables: bool = True) -> Parameters:
    """How the engine is to play: by the options, and what they leave open by the settings' section [engine].

    Raises SettingsError.
    """
    import os

    from controller.engine.hub.parameters import Parameters
    from controller.settings_file import load_settings

    own = load_settings(arguments.config, os.environ).engine
    return Parameters(arguments.level, arguments.threads or own.threads, seed, tables, own.thinking_s)


def level_name(text: str) -> str:
    """The name of a level, for `type=`."""
    from controller.engine.levels import LEVEL_NAMES

    if text not in LEVEL_NAMES:
        raise argparse.ArgumentTypeError(f"the level must be one of {', '.join(LEVEL_NAMES)}, not {text!r}")
    return text


def threads(text: str) -> int:
    """A number of threads, for `type=`."""
    from controller.engine.hub.parameters import MOST_THREADS

    return whole("number of threads", MOST_THREADS)(text)


def seed(text: str) -> int:
    """What chance starts from, for `type=`."""
    if not text.isascii() or not text.isdecimal() or len(text) > 10 or int(text) >= 2**31:
        raise argparse.ArgumentTypeError(f"the seed must be a whole number from 0 to {2**31 - 1}, not {text!r}")
    return int(text)


def whole(name: str, most: int) -> Callable[[str], int]:
    """A reader of whole numbers from 1 to `most`, for `type=`."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
        if not 1 <= number <= most:
            raise argparse.ArgumentTypeError(f"the {name} must be a whole number from 1 to {most}, not {text!r}")
        return number

    return read


def seconds(text: str) -> float:
    """A time, for `type=`."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= LONGEST_S:
        raise argparse.ArgumentTypeError(f"the seconds must be more than 0 and at most {LONGEST_S:g}, not {text!r}")
    return number
