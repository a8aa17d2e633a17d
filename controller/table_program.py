"""The simulated table as a program of its own: its folder, the settings that fit it, and its life to the end."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Literal

from calibration.calibration import Calibration, save_calibration
from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Position, write_fen
from controller.handling.kings import Kings
from controller.hardware_settings import CameraSettings, MachineSettings, PanelSettings
from controller.settings import (
    DiscsSettings,
    FileSettings,
    GameSettings,
    GuardSettings,
    HandlingSettings,
    Settings,
    TableSettings,
)
from controller.settings_file import file_of
from controller.simulated_layout import stacks_in_trays, starting_crowns, starting_stacks
from hardware.clock import Clock
from hardware.simulated.physics.interface import GripperKind, StackOfDiscs
from hardware.simulated.program.folder import TableFolder, claimed_folder, write_whole
from hardware.simulated.program.pins import BLUE, BUTTON_PINS, GREEN, GRIPPER_PIN, RED
from hardware.simulated.program.running_table import RunningSetup, RunningTable

Say = Callable[[str], None]
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class TableOrder:
    """What table is wanted in which folder, what stands on it, and for whom it is laid.

    position: None if all discs lie in the trays. calibrated: whether the calibration is given, or left to be found.
    kings: how the set of discs shows them.
    """

    folder: Path
    running: RunningSetup
    position: Position | None
    human: Colour = Colour.BLACK
    calibrated: bool = True
    kings: Kings = Kings.STACKED


def run_table(order: TableOrder, clock: Clock, say: Say, seconds: float | None = None) -> None:
    """Run the table until a signal (or `seconds` of real time) ends it; `say` prints a line for people.

    Raises TableProgramError if the folder cannot be used, OSError if something in it cannot be made.
    """
    messages: SimpleQueue[str | Exception | None] = SimpleQueue()
    with claimed_folder(order.folder, clock.date()) as folder, _signals_put_none(messages):
        calibration = calibration_of(order.running.table.geometry, clock.date())
        running = RunningTable(
            folder,
            order.running,
            _stacks(order, calibration),
            on_fault=lambda time_s, what: messages.put(f"{time_s:8.1f} s  {what}"),
            on_failure=messages.put,
            crown_up=() if order.position is None else starting_crowns(order.position, order.kings),
        )
        try:
            if order.calibrated:
                save_calibration(calibration, folder.calibration)
            elif folder.calibration.exists():
                folder.calibration.replace(folder.calibration.with_name("calibration.json.previous"))
            settings = fitting_settings(order, folder, running.camera_url)
            head = "Settings for the simulated table in this folder, written anew whenever it is started."
            write_whole(folder.config, file_of(settings, head))
            running.start()
            for line in _introduction(order, folder, running.camera_url):
                say(line)
            _pass_on(messages, say, clock, seconds)
        finally:
            running.stop()


def _stacks(order: TableOrder, calibration: Calibration) -> list[StackOfDiscs]:
    if order.position is None:
        return stacks_in_trays(calibration.tray_mm, order.human)
    return starting_stacks(order.position, calibration, order.human, order.kings)


def fitting_settings(order: TableOrder, folder: TableFolder, camera_url: str) -> Settings:
    """The settings with which the controller plays on this table; what takes time keeps pace with its speed."""
    running, defaults = order.running, Settings()
    speed = running.speed
    width, height = running.table.geometry.camera.size
    machine, guard, player = defaults.machine, defaults.guard, defaults.player
    travel_x, travel_y, travel_z = running.table.geometry.travel_mm
    human: Literal["black", "white"] = "black" if order.human is Colour.BLACK else "white"
    return Settings(
        game=GameSettings(human=human),
        table=TableSettings(control=folder.control),
        camera=CameraSettings(camera_url, width, height),
        machine=MachineSettings(
            port=str(folder.serial),
            gripper_output="pin" if running.gripper_on_pin else machine.gripper_output,
            gripper_pin=GRIPPER_PIN if running.gripper_on_pin else None,
            travel_x_mm=travel_x,
            travel_y_mm=travel_y,
            travel_z_mm=travel_z,
            fastest_mm_s=max(machine.fastest_mm_s * speed, 10.0),
            grip_s=min(machine.grip_s / speed, 10.0),
            release_s=min(machine.release_s / speed, 10.0),
        ),
        panel=PanelSettings(
            turn_pin=BUTTON_PINS["turn"],
            stop_pin=BUTTON_PINS["stop"],
            red_pin=RED,
            green_pin=GREEN,
            blue_pin=BLUE,
        ),
        discs=DiscsSettings(kings=order.kings.value),
        handling=HandlingSettings(lifts_stack=running.table.gripper is GripperKind.JAWS),
        guard=GuardSettings(
            interval_s=_between(0.1, guard.interval_s / speed, 1.0),
            settle_s=_between(0.3, guard.settle_s / speed, 30.0),
        ),
        player=replace(
            player,
            idle_frame_s=_between(0.2, player.idle_frame_s / speed, 10.0),
            hand_frame_s=_between(0.15, player.hand_frame_s / speed, 10.0),
        ),
        files=FileSettings(calibration=folder.calibration, journal=folder.path / "journal.sqlite3"),
    )


def _between(least: float, value: float, most: float) -> float:
    return round(min(max(value, least), most), 3)


def _introduction(order: TableOrder, folder: TableFolder, camera_url: str) -> Iterator[str]:
    speed = f", {order.running.speed:g} times as fast as real time" if order.running.speed != 1 else ""
    yield f"The table stands in {folder.path}{speed}."
    yield f"  {folder.serial.name:18}the firmware's serial port"
    yield f"  {folder.camera.name:18}the camera: {camera_url} (a browser shows it, too)"
    yield f"  {folder.control.name:18}the control socket; docs/table-program.md says what can be asked of it"
    yield f"  {folder.config.name:18}settings that fit"
    if order.calibrated:
        yield f"  {folder.calibration.name:18}the calibration that fits"
    if order.position is None:
        square = order.running.table.geometry.square_mm
        yield f"Calibrate it: crownhead calibrate --config {shlex.quote(str(folder.config))} --square-mm {square:g}"
        yield "Ctrl-C takes it away."
        return
    position = "" if order.position == Position.start() else f" --fen {shlex.quote(write_fen(order.position))}"
    yield f"Play on it:  crownhead play --simulate --table {shlex.quote(str(folder.path))}{position}"
    yield "Ctrl-C takes it away."


def _pass_on(messages: SimpleQueue[str | Exception | None], say: Say, clock: Clock, seconds: float | None) -> None:
    """Say what happens, until the end is asked for; raises what has made the table fail."""
    ends = None if seconds is None else clock.now() + seconds
    while True:
        try:
            message = messages.get(timeout=None if ends is None else max(ends - clock.now(), 0.0))
        except Empty:
            return
        if message is None:
            return
        if isinstance(message, Exception):
            raise message
        say(message)


@contextmanager
def _signals_put_none(messages: SimpleQueue[str | Exception | None]) -> Iterator[None]:
    """While in it, a signal that asks for the end puts None into the queue and does nothing else.

    What is ignored stays ignored: `nohup` wants that.
    """
    before = {number: signal.getsignal(number) for number in _ENDING_SIGNALS}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, lambda *_: messages.put(None))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
