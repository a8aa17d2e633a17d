"""The controller's own devices at a table that runs as a program: serial line, camera, buttons, light and gripper."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from table_stub import PATIENCE_S

from controller.draughts import Colour
from controller.handling.layout import Layout, Stack
from controller.handling.places import square
from controller.settings_file import load_settings
from controller.table import Table, open_real_table
from hardware.clock import RealClock
from hardware.errors import CameraError, SerialError
from hardware.panel import Light
from hardware.simulated.control_client import ControlClient
from hardware.simulated.requests import Fault, MakeFault, Press, Truth, TruthReply

SOURCE, TARGET = square(9), square(14)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A running table on whose board a dark man stands on 9 and a light one on 32; its gripper is on a pin."""
    folder = tmp_path_factory.mktemp("table")
    options = ["--speed", "4", "--gripper-on-pin", "--for", "600", "--fen", "B:W32:B9", "--dir", str(folder)]
    with subprocess.Popen(
        [sys.executable, "-m", "controller.cli.main", "table", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        until(lambda: (folder / "control").exists() or program.poll() is not None)
        assert program.poll() is None, program.communicate()
        yield folder
        program.terminate()
        _, errors = program.communicate(timeout=PATIENCE_S)
        assert (program.returncode, errors) == (0, "")


@pytest.fixture
def asker(folder: Path) -> Iterator[ControlClient]:
    client = ControlClient(folder / "control")
    yield client
    client.close()


@pytest.fixture
def table(folder: Path) -> Iterator[Table]:
    settings = load_settings(folder / "config.toml", {})
    assert settings.table.control == folder / "control" and settings.machine.gripper_output == "pin"
    table = open_real_table(settings, RealClock(), {})
    # The guard has to know how the table looks with nobody there.
    table.guard.set_reference(until(table.camera.frame))
    watchdog = threading.Timer(2 * PATIENCE_S, table.gantry.stop, ["the test has taken too long"])
    watchdog.start()
    yield table
    watchdog.cancel()
    table.close()


def truth(asker: ControlClient) -> TruthReply:
    return msgspec.convert(asker.handle(Truth()), TruthReply)


def until(what: Callable[[], Any]) -> Any:
    """What `what` returns, once it is something; camera and line may be gone meanwhile."""
    clock = RealClock()
    give_up = clock.now() + PATIENCE_S
    while clock.now() < give_up:
        with contextlib.suppress(CameraError, SerialError):
            if found := what():
                return found
        clock.sleep(0.02)
    raise AssertionError("it has not come about")


def test_buttons_and_lights(table: Table, asker: ControlClient) -> None:
    assert not table.panel.turn_pressed() and not table.panel.stop_pressed()
    asker.handle(Press("turn"))
    until(table.panel.turn_pressed)
    assert not table.panel.turn_pressed()
    asker.handle(Press("stop", 1.0))
    until(table.panel.stop_pressed)
    until(lambda: not table.panel.stop_pressed())
    for light in (Light.YOUR_TURN, Light.THINKING, Light.MOVING, Light.ATTENTION):
        table.panel.show(light)
        until(lambda light=light: truth(asker).light == light.value)


def test_a_disc_is_carried_by_a_gripper_on_a_pin(table: Table, asker: ControlClient) -> None:
    nine, fourteen = (table.calibration.square_mm_centre(number, human_is_white=False) for number in (9, 14))
    (man,) = (disc.id for disc in truth(asker).discs if math.dist((disc.x_mm, disc.y_mm), nine) < 5)
    table.arm.home()
    layout = Layout({square(9): Stack(Colour.BLACK, 1, nine, nine)})
    table.arm.carry(layout, square(9), square(14), 1, fourteen)
    told = truth(asker)
    (disc,) = (disc for disc in told.discs if disc.id == man)
    assert disc.where == "lying" and math.dist((disc.x_mm, disc.y_mm), fourteen) < 5 and abs(disc.z_mm) < 1
    assert not told.gripping and told.dropped == told.knocked == 0
    table.arm.park()
    table.gantry.grip()
    assert truth(asker).gripping and table.gantry.holding_disc
    table.close()
    until(lambda: not truth(asker).gripping)


def test_camera_and_line_that_were_gone_work_again(table: Table, asker: ControlClient) -> None:
    asker.handle(MakeFault(Fault.CAMERA_OFF))
    with pytest.raises(CameraError, match="gives no more frames"):
        for _ in range(1000):
            table.camera.frame()
    asker.handle(MakeFault(Fault.UNPLUG))
    with pytest.raises(SerialError):
        table.gantry.connect()
    asker.handle(MakeFault(Fault.CAMERA_ON))
    asker.handle(MakeFault(Fault.PLUG_IN))
    frame = until(table.camera.frame)
    assert (frame.pixels.shape[1], frame.pixels.shape[0]) == table.calibration.camera.size
    until(table.gantry.connect)
    table.arm.home()
    assert table.gantry.homed

    asker.handle(MakeFault(Fault.CAMERA_FREEZES))
    clock = RealClock()
    with pytest.raises(CameraError, match="gives the same picture again and again"):
        for _ in range(1000):
            table.camera.frame()
            clock.sleep(0.1)
    asker.handle(MakeFault(Fault.CAMERA_ON))
    until(table.camera.frame)
