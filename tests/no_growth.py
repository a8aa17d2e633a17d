"""Whether the service's memory grows: `python -m tests.no_growth [--turns 10000] [--report FILE]`.

A service plays on virtual time against somebody who always moves, game after game, with the arm setting up between
them. Its memory is looked at after the first tenth of the turns and at the end.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any

from calibration.known_geometry import calibration_of
from controller.draughts import Position
from controller.journal import Journal
from controller.service.health import health
from controller.service.memory import give_memory_back
from controller.service.notify import Notifier
from controller.service.service import Service, Thinking
from controller.service.status import Record
from controller.simulated_layout import starting_stacks
from controller.table import open_calibrated_simulated_table
from hardware.clock import RealClock, VirtualClock
from hardware.simulated.table import SimulatedTable, TableSetup
from tests.powercut.campaign import SETTINGS
from tests.powercut.guest import Guest


class EnoughError(BaseException):
    """All turns have been played."""


def grown(turns: int, folder: Path, seed: int = 1) -> dict[str, Any]:
    """Play so many moves of both sides; the memory (MB, and objects that Python keeps) early and at the end."""
    began = perf_counter()
    clock, setup = VirtualClock(), TableSetup(seed=seed)
    calibration = calibration_of(setup.geometry, clock.date())
    table = SimulatedTable(clock, setup, starting_stacks(Position.start(), calibration))
    path = folder / "journal.sqlite3"
    guest = Guest(table, clock, calibration, path, seed)
    clock.attach(guest.advance_to)
    record = Record(clock, "simulated")
    service = Service(
        SETTINGS,
        clock,
        lambda: open_calibrated_simulated_table(SETTINGS, clock, table, calibration),
        lambda: Journal(path, clock),
        record,
        Notifier({}, clock),
        lambda line: None,
        Thinking(RealClock(), 1.0, seed),
    )
    clock.attach(service.come_round)
    played, last = [0], [(0, 0)]
    looks: list[tuple[int, float, int]] = []

    def count(_: float) -> None:
        game = record.game
        if game is None or (game.number, game.moves) == last[0]:
            return
        last[0] = game.number, game.moves
        played[0] += 1
        if record.sentence:
            guest.hear("asked", record.sentence)
        if played[0] in (max(turns // 10, 4), turns):
            gc.collect()
            looks.append((played[0], float(health()["memory_mb"]), len(gc.get_objects())))
        if played[0] >= turns:
            raise EnoughError

    clock.attach(count)
    with suppress(EnoughError):
        service.run()
    (early, early_mb, early_objects), (late, late_mb, late_objects) = looks
    return {
        "turns": late,
        "memory_mb": {str(early): early_mb, str(late): late_mb},
        "objects": {str(early): early_objects, str(late): late_objects},
        "journal_mb": round(path.stat().st_size / 1e6, 2),
        "simulated_s": round(clock.now(), 1),
        "wall_s": round(perf_counter() - began, 1),
    }


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.no_growth", description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args(argv)
    give_memory_back()
    with tempfile.TemporaryDirectory(prefix="crownhead-growth-") as folder:
        figures = grown(arguments.turns, Path(folder))
    text = json.dumps(figures, indent=1)
    print(text)
    if arguments.report is not None:
        arguments.report.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
