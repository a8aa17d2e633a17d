"""Sequences of frames of people at the simulated table, made and scored: what a watcher is measured by.

    python -m tests.watch_sequences FOLDER --seeds 2
    python -m tests.watch_sequences FOLDER --score

Made, each has a sub-folder of its own with its frames and a `sequence.json`: the position at the start, what lies
there at the end, the verdicts expected with the frames in which they can be given, the camera, and of each frame what
happens in it and which squares are hidden. Scored, they are watched inside this process.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import cv2

from tests.sequences.making import ALL_CAMERAS, ALL_LIGHTS, ALL_STYLES, ERRANDS, known, orders, write
from tests.sequences.scoring import score_folder, table_of

INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Make sequences, or score those that are there."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.watch_sequences", description="Makes and scores sequences of frames to be watched."
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the sequences are")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="how many of every errand to make")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed")
    parser.add_argument("--errands", nargs="+", default=[], metavar="ERRAND", help="only these errands")
    parser.add_argument("--styles", nargs="+", default=[], metavar="STYLE", help="only these looks of the table")
    parser.add_argument("--lights", nargs="+", default=[], metavar="LIGHT", help="only these lights")
    parser.add_argument("--cameras", nargs="+", default=[], metavar="PLACE", help="only these places of the camera")
    parser.add_argument("--score", action="store_true", help="watch the folder's sequences instead of making any")
    chosen = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    if chosen.score:
        return _score(parser, chosen.folder)
    if chosen.seeds < 1:
        parser.error("the number of seeds must be a whole number from 1")
    try:
        wanted = (
            known(chosen.errands, tuple(ERRANDS), "errand"),
            known(chosen.styles, ALL_STYLES, "style"),
            known(chosen.lights, ALL_LIGHTS, "light"),
            known(chosen.cameras, ALL_CAMERAS, "place of the camera"),
        )
    except ValueError as error:
        parser.error(str(error))
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    start, made = time.perf_counter(), 0
    try:
        for order in orders(seeds, *wanted):
            write(order, chosen.folder)
            made += 1
            print(order.name, flush=True)
    except OSError as error:
        print(f"cannot write into {chosen.folder}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"{made} sequences in {time.perf_counter() - start:.0f} s")
    return 0


def _score(parser: argparse.ArgumentParser, folder: Path) -> int:
    if not list(folder.glob("*/sequence.json")):
        parser.error(f"there are no sequences in {folder}")
    scores = []
    for score in score_folder(folder):
        scores.append(score)
        if not score.right:
            print(score.complaint, flush=True)
    print(table_of(scores))
    return 0 if all(score.right for score in scores) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
