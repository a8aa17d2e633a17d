"""A whole game in real time over pseudo-terminal, network camera and control socket, as a command.

`python -m tests.table_game [--speed 4] [--seed N] [--physics NAME] [--report FILE]` starts `crownhead table` and
`crownhead play --simulate --table` as programs of their own, types a weak player's moves, and says whether the game
came to its end with the discs where it has them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from controller.draughts import Colour, Game, parse_move
from controller.engine.levels import level_limits
from controller.thinking import thinker
from hardware.clock import VirtualClock
from hardware.simulated.control_client import ControlClient
from hardware.simulated.names import PHYSICS
from hardware.simulated.requests import Truth

COMMAND = (sys.executable, "-c", "import sys; from controller.cli.main import main; sys.exit(main(sys.argv[1:]))")
ROOT = Path(__file__).parents[1]
PLAYED = re.compile(r"^(you|I) play (\S+)$")
HUMAN_LEVEL, ROBOT_LEVEL = 2, 6


def started(*arguments: str, **pipes: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen([*COMMAND, *arguments], env=environment, text=True, **pipes)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--physics", choices=PHYSICS, default=PHYSICS[0])
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="crownhead-game-") as folder:
        place = Path(folder) / "t"
        options = ("--seed", str(arguments.seed), "--speed", str(arguments.speed), "--physics", arguments.physics)
        table = started("table", "--dir", str(place), *options, stdout=subprocess.DEVNULL)
        try:
            while not (place / "control").exists():
                if table.poll() is not None:
                    return 1
                time.sleep(0.1)
            report = play(place, arguments.seed)
        finally:
            table.terminate()
            table.wait()
    text = json.dumps(report | {"speed": arguments.speed, "physics": arguments.physics}, indent=1)
    print(text)
    if arguments.report is not None:
        arguments.report.write_text(text + "\n")
    return 0 if report["finished"] and report["agrees"] else 1


def play(place: Path, seed: int) -> dict[str, object]:
    """Play one game on the table that runs in a folder; its figures."""
    began = time.monotonic()
    game = Game()
    choose = thinker(level_limits(HUMAN_LEVEL), VirtualClock(), seed)
    asked: list[str] = []
    status, agrees = None, False
    arguments = ("play", "--simulate", "--table", str(place), "--level", str(ROBOT_LEVEL), "--seed", str(seed))
    with started(*arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as robot:
        assert robot.stdin is not None
        assert robot.stdout is not None
        for line in robot.stdout:
            words = line.strip()
            if played := PLAYED.match(words):
                game.play(parse_move(game.position, played[2]))
            elif words.startswith("please") or "not allowed" in words:
                asked.append(words)
            elif "your turn" in words and game.outcome() is None and game.position.turn is Colour.BLACK:
                robot.stdin.write(f"{choose(game)}\n")
                robot.stdin.flush()
            agrees |= words == "The discs lie as the game has them."
        status = robot.wait()
    outcome = game.outcome()
    with_truth = ControlClient(place / "control")
    truth = with_truth.handle(Truth())
    with_truth.close()
    return {
        "finished": outcome is not None and status == 0,
        "result": outcome.result if outcome else "*",
        "moves": game.plies,
        "asked": asked,
        "agrees": agrees,
        "knocked": truth["knocked"],
        "dropped": truth["dropped"],
        "moved_under_hand_s": truth["moved_under_hand_s"],
        "wall_s": round(time.monotonic() - began, 1),
        "table_s": truth["time_s"],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
