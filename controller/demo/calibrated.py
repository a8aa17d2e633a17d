"""A simulated table that nobody has calibrated, calibrated and laid for a game."""

from __future__ import annotations

from collections.abc import Callable

from calibration.calibration import Calibration
from calibration.draft import calibration_from
from controller.calibrating.helper import Wish
from controller.calibrating.plan import CalibrationOrder
from controller.calibrating.run import CalibrationReport, calibrate_simulated
from controller.draughts import Colour, Position
from controller.errors import ControllerError
from controller.settings import Settings
from controller.simulated_layout import starting_stacks
from controller.table import Table, open_calibrated_simulated_table
from hardware.clock import VirtualClock
from hardware.simulated.table import SimulatedTable, TableSetup


def calibrated_table(
    settings: Settings,
    clock: VirtualClock,
    setup: TableSetup,
    position: Position,
    human: Colour,
    tell: Callable[[str], None],
) -> tuple[SimulatedTable, Table, CalibrationReport]:
    """Calibrate the table of the setup's seed, whose truth is hidden, and have a position of men set up on it.

    Raises ControllerError if the calibration is refused.
    """
    order = CalibrationOrder(square_mm=setup.geometry.square_mm, sheet=True, seed=setup.seed)
    run = calibrate_simulated(clock, setup.seed, order, tell=tell, setup=setup)
    if run.report.refused is not None:
        raise ControllerError(run.report.refused)
    calibration = calibration_from(run.draft, "of this demo")
    tell(f"calibrated: RMS {run.report.rms_mm:.2f} mm, worst {run.report.worst_mm:.2f} mm")
    helper = run.simulated.helper
    helper.please(Wish.CLEAR_BOARD, "Take everything off the board, and set up the position.")
    helper.set_up([stack for stack in starting_stacks(position, calibration, human) if _on_board(stack, calibration)])
    run.simulated.bench.gantry.close()
    table = open_calibrated_simulated_table(settings, clock, run.simulated.table, calibration)
    return run.simulated.table, table, run.report


def _on_board(stack: tuple[object, float, float, int], calibration: Calibration) -> bool:
    return 0 < stack[1] < 8 * calibration.square_mm
