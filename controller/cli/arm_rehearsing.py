"""`crownhead arm rehearse`: the arm alone plays a game's transfers, against the clock."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from controller import arm_by_hand as by_hand
from controller.cli.arm_moving import say
from controller.cli.replaced_file import replaced_file
from controller.draughts import Colour, Game, PdnError, iterate_pdn_records
from controller.errors import ControllerError
from controller.handling.kings import Kings
from controller.handling.places import ALL_PLACES
from controller.handling.plan import Gripper
from controller.rehearsal import DiscSet, Grips, RehearsedMove, rehearse
from controller.settings_file import LoadedSettings
from hardware.clock import RealClock


def rehearse_file(arguments: Namespace, loaded: LoadedSettings) -> int:
    """Rehearse the file's game; the figures of each move as it is done, and those of all at the end."""
    game = read_game(arguments.game)
    settings, clock = loaded.settings, RealClock()
    words = sys.stdout if arguments.report is None else sys.stderr
    output = replaced_file(Path(arguments.report)) if arguments.report not in (None, "-") else nullcontext(print_json)
    with output as write:
        if arguments.attended:
            calibration = by_hand.calibration_for(loaded, os.environ, clock.date(), say, calibrated=False)
            handled = by_hand.open_attended(settings, clock, calibration, say)
        else:
            handled = by_hand.open_watched(settings, clock, os.environ, say)
        try:
            human = Colour[settings.game.human.upper()]
            places = handled.calibration.places_mm(human is Colour.WHITE)
            discs = DiscSet(
                human,
                Gripper(settings.handling.lifts_stack),
                Kings(settings.discs.kings),
                {place: (float(x), float(y)) for place, (x, y) in zip(ALL_PLACES, places, strict=True)},
            )
            handled.arm.home()
            limits = handled.gantry.limits
            moves: list[RehearsedMove] = []
            print("   move         transfers  seconds   bound   ratio", file=words)
            grips = Grips(limits.grip_s, limits.release_s)
            for number, move in enumerate(rehearse(game, handled.arm, clock, discs, grips), start=1):
                moves.append(move)
                print(
                    f"{number:4} {move.move:12} {move.transfers:5} {move.seconds:11.2f} {move.bound:7.2f} "
                    f"{move.ratio:7.3f}",
                    file=words,
                    flush=True,
                )
        finally:
            handled.close()
        report = report_of(moves)
        print(
            f"in all {len(moves)} moves: {report['seconds']} s, at best {report['bound']} s, ratio {report['ratio']}",
            file=words,
        )
        if arguments.report is not None:
            write(json.dumps(report, indent=1) + "\n")
    return 0


def report_of(moves: Sequence[RehearsedMove]) -> dict[str, object]:
    """The figures of all moves, as JSON has them; times in s."""
    seconds, bound = sum(move.seconds for move in moves), sum(move.bound for move in moves)
    return {
        "moves": [
            {
                "move": move.move,
                "transfers": move.transfers,
                "seconds": round(move.seconds, 3),
                "bound": round(move.bound, 3),
                "ratio": round(move.ratio, 4),
            }
            for move in moves
        ],
        "seconds": round(seconds, 3),
        "bound": round(bound, 3),
        "ratio": round(seconds / bound if bound else 1.0, 4),
    }


def print_json(text: str) -> None:
    """Print to stdout, which then holds nothing else."""
    print(text, end="")


def read_game(file: str) -> Game:
    """The first game of a PDN file. Raises ControllerError or PdnError when there is none that can be followed."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise ControllerError(f"cannot read {file}: {error.strerror}") from error
    for record in iterate_pdn_records(data):
        if isinstance(record, PdnError):
            raise record
        for doubt in record.doubts:
            say(doubt)
        if not record.game.moves:
            raise ControllerError(f"the game in {file} has no moves: there is nothing to rehearse")
        return record.game
    raise ControllerError(f"there is no game in {file}: give a PDN file")
