"""How fast and how small vision is on this machine: `python -m tests.vision_benchmark`.

One core, seconds of the processor. Every figure stands beside one taken in the same run, since machines differ and
other programs run on them: a Gaussian blur (5 × 5) of a 1280 × 720 picture in colour. What takes longer than its aim
is marked. Memory is the largest resident set of a program of its own, which watches a folder of pictures and has no
simulated table in it.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.known_geometry import calibration_of
from controller.draughts import Position
from controller.hand_guard import HandGuard
from controller.watching import Watcher
from hardware.clock import VirtualClock
from hardware.frame import Frame, Pixels
from hardware.simulated.drawing.styles import STYLES
from hardware.simulated.geometry import CAMERAS
from hardware.simulated.picture import Picture
from hardware.simulated.scene import HandPose, Scene
from tests.reading_campaign import START, centres, lay
from tests.sequences.cameras import model_of
from tests.sequences.stage import DISC_MM, GEOMETRY, HIGH_MM, SQUARE_MM
from vision.disc_size import DiscSize
from vision.finder import find_board
from vision.reader import learn, read, update
from vision.tracking import start_tracking, track
from vision.unprepared import read_board
from vision.view import View

INTERRUPTED = 130
REPEATS = 7
SIZE = (1280, 720)
CAMERA = CAMERAS["mast"]
STYLE = "walnut"
MOST_MB = 150.0
BARE_MB_OF = "import cv2, numpy"
WATCH = "from controller.cli.main import main; import sys; sys.exit(main(['watch', '--json', *sys.argv[1:]]))"


@dataclass(frozen=True)
class Timed:
    """What was measured (ms of the processor: the median), and what it may take, if that is said."""

    what: str
    ms: float
    aim_ms: float | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """Pictures of one simulated table: the start, the same with a disc moved, and with a hand over it."""

    start: Pixels
    again: Pixels
    moved: Pixels
    hand: Pixels


def drawn_table(seed: int = 3) -> Table:
    """Draw it."""
    random = np.random.default_rng(seed)
    picture = Picture(GEOMETRY, STYLES[STYLE], seed=seed)
    laid = lay(START, random, 4.0)
    contents = START.copy()
    contents[[8, 13]] = contents[[13, 8]]
    moved = lay(contents, random, 4.0)
    hand = HandPose((180.0, 140.0, 45.0), 0.0, reach=1)
    return Table(
        picture.draw(Scene(laid.discs)),
        picture.draw(Scene(laid.discs)),
        picture.draw(Scene(moved.discs)),
        picture.draw(Scene(laid.discs, hand=hand)),
    )


def measured(repeats: int) -> list[Timed]:
    """All times; the first is the reference."""
    cv2.setNumThreads(1)
    table = drawn_table()
    view = View(model_of(CAMERA), centres(), SQUARE_MM, DiscSize(DISC_MM, HIGH_MM))
    board = find_board(table.start)
    appearance = learn(table.start, view, START)
    tracked = start_tracking(table.start, view.camera, SQUARE_MM)
    guard = _guard(table.start)
    watcher = Watcher(table.start, Position.start())
    frames = [Frame(table.start, 0.0, 1), Frame(table.hand, 0.1, 2)]

    def whole() -> None:
        read_board(table.moved, find_board(table.moved))

    def look_of_guard() -> None:
        for frame in frames:
            guard.look(frame)

    def one(what: str, work: Callable[[], object], aim_ms: float | None = None, calls: int = 1) -> Timed:
        return Timed(what, _ms(work, repeats) / calls, aim_ms)

    return [
        one("a Gaussian blur, the reference", lambda: cv2.GaussianBlur(table.start, (5, 5), 0)),
        one("finding the board", lambda: find_board(table.moved)),
        one("reading it, nothing known", lambda: read_board(table.moved, board)),
        one("both: an unprepared look", whole, 500.0),
        one("learning a table", lambda: learn(table.start, view, START)),
        one("a learnt reading", lambda: read(table.moved, view, appearance), 25.0),
        one("following drifting light", lambda: update(appearance, table.again, view, START)),
        one("tracking the board", lambda: track(tracked, table.again), 10.0),
        one("a look of the hand guard", look_of_guard, 15.0, calls=len(frames)),
        one("watching a frame, nothing moved", lambda: watcher.watch(table.again)),
        one("watching a frame, a hand there", lambda: watcher.watch(table.hand)),
    ]


def largest_mb(program: str, arguments: list[str]) -> float:
    """The largest resident set, MB, of a Python program of its own; Linux only.

    Raises CalledProcessError if it fails.
    """
    # Not what getrusage says: that counts the program that started it, too.
    told = "import sys; print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr)"
    code = f"import atexit\natexit.register(lambda: exec({told!r}))\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, cwd=_root()
    )
    return float(done.stderr.split()[-1]) / 1024


def memory(table: Table) -> tuple[float, float]:
    """MB of a program that only loads OpenCV and NumPy, and of one that watches pictures in files."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, pixels in enumerate((table.start, table.again, table.hand, table.moved, table.again)):
            file = Path(folder) / f"f{number}.png"
            cv2.imwrite(str(file), pixels)
            files.append(str(file))
        return largest_mb(BARE_MB_OF, []), largest_mb(WATCH, files)


def _guard(pixels: NDArray[np.uint8]) -> HandGuard:
    guard = HandGuard(
        _NoCamera(), VirtualClock(), calibration_of(GEOMETRY, datetime(2026, 1, 1)), interval_s=0.1, max_age_s=1.0
    )
    guard.set_reference(Frame(pixels, 0.0, 0))
    return guard


class _NoCamera:
    """The guard is shown its frames one by one."""

    def frame(self) -> Frame:
        """Never asked for."""
        raise AssertionError

    def close(self) -> None:
        """Nothing to let go of."""


def _ms(work: Callable[[], object], repeats: int) -> float:
    """Median of the processor's ms that a call takes, the first one, which prepares things, apart."""
    work()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times)


def _root() -> Path:
    return Path(__file__).resolve().parents[1]


def report(times: list[Timed], bare_mb: float, watching_mb: float) -> str:
    """All that is printed."""
    reference = times[0].ms
    lines = [f"{'':34}{'ms':>9}{'× blur':>9}{'aim ms':>9}"]
    for one in times:
        aim = "" if one.aim_ms is None else f"{one.aim_ms:9.0f}" + ("  MISSED" if one.ms > one.aim_ms else "")
        lines.append(f"{one.what:34}{one.ms:9.1f}{one.ms / reference:9.1f}{aim}")
    missed = "  MISSED" if watching_mb > MOST_MB else ""
    lines.append(f"{'memory, MB: OpenCV and NumPy alone':34}{bare_mb:9.0f}")
    lines.append(f"{'memory, MB: watching a game':34}{watching_mb:9.0f}{'':9}{MOST_MB:9.0f}{missed}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Measure and print; 1 if an aim was missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.vision_benchmark", description="Measures how fast and how small vision is."
    )
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help="how often each thing is done")
    chosen = parser.parse_args(arguments)
    if chosen.repeats < 1:
        parser.error("the number of repeats must be a whole number from 1")
    times = measured(chosen.repeats)
    bare_mb, watching_mb = memory(drawn_table())
    print(report(times, bare_mb, watching_mb))
    met = all(one.aim_ms is None or one.ms <= one.aim_ms for one in times)
    return 0 if met and watching_mb <= MOST_MB else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
