"""`crownhead games`: the games in the journal."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser

if TYPE_CHECKING:
    from controller.journal import GameRecord, Journal

SLOWEST_S = 60.0


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "games",
        help="the games that were played",
        description="Look at the games in the journal, also while the service writes to it.",
        epilog="examples:\n  crownhead games list\n  crownhead games export --output all.pdn",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    listing = _action(actions, "list", "list the games, and what they come to", "list --last 10")
    listing.add_argument("--last", type=_count, metavar="N", help="only the newest N")
    listing.add_argument("--json", action="store_true", help="print JSON")
    listing.set_defaults(run=_run_list)
    show = _action(actions, "show", "show a game: its moves, what was said and carried", "show 12")
    show.add_argument("number", type=_count, metavar="N", help="the game's number")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=_run_show)
    export = _action(actions, "export", "write games as PDN", "export 12 --output game.pdn")
    export.add_argument("numbers", type=_count, nargs="*", metavar="N", help="the games' numbers (default: all)")
    export.add_argument("--output", type=Path, metavar="FILE", help="write there (default: stdout)")
    export.set_defaults(run=_run_export)
    take = _action(actions, "import", "take games from a PDN file into the journal", "import old.pdn")
    take.add_argument("file", type=Path, metavar="GAMES.pdn", help="the file")
    take.add_argument("--json", action="store_true", help="print JSON")
    take.set_defaults(run=_run_import)
    replay = _action(actions, "replay", "show a game's positions one after the other", "replay 12 --seconds 2")
    replay.add_argument("number", type=_count, metavar="N", help="the game's number")
    replay.add_argument(
        "--seconds", type=_seconds, default=1.0, metavar="S", help="how long each position stands (default: 1)"
    )
    replay.set_defaults(run=_run_replay)
    backup = _action(actions, "backup", "copy the whole journal, also while it is written to", "backup copy.sqlite3")
    backup.add_argument("file", type=Path, metavar="FILE", help="the copy; must not be there yet")
    backup.set_defaults(run=_run_backup)


def _action(actions: argparse._SubParsersAction[CommandParser], name: str, does: str, example: str) -> CommandParser:
    parser = actions.add_parser(
        name, help=does, description=f"{does[0].upper()}{does[1:]}.", epilog=f"example:\n  crownhead games {example}"
    )
    parser.add_argument("--journal", type=Path, metavar="FILE", help="the journal (else the settings')")
    return parser


def _journal(arguments: argparse.Namespace, read_only: bool = True) -> Journal:
    import os

    from controller.journal import Journal
    from controller.service.place import SYSTEM_STATE
    from controller.settings_file import load_settings
    from hardware.clock import RealClock

    path = arguments.journal
    if path is None:
        path = load_settings(arguments.config, os.environ).files.journal_path(os.environ)
        if not path.exists() and (SYSTEM_STATE / "journal.sqlite3").exists():
            path = SYSTEM_STATE / "journal.sqlite3"
    return Journal(path, RealClock(), read_only)


def _run_list(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from controller.game_archive import statistics

    with _journal(arguments) as journal:
        records = journal.games()
        chosen = records if arguments.last is None else records[-arguments.last :]
        moves = {record.id: len(journal.moves(record.id)) for record in chosen}
        figures = statistics(journal, records)
    if arguments.json:
        games = [_values(record) | {"moves": moves[record.id]} for record in chosen]
        print(json.dumps({"games": games, "statistics": asdict(figures)}, indent=1, ensure_ascii=False))
        return 0
    for record in chosen:
        level = f"level {record.level}"
        result = "under way" if record.ended_at is None else f"{record.result}  {record.reason}"
        began = record.began_at[:16].replace("T", " ")
        print(f"{record.id:5}  {began}  {record.human:5}  {level:10}  {moves[record.id]:3} moves  {result}")
    print(
        f"{figures.games} games: people have won {figures.won}, lost {figures.lost}, drawn {figures.drawn}; "
        f"{figures.unfinished} not finished"
    )
    return 0


def _values(record: GameRecord) -> dict[str, object]:
    from dataclasses import asdict

    return {name: value for name, value in asdict(record).items() if name != "pdn"}


def _run_show(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from controller.game_archive import pdn_of

    with _journal(arguments) as journal:
        record = journal.game(arguments.number)
        pdn = pdn_of(journal, record)
        moves, verdicts, intents = journal.moves(record.id), journal.verdicts(record.id), journal.intents(record.id)
    if arguments.json:
        values = _values(record) | {
            "pdn": pdn,
            "moves": [asdict(move) for move in moves],
            "verdicts": [asdict(verdict) for verdict in verdicts],
            "transfers": [
                asdict(intent) | {"outcome": intent.outcome.value if intent.outcome else None} for intent in intents
            ],
        }
        print(json.dumps(values, indent=1, ensure_ascii=False))
        return 0
    print(pdn.rstrip())
    events = [(move.at, f"{move.colour} plays {move.move}") for move in moves]
    events += [(verdict.at, verdict.text) for verdict in verdicts]
    events += [
        (intent.at, f"{intent.description}: {intent.outcome.value if intent.outcome else 'under way'}")
        for intent in intents
    ]
    for at, what in sorted(events):
        print(f"{at[11:19]}  {what}")
    return 0


def _run_export(arguments: argparse.Namespace) -> int:
    from controller.cli.replaced_file import replaced_file
    from controller.game_archive import pdn_of

    with _journal(arguments) as journal:
        wanted = arguments.numbers
        records = [journal.game(number) for number in wanted] if wanted else journal.games()
        text = "\n".join(pdn_of(journal, record).rstrip() + "\n" for record in records)
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    with replaced_file(arguments.output) as write:
        write(text)
    print(f"{len(records)} games are in {arguments.output}")
    return 0


def _run_import(arguments: argparse.Namespace) -> int:
    import json

    from controller.draughts import read_pdn
    from controller.game_archive import take_in

    games = read_pdn(arguments.file.read_bytes())
    with _journal(arguments, read_only=False) as journal:
        numbers = take_in(journal, games)
    if arguments.json:
        print(json.dumps({"imported": list(numbers), "left_out": len(games) - len(numbers)}))
        return 0
    there = len(games) - len(numbers)
    print(f"{len(numbers)} games were taken in" + (f", {there} were there already" if there else ""))
    return 0


def _run_replay(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from controller.draughts import Colour
    from controller.game_archive import game_of
    from controller.terminal import numbered_board
    from hardware.clock import RealClock

    with _journal(arguments) as journal:
        record = journal.game(arguments.number)
        game = game_of(journal, record)
    console, clock, human = Console(soft_wrap=True), RealClock(), Colour[record.human.upper()]
    for ply, position in enumerate(game.positions):
        if ply:
            clock.sleep(arguments.seconds)
            mover = game.positions[ply - 1].turn.title
            console.print(f"{(ply + 1) // 2}. {mover} {game.moves[ply - 1]}", highlight=False)
        console.print(numbered_board(position, human, tints=console.color_system is not None), highlight=False)
    console.print(record.reason or "The game is under way.", highlight=False)
    return 0


def _run_backup(arguments: argparse.Namespace) -> int:
    with _journal(arguments) as journal:
        journal.back_up(arguments.file)
    print(f"the journal is copied to {arguments.file}")
    return 0


def _count(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"give a number from 1 on, not {text!r}")
    return number


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= SLOWEST_S:
        raise argparse.ArgumentTypeError(f"the seconds must be from 0 to {SLOWEST_S:g}, not {text!r}")
    return seconds
