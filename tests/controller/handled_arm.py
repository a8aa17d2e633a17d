"""A whole arm on virtual time: gantry, driver and simulated firmware, with a person beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from calibration.calibration import Calibration
from calibration.known_geometry import calibration_of
from controller.handling.arm import Arm, Clearances
from hardware.clock import VirtualClock
from hardware.gantry import Gantry
from hardware.grbl.driver import GrblMotion
from hardware.permit import AttendedPermit
from hardware.simulated.firmware import GrblFirmware
from hardware.simulated.geometry import TableGeometry
from hardware.simulated.line import SimulatedLine


@dataclass
class VirtualArm:
    """Connected; what moves moves on `clock`."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    firmware: GrblFirmware = field(default_factory=GrblFirmware)
    calibration: Calibration = field(default_factory=lambda: calibration_of(TableGeometry(), VirtualClock().date()))
    closed: bool = False

    def __post_init__(self) -> None:
        self.clock.attach(self.firmware.advance_to)
        self.line = SimulatedLine(self.firmware, self.clock)
        self.gantry = Gantry(GrblMotion(lambda: self.line, self.clock), AttendedPermit(), self.clock)
        self.gantry.connect()
        self.arm = Arm(self.gantry, self.calibration, Clearances(), self.gantry.speeds)

    @property
    def board_mm(self) -> tuple[float, float, float]:
        """Where the tip really is."""
        return self.calibration.to_board(*self.firmware.position)

    def close(self) -> None:
        self.closed = True
