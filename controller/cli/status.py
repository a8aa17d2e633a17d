"""`crownhead status`: how the running service is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from controller.cli.command_parser import CommandParser


def add_parser(subparsers: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "status",
        help="how the running service is",
        description="Ask the running service what it does, and how camera, arm and computer are.",
        epilog="examples:\n  crownhead status --json\n  crownhead status --picture board.jpg",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="write the camera's last picture (JPEG)")
    parser.add_argument("--state", type=Path, metavar="DIR", help="the state folder of the service that is meant")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what the service says."""
    import base64
    import json
    import os

    from controller.service.client import ask
    from controller.service.requests import AskPicture, AskStatus

    values = ask(AskStatus(), os.environ, arguments.state)
    if arguments.picture is not None:
        picture = ask(AskPicture(), os.environ, arguments.state)
        arguments.picture.write_bytes(base64.b64decode(picture["jpeg"]))
    if arguments.json:
        print(json.dumps(values, indent=1, ensure_ascii=False))
    else:
        for line in lines_of(values):
            print(line)
    return 0


def lines_of(values: dict[str, Any]) -> list[str]:
    """The status for people, a line a subject."""
    game, camera, serial = values["game"], values["camera"], values["serial"]
    lines = [f"state: {values['state']}" + (f" - {values['sentence']}" if values["sentence"] else "")]
    if game is not None:
        level = f"level {game['level']}"
        lines.append(
            f"game: {game['number']}, {level}, you play {game['human']}, {game['moves']} moves, {game['doing']}"
        )
    else:
        coming = values["next_game"]
        lines.append(f"next game: level {coming['level']}, you play {coming['human']}")
    age = "no picture yet" if camera["age_s"] is None else f"last picture {camera['age_s']:.1f} s ago"
    lines.append(f"camera: {camera['rate_hz']:.1f} looks a second, {age}")
    lines.append(f"arm: {serial['state']} at {serial['port']}")
    heat = "" if values["temperature_c"] is None else f", {values['temperature_c']:.0f} °C"
    weak = ", TOO LITTLE VOLTAGE: use the Pi's own power supply" if values["undervoltage"] else ""
    lines.append(f"computer: up {_duration(values['uptime_s'])}, {values['memory_mb']:.0f} MB{heat}{weak}")
    lines += [f"fault: {fault['at']}  {fault['what']}" for fault in values["faults"][-5:]]
    return lines


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    return f"{days} d {hours} h {minutes} min" if days else f"{hours} h {minutes} min"
