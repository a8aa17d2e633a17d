"""`crownhead perft`: counts move sequences, to check the move generator."""

from __future__ import annotations

import argparse

from controller.cli.command_parser import CommandParser
from controller.draughts import Position, read_fen


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "perft",
        help="count move sequences",
        description=(
            "Count the sequences of legal moves up to a depth: a line “depth nodes” each. Every jumping route counts"
            " by itself, also where two take the same piece over the same captures to the same square."
        ),
        epilog="example:\n  crownhead perft 6 --fen B:W18,K22:B1,K9 --divide",
    )
    parser.add_argument("depth", type=_depth, metavar="DEPTH", help="longest sequence counted, from 1 on")
    parser.add_argument("--fen", help="position to begin from (the start of a game without it)")
    parser.add_argument("--merged", action="store_true", help="count routes with the same result as one move")
    parser.add_argument("--divide", action="store_true", help="then a line “move nodes” for each first move")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the counts; return the exit code. Raises FenError for a position that cannot be."""
    from controller.engine.counting import count_sequences, count_sequences_by_move

    position = Position.start() if arguments.fen is None else read_fen(arguments.fen)
    for depth in range(1, arguments.depth + 1):
        print(depth, count_sequences(position, depth, arguments.merged), flush=True)
    if arguments.divide:
        for move, nodes in count_sequences_by_move(position, arguments.depth, arguments.merged).items():
            print(move, nodes)
    return 0


def _depth(text: str) -> int:
    try:
        depth = int(text)
    except ValueError:
        depth = 0
    if depth < 1:
        raise argparse.ArgumentTypeError(f"the depth must be a whole number from 1 on, not {text!r}")
    return depth
