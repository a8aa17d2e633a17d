"""The table as the game sees it, and the one place where the real or the simulated one is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.calibration import Calibration, load_calibration
from calibration.known_geometry import calibration_of
from controller.hand_guard import HandGuard
from controller.handling.arm import Arm, Clearances
from controller.settings import Settings
from hardware.clock import Clock
from hardware.frame import Camera
from hardware.gantry import Gantry
from hardware.panel import Panel


@dataclass(frozen=True)
class Table:
    """Everything physical together, and the calibration that makes it agree."""

    clock: Clock
    camera: Camera
    gantry: Gantry
    panel: Panel
    calibration: Calibration
    guard: HandGuard
    arm: Arm

    def close(self) -> None:
        """Let go of every device."""
        self.gantry.close()
        self.camera.close()
        self.panel.close()
