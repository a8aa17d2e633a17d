"""`crownhead arm home`, `jog`, `goto` and the others that move something or switch the gripper."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace

from controller import arm_by_hand as by_hand
from controller.arm_by_hand import HandledArm, Say
from controller.draughts import Colour
from controller.settings import Settings
from controller.settings_file import LoadedSettings
from hardware.clock import Clock, RealClock


def move_by_hand(arguments: Namespace, loaded: LoadedSettings) -> int:
    """Open the arm, do what the command line says, and print where it is then."""
    clock = RealClock()
    _check_words(arguments)
    if arguments.attended:
        handled = open_attended(loaded, clock)
    else:
        handled = by_hand.open_watched(loaded.settings, clock, os.environ, say)
    try:
        do_action(handled, arguments, loaded.settings, say)
        _show(handled, arguments.json)
    finally:
        handled.close()
    return 0


def open_attended(loaded: LoadedSettings, clock: Clock) -> HandledArm:
    """The arm with a person beside it instead of a camera."""
    calibration = by_hand.calibration_for(loaded, os.environ, clock.date(), say)
    return by_hand.open_attended(loaded.settings, clock, calibration, say)


def do_action(handled: HandledArm, arguments: Namespace, settings: Settings, tell: Say) -> None:
    """Do one action, whose name and words are in `arguments`; raises the errors meant for people."""
    _check_words(arguments)
    action = arguments.action
    human = Colour[settings.game.human.upper()]
    if action == "home":
        handled.gantry.home()
    elif action in ("grip", "release"):
        by_hand.switch_gripper(handled, action == "grip", tell)
    else:
        point = by_hand.read_point(arguments.point, arguments.board) if action == "goto" else None
        if isinstance(point, by_hand.Point):
            by_hand.check_values(handled.gantry, point)
        by_hand.make_ready(handled, tell)
        if action == "jog":
            by_hand.jog(handled, by_hand.read_axes(arguments.by), arguments.speed)
        elif point is not None:
            by_hand.go_to(handled, point, human)
        elif action == "pick":
            by_hand.pick(handled, by_hand.read_place(arguments.place), human, arguments.lying)
        elif action == "place":
            by_hand.put(handled, by_hand.read_place(arguments.place), human, arguments.lying, arguments.held)
        else:
            handled.arm.park()


def _check_words(arguments: Namespace) -> None:
    """Find out what is wrong with the words before anything is opened or moves."""
    if arguments.action == "jog":
        by_hand.read_axes(arguments.by)
    elif arguments.action == "goto":
        by_hand.read_point(arguments.point, arguments.board)
    elif arguments.action in ("pick", "place"):
        by_hand.read_place(arguments.place)


def _show(handled: HandledArm, as_json: bool) -> None:
    """Where the arm is, in machine and in board mm, and whether the gripper is on."""
    state, (x, y, z) = handled.gantry.look()
    board = handled.calibration.to_board(x, y, z) if handled.gantry.homed else None
    on = handled.gantry.holding_disc
    if as_json:
        at = None if board is None else [round(value, 3) for value in board]
        values = {"state": state.value, "position_mm": [x, y, z], "board_mm": at, "gripper_on": on}
        print(json.dumps(values))
        return
    print(f"machine  X{x:.3f} Y{y:.3f} Z{z:.3f} mm" + ("" if board else " (not homed)"))
    if board is not None:
        print("board    x {:.1f}, y {:.1f}, z {:.1f} mm".format(*board))
    print(f"gripper  {'on' if on else 'off'}")


def say(sentence: str) -> None:
    """Tell a person, who reads stderr."""
    print(f"crownhead: {sentence}", file=sys.stderr, flush=True)
