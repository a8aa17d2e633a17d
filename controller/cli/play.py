"""`crownhead play`: you against the robot, on the table of the settings or on a simulated one."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.imperfection_option import HELP, imperfection_text
from controller.cli.limit_options import level_name, seed
from hardware.simulated.names import FAULT_LEVELS, IMPERFECTIONS, LIGHTS, PHYSICS, STYLES

if TYPE_CHECKING:
    from controller.settings import Settings

WRONG_USAGE = 2
TABLE_SEED = 1
RANDOM = "random"
FASTEST = 1000.0
_INSIDE = {
    "style": (STYLES, "how board and discs look (not all can be read surely yet, see the README)"),
    "light": (LIGHTS, "the light at the beginning"),
    "physics": (PHYSICS, "how discs behave; mujoco needs the extra 'sim'"),
    "faults": (FAULT_LEVELS, "faults that come by themselves"),
}
"""Options of a table simulated inside this program: their names and what they are about."""


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "play",
        help="play against the robot",
        description=(
            "Play on the real table of the settings: set up the starting position, then move. The robot answers when "
            "your hand is away, or when you press the button. With --simulate the table is simulated and so is your "
            "hand: it does what you type, be it a move, a blunder or a pulled plug; 'help' says what can be typed."
        ),
        epilog=(
            "examples:\n"
            "  crownhead play --level 3 --human white\n"
            "  crownhead play --simulate --level best --ballot random\n"
            "  crownhead play --simulate --show-camera\n"
            "  crownhead play --simulate --table /tmp/table"
        ),
    )
    parser.add_argument("--human", choices=("black", "white"), help="the colour you play (else the settings')")
    parser.add_argument("--level", type=level_name, metavar="N", help="1 to 10, or best (else the settings')")
    begins = parser.add_mutually_exclusive_group()
    begins.add_argument("--fen", metavar="FEN", help="the position to play from (default: the starting position)")
    begins.add_argument(
        "--ballot",
        type=_ballot_number,
        metavar="N|random",
        help="begin after the moves of a three-move ballot; on a real table the discs have to lie so",
    )
    parser.add_argument("--resume", action="store_true", help="go on with the last game, which was broken off")
    parser.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help="what chance starts from (default: for a simulated table 1, for the robot's play another each time)",
    )
    parser.add_argument("--show-camera", action="store_true", help="open a window with the camera's picture")
    parser.add_argument("--simulate", action="store_true", help="play on the simulated table; your hand is typed")
    parser.add_argument(
        "--table", type=Path, metavar="DIR", help="the one that `crownhead table --dir DIR` runs (with --simulate)"
    )
    inside = parser.add_argument_group("for a table simulated inside this program")
    for option, (names, meaning) in _INSIDE.items():
        choices = f"{meaning}: {', '.join(names)} (default: {names[0]})"
        inside.add_argument(f"--{option}", choices=names, metavar="NAME", help=choices)
    inside.add_argument("--imperfection", type=imperfection_text, metavar="LEVEL", help=HELP)
    inside.add_argument("--speed", type=_speed, metavar="X", help="times real time (default: 1)")
    parser.set_defaults(run=run, usage=parser.format_usage())


def run(arguments: argparse.Namespace) -> int:
    """Play one game."""
    import os
    from random import Random, SystemRandom

    from rich.console import Console

    from controller.cli.table_progress import have_tables
    from controller.draughts import DrawRules, Game, read_fen, write_fen
    from controller.engine.openings import ballot, ballots
    from controller.play_at_terminal import PlayOrder, play_at_terminal
    from hardware.simulated.imperfection import imperfection_of
    from hardware.simulated.table import TableSetup

    if arguments.table is not None and not arguments.simulate:
        return _refused(arguments, "--table is for --simulate: the real table is the one of the settings")
    if arguments.table is not None and arguments.config is not None:
        return _refused(arguments, "--config and --table do not go together: that table brings its own settings")
    if arguments.table is not None and (option := _option_for_inside(arguments)):
        return _refused(arguments, f"{option} is not for --table: give it to `crownhead table` when that starts")
    only_new = ("human", "level", "fen", "ballot")
    if arguments.resume and (given := [name for name in only_new if getattr(arguments, name)]):
        return _refused(arguments, f"--{given[0]} is for a new game: that of --resume has its own")
    settings = _settings(arguments, os.environ)
    inside = arguments.table is None and (arguments.simulate or settings.table.kind == "simulated")
    if not inside and arguments.table is None and (option := _option_for_inside(arguments)):
        return _refused(arguments, f"{option} is for a simulated table: add --simulate")
    table_seed = TABLE_SEED if arguments.seed is None else arguments.seed
    chance = SystemRandom() if arguments.seed is None else Random(arguments.seed)
    chosen = {option: getattr(arguments, option) or names[0] for option, (names, _) in _INSIDE.items()}
    setup = TableSetup(
        seed=table_seed,
        style=chosen["style"],
        light=chosen["light"],
        physics=chosen["physics"],
        imperfection=imperfection_of(arguments.imperfection or IMPERFECTIONS[0], table_seed),
    )
    rules = DrawRules(settings.game.draw_by_repetition, settings.game.draw_by_forty_moves)
    if arguments.ballot is None:
        game, opening = Game(None if arguments.fen is None else read_fen(arguments.fen), rules), ""
    else:
        drawn = chance.choice(ballots()) if arguments.ballot == RANDOM else ballot(int(arguments.ballot))
        game = drawn.game(rules)
        opening = f"The game begins after {drawn}: the position is {write_fen(game.position)}."
    order = PlayOrder(
        settings=settings,
        game=game,
        opening=opening,
        seed=table_seed,
        engine_seed=chance.randrange(2**31) if arguments.seed is None else arguments.seed,
        show_camera=arguments.show_camera,
        inside=setup if inside else None,
        faults=chosen["faults"],
        speed=arguments.speed or 1.0,
        folder=arguments.table,
        resume=arguments.resume,
    )
    have_tables(os.environ)
    play_at_terminal(order, Console(soft_wrap=True), os.environ)
    return 0


def _settings(arguments: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """The settings of the table that is meant, with what the command line says of the game."""
    from dataclasses import replace

    from controller.play_at_terminal import settings_of_folder
    from controller.settings_file import load_settings

    folder = arguments.table
    settings = load_settings(arguments.config, environment) if folder is None else settings_of_folder(folder)
    game = settings.game
    if arguments.human is not None:
        game = replace(game, human=arguments.human)
    if arguments.level is not None:
        game = replace(game, level="best" if arguments.level == "best" else int(arguments.level))
    return replace(settings, game=game)


def _option_for_inside(arguments: argparse.Namespace) -> str | None:
    """An option that was given and is about a table simulated inside this program, if one was."""
    given = [name for name in (*_INSIDE, "imperfection", "speed") if getattr(arguments, name) is not None]
    return f"--{given[0]}" if given else None


def _refused(arguments: argparse.Namespace, sentence: str) -> int:
    print(f"{arguments.usage}crownhead play: error: {sentence}", file=sys.stderr)
    return WRONG_USAGE


def _ballot_number(text: str) -> str:
    if text != RANDOM and not (text.isascii() and text.isdecimal() and len(text) < 5):
        raise argparse.ArgumentTypeError(f"the ballot must be its number, or {RANDOM}, not {text!r}")
    return text


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 0 < speed <= FASTEST:
        raise argparse.ArgumentTypeError(f"the speed must be more than 0 and at most {FASTEST:g}, not {text!r}")
    return speed
