"""The table as the game sees it, and the one place where the real or the simulated one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibration.calibration import Calibration, load_calibration
from calibration.errors import CalibrationError
from calibration.known_geometry import calibration_of
from calibration.same_machine import check_same_machine
from controller.calibrating.watch import Watch
from controller.ending_signals import EndingWatch
from controller.errors import ControllerError
from controller.grippers import gripper_pins, make_gripper
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm, Clearances
from controller.hardware_settings import PanelSettings
from controller.motion_firmware import make_motion
from controller.settings import HandlingSettings, Settings
from controller.steady_camera import SteadyCamera, SteadyPermit
from controller.stop_button import StopButton
from hardware.cameras.open_camera import open_camera
from hardware.cameras.picture_lock import PictureLock
from hardware.clock import Clock, VirtualClock
from hardware.frame import Camera
from hardware.gantry import Gantry
from hardware.gantry_limits import GantryLimits
from hardware.gpio_panel import GpioPanel, PanelPins
from hardware.machine_check import contradictions, refuse_contradictions
from hardware.motion import Motion
from hardware.panel import NoPanel, Panel
from hardware.permit import AttendedPermit, Permit
from hardware.serial_port import BytePort, serial_port_opener
from hardware.simulated.physics.interface import StackOfDiscs
from hardware.simulated.table import SimulatedTable, TableSetup

if TYPE_CHECKING:
    from controller.mock_pins import TablePins

SIMULATED_POLL_S = 0.02


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
    ending: EndingWatch | None = None
    """What stops a real machine when the program is told to end."""

    def close(self) -> None:
        """Let go of every device."""
        if self.ending is not None:
            self.ending.close()
        self.gantry.close()
        self.camera.close()
        self.panel.close()
        if self.pins is not None:
            self.pins.close()


@dataclass(frozen=True)
class Workbench:
    """Everything physical, connected, before it is calibrated: no map makes it agree; `watch` permits motion."""

    clock: Clock
    camera: Camera
    panel: Panel
    gantry: Gantry
    watch: Watch
    pins: TablePins | None = None
    ending: EndingWatch | None = None

    def close(self) -> None:
        """Let go of every device."""
        if self.ending is not None:
            self.ending.close()
        self.gantry.close()
        self.camera.close()
        self.panel.close()
        if self.pins is not None:
            self.pins.close()


@dataclass(frozen=True)
class AttendedArm:
    """The arm without a camera, connected: no guard watches, so a person has to stand beside it (`--attended`)."""

    clock: Clock
    panel: Panel
    gantry: Gantry
    arm: Arm
    calibration: Calibration
    pins: TablePins | None
    ending: EndingWatch

    def close(self) -> None:
        """Let go of every device."""
        self.ending.close()
        self.gantry.close()
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
        lock = PictureLock(settings.camera.settle_s) if settings.camera.lock else None
        camera = open_camera(settings.camera.source, size, clock, lock)
        opened.callback(camera.close)
        calibration = load_calibration(settings.files.calibration_path(environment))
        if size != calibration.camera.size:
            raise ControllerError(
                "the calibration was made with frames of {} × {} px and the settings ask for {} × {}: make them "
                "agree or calibrate again".format(*calibration.camera.size, *size)
            )
        factory = None if pins is None else pins.factory
        panel = _panel(settings.panel, factory, clock)
        opened.callback(panel.close)
        machine = settings.machine
        table = _assembled(
            settings,
            clock,
            camera,
            panel,
            calibration,
            serial_port_opener(machine.port, machine.baud),
            pins,
        )
        opened.pop_all()
    return replace(table, ending=EndingWatch(table.gantry.stop))


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


def open_calibrated_simulated_table(
    settings: Settings, clock: VirtualClock, simulated: SimulatedTable, calibration: Calibration
) -> Table:
    """A simulated table that is there already, with the calibration that has been found for it."""
    return _assembled(settings, clock, simulated.camera, simulated.panel, calibration, lambda: simulated.line)


def open_workbench(settings: Settings, clock: Clock) -> Workbench:
    """The table of the settings as it is before it is calibrated. Raises HardwareError as `open_real_table` does."""
    with ExitStack() as opened:
        pins = _table_pins(settings)
        if pins is not None:
            opened.callback(pins.close)
        lock = PictureLock(settings.camera.settle_s) if settings.camera.lock else None
        size = (settings.camera.width, settings.camera.height)
        camera = open_camera(settings.camera.source, size, clock, lock)
        opened.callback(camera.close)
        panel = _panel(settings.panel, None if pins is None else pins.factory, clock)
        opened.callback(panel.close)
        machine = settings.machine
        opener = serial_port_opener(machine.port, machine.baud)
        bench = _workbench(settings, clock, camera, panel, opener, pins)
        opened.pop_all()
    return replace(bench, ending=EndingWatch(bench.gantry.stop))


def open_simulated_workbench(
    settings: Settings, clock: VirtualClock, simulated: SimulatedTable, camera: Camera
) -> Workbench:
    """The same for a simulated table, seen by a camera; its firmware is asked less often than it may be, as each time
    has to be simulated."""
    line = simulated.line
    return _workbench(settings, clock, camera, simulated.panel, lambda: line, None, SIMULATED_POLL_S)


def _workbench(
    settings: Settings,
    clock: Clock,
    camera: Camera,
    panel: Panel,
    open_port: Callable[[], BytePort],
    pins: TablePins | None,
    poll_s: float | None = None,
) -> Workbench:
    watch = Watch(camera, clock, settings.guard.interval_s, settings.guard.frame_age_s, panel.turn_pressed)
    gantry = _connected(settings, clock, panel, watch, open_port, pins, for_playing=False, poll_s=poll_s)
    return Workbench(clock, camera, panel, gantry, watch, pins)


def open_attended_arm(settings: Settings, clock: Clock, calibration: Calibration) -> AttendedArm:
    """Panel, gantry and gripper of the settings, and no camera. Raises HardwareError as `open_real_table` does."""
    with ExitStack() as opened:
        pins = _table_pins(settings)
        if pins is not None:
            opened.callback(pins.close)
        panel = _panel(settings.panel, None if pins is None else pins.factory, clock)
        opened.callback(panel.close)
        machine = settings.machine
        gantry = _connected(
            settings,
            clock,
            panel,
            AttendedPermit(),
            serial_port_opener(machine.port, machine.baud),
            pins,
            for_playing=False,
        )
        arm = Arm(gantry, calibration, clearances_of(settings.handling), gantry.speeds)
        opened.pop_all()
    return AttendedArm(clock, panel, gantry, arm, calibration, pins, EndingWatch(gantry.stop))


def open_motion(settings: Settings, clock: Clock) -> Motion:
    """The motion firmware on the port of the settings, not connected yet."""
    return make_motion(settings, clock, serial_port_opener(settings.machine.port, settings.machine.baud))


def _limits(settings: Settings) -> GantryLimits:
    return GantryLimits(
        travel_mm=settings.machine.travel_mm,
        fastest_mm_s=settings.machine.fastest_mm_s,
        grip_s=settings.machine.grip_s,
        release_s=settings.machine.release_s,
        settle_s=settings.guard.settle_s,
    )


def _assembled(
    settings: Settings,
    clock: Clock,
    camera: Camera,
    panel: Panel,
    calibration: Calibration,
    open_port: Callable[[], BytePort],
    pins: TablePins | None = None,
) -> Table:
    steady = SteadyCamera(camera, calibration)
    guard = HandGuard(steady, clock, calibration, settings.guard.interval_s, settings.guard.frame_age_s)
    gantry = _connected(settings, clock, panel, SteadyPermit(steady, guard), open_port, pins, for_playing=True)
    try:
        check_same_machine(calibration, gantry.machine)
    except CalibrationError:
        gantry.close()
        raise
    arm = Arm(gantry, calibration, clearances_of(settings.handling), gantry.speeds)
    guard.follow(arm.tips_mm)
    slow = settings.guard
    gantry.pace = lambda: slow.near_people_speed if clock.now() - guard.hand_at_s < slow.near_people_s else 1.0
    guard.arm_is_lost = lambda: not gantry.homed
    return Table(clock, steady, panel, gantry, arm, guard, calibration, pins)


def _connected(
    settings: Settings,
    clock: Clock,
    panel: Panel,
    permit: Permit,
    open_port: Callable[[], BytePort],
    pins: TablePins | None,
    for_playing: bool,
    poll_s: float | None = None,
) -> Gantry:
    """The gantry under a permit and the stop button, its firmware found.

    For playing the machine's own settings must not contradict ours: FirmwareError says where they do. `poll_s` is the
    time between looks at the firmware while it moves, if not the usual.
    """

    def stop(reason: str) -> None:
        gantry.stop(reason)

    motion = make_motion(settings, clock, open_port)
    gripper = make_gripper(settings, motion, clock, None if pins is None else pins.factory)
    limits = _limits(settings)
    if poll_s is not None:
        limits = replace(limits, poll_interval_s=poll_s)
    gantry = Gantry(motion, StopButton(panel, permit, stop), clock, limits, gripper=gripper)
    panel.on_stop(lambda: gantry.stop("the stop button was pressed"))
    try:
        gantry.connect()
        if for_playing:
            machine = settings.machine
            refuse_contradictions(contradictions(motion.limits, machine.travel_mm, machine.fastest_mm_s))
    except BaseException:
        gantry.close()
        raise
    return gantry


def _table_pins(settings: Settings) -> TablePins | None:
    """The pins of a simulated table that runs as a program of its own; None for this computer's."""
    if settings.table.control is None:
        return None
    # Only this table needs gpiozero's mock pins, and gpiozero takes 0.2 s to import.
    from controller.mock_pins import TablePins  # noqa: PLC0415

    buttons = (settings.panel.turn_pin, settings.panel.stop_pin)
    return TablePins(
        settings.table.control,
        inputs=[pin for pin in (*buttons, settings.gripper.sensor_pin) if pin is not None],
        prompt=gripper_pins(settings),
    )


def _panel(settings: PanelSettings, pin_factory: Any, clock: Clock) -> Panel:
    pins = PanelPins(
        turn=settings.turn_pin,
        stop=settings.stop_pin,
        light=settings.light_pin,
        red=settings.red_pin,
        green=settings.green_pin,
        blue=settings.blue_pin,
        buzzer=settings.buzzer_pin,
        stop_normally_closed=settings.stop_normally_closed,
    )
    return NoPanel() if not settings.has_any else GpioPanel(pins, pin_factory, clock)


def clearances_of(handling: HandlingSettings) -> Clearances:
    """The distances of the settings as the arm knows them."""
    return Clearances(
        above=handling.clearance_mm,
        beside=handling.clearance_beside_mm,
        press=handling.press_mm,
        gap=handling.put_down_gap_mm,
    )
