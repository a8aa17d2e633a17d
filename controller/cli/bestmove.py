"""`crownhead bestmove`: one reply of the engine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from controller.cli.command_parser import CommandParser
from controller.cli.limit_options import add_limit_options, add_player_options, limits_of, parameters_of, seed

if TYPE_CHECKING:
    from controller.draughts import Move, Position
    from controller.engine.interface import Reply


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "bestmove",
        help="the engine's move in a position",
        description="Say what the engine would play in a position, and what it thinks of it.",
        epilog=(
            "examples:\n"
            "  crownhead bestmove --seconds 1\n"
            "  crownhead bestmove --fen B:W18,K22:B1,K9 --depth 12 --json"
        ),
    )
    parser.add_argument("--fen", help="the position (the start of a game without it)")
    add_player_options(parser)
    add_limit_options(parser, "without any, what the level takes: best the settings' thinking_s, usually 3 s")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="what a level misjudges (default: 0)")
    parser.add_argument("--json", action="store_true", help="print JSON: move fen score depth nodes seconds pv")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the reply.

    Raises FenError for a position that cannot be, GameOverError for a game that is over, SettingsError.
    """
    import json
    import os

    from controller.cli.table_progress import have_tables
    from controller.draughts import Game, GameOverError, Position, read_fen, write_fen
    from hardware.clock import RealClock

    position = Position.start() if arguments.fen is None else read_fen(arguments.fen)
    game = Game(position)
    if (outcome := game.outcome()) is not None:
        raise GameOverError(f"There is no move to choose, the game is over. {outcome.sentence}")
    parameters, asked = parameters_of(arguments, arguments.seed), limits_of(arguments)
    have_tables(os.environ)
    engine = parameters.engine(RealClock(), asked)
    reply = engine.choose(game, parameters.limits(asked))
    move, *_ = line = _notations(position, reply.pv)
    after = write_fen(position.after(reply.move))
    if arguments.json:
        found = {"move": move, "fen": after, "score": reply.score, "depth": reply.depth, "nodes": reply.nodes}
        print(json.dumps({**found, "seconds": round(reply.seconds, 3), "pv": line}))
        return 0
    print(move)
    print(f"position after it: {after}")
    looked_at = f"{reply.nodes:,} position{'' if reply.nodes == 1 else 's'}"
    print(f"{_judgement(position, reply)} (depth {reply.depth}, {looked_at}, {reply.seconds:.2f} s)")
    if len(line) > 1:
        print(f"expected: {' '.join(line)}")
    return 0


def _notations(position: Position, moves: tuple[Move, ...]) -> list[str]:
    """Moves that follow each other, in the shortest PDN form."""
    from controller.draughts import notation

    written = []
    for move in moves:
        written.append(notation(position, move))
        position = position.after(move)
    return written


def _judgement(position: Position, reply: Reply) -> str:
    """The score in words."""
    from controller.engine.interface import SURE_WIN, WIN

    side = position.turn.title
    if abs(reply.score) >= SURE_WIN:
        plies = WIN - abs(reply.score)
        return f"{side} {'wins' if reply.score > 0 else 'loses'} in {plies} {'ply' if plies == 1 else 'plies'}"
    if reply.score == 0:
        return "even"
    return f"{side} is {'ahead' if reply.score > 0 else 'behind'} by {abs(reply.score) / 100:.2f} men"
