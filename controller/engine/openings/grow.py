"""`python -m controller.engine.openings.grow`: grows the book of openings by the engine's own search.

What is found out about each position is added to a file of notes at once, so that it can be broken off with Ctrl-C
and gone on with; the book is made of the notes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.engine.choosing import make_engine
from controller.engine.interface import Limits
from controller.engine.openings.book import FILE, write_book
from controller.engine.openings.growing import (
    Growth,
    book_of,
    next_positions,
    note,
    read_notes,
    score_moves,
)
from controller.errors import ControllerError
from controller.warning_sentences import say_warnings_as
from hardware.clock import RealClock

BATCH = 40
"""Positions looked at before it is found out anew which are likeliest."""


def main(argv: Sequence[str] | None = None) -> int:
    """Grow the book; the exit status is 0, or 1 with a sentence on stderr."""
    arguments = _parser().parse_args(argv)
    say_warnings_as("grow")
    growth = Growth(arguments.plies, arguments.margin, arguments.spread, arguments.bytes)
    try:
        _grow(arguments, growth)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
    except (ControllerError, OSError) as error:
        print(f"grow: {error}", file=sys.stderr)
        return 1
    return 0


def _grow(arguments: argparse.Namespace, growth: Growth) -> None:
    notes: Path = arguments.notes
    notes.parent.mkdir(parents=True, exist_ok=True)
    text = notes.read_text("utf-8") if notes.exists() else ""
    known = read_notes(text.splitlines())
    if text and not text.endswith("\n"):  # A line that was broken off is not to spoil the next.
        notes.write_text("".join(f"{note(*entry)}\n" for entry in known.items()), "utf-8")
    engine = make_engine(RealClock(), threads=arguments.threads)
    limits = Limits(nodes=arguments.nodes) if arguments.nodes else Limits(seconds=arguments.seconds)
    try:
        with notes.open("a", encoding="utf-8") as stream:
            while len(known) < arguments.positions:
                batch = next_positions(known, growth, min(BATCH, arguments.positions - len(known)))
                if not batch:
                    break
                for position in batch:
                    known[position] = score_moves(position, engine, limits)
                    stream.write(note(position, known[position]) + "\n")
                    stream.flush()
                print(f"{len(known)} positions looked at, the last of them {note(batch[-1], known[batch[-1]])}")
    finally:
        book = book_of(known, growth)
        data = write_book(book)
        unfinished = arguments.out.with_name(arguments.out.name + ".unfinished")
        unfinished.write_bytes(data)
        unfinished.replace(arguments.out)
        print(f"wrote {arguments.out}: {len(book.entries)} positions, {len(data)} bytes")


def _parser() -> argparse.ArgumentParser:
    usual = Growth()
    parser = argparse.ArgumentParser(prog="python -m controller.engine.openings.grow", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, metavar="S", help="time for a position (default: 1)")
    parser.add_argument("--nodes", type=int, metavar="N", help="nodes for a position, in place of time")
    parser.add_argument("--positions", type=int, default=5000, metavar="N", help="positions in all (default: 5000)")
    parser.add_argument("--plies", type=int, default=usual.plies, metavar="N", help=f"default: {usual.plies}")
    parser.add_argument(
        "--margin",
        type=int,
        default=usual.margin,
        metavar="N",
        help=f"hundredths of a man that a move may be behind the best (default: {usual.margin})",
    )
    parser.add_argument(
        "--spread",
        type=float,
        default=usual.spread,
        metavar="N",
        help=f"hundredths of a man that make a move e times rarer (default: {usual.spread:g})",
    )
    parser.add_argument("--bytes", type=int, default=usual.size, metavar="N", help=f"default: {usual.size}")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="processors to think on (default: 1)")
    parser.add_argument("--notes", type=Path, default=Path("out/openings.txt"), metavar="FILE", help="what is known")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(__file__).with_name(FILE),
        metavar="FILE",
        help="the book (default: in place)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
