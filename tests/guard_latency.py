"""How soon a hand that comes in holds the arm: `python -m tests.guard_latency [--hands N] [--report FILE]`.

In real time: the gantry goes to and fro on Grbl behind a pseudo-terminal, under the permit of the table as
`crownhead play` opens it, with a camera on HTTP that shows a clip drawn beforehand at 30 frames a second, while a
thread writes into the journal all the time. A hand comes in at random moments of the motion; counted is from the
exposure of the first picture that shows it to the moment at which the hold byte is read at the far end of the line.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from calibration.calibration import Calibration, save_calibration
from calibration.known_geometry import calibration_of
from controller.draughts import Position, write_fen
from controller.hardware_settings import CameraSettings, MachineSettings
from controller.journal import Journal
from controller.settings import FileSettings, Settings
from controller.table import Table, open_real_table
from hardware.clock import RealClock
from hardware.simulated.table import TableSetup
from tests.guarding.clip import HANDS, WAY_MM, WAY_Y_MM, WAY_Z_MM, Clip, draw_clip
from tests.guarding.stage import Event, Show, run_stage

SPEED_MM_S = 120.0
HAND_AFTER_S = (0.4, 1.4)
"""When in the motion a hand comes, s."""
HAND_FOR_S = 0.5
ANSWERED_IN_S = 1.0
"""A hold that comes later than this after a hand is none for that hand."""


@dataclass(frozen=True)
class Visit:
    """A hand that came: from its first picture to the hold, and from its last to the resume (s); None: never."""

    held_s: float | None
    on_again_s: float | None


def visits_of(events: list[Event]) -> tuple[list[Visit], int]:
    """What became of each hand, and how many holds came without one."""
    visits: list[Visit] = []
    false_holds = 0
    came = held = gone = None
    for event in sorted(events, key=lambda event: event.time_s):
        match event.what:
            case "hand":
                if came is not None:
                    visits.append(Visit(held, None))
                came, held, gone = event.time_s, None, None
            case "gone":
                gone = event.time_s
            case "hold" if came is None or event.time_s - came > ANSWERED_IN_S:
                false_holds += 1
            case "hold" if held is None:
                held = event.time_s - came
            case "resume" if came is not None and gone is not None:
                visits.append(Visit(held, event.time_s - gone))
                came = None
    if came is not None:
        visits.append(Visit(held, None))
    return visits, false_holds


@contextmanager
def staged(clip: Clip) -> Iterator[tuple[Connection, str, str]]:
    """The stage in a process of its own: the pipe to it, its camera's URL and its serial port."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=run_stage, args=(clip, theirs), daemon=True)
    process.start()
    theirs.close()
    url, port = ours.recv()
    try:
        yield ours, url, port
    finally:
        ours.close()
        process.join(10)


@contextmanager
def written_all_the_while(journal: Path) -> Iterator[Callable[[], int]]:
    """While in it a thread writes moves and verdicts into a journal; gives how many so far."""
    stop, count = threading.Event(), [0]

    def write() -> None:
        with Journal(journal, RealClock()) as kept:
            game = kept.begin_game(write_fen(Position.start()), "black", 5)
            while not stop.wait(0.01):
                intent = kept.intend(game, 1, "what is carried", "11", "15", 1)
                kept.record_verdict(game, "unchanged", "nothing has moved", {"squares": [11]})
                count[0] += 1
                if intent < 0:
                    return

    thread = threading.Thread(target=write, name="journal", daemon=True)
    thread.start()
    try:
        yield lambda: count[0]
    finally:
        stop.set()
        thread.join()


def opened_table(folder: Path, calibration: Calibration, url: str, port: str) -> Table:
    """The table as the program opens it, with a reference for its guard, homed."""
    save_calibration(calibration, folder / "calibration.json")
    settings = Settings(
        camera=CameraSettings(url),
        machine=MachineSettings(port=port),
        files=FileSettings(calibration=folder / "calibration.json"),
    )
    table = open_real_table(settings, RealClock(), {})
    frame = table.camera.frame()
    table.camera.remember(frame)
    table.guard.set_reference(frame)

    table.gantry.home()
    return table


def measure(hands: int, seed: int, say: Callable[[str], None]) -> dict[str, object]:
    """The figures over so many hands."""
    chance, setup = random.Random(seed), TableSetup(seed=seed)
    say("drawing the clip")
    clip = draw_clip(setup)
    calibration = calibration_of(setup.geometry, RealClock().date())
    events: list[Event] = []
    with tempfile.TemporaryDirectory(prefix="crownhead-guard-") as name, staged(clip) as (stage, url, port):
        folder = Path(name)
        table = opened_table(folder, calibration, url, port)
        try:
            with written_all_the_while(folder / "journal.sqlite3") as written:
                ends = [calibration.to_machine(x, WAY_Y_MM, WAY_Z_MM) for x in WAY_MM]
                move(table, ends[0])
                stage.send("events")
                stage.recv()
                shown = 0
                while len([event for event in events if event.what == "hand"]) < hands:
                    shown += 1
                    stage.send(Show(chance.randint(1, len(HANDS)), chance.uniform(*HAND_AFTER_S), HAND_FOR_S))
                    move(table, ends[shown % 2])
                    stage.send("events")
                    events += stage.recv()
                    if shown % 10 == 0:
                        say(f"{shown} hands shown, {written()} journal entries")
        finally:
            table.close()
    return figures(events)


def move(table: Table, to: tuple[float, float, float]) -> None:
    """One straight way at the measurement's speed."""
    x, y, z = to
    table.gantry.move_to(x, y, z, speed_mm_s=SPEED_MM_S)


def figures(events: list[Event]) -> dict[str, object]:
    """The report."""
    visits, false_holds = visits_of(events)
    held = sorted(1000 * visit.held_s for visit in visits if visit.held_s is not None)
    again = sorted(visit.on_again_s for visit in visits if visit.on_again_s is not None)
    return {
        "hands": len(visits),
        "seen": len(held),
        "p50_ms": _quantile(held, 0.5),
        "p99_ms": _quantile(held, 0.99),
        "worst_ms": _quantile(held, 1.0),
        "false_holds": false_holds,
        "on_again_p50_s": _quantile(again, 0.5),
        "on_again_worst_s": _quantile(again, 1.0),
    }


def _quantile(ordered: list[float], share: float) -> float | None:
    """The value that this share of the values does not exceed."""
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2) if ordered else None


def main(argv: list[str]) -> int:
    """Measure, print the figures as JSON; 0 if every hand held the arm within 150 ms (99 in 100)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--hands", type=int, default=100, help="how many hands come in (default 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="write the figures into this file, too")
    arguments = parser.parse_args(argv)
    report = measure(arguments.hands, arguments.seed, lambda text: print(text, file=sys.stderr, flush=True))
    text = json.dumps(report, indent=1)
    print(text)
    if arguments.report is not None:
        arguments.report.write_text(text + "\n")
    p99 = report["p99_ms"]
    good = report["seen"] == report["hands"] and isinstance(p99, float) and p99 <= 150 and not report["false_holds"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
