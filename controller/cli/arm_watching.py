"""`crownhead arm status` and `monitor`: what the machine does, as it says it itself."""

from __future__ import annotations

import argparse
import json
import os
import select
import shlex
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from math import inf
from pathlib import Path

from controller.cli.arm_moving import do_action, open_attended
from controller.cli.command_parser import CommandParser
from controller.errors import ControllerError, ServiceError
from controller.seat.input_lines import ScriptLines
from controller.service.client import ask
from controller.service.requests import AskArm
from controller.settings import Settings
from controller.settings_file import LoadedSettings
from controller.table import open_motion
from hardware.clock import RealClock
from hardware.errors import HardwareError, PortInUseError, PositionLostError
from hardware.machine_check import contradictions
from hardware.motion import MachinePoint

EVERY_S = 0.25
"""Between questions: Grbl's authors ask for no more than 5 to 10 a second."""
LEAVE = ("quit", "exit")

AddActions = Callable[["argparse._SubParsersAction[CommandParser]"], None]


@dataclass(frozen=True)
class Seen:
    """What the machine does: its state in a word, where it is (machine mm), whether that can be relied on."""

    state: str
    position: MachinePoint
    homed: bool
    gripper_on: bool

    def words(self) -> str:
        """One line."""
        x, y, z = self.position
        homed, gripper = "" if self.homed else " (not homed)", "  gripper on" if self.gripper_on else ""
        return f"{self.state:8} X{x:.3f} Y{y:.3f} Z{z:.3f} mm{homed}{gripper}"

    def values(self) -> dict[str, object]:
        """The same for JSON."""
        return {
            "state": self.state,
            "position_mm": list(self.position),
            "homed": self.homed,
            "gripper_on": self.gripper_on,
        }


def _service_tells(port: str, as_json: bool) -> bool:
    """Print what a running service knows of the arm, if it is that which has the port; whether it is."""
    try:
        told = ask(AskArm(), os.environ)
    except ServiceError:
        return False
    if Path(told["port"]).resolve() != Path(port).resolve():
        return False
    if as_json:
        print(json.dumps(told))
        return True
    place = "not homed" if told["position_mm"] is None else "X{:.3f} Y{:.3f} Z{:.3f} mm".format(*told["position_mm"])
    print(f"{told['state']}  {place}{'  gripper on' if told['gripper_on'] else ''}  (says the service, which has it)")
    return True


def show_status(settings: Settings, as_json: bool) -> int:
    """Print what the firmware says of itself, and where its settings contradict ours."""
    motion = open_motion(settings, RealClock())
    try:
        try:
            version = motion.connect()
        except PortInUseError:
            if _service_tells(settings.machine.port, as_json):
                return 0
            raise
        seen = Seen(motion.poll().value, motion.position(), motion.position_known, motion.gripper_on)
        machine = settings.machine
        doubts = [item.sentence for item in contradictions(motion.limits, machine.travel_mm, machine.fastest_mm_s)]
    finally:
        motion.close()
    if as_json:
        print(json.dumps({"version": version, "port": settings.machine.port, **seen.values(), "doubts": doubts}))
        return 0
    x, y, z = seen.position
    print(f"{version} on {settings.machine.port}")
    print(f"state     {seen.state}")
    print(f"position  X{x:.3f} Y{y:.3f} Z{z:.3f} mm" + ("" if seen.homed else " (not homed)"))
    print(f"gripper   {'on' if seen.gripper_on else 'off'}")
    for sentence in doubts:
        print(f"doubt     {sentence}")
    return 0


def monitor(arguments: argparse.Namespace, loaded: LoadedSettings, add_actions: AddActions) -> int:
    """Print what the machine does whenever that changes; attended, carry out the actions that are typed, too."""
    clock = RealClock()
    with ExitStack() as opened:
        look: Callable[[], Seen]
        if arguments.attended:
            handled = open_attended(loaded, clock)
            opened.callback(handled.close)

            def look() -> Seen:
                state, position = handled.gantry.look()
                return Seen(state.value, position, handled.gantry.homed, handled.gantry.holding_disc)

            _say("type an action, such as 'home', 'goto 14', 'jog Z-2', 'grip'; 'quit' ends")
        else:
            motion = open_motion(loaded.settings, clock)
            opened.callback(motion.close)
            _say(f"{motion.connect()} on {loaded.settings.machine.port}: Ctrl-C ends")

            def look() -> Seen:
                motion.refresh()
                return Seen(motion.poll().value, motion.position(), motion.position_known, motion.gripper_on)

        typed = ScriptLines(sys.stdin.fileno()) if arguments.attended else None
        parser = _typed_parser(add_actions)
        began, before = clock.now(), None
        while clock.now() - began < (inf if arguments.seconds is None else arguments.seconds):
            try:
                seen = look()
            except PositionLostError as error:
                _say(str(error))
                continue
            if seen != before:
                _show(seen, clock.now() - began, arguments.json)
                before = seen
            for line in [] if typed is None else typed.take():
                if line.strip().lower() in LEAVE:
                    return 0
                _carry_out(line, parser, lambda action: do_action(handled, action, loaded.settings, _say))
            if typed is not None and typed.ended:
                return 0
            _wait(typed is not None)
    return 0


def _show(seen: Seen, at_s: float, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"time_s": round(at_s, 3), **seen.values()}), flush=True)
    else:
        print(f"{at_s:8.1f}  {seen.words()}", flush=True)


def _typed_parser(add_actions: AddActions) -> CommandParser:
    parser = CommandParser(prog="", add_help=False)
    add_actions(parser.add_subparsers(title="actions", metavar="ACTION", required=True))
    return parser


def _carry_out(line: str, parser: CommandParser, do: Callable[[argparse.Namespace], None]) -> None:
    """Do what was typed; what is wrong with it, or goes wrong, is said, and the next line may be better."""
    try:
        words = shlex.split(line, comments=True)
        if words:
            do(parser.parse_args(words))
    except SystemExit:  # argparse has said what is wrong.
        pass
    except ValueError as error:
        _say(f"that line cannot be read ({error})")
    except (ControllerError, HardwareError) as error:
        _say(str(error))


def _wait(for_lines: bool) -> None:
    """Let a moment pass, or less if a line comes."""
    select.select([sys.stdin] if for_lines else [], [], [], EVERY_S)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
