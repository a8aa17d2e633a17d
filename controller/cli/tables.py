"""`crownhead tables`: builds the endgame tables and says which there are."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.table_progress import build_shown

if TYPE_CHECKING:
    from controller.engine.endgame.survey import Survey

COULD_NOT = 1


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "tables",
        help="build endgame tables, or say which there are",
        description="Endgame tables: who wins, and in how many moves, in every position of few pieces.",
        epilog="example:\n  crownhead tables build --pieces 5",
    )
    steps = parser.add_subparsers(title="steps", metavar="STEP", required=True)

    build = steps.add_parser(
        "build",
        help="build the tables that are missing",
        description=(
            "Build the endgame tables up to a number of pieces that are missing or broken: 4 pieces take seconds and "
            "7 MB, 5 minutes and 150 MB, 6 (which only know who wins) up to hours on a small computer and 650 MB. "
            "Each table is kept when it is done: after Ctrl-C the same command goes on."
        ),
        epilog="example:\n  crownhead tables build --pieces 5",
    )
    build.add_argument(
        "--pieces", type=int, choices=(4, 5, 6), default=4, help="pieces of both sides together (default: 4)"
    )
    _add_directory(build)
    build.set_defaults(run=run_build)

    status = steps.add_parser(
        "status",
        help="say which tables there are",
        description="Say which endgame tables there are and what they hold; exit with 1 if one is broken.",
        epilog="example:\n  crownhead tables status --verify --json",
    )
    _add_directory(status)
    status.add_argument("--verify", action="store_true", help="read them whole and check their checksums")
    status.add_argument(
        "--json",
        action="store_true",
        help="print JSON: directory, pieces (up to which all are there), counts, broken",
    )
    status.set_defaults(run=run_status)


def run_build(arguments: argparse.Namespace) -> int:
    """Build what is missing. Raises EndgameTableError if that can't be."""
    _require_core()
    from controller.engine.endgame.building import build_tables
    from controller.engine.endgame.survey import survey_tables

    directory = _directory(arguments)
    try:
        with build_shown() as told:
            broken = build_tables(directory, arguments.pieces, told)
    except KeyboardInterrupt:
        print("the tables that are done are kept: the same command goes on with the next", file=sys.stderr)
        raise
    for error in broken:
        print(f"crownhead: {error}; it has been built anew", file=sys.stderr)
    survey = survey_tables(directory)
    size = sum(count.bytes for count in survey.counts)
    print(f"all endgame tables up to {survey.pieces} pieces are in {directory} ({size / 1e6:.0f} MB)")
    return 0


def run_status(arguments: argparse.Namespace) -> int:
    """Print what there is. Raises EndgameTableError without the compiled engine, or without the folder named."""
    import json
    from dataclasses import asdict

    _require_core()
    from controller.engine.endgame import EndgameTableError
    from controller.engine.endgame.survey import survey_tables

    directory = _directory(arguments)
    if directory.exists() and not directory.is_dir():
        raise EndgameTableError(f"{directory} is not a folder: name the folder of the tables with --dir")
    if arguments.dir is not None and not directory.exists():
        raise EndgameTableError(f"there is no folder {directory}: name the folder of the tables with --dir")
    survey = survey_tables(directory, verify=arguments.verify)
    if arguments.json:
        found = {
            "directory": str(directory),
            "pieces": survey.pieces,
            "counts": [asdict(count) for count in survey.counts],
            "broken": [{"file": str(error.path), "reason": error.reason} for error in survey.broken],
        }
        print(json.dumps(found, indent=2))
    else:
        _print_survey(directory, survey)
    return COULD_NOT if survey.broken else 0


def _print_survey(directory: Path, survey: Survey) -> None:
    upto = f"complete up to {survey.pieces} pieces" if survey.pieces else "none complete"
    print(f"endgame tables in {directory}: {upto}")
    for count in survey.counts:
        if not count.found:
            print(f"{count.pieces} pieces: none ({count.bytes_if_complete / 1e6:.1f} MB if built)")
            continue
        found = f"{count.found} of {count.files} files, {count.bytes / 1e6:.1f} MB"
        holds = f"{count.wins:,} won, {count.draws:,} drawn, {count.losses:,} lost"
        longest = "distances not known" if count.longest is None else f"longest way {count.longest} plies"
        print(f"{count.pieces} pieces: {found}; {holds}; {longest}")
    for error in survey.broken:
        print(f"{error}: `crownhead tables build` builds it anew")


def _add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="the folder of the tables (else tables/ in $CACHE_DIRECTORY or in crownhead/ of the user's caches)",
    )


def _directory(arguments: argparse.Namespace) -> Path:
    from controller.engine.endgame import tables_directory

    directory: Path | None = arguments.dir
    return directory or tables_directory(os.environ)


def _require_core() -> None:
    from controller.engine.choosing import missing_core
    from controller.engine.endgame import EndgameTableError

    if missing_core() is not None:
        raise EndgameTableError(
            "endgame tables need the compiled engine, which is not there: install a C compiler and Python's headers "
            "(gcc, python3-dev), then install Crownhead again"
        )
