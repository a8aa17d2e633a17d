"""What each part of the compiled engine is worth: `python -m tests.engine_parts [PART…] [--games N] [--nodes N]`.

The engine is built once more without the part (controller/engine/core/parts.h) and plays a match against the whole
one from ballots drawn by lot, each with both colours, at equal nodes or at equal time. What is printed is how much
the whole engine is ahead. `second-thread` says something at equal time only: more nodes are its point.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from controller.cli.limit_options import add_limit_options, limits_of, seed, whole
from controller.cli.main import INTERRUPTED
from controller.cli.match_words import elo_words
from controller.engine import Limits
from controller.engine.match import MatchOrder, drawn_ballots, play_match, player_named
from controller.errors import ControllerError
from controller.warning_sentences import say_warnings_as

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("calibration", "controller", "hardware", "vision")
_SWITCH = re.compile(r"#ifndef WITH_(\w+)")
THREAD = "second-thread"
USUAL = Limits(seconds=0.05)
MOST_GAMES = 100_000


def parts() -> tuple[str, ...]:
    """The names of the parts that can be left out."""
    header = (ROOT / "controller" / "engine" / "core" / "parts.h").read_text("utf-8")
    return tuple(name.lower().replace("_", "-") for name in _SWITCH.findall(header))


def build_without(part: str | None, folder: Path) -> None:
    """Copy the program into `folder` and build its engine without a part (None: with all)."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, folder)
    flags = "" if part is None else f"-DWITH_{part.upper().replace('-', '_')}=false"
    environment = {**os.environ, "CFLAGS": flags}
    words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True)


def worth_of(part: str, games: int, limits: Limits, seed: int) -> str:
    """A line that says how the whole engine did without the part's twin."""
    with tempfile.TemporaryDirectory() as folder:
        build_without(None if part == THREAD else part, Path(folder))
        program = f"hub:env PYTHONPATH={folder} {sys.executable} -P -m controller.cli.main engine"
        whole = f"{program} --threads 2" if part == THREAD else "best"
        order = MatchOrder(
            player_named(whole), player_named(program), drawn_ballots(seed), games, limits, seed, tables=True
        )
        result = play_match(order)
    return (
        f"{part:18s} +{result.wins} ={result.draws} -{result.losses}   {100 * result.estimate.score:.1f} %"
        f"   {elo_words(result)} Elo"
    )


def main() -> None:
    """Measure the parts that are named, or all."""
    say_warnings_as("engine_parts")
    parser = argparse.ArgumentParser(prog="python -m tests.engine_parts", description="What each part is worth.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join((*parts(), THREAD))} (default: all)")
    parser.add_argument(
        "--games", type=whole("number of games", MOST_GAMES), default=200, help="a part (default: 200)"
    )
    add_limit_options(parser, f"default: {USUAL.seconds} s")
    parser.add_argument("--seed", type=seed, default=1, help="draws the ballots (default: 1)")
    arguments = parser.parse_args()
    for part in arguments.parts:
        if part not in (*parts(), THREAD):
            parser.error(f"there is no part {part}")
    try:
        for part in arguments.parts or (*parts(), THREAD):
            print(worth_of(part, arguments.games, limits_of(arguments) or USUAL, arguments.seed), flush=True)
    except KeyboardInterrupt:
        print("engine_parts: stopped", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        sys.exit(
            f"engine_parts: the engine cannot be built ({last.strip()}): that takes a C compiler and what"
            " `pip install -e '.[test]'` installs"
        )
    except (ControllerError, OSError) as error:
        sys.exit(f"engine_parts: {error}")


if __name__ == "__main__":
    main()
