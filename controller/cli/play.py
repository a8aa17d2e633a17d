"""`crownhead play`: you against the robot, on the table of the settings."""

from __future__ import annotations

import argparse

from controller.cli.command_parser import CommandParser


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "play",
        help="play against the robot",
        description=(
            "Play on the real table of the settings: set up the starting position, then move. The robot answers when "
            "your hand is away, or when you press the button."
        ),
        epilog="example:\n  crownhead play --level 3 --human white",
    )
    parser.add_argument("--human", choices=("black", "white"), help="the colour you play (else the settings')")
    parser.add_argument("--level", type=int, choices=range(1, 11), metavar="N", help="1 to 10 (else the settings')")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play one game to its end."""
    import os
    from dataclasses import replace

    from rich.console import Console

    from controller.draughts import DrawRules, Game, write_pdn
    from controller.engine.levels import level_limits
    from controller.errors import ControllerError
    from controller.journal import Journal
    from controller.session import prepare_session
    from controller.settings_file import load_settings
    from controller.table import open_real_table
    from controller.terminal import LineTeller
    from controller.thinking import thinker
    from hardware.clock import RealClock

    settings = load_settings(arguments.config, os.environ)
    given = {name: getattr(arguments, name) for name in ("human", "level") if getattr(arguments, name) is not None}
    settings = replace(settings, game=replace(settings.game, **given))
    if settings.table.kind == "simulated":
        raise ControllerError(
            'nobody\'s hand is at the simulated table: watch `crownhead demo`, or set [table] kind = "real"'
        )
    console = Console(soft_wrap=True)
    clock = RealClock()
    game = Game(rules=DrawRules(settings.game.draw_by_repetition, settings.game.draw_by_forty_moves))
    journal_path = settings.files.journal_path(os.environ)
    journal_path.parent.mkdir(parents=True, exist_ok=True)
    with Journal(journal_path, clock) as journal:
        table = open_real_table(settings, clock, os.environ)
        try:
            think = thinker(level_limits(settings.game.level), clock, seed=0)
            session = prepare_session(table, settings, journal, game, think, [LineTeller(console).hear])
            outcome = session.loop.run()
            pdn = write_pdn(game, {"Date": clock.date().strftime("%Y.%m.%d")})
            journal.end_game(session.game_number, outcome.result, outcome.sentence, pdn)
        finally:
            table.close()
    console.print(pdn, markup=False, highlight=False)
    return 0
