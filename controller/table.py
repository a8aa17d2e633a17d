"""The table as the game sees it, and the one place where the real or the simulated one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibration.calibration import Calibration, load_calibration
from calibration.known_geometry import calibration_of
from controller.errors import ControllerError
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm, Clearances
from controller.settings import HandlingSettings, MachineSettings, PanelSettings, Settings
from controller.steady_camera import SteadyCamera, SteadyPermit
from controller.stop_button import StopButton
from hardware.cameras.opencv_camera import OpenCvCamera
from hardware.clock import Clock, VirtualClock
from hardware.frame import Camera
from hardware.gantry import Gantry, GantryLimits
from hardware.gpio_gripper import GpioGripper
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.grbl.driver import GrblMotion
from hardware.grbl.gripper_output import GripperOutput
from hardware.gripper import Gripper
from hardware.panel import NoPanel, Panel
from hardware.serial_port import BytePort, open_serial_port
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import SimulatedTable, TableSetup

if TYPE_CHECKING:
    from controller.mock_pins import TablePins


@dataclass(frozen=True)
class Table:
    """Everything physical together, connected, and the calibration that makes it agree."""

    clock: Clock
    camera: SteadyCamera
    panel: Panel
    gantry: Gantry
    arm: Arm
    guard: HandGuard
    calibration: Calibration
    pins: TablePins | None = None
    """The pins of panel and gripper where they are not this computer's but a running simulated table's."""

    def close(self) -> None:
        """Let go of every device."""
        self.gantry.close()
        self.camera.close()
        self.panel.close()
        if self.pins is not None:
            self.pins.close()


def open_real_table(settings: Settings, clock: Clock, environment: Mapping[str, str]) -> Table:
    """The table of the settings.

    Raises CalibrationError, CameraError, SerialError, FirmwareError or another HardwareError for what is missing or
    wrong, TableProgramError for a running simulated table that is not there.
    """
    size = (settings.camera.width, settings.camera.height)
    with ExitStack() as opened:
        pins = _table_pins(settings)
        if pins is not None:
            opened.callback(pins.close)
        camera = OpenCvCamera(settings.camera.source, size, clock)
        opened.callback(camera.close)
        calibration = load_calibration(settings.files.calibration_path(environment))
        if size != calibration.camera.size:
            raise ControllerError(
                "the calibration was made with frames of {} × {} px and the settings ask for {} × {}: make them "
                "agree or calibrate again".format(*calibration.camera.size, *size)
            )
        factory = None if pins is None else pins.factory
        panel = _panel(settings.panel, factory)
        opened.callback(panel.close)
        machine = settings.machine
        gripper = _gripper_on_pin(machine, factory)
        if gripper is not None:
            opened.callback(gripper.close)
        table = _assembled(
            settings,
            clock,
            camera,
            panel,
            calibration,
            lambda: open_serial_port(machine.port, machine.baud),
            gripper,
            pins,
        )
        opened.pop_all()
    return table


def open_simulated_table(
    settings: Settings,
    clock: VirtualClock,
    setup: TableSetup,
    stacks: Iterable[StackOfDiscs],
    crown_up: Iterable[int] = (),
) -> tuple[SimulatedTable, Table]:
    """A simulated table with these stacks on it; the first of the two knows the truth.

    `crown_up` are the numbers of the discs that lie with their crown up, in a set whose kings are turned.

    The calibration is that of the reference build: what the table's imperfection adds is not known to it.
    """
    simulated = SimulatedTable(clock, setup, stacks, crown_up)
    calibration = calibration_of(setup.geometry, clock.date())
    table = _assembled(settings, clock, simulated.camera, simulated.panel, calibration, lambda: simulated.line)
    return simulated, table


def open_motion(settings: Settings, clock: Clock) -> GrblMotion:
    """The motion firmware on the port of the settings, not connected yet."""
    machine = settings.machine
    return _motion(settings, clock, lambda: open_serial_port(machine.port, machine.baud))


def _motion(settings: Settings, clock: Clock, open_port: Callable[[], BytePort]) -> GrblMotion:
    return GrblMotion(
        open_port,
        clock,
        GripperOutput(settings.machine.gripper_output if settings.machine.gripper_output != "pin" else "coolant"),
    )


def _limits(settings: Settings) -> GantryLimits:
    return GantryLimits(
        travel_mm=settings.machine.travel_mm,
        fastest_mm_s=settings.machine.fastest_mm_s,
        grip_s=settings.machine.grip_s,
        release_s=settings.machine.release_s,
        guard_interval_s=settings.guard.interval_s,
        settle_s=settings.guard.settle_s,
    )


def _assembled(
    settings: Settings,
    clock: Clock,
    camera: Camera,
    panel: Panel,
    calibration: Calibration,
    open_port: Callable[[], BytePort],
    gripper: Gripper | None = None,
    pins: TablePins | None = None,
) -> Table:
    steady = SteadyCamera(camera, calibration)
    guard = HandGuard(steady, clock, calibration, settings.guard.interval_s, settings.guard.frame_age_s)

    def stop(reason: str) -> None:
        gantry.stop(reason)

    permit = StopButton(panel, SteadyPermit(steady, guard), stop)
    gantry = Gantry(_motion(settings, clock, open_port), permit, clock, _limits(settings), gripper=gripper)
    gantry.connect()
    arm = Arm(gantry, calibration, _clearances(settings.handling))
    guard.follow(arm.tips_mm)
    return Table(clock, steady, panel, gantry, arm, guard, calibration, pins)


def _table_pins(settings: Settings) -> TablePins | None:
    """The pins of a simulated table that runs as a program of its own; None for this computer's."""
    if settings.table.control is None:
        return None
    # Only this table needs gpiozero's mock pins, and gpiozero takes 0.2 s to import.
    from controller.mock_pins import TablePins  # noqa: PLC0415

    buttons = (settings.panel.turn_pin, settings.panel.stop_pin)
    gripper = _gripper_pin(settings.machine)
    return TablePins(
        settings.table.control,
        inputs=[pin for pin in buttons if pin is not None],
        prompt=[] if gripper is None else [gripper],
    )


def _panel(settings: PanelSettings, pin_factory: Any) -> Panel:
    pins = PanelPins(
        turn=settings.turn_pin,
        stop=settings.stop_pin,
        light=settings.light_pin,
        red=settings.red_pin,
        green=settings.green_pin,
        blue=settings.blue_pin,
    )
    return NoPanel() if pins == PanelPins() else GpioPanel(pins, pin_factory)


def _gripper_pin(machine: MachineSettings) -> int | None:
    """The pin that works the gripper; None where an output of the firmware does."""
    return machine.gripper_pin if machine.gripper_output == "pin" else None


def _gripper_on_pin(machine: MachineSettings, pin_factory: Any) -> Gripper | None:
    pin = _gripper_pin(machine)
    return None if pin is None else GpioGripper(pin, machine.gripper_pin_active_high, pin_factory)


def _clearances(handling: HandlingSettings) -> Clearances:
    return Clearances(
        above=handling.clearance_mm,
        beside=handling.clearance_beside_mm,
        press=handling.press_mm,
        gap=handling.put_down_gap_mm,
    )
