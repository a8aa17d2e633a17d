"""The simulated table in real time: everything that serves it, started and stopped together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from hardware.clock import VirtualClock
from hardware.simulated.control import TableControl
from hardware.simulated.faults import FaultSchedule
from hardware.simulated.names import FAULT_LEVELS
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.program.clock_driver import ClockDriver
from hardware.simulated.program.control_server import ControlServer
from hardware.simulated.program.folder import TableFolder, write_whole
from hardware.simulated.program.frame_server import FrameServer
from hardware.simulated.program.frame_source import FrameSource
from hardware.simulated.program.pins import PinBoard
from hardware.simulated.program.serial_end import SerialEnd
from hardware.simulated.table import SimulatedTable, TableSetup


@dataclass(frozen=True)
class RunningSetup:
    """What table it is and how it runs: `speed` times as fast as real time.

    opening_resets: whether opening the serial port restarts the controller board, as DTR does. gripper_on_pin:
    whether the gripper is on a pin of the controller's computer and not on the firmware's output. faults: one of
    `hardware.simulated.names.FAULT_LEVELS`.
    """

    table: TableSetup
    speed: float = 1.0
    opening_resets: bool = False
    gripper_on_pin: bool = False
    faults: str = FAULT_LEVELS[0]


class RunningTable:
    """A table that others reach by what lies in `folder`; `start` it, and `stop` it at the end.

    Whoever touches `table` meanwhile holds `lock`. `on_fault` is told, with `lock` held, when (s of the table) what
    was made to go wrong. `on_failure` is told what has ended the table by itself, which only a fault of ours does.
    """

    def __init__(
        self,
        folder: TableFolder,
        setup: RunningSetup,
        stacks: Iterable[StackOfDiscs],
        on_fault: Callable[[float, str], None] = lambda time_s, what: None,
        on_failure: Callable[[Exception], None] = lambda error: None,
        crown_up: Iterable[int] = (),
    ) -> None:
        """`stacks` and `crown_up` as for a SimulatedTable."""
        self.lock = threading.RLock()
        self._folder = folder
        clock = VirtualClock()
        self.table = SimulatedTable(clock, setup.table, stacks, crown_up)
        self.pins = PinBoard(self.table.panel, clock.now, self._set_gripper if setup.gripper_on_pin else None)
        self._serial = SerialEnd(self.table.firmware, clock, folder.serial, setup.opening_resets)
        self.control = TableControl(self.table, clock, self._serial, self.pins)
        self.control.on_fault = on_fault
        self.faults = FaultSchedule(setup.faults, setup.table.seed, self.table, self.control)
        clock.attach(self.pins.advance_to)
        clock.attach(self.faults.advance_to)
        self.frames = FrameSource(self.table.camera, self.lock, on_failure)
        self._frame_server = FrameServer(self.frames, _port_of_before(folder))
        self._control_server = ControlServer(folder.control, self.control, self.pins, self.lock)
        self._driver = ClockDriver(clock, setup.speed, self.lock, self._serial.serve_once, on_failure)

    @property
    def camera_url(self) -> str:
        """Where the camera's stream is."""
        return self._frame_server.url

    def start(self) -> None:
        """Let time run and serve; when the control socket is there, all else is. OSError if that cannot be."""
        self._folder.clear()
        self.table.camera.picture.prepare()  # Whoever opens the camera does not wait long for a first frame.
        self._serial.plug_in()
        write_whole(self._folder.camera, self.camera_url + "\n")
        self._driver.start()
        self.frames.start()
        self._frame_server.start()
        self._control_server.start()

    def stop(self) -> None:
        """End everything and take away what `start` has made; never fails, also after half a start."""
        self._control_server.stop()
        self._frame_server.stop()
        self.frames.stop()
        self._driver.stop()
        self._serial.unplug()
        self._folder.clear()

    def _set_gripper(self, on: bool) -> None:
        self.table.gripper_pin = on


def _port_of_before(folder: TableFolder) -> int:
    """The port that the table which had this folder before gave its frames at; 0 if that is not known."""
    try:
        return urlsplit(folder.camera.read_text(encoding="utf-8").strip()).port or 0
    except (OSError, ValueError):
        return 0
