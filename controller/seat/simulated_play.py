"""A table simulated inside the program, laid for a game, with a seat at it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from calibration.known_geometry import calibration_of
from controller.draughts import Colour, Game
from controller.handling.kings import Kings
from controller.hardware_settings import MachineSettings
from controller.settings import HandlingSettings, Settings, TableSettings
from controller.simulated_layout import starting_crowns, starting_stacks
from controller.table import Table, open_simulated_table
from hardware.clock import VirtualClock
from hardware.simulated.control import TableControl
from hardware.simulated.faults import FaultSchedule
from hardware.simulated.table import TableSetup


@dataclass(frozen=True)
class SimulatedPlace:
    """The table as the controller has it, and what can be asked of what is behind it."""

    table: Table
    control: TableControl
    faults: FaultSchedule


def lay_table(
    settings: Settings, clock: VirtualClock, setup: TableSetup, game: Game, fault_level: str
) -> SimulatedPlace:
    """A simulated table on which the game's position lies; faults of `fault_level` come by themselves.

    `settings` say which colour the human plays; their machine and how it handles discs are those of the reference
    build, which is what is simulated.
    """
    settings = replace(
        settings,
        table=TableSettings(kind="simulated", seed=setup.seed),
        machine=MachineSettings(),
        handling=HandlingSettings(),
    )
    human = Colour[settings.game.human.upper()]
    kings = Kings(settings.discs.kings)
    stacks = starting_stacks(game.position, calibration_of(setup.geometry, clock.date()), human, kings)
    crowns = starting_crowns(game.position, kings)
    simulated, table = open_simulated_table(settings, clock, setup, stacks, crowns)
    control = TableControl(simulated, clock)
    faults = FaultSchedule(fault_level, setup.seed, simulated, control)
    clock.attach(faults.advance_to)
    return SimulatedPlace(table, control, faults)
