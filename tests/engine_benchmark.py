"""How fast the engine is on this machine: `python -m tests.engine_benchmark [--seconds S] [--threads N]`.

Every figure stands beside one taken in the same run, since machines differ and other programs run on them: the
core's perft beside the same algorithm as a plain C program, the compiled engine beside the one in plain Python.
Memory is the largest resident set of a `crownhead bestmove` of its own.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from controller.cli.limit_options import seconds, threads
from controller.cli.main import INTERRUPTED
from controller.draughts import Game, Position, perft, read_fen
from controller.engine import Limits, make_engine
from controller.engine.alpha_beta import AlphaBeta
from controller.engine.choosing import is_compiled
from controller.engine.counting import count_sequences
from controller.warning_sentences import say_warnings_as
from hardware.clock import RealClock

CORE = Path(__file__).resolve().parents[1] / "controller" / "engine" / "core"
REFERENCE = Path(__file__).with_name("engine") / "perft_reference.c"
PERFT_DEPTH = 9
PYTHON_PERFT_DEPTH = 6
REPEATS = 5
MIDDLE_GAMES = (
    "W:W14,24,25,26,27,29,30,32:B1,3,5,7,11,13,15,18",
    "W:W17,19,20,21,22,23,25,30,31,32:B1,2,3,4,8,10,11,12,13,14",
    "W:W17,18,22,23,24,28,29,31,32:B1,2,3,4,8,9,10,11,15",
    "W:W21,25,26,27,28,30,31,32:B3,4,5,7,8,11,14,19",
    "W:W19,20,21,22,23,24,26,28,30,32:B1,3,5,6,7,8,10,11,12,14",
    "W:W13,19,21,22,24,26,29,30,31,32:B1,3,4,5,8,10,12,14,15,16",
    "W:W15,20,21,25,26,28,29,30,31:B1,2,5,6,7,8,9,14,19",
    "W:W17,21,22,23,24,25,29,30,32:B1,2,3,5,6,9,10,11,16",
    "W:W18,24,25,26,27,28,29,30,32:B1,5,6,8,9,10,11,12,16",
    "W:W19,21,23,24,25,28,29,30,32:B2,3,5,7,8,10,11,12,13",
)


def reference_leaves_per_second(depth: int = PERFT_DEPTH, repeats: int = REPEATS) -> float | None:
    """Of the plain C program, in seconds of the processor; None where there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "reference"
        sources = [str(REFERENCE), str(CORE / "moves.c")]
        subprocess.run([compiler, "-O3", "-I", str(CORE), *sources, "-o", str(program)], check=True)
        words = subprocess.run(
            [str(program), str(depth), str(repeats)], check=True, capture_output=True, text=True
        ).stdout.split()
    return int(words[0]) / float(words[1])


def core_leaves_per_second(depth: int = PERFT_DEPTH, repeats: int = REPEATS) -> float:
    """Of the compiled core, the best of the repeats, in seconds of the processor."""
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        leaves = count_sequences(Position.start(), depth)
        best = min(best, time.process_time() - began)
    return leaves / best


def _print_perft() -> None:
    reference, core = reference_leaves_per_second(), core_leaves_per_second()
    print(f"perft, depth {PERFT_DEPTH}, million leaves/s:")
    print(f"  compiled core     {core / 1e6:8.1f}")
    if reference is None:
        print("  plain C -O3       (no C compiler here)")
    else:
        print(f"  plain C -O3       {reference / 1e6:8.1f}   the core has {core / reference:.2f} of it")
    began = time.process_time()
    leaves = perft(Position.start(), PYTHON_PERFT_DEPTH)
    python = leaves / (time.process_time() - began)
    print(f"  Python rules      {python / 1e6:8.2f}   the core is {core / python:.0f} times as fast")


def _print_search(seconds: float, threads: int) -> None:
    clock = RealClock()
    games = [Game(), *(Game(read_fen(fen)) for fen in MIDDLE_GAMES)]
    depths, speeds, python_speeds, late = [], [], [], []
    print(f"search, {seconds:g} s a position, {threads} thread{'s' if threads > 1 else ''}:")
    for number, game in enumerate(games):
        reply = make_engine(clock, threads=threads).choose(game, Limits(seconds=seconds))
        plain = AlphaBeta(clock).choose(game, Limits(seconds=seconds / 4))
        depths.append(reply.depth)
        speeds.append(reply.nodes / reply.seconds)
        python_speeds.append(plain.nodes / plain.seconds)
        late.append(reply.seconds - seconds)
        name = "start" if number == 0 else f"middle game {number}"
        print(f"  {name:16s} depth {reply.depth:3d}   {speeds[-1] / 1e6:6.2f} million nodes/s   {reply.move}")
    speed, python = statistics.median(speeds), statistics.median(python_speeds)
    print(f"  median           depth {statistics.median(depths):3g}   {speed / 1e6:6.2f} million nodes/s")
    print(
        f"  plain Python engine {python / 1e3:.0f} thousand nodes/s: the core is {speed / python:.0f} times as fast"
    )
    print(f"  later than allowed at most {1000 * max(late):.1f} ms")


def _print_memory(seconds: float) -> None:
    words = [sys.executable, "-m", "controller.cli.main", "bestmove", "--seconds", str(seconds)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"memory of a bestmove with its tables: {kilobytes / 1024:.0f} MB at most")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine_benchmark", description="Speed of the engine here.")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="thinking time a position (default: 1)")
    parser.add_argument("--threads", type=threads, default=1, help="of the search (default: 1)")
    arguments = parser.parse_args()
    say_warnings_as("engine_benchmark")
    if not is_compiled():
        sys.exit("There is nothing to measure without the compiled core.")
    try:
        _print_perft()
        _print_search(arguments.seconds, arguments.threads)
        _print_memory(arguments.seconds)
    except KeyboardInterrupt:
        print("engine_benchmark: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except subprocess.CalledProcessError as error:
        sys.exit(f"engine_benchmark: {error}")


if __name__ == "__main__":
    main()
