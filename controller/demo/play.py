"""Plays a demo game: builds the simulated table, sits a simulated human at it, and lets the robot play."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter

import cv2

from calibration.known_geometry import calibration_of
from controller.demo.calibrated import calibrated_table
from controller.demo.report import DemoReport, Tally, board_agrees, king_figures
from controller.demo.simulated_human import Habits, SimulatedHuman
from controller.draughts import Colour, Game, write_pdn
from controller.engine.levels import level_limits
from controller.errors import ControllerError
from controller.events import Listener
from controller.eye import Eye
from controller.handling.kings import Kings
from controller.journal import Journal
from controller.seen_picture import seen_picture
from controller.session import prepare_session
from controller.settings import DiscsSettings, GameSettings, GuardSettings, PlayerSettings, Settings, TableSettings
from controller.simulated_layout import starting_crowns, starting_stacks
from controller.table import open_simulated_table
from controller.thinking import thinker
from hardware.clock import VirtualClock
from hardware.simulated.control import TableControl
from hardware.simulated.faults import FaultSchedule
from hardware.simulated.imperfection import Imperfection
from hardware.simulated.names import FAULT_LEVELS, PHYSICS, STYLES
from hardware.simulated.table import TableSetup

HUMAN = Colour.BLACK
ROBOT_LEVELS = (5, 7)
HUMAN_LEVELS = (1, 4)
"""The levels (inclusive) that a seed picks from: with a human that is sometimes the stronger both get kings."""
THINKING_S = 1.5
"""How long the robot takes to think: on virtual time an engine is limited by nodes."""
LOOKS_S, LOOKS_WITH_FAULTS_S = 0.9, 0.3
"""Time between looks at the table: each has to be drawn, and hands reach in while the arm moves only as a fault."""
WAITS_S = 900.0
"""After so long in one and the same state of the turn the robot waits for something that will not come."""


@dataclass(frozen=True)
class DemoOrder:
    """Which game: the seed picks the players; the names are those of `hardware.simulated.names`.

    kings: how the set of discs shows them. calibrates: whether the table is one that nobody has calibrated, which is
    done first; its imperfection then is what the seed has hidden.
    """

    seed: int = 1
    physics: str = PHYSICS[0]
    imperfection: Imperfection = field(default_factory=Imperfection)
    faults: str = FAULT_LEVELS[0]
    kings: Kings = Kings.STACKED
    style: str = STYLES[0]
    calibrates: bool = False


class StuckError(ControllerError):
    """The robot waits for help that nobody gives; the sentence is what it asked for."""


def play_demo(
    game: Game,
    clock: VirtualClock,
    folder: Path,
    order: DemoOrder,
    listeners: Sequence[Listener],
    tell: Callable[[str], None] = lambda line: None,
) -> DemoReport:
    """Play `game` to its end on a simulated table; the journal and a picture of the last frame go into `folder`.

    `tell` hears how calibrating goes. Raises the errors of hardware and vision if the table cannot go on.
    """
    began = perf_counter()
    seed = order.seed
    chance = random.Random(seed)
    robot_level, human_level = chance.randint(*ROBOT_LEVELS), chance.randint(*HUMAN_LEVELS)
    looks_s = LOOKS_S if order.faults == "none" else LOOKS_WITH_FAULTS_S
    settings = Settings(
        game=GameSettings(human=HUMAN.name.lower(), level=robot_level),  # type: ignore[arg-type]
        table=TableSettings(kind="simulated", seed=seed),
        guard=GuardSettings(interval_s=looks_s, settle_s=1.0),
        player=PlayerSettings(idle_frame_s=looks_s, hand_frame_s=looks_s),
        discs=DiscsSettings(kings=order.kings.value),
    )
    setup = TableSetup(seed=seed, style=order.style, physics=order.physics, imperfection=order.imperfection)
    found = None
    if order.calibrates:
        simulated, table, found = calibrated_table(settings, clock, setup, game.position, HUMAN, tell)
    else:
        meant = calibration_of(setup.geometry, clock.date())
        stacks = starting_stacks(game.position, meant, HUMAN, order.kings)
        crowns = starting_crowns(game.position, order.kings)
        simulated, table = open_simulated_table(settings, clock, setup, stacks, crowns)
    calibration = table.calibration
    faults = FaultSchedule(order.faults, seed, simulated, TableControl(simulated, clock))
    human = SimulatedHuman(
        simulated,
        calibration,
        game.copy(),
        HUMAN,
        thinker(level_limits(human_level), clock, seed),
        seed,
        Habits(),
        order.kings,
    )
    clock.attach(human.advance_to)
    tally = Tally(HUMAN)
    robot = thinker(level_limits(robot_level), clock, seed + 1, THINKING_S)
    with Journal(folder / "journal.sqlite3", clock) as journal:
        session = prepare_session(table, settings, journal, game, robot, [*listeners, tally.hear, human.hear], seed)
        clock.attach(faults.advance_to)
        clock.attach(partial(_raise_if_stuck, tally))
        try:
            outcome = session.loop.run()
            result, reason = outcome.result, outcome.sentence
        except StuckError as stuck:
            result, reason = "*", f"The robot waits: {stuck}"
        tags = {
            "Event": "Crownhead demo",
            "Date": clock.date().strftime("%Y.%m.%d"),
            "Black": f"Simulated human, level {human_level}",
            "White": f"Crownhead, level {robot_level}",
        }
        pdn = write_pdn(game, tags)
        journal.end_game(session.game_number, result, reason, pdn)
    picture = save_picture(session.eye, folder / "last-frame.png")
    table.close()
    kings = king_figures(game.positions, game.moves)
    return DemoReport(
        seed=seed,
        physics=order.physics,
        result=result,
        reason=reason,
        pdn=pdn,
        human_moves=len(human.made),
        misread=tally.misread(human.made),
        asked=len(tally.asked),
        asked_for=tuple(tally.asked),
        faults=tuple(f"{fault.time_s:.0f} s: {fault.what}" for fault in faults.made),
        transfers=tally.transfers,
        knocked=simulated.world.knocked,
        dropped=simulated.world.dropped,
        board_agrees=board_agrees(
            simulated.world.stacks(),
            game.position,
            calibration,
            HUMAN,
            simulated.faces if order.kings is Kings.TURNED else None,
        ),
        black_crowned=kings.black_crowned,
        white_crowned=kings.white_crowned,
        king_moves=kings.moves,
        kings_captured=kings.captured,
        frames=simulated.camera.frame().number,
        simulated_s=round(clock.now(), 1),
        wall_s=round(perf_counter() - began, 1),
        moved_under_hand_s=round(simulated.moved_under_hand_s, 2),
        calibrated_rms_mm=found.rms_mm if found else None,
        calibrated_worst_mm=found.worst_mm if found else None,
        picture=str(picture),
        journal=str(folder / "journal.sqlite3"),
    )


def _raise_if_stuck(tally: Tally, now: float) -> None:
    """Raise StuckError with what was asked for last when nothing has happened for long."""
    if now - tally.last_event_s > WAITS_S:
        raise StuckError(tally.asked[-1] if tally.asked else "nothing has happened for long")


def save_picture(eye: Eye, path: Path) -> Path:
    """Write the last frame with what was seen drawn on it."""
    picture = seen_picture(eye)
    if picture is not None:
        cv2.imwrite(str(path), picture)
    return path
